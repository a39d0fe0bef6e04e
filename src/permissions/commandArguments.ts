// The files that the words of a command may be, and whether one of them is a likely secret. It finds too many rather
// than too few: a secret that is not recognized would be read without a question.
import { programName } from "./commandLine/programs.ts";
import type { Command, Word } from "./commandLine/types.ts";
import { expandBraces, type PathContext } from "./pathGlob.ts";
import { builtInSecrets, type SecretTest } from "./sensitiveFiles.ts";

/** Whether a file looks like a secret. Without `mayMatch`, wildcards are compared with the built-in list. */
export type SecretCheck = ((path: string) => boolean) & Partial<Pick<SecretTest, "mayMatch">>;

export interface ArgumentContext {
  /** The folder that the command runs in. Absent: the workspace folder. */
  readonly cwd?: string;
  /** The folders that the command may run in after `cd`. Absent: `cwd`. */
  readonly folders?: readonly string[];
  readonly place: PathContext;
  /** The targets of symbolic links that are named in the command. */
  readonly links?: ReadonlyMap<string, string>;
  readonly isSensitive?: SecretCheck;
}

/** The number of words that are checked for secrets. The user is asked about longer commands. */
const maxCheckedWords = 1000;
/** The number of words with wildcards that are compared with all globs, also those of a hostile folder. */
const maxWildcardWords = 50;
/** The number of parts of one word that are checked. */
const maxPieces = 500;
/** Patterns with wildcards are compared letter by letter. */
const maxPatternLength = 400;

/**
 * Programs that show names and numbers, or that search whole folders anyway. Words that `xargs` adds give them no other file
 * than the rule for them does.
 */
const reachesFiles = new Set(
  (
    "grep egrep fgrep rg ag ls echo printf wc stat file du basename dirname realpath readlink test [ md5sum sha1sum " +
    "sha256sum sha512sum cksum tree true"
  ).split(" "),
);

/** Whether a word of the command may be a file that looks like a secret, or a file of another machine or device. */
export function namesSecret(command: Command, context: ArgumentContext): boolean {
  const { isSensitive, place } = context;
  const words = command.words.slice(1);
  // Windows sends the user's credentials to the machine that a path names.
  if (place.platform === "windows" && words.some(({ text }) => piecesOf(text).some(isRemote))) return true;
  if (place.platform === "windows" && mayHaveShortName(command)) return true;
  if (!isSensitive) return false;
  if (words.length >= maxCheckedWords) return true;
  if (words.filter(({ exact, appended }) => !exact && !appended).length > maxWildcardWords) return true;
  const reads = !reachesFiles.has(programName(command.words[0]?.text ?? ""));
  return words.some(word => (word.appended ? reads : mayBeSecret(word, isSensitive, context)));
}

/** `\\server\share`, `//server/share`, `\\?\C:\x`, `\\.\pipe\x`, `\??\C:\x`, with any slashes. */
const isRemote = (piece: string): boolean => /^[\\/]{2}[^\\/]|^[\\/]\?\?[\\/]/.test(piece);

/** `ENV~1` may be another name of `.env`. For git, `HEAD~1` is a revision, unless it compares or searches any files. */
function mayHaveShortName({ words: [program, ...words] }: Command): boolean {
  const isGit = programName(program?.text ?? "") === "git";
  if (isGit && words.every(({ text }) => !text.startsWith("--no-i"))) return false;
  return words.some(({ text }) => /[^~\\/]~\d/.test(text));
}

function mayBeSecret(word: Word, isSensitive: SecretCheck, context: ArgumentContext): boolean {
  const paths = wordPaths(word, context);
  if (paths === undefined) return true;
  const all = paths.flatMap(path => [path, ...targetsOf(path, context)]);
  if (word.exact) return all.some(path => isSensitive(path));
  const mayMatch = isSensitive.mayMatch ?? builtInSecrets(context.place).mayMatch;
  return all.some(path => isSensitive(path) || mayMatch(path));
}

/** The path with the link that it is, or that its folder is, resolved. */
function targetsOf(path: string, { links }: ArgumentContext): readonly string[] {
  if (!links) return [];
  const whole = links.get(path);
  const folder = literalFolder(path);
  const target = links.get(folder);
  return [
    ...(whole === undefined ? [] : [whole]),
    ...(target === undefined ? [] : [target + path.slice(folder.length)]),
  ];
}

/** The part of a path before its first name with a wildcard. */
function literalFolder(path: string): string {
  const wildcard = path.search(/[*?[]/);
  return wildcard < 0 ? path : path.slice(0, Math.max(0, path.slice(0, wildcard).search(/[\\/][^\\/]*$/)));
}

/** The paths to resolve, so that `links` is complete for a command. Undefined: there are too many. */
export function pathsToResolve(command: Command, context: ArgumentContext): readonly string[] | undefined {
  if (command.words.length > maxCheckedWords) return undefined;
  const paths = command.words.slice(1).flatMap(word => wordPaths(word, context) ?? []);
  return [...new Set(paths.map(literalFolder).filter(path => path !== "" && !path.includes("\n")))];
}

/** The paths that a word may mean, with the wildcards of a word that is not exact. Undefined: only the shell knows. */
function wordPaths(word: Word, context: ArgumentContext): readonly string[] | undefined {
  if (word.exact) return argumentPaths(word.text, context);
  if (word.text.length > maxPatternLength) return undefined;
  const found = expandWord(word.text, context)?.map(text => argumentPaths(text, context));
  return found?.includes(undefined) === false ? found.flatMap(paths => paths ?? []) : undefined;
}

/** The texts that a shell makes of a word, with wildcards left. Undefined: only the shell knows. */
export function expandWord(text: string, { cwd, place }: ArgumentContext): readonly string[] | undefined {
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
export function argumentPaths(text: string, context: ArgumentContext): readonly string[] | undefined {
  const pieces = piecesOf(text);
  return pieces.length > maxPieces ? undefined : pieces.flatMap(piece => absolutePaths(piece, context));
}

/** A path from each of the folders that it may be relative to. */
export function absolutePaths(path: string, { cwd, folders, place }: ArgumentContext): readonly string[] {
  const from = folders ?? (cwd === undefined ? place.roots : [cwd]);
  if (place.platform !== "windows") return path.startsWith("/") ? [path] : from.map(folder => `${folder}/${path}`);
  if (/^[a-z]:[\\/]|^[\\/]{2}/i.test(path)) return [path];
  // `/s` and `/x:name` are options of Windows programs. Otherwise a slash means the root of the drive.
  const isRooted = /^[\\/]/.test(path) && !/^\/[a-z?][\w-]*(?::|$)/i.test(path);
  return from.map(folder => (isRooted ? `${folder.slice(0, 2)}${path}` : `${folder}\\${path.replace(/^\//, "")}`));
}

const opening = /[=:@,()!^;+<>|"'{}]/g;
const closing = /[=:@,);|<>"'{}]/;
/** The number of letters of options before a value: `-xzf.env`. */
const maxOptionLetters = 10;

/** The parts of a word that may be the name of a file: `.env` of `HEAD:.env`, `-f.env`, `@.env`, `:(top).env`. */
function piecesOf(text: string): readonly string[] {
  // An address names no file. A `..` would leave the folder `https:`.
  if (/^(?:https?|wss?|ftp|ssh|git):\/\/(?!.*\.\.)/i.test(text)) return [];
  const starts = [0];
  for (const { index } of text.matchAll(opening)) {
    if (starts.length > maxPieces) break;
    starts.push(index + 1);
  }
  const letters = /^-[A-Za-z]+/.exec(text)?.[0].length ?? 0;
  for (let at = 2; at <= Math.min(letters, maxOptionLetters); at++) starts.push(at);
  const pieces = starts.flatMap(start => {
    const rest = text.slice(start);
    const end = rest.search(closing);
    return end > 0 ? [rest, rest.slice(0, end)] : [rest];
  });
  return [...new Set(pieces)].filter(piece => piece !== "");
}
