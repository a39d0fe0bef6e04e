// Words of commands that write into protected files: files that programs run by themselves or with the next build, and files
// that agents follow. Only programs whose purpose is to write are known; the program behind a command can do anything.
import { absolutePaths, expandWord, type ArgumentContext } from "./commandArguments.ts";
import { programName } from "./commandLine/programs.ts";
import type { Command, Word } from "./commandLine/types.ts";
import type { ProtectionTest } from "./protectedFiles.ts";

export interface WriteContext extends ArgumentContext {
  readonly isProtected?: ProtectionTest;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Programs that change or remove each file that they name. */
const changesAll = names(
  "mv tee truncate rm rmdir unlink shred sponge patch ed rename ren move del erase rd " +
    "move-item mi remove-item ri set-content sc add-content ac clear-content clc out-file tee-object copy-item cpi rename-item",
);
/** Programs that write their last operand, or into it. */
const writesLast = names("cp mv ln install rsync scp copy xcopy robocopy mklink ditto degit tiged");
/** Subcommands of git that write their last operand, a file or a folder. */
const gitWriters = names("mv clone worktree submodule init");
/** Programs with options for other things than files to write. */
const readers = names("grep rg ag ls ps git ssh scp sort curl kubectl find");

/** Options whose value is a file or folder to write. */
const outputOption =
  /^(?:-o|-O|--(?:out|output|out-?file|output-?file|out-?dir|output-?dir|outdir|dest|destination|target-directory|log-?file|save|save-to|write-to|report-file|junitxml))$/i;
const outputOptionWithValue = /^--?[\w-]*(?:out|dest|log|report|save|write|target)[\w-]*=([^]+)$/i;
/** Options of single programs. */
const folderOptions: Readonly<Record<string, RegExp>> = {
  cp: /^(?:-[a-zA-Z]*t|--target-directory)$/,
  mv: /^(?:-[a-zA-Z]*t|--target-directory)$/,
  ln: /^(?:-[a-zA-Z]*t|--target-directory)$/,
  install: /^(?:-[a-zA-Z]*t|--target-directory)$/,
  unzip: /^-d$/,
};

/** Whether the command may write a file, so that its words have to be compared with the lists. */
export function mayWriteFiles({ words }: Command): boolean {
  const program = programName(words[0]?.text ?? "");
  return (
    changesAll.has(program) ||
    writesLast.has(program) ||
    program === "git" ||
    program === "dd" ||
    program === "wget" ||
    words.some(({ text }) => outputOption.test(text) || outputOptionWithValue.test(text) || /^-d$|^-[oO]./.test(text))
  );
}

/** Whether a word of the command names a protected file that the command writes, moves or removes. */
export function writesProtected(command: Command, context: WriteContext): boolean {
  const { isProtected } = context;
  if (!isProtected || !mayWriteFiles(command)) return false;
  const program = programName(command.words[0]?.text ?? "");
  const { all, targets } = writtenWords(program, command.words.slice(1));
  const test = (word: Word): boolean =>
    word.appended === true ||
    pathsOf(word, context).some(path => Boolean(isProtected.ofFolder(path))) ||
    mayBeProtected(word);
  if (writesLast.has(program) && command.words.some(({ appended }) => appended)) return true;
  return all.some(test) || targets.some(({ target, sources }) => test(target) || mayPutInto(target, sources, context));
}

interface Written {
  readonly all: readonly Word[];
  /** Files or folders to write, with the files that may be put into the folder. */
  readonly targets: readonly { readonly target: Word; readonly sources: readonly Word[] }[];
}

const here: Word = { text: ".", exact: true };

function writtenWords(program: string, words: readonly Word[]): Written {
  const all: Word[] = [];
  const targets: { target: Word; sources: readonly Word[] }[] = [];
  const ended = words.findIndex(({ text }) => text === "--");
  const operands = words.filter(({ text }, at) => (ended >= 0 && at > ended) || !text.startsWith("-") || text === "-");
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    const own = Object.hasOwn(folderOptions, program) ? folderOptions[program] : undefined;
    const isOutput = own?.test(word.text) === true || (!readers.has(program) && outputOption.test(word.text));
    if (isOutput && next) targets.push({ target: next, sources: operands });
    const value = readers.has(program) ? undefined : outputOptionWithValue.exec(word.text)?.[1];
    const attached = value ?? (own || !readers.has(program) ? /^-[oOtd](.+)$/.exec(word.text)?.[1] : undefined);
    if (attached !== undefined) targets.push({ target: { text: attached, exact: word.exact }, sources: operands });
  }
  if (changesAll.has(program)) all.push(...operands);
  const isGitWriter = program === "git" && operands.some(({ text }) => gitWriters.has(text));
  if (writesLast.has(program) || isGitWriter) {
    const last = operands.at(-1);
    const sources = operands.slice(0, -1);
    if (last) targets.push({ target: last, sources }, { target: here, sources: program === "ln" ? [last] : [] });
    if (isGitWriter && last) targets.push({ target: here, sources: [last] });
  }
  if (isGitWriter && operands.some(({ text }) => text === "mv" || text === "worktree")) all.push(...operands);
  if (program === "dd") {
    for (const { text, exact } of words) if (text.startsWith("of=")) all.push({ text: text.slice(3), exact });
  }
  // Without an option, the file has the name of the address.
  if (program === "wget") targets.push({ target: here, sources: operands });
  return { all, targets };
}

/** Whether one of the files may become a protected one in this folder. A file of the next build counts only by its own name. */
function mayPutInto(target: Word, sources: readonly Word[], context: WriteContext): boolean {
  const { isProtected } = context;
  return pathsOf(target, context).some(folder =>
    sources.some(({ text }) => {
      const name = /[^\\/]+(?=[\\/]*$)/.exec(text.replace(/[?#].*$/, ""))?.[0];
      if (name === undefined || name === "." || name === "..") return false;
      const protection = isProtected?.ofFolder(`${folder.replace(/[\\/]$/, "")}/${name.replace(/\.git$/, "")}`);
      return protection === "refuse" || protection === "ask" || protection === "askOnce";
    }),
  );
}

/** The absolute paths of a word, and those that links in them lead to. */
function pathsOf(word: Word, context: WriteContext): readonly string[] {
  const texts = word.exact ? [word.text] : (expandWord(word.text, context) ?? []);
  const paths = texts.flatMap(text => absolutePaths(text, context));
  return paths.flatMap(path => {
    const target = context.links?.get(path);
    return target === undefined ? [path] : [path, target];
  });
}

/** A word with a wildcard in the name of a hidden file or folder may be any of them. */
const mayBeProtected = ({ text, exact }: Word): boolean => !exact && /(?:^|[\\/{,])\.[\w.-]*[*?[{]/.test(text);
