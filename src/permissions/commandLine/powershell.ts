// Parses a command line for PowerShell, 5.1 and later: plain commands joined by `;`, `|`, `&&`, `||` or line breaks.
import { t } from "../../base/l10n.ts";
import { NotUnderstood, type Command, type Word } from "./types.ts";

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const keywords = names(
  "begin break catch class clean configuration continue data define do dynamicparam else elseif end enum exit " +
    "filter finally for foreach from function hidden if in inlinescript parallel param process return sequence static " +
    "switch throw trap try until using var while workflow",
);

/** Commands that run others or change the meaning of a name. Compared in lower case. */
const runners = names(
  "iex invoke-expression icm invoke-command start-process saps start start-job sajb start-threadjob invoke-item ii " +
    "add-type new-object foreach-object where-object where invoke-history ihy r h set-alias sal new-alias nal " +
    "import-alias ipal remove-alias import-module ipmo set-variable sv new-variable nv clear-variable clv " +
    "remove-variable rv set-item si new-item ni rename-item rni rename-itemproperty set-psdebug set-executionpolicy " +
    "register-objectevent register-engineevent register-wmievent register-scheduledjob set-psbreakpoint sbp " +
    "invoke-wmimethod iwmi invoke-cimmethod icim enter-pssession etsn new-pssession nsn register-scheduledtask " +
    "powershell pwsh cmd bash sh wsl wscript cscript mshta rundll32 regsvr32 msiexec schtasks wmic forfiles runas " +
    "msbuild installutil conhost env xargs sudo gsudo nohup",
);

/** Characters that cmd.exe would parse as syntax if the program is a batch file. */
const batchGrammar = /[&|<>^%"!()\n]/;

/** The commands of a line. Throws {@link NotUnderstood}. */
export function powershellCommands(line: string): readonly Command[] {
  const commands: Command[] = [];
  let words: Word[] = [];
  let expected = false;
  for (const token of tokens(line)) {
    if (typeof token !== "string") {
      words.push(token);
      continue;
    }
    if (words.length === 0) {
      if (token === "\n" || (token === "" && !expected)) continue;
      throw new NotUnderstood(t("has an operator without a command"));
    }
    commands.push(checkedCommand(words));
    words = [];
    expected = token === "&&" || token === "||" || token === "|";
  }
  if (commands.length === 0) throw new NotUnderstood(t("contains no command"));
  checkFolder(commands);
  return commands;
}

const folderChangers = names("cd chdir sl pushd popd set-location push-location pop-location");

/** After a change of folder, `.\run` is a different file than it seems. */
function checkFolder(commands: readonly Command[]): void {
  const moved = commands.findIndex(({ words }) => folderChangers.has(words[0]?.text.toLowerCase() ?? ""));
  if (moved < 0) return;
  if (commands.slice(moved + 1).some(({ words }) => /^\.{0,2}[\\/]/.test(words[0]?.text ?? ""))) {
    throw new NotUnderstood(t("changes the folder and then runs a file by a relative path"));
  }
}

const blank = /[ \t]+/y;
const separator = /\n|;|&&|\|\|?/y;
const redirection = /(?:[1-6*]?>>?[ \t]*\$null|[2-6*]>&1)(?=[ \t\n;|]|$)/y;
const single = /'((?:[^'\n]|'')*)'/y;
const double = /"((?:[^"$`\n]|"")*)"/y;
const bare = /[^ \t\n;|&<>'"`$(){},#]+/y;

/** Yields words, and operators as text. The last one is `""`, the end of the line. */
function* tokens(line: string): Generator<Word | string> {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) at += found[0].length;
    return found ?? undefined;
  };
  let isSeparated = true;
  while (at < line.length) {
    if (take(blank)) {
      isSeparated = true;
      continue;
    }
    const operator = take(separator);
    if (operator) {
      yield operator[0];
      isSeparated = true;
      continue;
    }
    // Text next to a quoted text is part of the same word only in some cases.
    if (!isSeparated) throw unsupportedSyntax(/[\w'"]/.test(line.charAt(at)) ? "joined" : line.charAt(at));
    isSeparated = false;
    if (take(redirection)) continue;
    const quoted = take(single)?.[1]?.replaceAll("''", "'") ?? take(double)?.[1]?.replaceAll('""', '"');
    const word = quoted === undefined ? bareWord(take(bare)?.[0]) : quotedWord(quoted);
    if (!word) throw unsupportedSyntax(line[at] ?? "");
    yield word;
  }
  yield "";
}

function quotedWord(text: string): Word & { readonly quoted: true } {
  if (batchGrammar.test(text)) throw new NotUnderstood(t("quotes characters that are special to cmd.exe"));
  if (/\s/.test(text) && text.endsWith("\\")) throw new NotUnderstood(t("has a backslash before a closing quote"));
  // Windows PowerShell drops empty arguments.
  return { text, exact: text !== "", quoted: true };
}

function bareWord(text: string | undefined): Word | undefined {
  if (text === undefined) return undefined;
  if (text.startsWith("@") || text === "--%") throw unsupportedSyntax(text);
  if (batchGrammar.test(text)) throw unsupportedSyntax(text);
  // Some programs receive `-a.b` and `-a:b` as two words.
  const split = /^[-\u2013-\u2015].*[.:]/.test(text);
  // `~` stands for a folder only at the start.
  return { text, exact: !split && !/[*?[\]]|^~|[\\/:=]~/.test(text) };
}

function unsupportedSyntax(text: string): NotUnderstood {
  const reasons: Readonly<Record<string, string>> = {
    joined: t("joins a quoted and an unquoted text"),
    $: t("contains a variable or a subexpression"),
    "&": t("calls the text after “&”"),
    "(": t("contains an expression in parentheses"),
    "{": t("contains a script block"),
    "`": t("contains a backtick, which escapes"),
    ">": t("redirects output to a file"),
    "#": t("contains a comment"),
    "'": t("has an unclosed quote, or one over several lines"),
    '"': t("has an unclosed quote, or one with something to expand"),
  };
  return new NotUnderstood(
    reasons[text] ?? reasons[text.charAt(0)] ?? t("contains unsupported PowerShell syntax: {0}", text.slice(0, 20)),
  );
}

function checkedCommand(words: readonly Word[]): Command {
  const [word] = words;
  const name = word?.text ?? "";
  const lower = name.toLowerCase();
  if (!word?.exact || "quoted" in word) throw new NotUnderstood(t("lets the shell choose the program"));
  if (!/^[a-z][\w-]*(?:\.[\w-]+)*$/i.test(name) && !/^(?:[a-z]:|\.{0,2})[\\/][\w.\\/:@+-]*\w$/i.test(name)) {
    throw new NotUnderstood(t("names its program in an unusual way: {0}", name.slice(0, 80)));
  }
  const base = lower.slice(Math.max(lower.lastIndexOf("/"), lower.lastIndexOf("\\")) + 1);
  if (keywords.has(lower) || runners.has(base.replace(/\.(?:exe|com|cmd|bat)$/, ""))) {
    throw new NotUnderstood(t("uses “{0}”, which may run something else", name));
  }
  if (words.some(({ text }) => /(?:^|[:=,])(?:alias|function|env|variable|cert|registry):|::/i.test(text))) {
    throw new NotUnderstood(t("accesses PowerShell's own drives"));
  }
  return { words: words.map(({ text, exact }) => ({ text, exact })), wrappers: [] };
}
