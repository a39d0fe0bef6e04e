// The files that the words of a command may be, and whether one of them is a likely secret. It finds too many rather
// than too few: a secret that is not recognized would be read without a question.
import type { Command, Word } from "./commandLine/types.ts";
import { expandBraces, type PathContext } from "./pathGlob.ts";
import { builtInSecrets, type SecretTest } from "./sensitiveFiles.ts";

/** Whether a file looks like a secret. Without `mayMatch`, wildcards are compared with the built-in list. */
export type SecretCheck = ((path: string) => boolean) & Partial<Pick<SecretTest, "mayMatch">>;

export interface ArgumentContext {
  /** The folder that the command runs in. Absent: the workspace folder. */
  readonly cwd?: string;
  readonly place: PathContext;
  readonly isSensitive?: SecretCheck;
}

/** The number of words that are checked for secrets. The user is asked about longer commands. */
const maxCheckedWords = 1000;
/** The number of parts of one word that are checked. */
const maxPieces = 500;
/** Patterns with wildcards are compared letter by letter. */
const maxPatternLength = 400;

/** Whether a word of the command may be a file that looks like a secret. */
export function namesSecret(command: Command, context: ArgumentContext): boolean {
  const { isSensitive } = context;
  if (!isSensitive) return false;
  if (command.words.length > maxCheckedWords) return true;
  return command.words.slice(1).some(word => mayBeSecret(word, isSensitive, context));
}

function mayBeSecret(word: Word, isSensitive: SecretCheck, context: ArgumentContext): boolean {
  if (word.exact) {
    const paths = argumentPaths(word.text, context);
    return paths === undefined || paths.some(path => isSensitive(path));
  }
  const mayMatch = isSensitive.mayMatch ?? builtInSecrets(context.place).mayMatch;
  if (word.text.length > maxPatternLength) return true;
  const expanded = expandWord(word.text, context);
  return (
    expanded === undefined ||
    expanded.some(text => {
      const paths = argumentPaths(text, context);
      return paths === undefined || paths.some(path => isSensitive(path) || mayMatch(path));
    })
  );
}

/** The texts that a shell makes of a word, with wildcards left. Undefined: only the shell knows. */
function expandWord(text: string, { cwd, place }: ArgumentContext): readonly string[] | undefined {
  const braces = text.includes(",") ? expandBraces(text) : [text];
  if (typeof braces === "string") return undefined;
  const folder = cwd ?? place.roots[0];
  const values: Readonly<Record<string, string | undefined>> = { HOME: place.home, PWD: folder, "?": "0" };
  const expanded = braces.map(one => {
    let isKnown = true;
    const known = one.replace(/\$(?:\{(\w+)\}|(\w+|\?))/g, (_, braced?: string, bare?: string) => {
      const value = values[braced ?? bare ?? ""];
      isKnown &&= value !== undefined;
      return value ?? "";
    });
    const home = known.replace(/(^|[=:])~(?=[\\/:]|$)/g, (_, before: string) => before + (place.home ?? "~"));
    return isKnown && !home.includes("$") && !/(?:^|[=:])~/.test(home) ? home : undefined;
  });
  const all = expanded.filter(one => one !== undefined);
  return all.length === expanded.length ? all : undefined;
}

/** The absolute paths that a word such as `src/a` or `--file=src/a` may mean. Undefined: there are too many. */
export function argumentPaths(text: string, { cwd, place }: ArgumentContext): readonly string[] | undefined {
  const pieces = piecesOf(text);
  if (pieces.length > maxPieces) return undefined;
  const absolute = place.platform === "windows" ? /^(?:[a-z]:)?[\\/]/i : /^\//;
  const folders = cwd === undefined ? place.roots : [cwd];
  return pieces.flatMap(piece => (absolute.test(piece) ? [piece] : folders.map(folder => `${folder}/${piece}`)));
}

/** The parts of a word that may be the name of a file: `a` and `b` of `--x=a,b`. */
function piecesOf(text: string): readonly string[] {
  return [...new Set([text, text.slice(text.indexOf("=") + 1)])];
}
