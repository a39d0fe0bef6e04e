// Queries about a folder through git's command line. No program from the repository's configuration is run.
import { access } from "node:fs/promises";
import { join } from "node:path";
import { hasReplacement } from "../base/text.ts";
import { GitError, gitList, runGit, runGitBytes, type Git } from "./gitProgram.ts";

export interface GitFilesOptions {
  /** Receives paths relative to the folder, with slashes, at most some thousands at a time. */
  readonly take: (paths: readonly string[]) => Promise<void> | void;
  /** List only these files, or folders with everything in them, relative to the folder. Default: everything. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
}

/** The depth to which nested repositories are listed. */
const maxNesting = 8;

/**
 * Lists the files below a folder that git tracks or would add, except ignored and deleted ones. Includes the files of
 * submodules and of nested repositories. Rejects if the folder is not in a repository.
 */
export async function gitFiles(git: Git, folder: string, options: GitFilesOptions): Promise<void> {
  await listRepository(git, folder, "", options, 0);
}

async function listRepository(
  git: Git,
  folder: string,
  prefix: string,
  options: GitFilesOptions,
  depth: number,
): Promise<void> {
  const { take, only, signal } = options;
  const cwd = prefix === "" ? folder : `${folder}/${prefix}`;
  const within = only ? ["--", ...only] : [];
  const [submodules, deleted] = await Promise.all([
    submodulePaths(git, cwd, signal),
    gitList(git, cwd, ["ls-files", "-dz", ...within], { signal }).then(paths => new Set(paths)),
  ]);
  const nested = new Set<string>();
  let rest = "";
  const listed = async (text: string): Promise<void> => {
    const items = (rest + text).split("\0");
    rest = items.pop() ?? "";
    const files: string[] = [];
    for (const item of items) {
      // A nested repository that is not a submodule is listed as a folder.
      if (item.endsWith("/")) nested.add(item.slice(0, -1));
      else if (submodules.has(item)) nested.add(item);
      else if (!deleted.has(item)) files.push(prefix === "" ? item : `${prefix}/${item}`);
    }
    await take(files);
  };
  await runGit(git, cwd, ["ls-files", "-coz", "--exclude-standard", ...within], { take: listed, signal });
  if (depth >= maxNesting) return;
  const { only: _, ...whole } = options;
  for (const inner of nested) {
    const path = prefix === "" ? inner : `${prefix}/${inner}`;
    // A submodule that is not checked out has no files, and git would list those of its parent.
    if (await isRepository(git, `${folder}/${path}`, signal)) await listRepository(git, folder, path, whole, depth + 1);
    signal?.throwIfAborted();
  }
}

/** Whether the folder is the top of a repository. */
async function isRepository(git: Git, folder: string, signal?: AbortSignal): Promise<boolean> {
  let prefix = "";
  try {
    await runGit(git, folder, ["rev-parse", "--show-prefix"], { take: text => void (prefix += text), signal });
  } catch {
    return false; // There is no folder or no repository, so there is nothing to list.
  }
  return prefix.trim() === "";
}

/** The paths of submodules relative to the folder, if the folder is the top of its repository. */
export async function submodulePaths(git: Git, cwd: string, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  // A start of git costs 10 ms, and most folders have no submodules.
  const hasNone = await access(join(cwd, ".gitmodules")).then(
    () => false,
    () => true,
  );
  if (hasNone) return new Set();
  try {
    const args = ["config", "-z", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"];
    const items = await gitList(git, cwd, args, { signal });
    return new Set(items.map(item => item.slice(item.indexOf("\n") + 1)));
  } catch {
    return new Set(); // It names no submodule.
  }
}

/** The size at which a diff is cut (bytes). */
const maxDiffBytes = 240 * 1024;

/**
 * The staged and unstaged changes since the last commit as a unified diff, empty if there are none. Cut at 240 KiB,
 * with a note at the end. The lines of files that are not UTF-8 are replaced by a note. Before the first commit: the
 * staged changes. Rejects if the folder is not in a repository.
 */
export async function gitDiff(git: Git, folder: string): Promise<string> {
  const read = async (args: readonly string[]): Promise<string> => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (bytes: Buffer): void => {
      if (size <= maxDiffBytes) chunks.push(bytes);
      size += bytes.length;
    };
    await runGitBytes(git, folder, ["diff", "--no-ext-diff", "--no-textconv", "--no-color", ...args], { take });
    const all = Buffer.concat(chunks);
    if (all.length <= maxDiffBytes) return diffText(all);
    const lines = all.subarray(0, all.lastIndexOf("\n", maxDiffBytes - 1) + 1);
    return `${diffText(lines)}[The rest of the diff is omitted.]\n`;
  };
  const hasCommit = await gitList(git, folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).then(
    () => true,
    () => false,
  );
  return read(hasCommit ? ["HEAD"] : ["--cached"]);
}

/** The text of a diff, without the lines of files that are not UTF-8. */
function diffText(bytes: Buffer): string {
  const text = bytes.toString();
  if (!hasReplacement(text)) return text;
  const starts = [0];
  // No line of a file begins like this: a character before it marks it as added, removed or unchanged.
  for (let at = bytes.indexOf(fileStart); at >= 0; at = bytes.indexOf(fileStart, at + 1)) starts.push(at + 1);
  return starts.map((start, index) => fileDiffText(bytes.subarray(start, starts[index + 1]))).join("");
}

const fileStart = "\ndiff --git ";

function fileDiffText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const firstLine = bytes.subarray(0, bytes.indexOf("\n") + 1).toString();
    return `${firstLine}[The changes of this file are omitted, because they are not valid UTF-8.]\n`;
  }
}

/** The ignored ones of the paths, relative to the folder. Rejects if the folder is not in a repository. */
export async function gitIgnored(git: Git, folder: string, paths: readonly string[]): Promise<readonly string[]> {
  let all = "";
  // The command does not support literal paths. "./" keeps a colon at the start from having a meaning.
  const input = paths.map(path => `./${path}\0`).join("");
  try {
    await runGit(git, folder, ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"], {
      input,
      take: text => void (all += text),
    });
  } catch (error) {
    // The exit code is 1 if none of them is ignored.
    if (!(error instanceof GitError && error.code === 1)) throw error;
  }
  return all.split("\0").flatMap(item => (item === "" ? [] : [item.slice(2)]));
}

/**
 * The files and folders below a folder that git ignores, relative to it, at most `max` of them. A folder that is ignored
 * as a whole ends with a slash, and git does not look into it. Rejects if the folder is not in a repository.
 */
export async function gitIgnoredEntries(
  git: Git,
  folder: string,
  max: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  let rest = "";
  await runGit(git, folder, ["ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"], {
    signal,
    take: text => {
      const items = (rest + text).split("\0");
      rest = items.pop() ?? "";
      for (const item of items) if (found.length < max) found.push(item);
    },
  });
  return found;
}

/** The absolute path of a file of the repository, such as `logs/HEAD`. Rejects if the folder is not in a repository. */
export async function gitPath(git: Git, folder: string, name: string): Promise<string> {
  let all = "";
  const args = ["rev-parse", "--path-format=absolute", "--git-path", name];
  await runGit(git, folder, args, { take: text => void (all += text) });
  return all.replace(/\r?\n$/, "");
}

/** A file's text in a commit. Undefined if it is not in the commit or not text. The path is relative to the folder. */
export async function gitText(git: Git, folder: string, commit: string, path: string): Promise<string | undefined> {
  let all = "";
  try {
    await runGit(git, folder, ["cat-file", "blob", `${commit}:./${path}`], { take: text => void (all += text) });
  } catch {
    return undefined; // The file is not in the commit, or there is no commit yet.
  }
  return all.includes("\0") ? undefined : all;
}
