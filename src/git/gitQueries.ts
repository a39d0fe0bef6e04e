// What git knows of a folder, from its own command line. Nothing that a repository's configuration names is run.
import { GitError, gitList, runGit, type Git } from "./gitProgram.ts";

export interface GitFilesOptions {
  /** Gets paths relative to the folder, with slashes, some thousands at most at a time. */
  readonly take: (paths: readonly string[]) => Promise<void> | void;
  /** Only these, relative to the folder: files, or folders with all in them. Default: everything. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
}

/** How deep repositories may lie in each other. */
const maxNesting = 8;

/**
 * The files below a folder of a repository that git knows or would add: tracked, and neither ignored nor deleted; those
 * of submodules and of repositories that lie inside as well. Rejects where the folder is in no repository.
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
      // A repository that lies inside and is no submodule is listed as a folder.
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
    // A submodule that was not checked out has no files of its own, and git would list its parent's.
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
    return false; // No folder, or no repository: there is nothing to list.
  }
  return prefix.trim() === "";
}

/** The paths of submodules, relative to the folder, where the folder is the top of its repository. */
async function submodulePaths(git: Git, cwd: string, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const args = ["config", "-z", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"];
    const items = await gitList(git, cwd, args, { signal });
    return new Set(items.map(item => item.slice(item.indexOf("\n") + 1)));
  } catch {
    return new Set(); // There is no .gitmodules.
  }
}

/** Bytes of a diff that are kept. */
const maxDiffBytes = 240 * 1024;

/**
 * What changed since the last commit, staged or not, as a unified diff; cut at 240 KiB, with a line that says
 * so. Empty: nothing changed. Before the first commit: what is staged. Rejects where the folder is in no repository.
 */
export async function gitDiff(git: Git, folder: string): Promise<string> {
  const read = async (args: readonly string[]): Promise<string> => {
    let diff = "";
    const fixed = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", ...args];
    await runGit(git, folder, fixed, { take: text => void (diff.length <= maxDiffBytes && (diff += text)) });
    const bytes = Buffer.from(diff);
    if (bytes.length <= maxDiffBytes) return diff;
    return `${bytes.subarray(0, maxDiffBytes).toString()}\n[The rest of the diff was left out.]\n`;
  };
  const hasCommit = await gitList(git, folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).then(
    () => true,
    () => false,
  );
  return read(hasCommit ? ["HEAD"] : ["--cached"]);
}

/** Which of the paths, relative to the folder, git ignores. Rejects where the folder is in no repository. */
export async function gitIgnored(git: Git, folder: string, paths: readonly string[]): Promise<readonly string[]> {
  let all = "";
  // It takes no literal paths: "./" keeps a colon at the start from meaning something.
  const input = paths.map(path => `./${path}\0`).join("");
  try {
    await runGit(git, folder, ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"], {
      input,
      take: text => void (all += text),
    });
  } catch (error) {
    // It ends with 1 when it ignores none of them.
    if (!(error instanceof GitError && error.code === 1)) throw error;
  }
  return all.split("\0").flatMap(item => (item === "" ? [] : [item.slice(2)]));
}

/** Where a file of the repository's own is, such as `logs/HEAD`: absolute. Rejects where the folder is in no repository. */
export async function gitPath(git: Git, folder: string, name: string): Promise<string> {
  let all = "";
  const args = ["rev-parse", "--path-format=absolute", "--git-path", name];
  await runGit(git, folder, args, { take: text => void (all += text) });
  return all.replace(/\r?\n$/, "");
}

/** A file's text in a commit; undefined when it is not in it, or no UTF-8 text. Path relative to the folder. */
export async function gitText(git: Git, folder: string, commit: string, path: string): Promise<string | undefined> {
  let all = "";
  try {
    await runGit(git, folder, ["cat-file", "blob", `${commit}:./${path}`], { take: text => void (all += text) });
  } catch {
    return undefined; // Not in the commit, or no commit yet: either way nothing is known of it.
  }
  return all.includes("\0") ? undefined : all;
}
