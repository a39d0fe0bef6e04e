// Determines from the first words of a POSIX command what it really runs, and whether that can be known.
import { t } from "../../base/l10n.ts";
import { scanPosix, type ScannedCommand, type ScannedWord } from "./posix.ts";
import { NotUnderstood, type Command, type StartFolder, type Word } from "./types.ts";

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Words that are syntax at the position of a command's name, in at least one shell. */
const reservedWords = names(
  "if then elif else fi for foreach while until do done case esac in end select function repeat coproc nocorrect noglob [[ ]] -",
);

/** Builtins that change the meaning of later words or names, or that run text. */
const shellStateBuiltins = names(
  ". source eval exec builtin trap alias unalias hash enable export declare typeset local readonly integer float set " +
    "setopt unsetopt shopt emulate zmodload autoload functions disable bind bindkey zle compdef complete compgen " +
    "compopt fc history r read mapfile readarray getopts let unset sched zcompile print vared suspend jobs fg bg " +
    "zparseopts zstyle zformat zregexparse strftime getln",
);

/** Programs whose arguments are programs, in too many forms to parse. */
export const runnerPrograms = names(
  "xargs parallel sudo doas su pkexec runuser watch script setsid stdbuf ionice chrt taskset unshare nsenter chroot " +
    "strace ltrace busybox toybox flock at batch env entr systemd-run dbus-run-session xvfb-run proot fakeroot " +
    "fish ksh csh tcsh mksh ash pwsh powershell powershell.exe pwsh.exe cmd cmd.exe wsl wsl.exe",
);

export const shellPrograms = names("sh bash dash zsh");

/** Builtins whose arguments at least one shell evaluates as arithmetic or as names of variables. */
const arithmeticBuiltins = names("test printf return exit logout shift break continue wait ulimit umask kill");
/** In arithmetic, `a[$(command)]` runs a command, and these set a variable. */
const arithmeticText = /[[\]]|[^=!]=|=[^=]|\+\+|\w--|--\w|^-v/;

/** Whether a word that the shell expands may become an action of `find`. No action contains a dot. */
export const mayBeFindAction = (text: string): boolean => !/^[^$[{]*\.[^$[{]*$/.test(text);

const findActions = names("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from");

/** Variables that control output, and never what runs. */
const harmlessVariable = /^(?:CI|NO_COLOR|FORCE_COLOR|NODE_ENV|DEBUG)=[\w.-]*$/;

const maxShellDepth = 4;

/** The commands that a POSIX line runs. Throws {@link NotUnderstood}. */
export function posixCommands(line: string, start?: StartFolder, depth = 0): readonly Command[] {
  const commands = scanPosix(line).flatMap(scanned => unwrapCommand(scanned, { wrappers: [], depth, start }));
  if (commands.length === 0) throw new NotUnderstood(t("contains no command"));
  checkFolder(commands);
  return commands;
}

/** The commands that a program started without a shell runs. Throws {@link NotUnderstood}. */
export function programCommands(argv: readonly string[], start?: StartFolder): readonly Command[] {
  return unwrapCommand(
    argv.map(text => ({ text, exact: true, quoted: true, assigns: false })),
    { wrappers: [], depth: 0, start },
  );
}

interface Unwrapping {
  readonly wrappers: Command["wrappers"];
  /** The number of shells around the command. */
  readonly depth: number;
  readonly start: StartFolder | undefined;
}

function unwrapCommand(scanned: ScannedCommand, { wrappers, depth, start }: Unwrapping): readonly Command[] {
  const words = withoutAssignments(scanned);
  const name = nameOf(words);
  const inner = wrappedCommand(name, words);
  if (inner) return unwrapCommand(inner, { wrappers: [...wrappers, plain(words)], depth, start });
  const script = scriptOf(name, words);
  if (script === undefined)
    return [{ words: plain(words), wrappers, ...(isNeutral(words, start) && { neutral: true }) }];
  if (depth >= maxShellDepth) throw new NotUnderstood(t("nests shells too deeply"));
  const outer = [...wrappers, plain(words)];
  return posixCommands(script, start, depth + 1).map(command => ({
    ...command,
    wrappers: [...outer, ...command.wrappers],
  }));
}

/** Whether a command is only `cd` to the folder that the line starts in. */
function isNeutral([name, ...operands]: ScannedCommand, start: StartFolder | undefined): boolean {
  if (text(name) !== "cd" || !start) return false;
  const [folder, ...others] = text(operands[0]) === "--" ? operands.slice(1) : operands;
  return others.length === 0 && start.has(text(folder).replace(/(?<=[^/])\/$/, ""));
}

function plain(words: ScannedCommand): readonly Word[] {
  return words.map(({ text, exact, appended }) => ({ text, exact, ...(appended && { appended }) }));
}

function withoutAssignments(words: ScannedCommand): ScannedCommand {
  const first = words.findIndex(word => !word.assigns);
  if (first < 0) throw new NotUnderstood(t("sets a variable for what follows"));
  const risky = words.slice(0, first).some(word => !word.exact || !harmlessVariable.test(word.text));
  if (risky) throw new NotUnderstood(t("sets a variable that may change what a program does"));
  return words.slice(first);
}

/** The name of the program, if it is certain. Throws for commands that must not be judged by their name. */
function nameOf(words: ScannedCommand): string {
  const [word] = words;
  if (!word?.exact) throw new NotUnderstood(t("lets the shell choose the program"));
  const { text } = word;
  if (/[^\x20-\x7e]/.test(text)) throw new NotUnderstood(t("names a program with letters that may look like others"));
  if (!word.quoted && reservedWords.has(text)) throw new NotUnderstood(t("contains the shell keyword “{0}”", text));
  if (shellStateBuiltins.has(text))
    throw new NotUnderstood(t("uses “{0}”, which changes the shell itself or runs text", text));
  if (text !== "[" && !/^[A-Za-z0-9_./][A-Za-z0-9_./+@:-]*$/.test(text)) {
    throw new NotUnderstood(t("names its program in an unusual way: {0}", text.slice(0, 80)));
  }
  if (text.endsWith("/")) throw new NotUnderstood(t("names a folder as its program"));
  checkArguments(baseName(text), words);
  return text;
}

function checkArguments(base: string, words: ScannedCommand): void {
  const last = words.at(-1);
  if (base === "[" && !(last?.exact && last.text === "]")) throw new NotUnderstood(t("has “[” without “]”"));
  if (base === "[") return checkArguments("test", words.slice(0, -1));
  if (arithmeticBuiltins.has(base) && words.slice(1).some(word => arithmeticText.test(word.text))) {
    throw new NotUnderstood(t("gives “{0}” text that a shell may evaluate as arithmetic", base));
  }
  if (base === "find" && words.some(word => (word.exact ? findActions.has(word.text) : mayBeFindAction(word.text)))) {
    throw new NotUnderstood(t("lets “find” run, delete or write something"));
  }
}

/** The command that a wrapper runs, if it is exact. Undefined if the program is not a wrapper. */
function wrappedCommand(name: string, words: ScannedCommand): ScannedCommand | undefined {
  const rest = words.slice(1);
  switch (name) {
    case "time":
    case "nohup":
      return wrappedProgram(name, rest);
    case "command":
      return rest[0]?.exact === true && rest[0].text === "-v" ? undefined : wrappedProgram(name, rest);
    case "nice":
      return wrappedProgram(name, text(rest[0]) === "-n" && /^\d+$/.test(text(rest[1])) ? rest.slice(2) : rest);
    case "timeout":
      if (/^\d+(?:\.\d+)?[smhd]?$/.test(text(rest[0]))) return wrappedProgram(name, rest.slice(1));
      throw hiddenProgramError(name);
    case "xargs":
      return wordsOfXargs(rest);
    case "env":
      return wrappedProgram(name, rest.slice(leadingHarmless(rest)));
    default:
      if (
        runnerPrograms.has(baseName(name)) ||
        ["time", "nohup", "command", "nice", "timeout"].includes(baseName(name))
      ) {
        throw hiddenProgramError(name);
      }
      return undefined;
  }
}

/**
 * The command of `xargs` with the words that it adds. They may be anything, also options, so they count like a wildcard that
 * the shell expands.
 */
function wordsOfXargs(words: ScannedCommand): ScannedCommand {
  let placeholder: string | undefined;
  let at = 0;
  for (; at < words.length && text(words[at]).startsWith("-"); at++) {
    const option = text(words[at]);
    if (option === "--") {
      at++;
      break;
    }
    const [, own, name = own, value] = xargsOption.exec(option) ?? [];
    if (name === undefined) {
      if (!xargsFlag.test(option)) throw hiddenProgramError("xargs");
      continue;
    }
    const given = value === undefined || value === "" ? text(words[++at]) : value.replace(/^=/, "");
    if (given === "") throw hiddenProgramError("xargs");
    if (name === "I" || name === "replace") placeholder = given;
  }
  const added: ScannedWord = { text: "*", exact: false, quoted: false, assigns: false, appended: true };
  const given = words.slice(at);
  if (given.length === 0) return [{ text: "echo", exact: true, quoted: true, assigns: false }, added];
  const [first, ...others] = wrappedProgram("xargs", given);
  if (!first || (placeholder !== undefined && first.text.includes(placeholder))) throw hiddenProgramError("xargs");
  if (placeholder === undefined) return [first, ...others, added];
  return [
    first,
    ...others.map(word =>
      word.text.includes(placeholder) ? { ...added, text: word.text.replaceAll(placeholder, () => "*") } : word,
    ),
  ];
}

const xargsFlag = /^(?:-[0rtx]+|--(?:null|no-run-if-empty|verbose|exit))$/;
/** Options with a value: the letter and the value, or the name and the value. */
const xargsOption =
  /^(?:-[0rtx]*([nPLsdI])|--(max-args|max-procs|max-lines|max-chars|delimiter|replace))((?<=-[0rtx]*[nPLsdI])[^]*|=[^]+)?$/;

function leadingHarmless(words: ScannedCommand): number {
  const index = words.findIndex(word => !word.exact || !harmlessVariable.test(word.text));
  return index < 0 ? words.length : index;
}

/** The words as a separate command, if no option or variable comes first. */
function wrappedProgram(wrapper: string, words: ScannedCommand): ScannedCommand {
  const [first] = words;
  if (!first?.exact || !/^[A-Za-z0-9_./]/.test(first.text) || first.text.includes("="))
    throw hiddenProgramError(wrapper);
  // A program starts other programs, not shell keywords. But `time` is a keyword itself, and `time if …` is shell
  // syntax.
  return [{ ...first, assigns: false }, ...words.slice(1)];
}

/** The script of `bash -lc 'script'`. Undefined if no shell is started, or if a script file is run. */
function scriptOf(name: string, words: ScannedCommand): string | undefined {
  if (!shellPrograms.has(baseName(name))) return undefined;
  const [flag, script, ...more] = text(words[1]) === "-l" ? words.slice(2) : words.slice(1);
  if (flag === undefined) throw new NotUnderstood(t("starts a shell that runs its input"));
  if (/^(?:\.?\.?\/)?\w/.test(flag.text) && flag.exact) {
    if (text(words[1]) !== "-l") return undefined;
    throw hiddenProgramError(name);
  }
  const known = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/.test(name) && ["-c", "-lc", "-cl"].includes(text(flag));
  if (!known || !script?.exact || more.length > 0) throw hiddenProgramError(name);
  return script.text;
}

function text(word: ScannedWord | undefined): string {
  return word?.exact ? word.text : "";
}

function hiddenProgramError(name: string): NotUnderstood {
  return new NotUnderstood(t("runs another program through “{0}”", baseName(name)));
}

/** After a change of folder, `./run` is a different file than it seems. */
function checkFolder(commands: readonly Command[]): void {
  const movers = ["cd", "chdir", "pushd", "popd"];
  const moved = commands.findIndex(({ words, neutral }) => !neutral && movers.includes(words[0]?.text ?? ""));
  if (moved < 0) return;
  const relative = commands.slice(moved + 1).some(({ words }) => /^[^/].*\//.test(words[0]?.text ?? ""));
  if (relative) throw new NotUnderstood(t("changes the folder and then runs a file by a relative path"));
}

/** The last segment of a program's path, with either separator. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** The name that the tables use: `git` for `/usr/bin/git.exe`, `python` for `python3.12`, `awk` for `gawk`. */
export function programName(text: string): string {
  const base = baseName(text)
    .toLowerCase()
    .replace(/\.(?:exe|com|cmd|bat)$/, "");
  if (/^python[\d.]+$/.test(base) || /^pypy[\d.]*$/.test(base)) return "python";
  if (/^(?:[gmn]|original-)awk$/.test(base)) return "awk";
  if (/^pip[\d.]+$/.test(base)) return "pip";
  if (/^g(?:sed|sort|tar|make|find|date|shuf|uniq)$/.test(base)) return base.slice(1);
  return (
    { fdfind: "fd", bsdtar: "tar", nodejs: "node", mingw32make: "make", gmake: "make", egrep: "grep" }[base] ?? base
  );
}
