// Parses a command line for cmd.exe: accepts simple commands of plain words, joined by `&&`. `;` joins nothing there.
import { t } from "../../base/l10n.ts";
import { NotUnderstood, type Command, type Word } from "./types.ts";

/** Commands that run others or change the meaning of a name. Compared in lower case. */
const runners = new Set(
  (
    "call start cmd powershell pwsh for if else goto set setx rem doskey subst assoc ftype wmic mshta forfiles wsl " +
    "bash sh runas schtasks at rundll32 regsvr32 msiexec cscript wscript path pushd popd setlocal endlocal exit shift " +
    "prompt break msbuild installutil conhost env xargs sudo gsudo"
  ).split(" "),
);

/** `~` is text, as in `HEAD~1`. At the start of a word, other shells expand it. */
const word = /[ ]+|"([^"%!^&|<>\n]*)"(?=[ ]|$)|((?!~)[\w.\\/:=+*?@~-]+)(?=[ ]|$)/y;

const conjunction = /[ ]*&&[ ]*/y;

/** The commands of a line. Throws {@link NotUnderstood}. */
export function cmdCommands(line: string): readonly Command[] {
  const commands: Word[][] = [[]];
  for (let at = 0; at < line.length;) {
    conjunction.lastIndex = at;
    if (conjunction.test(line)) {
      commands.push([]);
      at = conjunction.lastIndex;
      continue;
    }
    word.lastIndex = at;
    const found = word.exec(line);
    if (!found) throw new NotUnderstood(t("is more than one simple command: {0}", line.slice(at, at + 20)));
    at = word.lastIndex;
    const [, quoted, bare] = found;
    const words = commands.at(-1);
    if (quoted?.endsWith("\\")) throw new NotUnderstood(t("has a backslash before a closing quote"));
    if (quoted !== undefined) words?.push({ text: quoted, exact: words.length > 0 });
    if (bare !== undefined) words?.push({ text: bare, exact: !/[*?]/.test(bare) });
  }
  const read = commands.map(words => ({ words: checkedWords(words), wrappers: [] }));
  checkFolder(read);
  return read;
}

/** After a change of folder, cmd.exe finds other programs than before, also those without a path. */
function checkFolder(commands: readonly Command[]): void {
  const moved = commands.findIndex(({ words }) => /^(?:cd|chdir)$/i.test(words[0]?.text ?? ""));
  if (moved < 0) return;
  if (commands.slice(moved + 1).some(({ words }) => /[\\/]/.test(words[0]?.text ?? ""))) {
    throw new NotUnderstood(t("changes the folder and then runs a file by a relative path"));
  }
}

function checkedWords(words: readonly Word[]): readonly Word[] {
  const [first] = words;
  if (!first) throw new NotUnderstood(t("contains no command"));
  // Whether a line that starts with a quote loses it depends on how cmd.exe was called.
  if (!first.exact) throw new NotUnderstood(t("quotes the name of its program"));
  const name = first.text.toLowerCase();
  const plain = /^[a-z][\w-]*(?:\.(?:exe|com|cmd|bat))?$/;
  const path = /^(?:[a-z]:|\.{0,2})\\(?:[\w.+@-]+\\)*[\w+@-]+(?:\.(?:exe|com|cmd|bat))?$/;
  if (!plain.test(name) && !path.test(name)) throw new NotUnderstood(t("names its program in an unusual way"));
  const base = name.slice(name.lastIndexOf("\\") + 1).replace(/\.(?:exe|com|cmd|bat)$/, "");
  if (runners.has(base)) throw new NotUnderstood(t("uses “{0}”, which may run something else", base));
  return words;
}
