// Whether two statements of a command run exactly the same: as a line or as a program with its arguments, in a shell or
// not, with or without a change to the folder that it runs in anyway. Anything else makes another command.
import type { Platform } from "../base/platform.ts";

/** A command as it is stated: a line, or a program with its arguments. */
export type StatedCommand = string | readonly string[];

export interface CommandPlace {
  /** The folder that the command starts in. */
  readonly folder: string;
  readonly platform: Platform;
  /** Whether an absolute path is the folder that the command starts in. */
  readonly isFolder: (path: string) => Promise<boolean>;
}

/** The number of shells and changes of the folder around a command. */
const maxWrappers = 4;

/** A text that is equal for two commands if they run the same in the same folder. */
export async function commandIdentity(stated: StatedCommand, place: CommandPlace): Promise<string> {
  let inner = stated;
  // Windows has several shells, which parse the same line differently.
  for (let depth = 0; depth < maxWrappers && place.platform === "posix"; depth++) {
    const script = scriptOf(inner) ?? (await afterNeutralCd(inner, place));
    if (script === undefined) break;
    inner = script;
  }
  const words = wordsOf(inner, place.platform);
  return JSON.stringify([place.folder, words ?? (typeof inner === "string" ? withoutBlanks(inner) : inner)]);
}

/** A shell of the system, or one on the PATH. A file at another place may be any program. */
const systemShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/;
const scriptFlags: readonly string[] = ["-c", "-lc", "-cl"];

/** The script of `bash -lc script`. */
function scriptOf(stated: StatedCommand): string | undefined {
  const [shell = "", flag = "", script, ...others] = wordsOf(stated, "posix") ?? [];
  return systemShell.test(shell) && scriptFlags.includes(flag) && others.length === 0 ? script : undefined;
}

/** `cd` sets the folder that these may go back to. */
const usesEarlierFolder = /OLDPWD|~[-+\d]|\b(?:cd|chdir|pushd|popd|dirs)\b(?![ \t]+["']?\/)/;

/** What follows `cd folder &&` if this is the folder that the command starts in anyway. */
async function afterNeutralCd(stated: StatedCommand, { isFolder }: CommandPlace): Promise<string | undefined> {
  if (typeof stated !== "string") return undefined;
  const line = withoutBlanks(stated);
  const [name, ...operands] = [...wordsAt(line)];
  const [last] = operands.slice(operands[0]?.text === "--" ? 1 : 0);
  if (name?.text !== "cd" || !last) return undefined;
  const [operator] = /^[ \t]+&&[ \t]+(?=[^ \t\n])/.exec(line.slice(last.end)) ?? [];
  if (operator === undefined) return undefined;
  const rest = line.slice(last.end + operator.length);
  // After a link, `..` leads to another folder than the name says.
  const isPlain = /^\/(?!\/)/.test(last.text) && !/(?:^|\/)\.\.?(?:\/|$)/.test(last.text);
  return isPlain && !usesEarlierFolder.test(rest) && (await isFolder(last.text)) ? rest : undefined;
}

interface PlainWord {
  readonly text: string;
  /** The index of the first character after it. */
  readonly end: number;
}

/** Text that every POSIX shell takes as it is: quoted, escaped, or of characters without a meaning. */
const plainPart = /'([^'\n]*)'|"([^"\\$`!\n]*)"|\\([^\n])|([\p{L}\p{N}_@%+=:,./-]+)/uy;

/** The words at the start of a line, up to the first that a shell may change, or an operator. */
function* wordsAt(line: string): Generator<PlainWord> {
  for (let at = 0; at < line.length;) {
    const start = at;
    let text = "";
    plainPart.lastIndex = at;
    for (let part = plainPart.exec(line); part; part = plainPart.exec(line)) {
      text += part[1] ?? part[2] ?? part[3] ?? part[4] ?? "";
      at += part[0].length;
      plainPart.lastIndex = at;
    }
    // Some shells replace `=name` by the path of a program.
    if (at === start || line[start] === "=" || !/^[ \t]?$/.test(line.charAt(at))) return;
    yield { text, end: at };
    while (line[at] === " " || line[at] === "\t") at++;
  }
}

/** A program with its arguments. Undefined for a line that is more than plain words. */
function wordsOf(stated: StatedCommand, platform: Platform): readonly string[] | undefined {
  if (typeof stated !== "string") return stated;
  const line = withoutBlanks(stated);
  // Quotes and backslashes have other meanings in the shells of Windows.
  if (platform === "windows") return /^[\w:./-]+(?: [\w:./-]+)*$/.test(line) ? line.split(" ") : undefined;
  if (line === "" || /^[A-Za-z_]\w*\+?=/.test(line)) return undefined;
  const words = [...wordsAt(line)];
  return words.at(-1)?.end === line.length ? words.map(({ text }) => text) : undefined;
}

/** The line without the blanks around it, which mean nothing. A blank after a backslash belongs to the last word. */
export function withoutBlanks(line: string): string {
  let [start, end] = [0, line.length];
  while (start < end && isBlank(line.charAt(start))) start++;
  while (end > start && isBlank(line.charAt(end - 1))) end--;
  return line.charAt(end - 1) === "\\" ? line.slice(start) : line.slice(start, end);
}

const isBlank = (character: string): boolean => character === " " || character === "\t" || character === "\n";
