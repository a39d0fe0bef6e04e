// A tree of everything in a folder under git, tracked or new, as its files are on disk now. The repository is only read:
// objects go to a private folder that has the repository's own as alternate, and the index is a copy.
import { constants } from "node:fs";
import { access, copyFile, lstat, mkdir, rm, stat, utimes } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { gitList, runGit, runGitBytes, type Git, type GitRunOptions } from "./gitProgram.ts";
import { errorCodeOf } from "../base/errors.ts";

/** Why no tree is taken of a folder: a sentence. */
export class TreeUnavailableError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NoTree";
  }
}

/** A folder under git, and where our own objects and index for it are. */
export interface TreeLocation {
  readonly git: Git;
  readonly folder: string;
  /** The folder's own path in its repository, with a slash at its end; empty at the top. */
  readonly prefix: string;
  /** The repository's. */
  readonly objects: string;
  readonly index: string;
  /** Its index is in two parts. */
  readonly splitIndex: boolean;
  readonly privateFolder: string;
}

export interface TreeLimits {
  /** Larger files are left out. */
  readonly bytes: number;
  /** With more new or changed files there is no tree. */
  readonly files: number;
}

export const treeLimits: TreeLimits = { bytes: 5 * 1024 * 1024, files: 20_000 };

/** With more files left out there is no tree: each is remembered by its name. */
const maxLeftOut = 1000;

/** Finds the repository that a folder lies in. Rejects with NoTree where there is none that can be used. */
export async function findTreeLocation(
  git: Git,
  folder: string,
  ownFolder: string,
  signal?: AbortSignal,
): Promise<TreeLocation> {
  const args = ["rev-parse", "--show-toplevel", "--show-prefix", "--git-path", "objects", "--git-path", "index"];
  const lines = await gitOutput(git, folder, [...args, "--shared-index-path"], { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new TreeUnavailableError(`It is in no git repository that can be read: ${(error as Error).message}`);
  });
  const [top, prefix, objects, index, shared] = lines.split("\n");
  if (!top || prefix === undefined || !objects || !index)
    throw new TreeUnavailableError("git does not tell where its files are.");
  return {
    git,
    folder,
    prefix,
    objects: resolve(folder, objects),
    index: resolve(folder, index),
    splitIndex: shared !== undefined && shared !== "",
    privateFolder: ownFolder,
  };
}

/** Options with which git sees our objects and, if `withIndex`, our index in place of the repository's. */
export function privateRunOptions(place: TreeLocation, config: readonly string[], signal?: AbortSignal): GitRunOptions {
  return {
    signal,
    config: ["core.looseCompression=1", "core.fsync=none", "core.splitIndex=false", "core.safecrlf=false", ...config],
    env: {
      GIT_OBJECT_DIRECTORY: join(place.privateFolder, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedAlternate(place.objects),
      GIT_INDEX_FILE: join(place.privateFolder, "index"),
    },
  };
}

/** A path in a list of paths. */
const quotedAlternate = (path: string): string =>
  path.includes(delimiter) || path.startsWith('"') ? `"${path.replace(/["\\]/g, "\\$&")}"` : path;

/** What was left out of a tree, relative to the folder; a folder ends with a slash. */
export interface TakenTree {
  readonly tree: string;
  readonly left: readonly string[];
}

/** Takes a tree. Rejects with NoTree for a folder of which none can be had, and when the signal aborts. */
export async function takeTree(place: TreeLocation, limits: TreeLimits, signal?: AbortSignal): Promise<TakenTree> {
  const config = await configWithoutPrograms(place, signal);
  const options = privateRunOptions(place, config, signal);
  await mkdir(join(place.privateFolder, "objects"), { recursive: true });
  // Left by a git that was ended.
  await rm(join(place.privateFolder, "index.lock"), { force: true });
  if (!(await exists(join(place.privateFolder, "index")))) await copyIndex(place, options);
  const { git, folder } = place;
  const { add, remove, left } = await indexChanges(place, limits, options);
  const update = async (args: readonly string[], paths: readonly string[]): Promise<void> => {
    if (paths.length === 0) return;
    const input = paths.map(path => `${path}\0`).join("");
    await gitOutput(git, folder, ["update-index", "-z", ...args, "--stdin"], { ...options, input });
  };
  await update(["--force-remove"], remove);
  await update(["--add", "--remove", "--replace"], add);
  const tree = (await gitOutput(git, folder, ["write-tree", "--missing-ok"], options)).trim();
  return { tree, left };
}

/**
 * Settings that take out what a repository's configuration names as programs to run. Rejects where that cannot be done,
 * and where only some of the files are checked out.
 */
async function configWithoutPrograms({ git, folder }: TreeLocation, signal?: AbortSignal): Promise<readonly string[]> {
  const settings = await gitList(git, folder, ["config", "-z", "--list"], { signal });
  const config = new Set<string>();
  for (const setting of settings) {
    const end = setting.indexOf("\n");
    const name = end < 0 ? setting : setting.slice(0, end);
    if (name === "core.sparsecheckout" && setting.slice(end + 1) !== "false") throw sparseCheckoutError();
    const program = /^(filter|hook)\.(.*)\.[^.]*$/s.exec(name);
    if (!program) continue;
    const section = `${program[1]}.${program[2]}`;
    if (/[=\n]/.test(section))
      throw new TreeUnavailableError("Its configuration names a program in a way that cannot be turned off.");
    if (program[1] === "hook") config.add(`${section}.enabled=false`);
    else for (const off of ["clean=", "process=", "required=false"]) config.add(`${section}.${off}`);
  }
  return [...config];
}

const sparseCheckoutError = (): TreeUnavailableError =>
  new TreeUnavailableError("Only some of its files are checked out (sparse checkout).");

/** Begins with the repository's index, which knows what files looked like when they were last read. */
async function copyIndex(place: TreeLocation, options: GitRunOptions): Promise<void> {
  const { git, folder, index, splitIndex } = place;
  const own = join(place.privateFolder, "index");
  if (splitIndex || !(await exists(index))) return; // Everything is read, then.
  const { mtimeMs } = await stat(index);
  await copyFile(index, own);
  // Git looks again at files that are as new as the index. A millisecond less, as the time is set less exactly than read.
  await utimes(own, mtimeMs / 1000, (mtimeMs - 1) / 1000);
  try {
    const unwatched: string[] = [];
    for (const item of await gitList(git, folder, ["ls-files", "-v", "-z"], options)) {
      const tag = item.slice(0, 1);
      if (tag === "S" || tag === "s") throw sparseCheckoutError();
      // The user has told git not to look whether these have changed.
      if (tag !== tag.toUpperCase()) unwatched.push(`${item.slice(2)}\0`);
    }
    if (unwatched.length === 0) return;
    const args = ["update-index", "-z", "--no-assume-unchanged", "--stdin"];
    await gitOutput(git, folder, args, { ...options, input: unwatched.join("") });
  } catch (error) {
    await rm(own, { force: true });
    throw error;
  }
}

interface IndexChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly left: readonly string[];
}

/** What differs from our index: what to take, what to take out, and what is not to be in the tree. */
async function indexChanges(place: TreeLocation, limits: TreeLimits, options: GitRunOptions): Promise<IndexChanges> {
  const { git, folder } = place;
  const found = new Set<string>();
  let rest = "";
  await runGit(git, folder, ["ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"], {
    ...options,
    take: text => {
      const items = (rest + text).split("\0");
      rest = items.pop() ?? "";
      for (const item of items) found.add(item);
      if (found.size > limits.files)
        throw new TreeUnavailableError(`It has more than ${limits.files} new or changed files.`);
    },
  });
  const add: string[] = [];
  const remove: string[] = [];
  const left: string[] = [];
  const paths = [...found];
  for (let at = 0; at < paths.length; at += 64) {
    options.signal?.throwIfAborted();
    const some = paths.slice(at, at + 64);
    const kinds = await Promise.all(some.map(path => kindOf(folder, path, limits)));
    some.forEach((path, i) => {
      const kind = kinds[i];
      if (kind === "file") add.push(path);
      else if (kind === "repository") left.push(path.endsWith("/") ? path : `${path}/`);
      else {
        remove.push(path);
        if (kind === "left") left.push(path);
      }
    });
    if (left.length > maxLeftOut)
      throw new TreeUnavailableError(`It has more than ${maxLeftOut} files that are too large.`);
  }
  return { add, remove, left };
}

/** What is at a path: a file for the tree, one that is left out, nothing, or another repository. */
async function kindOf(
  folder: string,
  path: string,
  limits: TreeLimits,
): Promise<"file" | "left" | "missing" | "repository"> {
  // Only repositories are listed as folders.
  if (path.endsWith("/")) return "repository";
  const full = join(folder, path);
  try {
    const found = await lstat(full);
    if (found.isSymbolicLink()) return "file";
    if (found.isDirectory()) return (await exists(join(full, ".git"))) ? "repository" : "missing";
    if (!found.isFile() || found.size > limits.bytes) return "left";
    await access(full, constants.R_OK);
    return "file";
  } catch (thrown) {
    const code = errorCodeOf(thrown);
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "left";
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Runs git and resolves with what it printed. */
export async function gitOutput(
  git: Git,
  cwd: string,
  args: readonly string[],
  options: GitRunOptions,
): Promise<string> {
  let all = "";
  await runGit(git, cwd, args, { ...options, take: text => void (all += text) });
  return all;
}

/** A file of a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  /** In the repository, with slashes. */
  readonly path: string;
}

/** What stands at paths of a tree; those that it lacks are left out. Paths are in the repository, with slashes. */
export async function treeEntries(
  place: TreeLocation,
  tree: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-z", "--full-tree", tree, "--", ...paths];
  const items = await gitList(place.git, place.folder, args, privateRunOptions(place, [], signal));
  return items.map(item => {
    const tab = item.indexOf("\t");
    const [mode = "", , object = ""] = item.slice(0, tab).split(" ");
    return { mode, object, path: item.slice(tab + 1) };
  });
}

/** The contents of objects, in their order; undefined for one that is missing or larger than `most` bytes. */
export async function readObjects(
  place: TreeLocation,
  objects: readonly string[],
  maxBytes: number,
  signal?: AbortSignal,
): Promise<readonly (Buffer | undefined)[]> {
  if (objects.length === 0) return [];
  const input = objects.map(object => `${object}\n`).join("");
  const options = privateRunOptions(place, [], signal);
  const objectInfo = await gitOutput(place.git, place.folder, ["cat-file", "--batch-check"], { ...options, input });
  const sizes = objectInfo.split("\n").map(line => /^\S+ blob (\d+)$/.exec(line)?.[1]);
  const wanted = objects.filter((_, i) => Number(sizes[i] ?? Infinity) <= maxBytes);
  if (wanted.length === 0) return objects.map(() => undefined);
  const pieces: Buffer[] = [];
  await runGitBytes(place.git, place.folder, ["cat-file", "--batch"], {
    ...options,
    input: wanted.map(object => `${object}\n`).join(""),
    take: bytes => void pieces.push(bytes),
  });
  const all = Buffer.concat(pieces);
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const object of wanted) {
    const start = all.indexOf(10, at) + 1;
    const size = Number(all.toString("utf8", at, start - 1).split(" ")[2]);
    contents.set(object, all.subarray(start, start + size));
    at = start + size + 1;
  }
  return objects.map(object => contents.get(object));
}

/** One difference between two trees. An absent side has mode 000000. */
export interface TreeDifference {
  readonly before: { readonly mode: string; readonly object: string };
  readonly after: { readonly mode: string; readonly object: string };
  /** Relative to the folder, with slashes. */
  readonly path: string;
}

/** How two trees of a folder differ. */
export async function treeDifferences(
  place: TreeLocation,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<readonly TreeDifference[]> {
  if (from === to) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--relative", from, to];
  const items = await gitList(place.git, place.folder, args, privateRunOptions(place, [], signal));
  const differences: TreeDifference[] = [];
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [before = "", after = "", oldObject = "", newObject = ""] = (items[i] ?? "").slice(1).split(" ");
    const path = items[i + 1] ?? "";
    differences.push({ before: { mode: before, object: oldObject }, after: { mode: after, object: newObject }, path });
  }
  return differences;
}

/** Those of the paths, relative to the folder, whose text on disk is not what git stores: filters such as LFS, keywords. */
export async function filteredPaths(
  place: TreeLocation,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = paths.map(path => `${path}\0`).join("");
  const args = ["check-attr", "-z", "--stdin", "filter", "ident"];
  const items = await gitList(place.git, place.folder, args, { signal, input });
  const found = new Set<string>();
  for (let i = 0; i + 2 < items.length; i += 3) {
    const [path = "", , value = ""] = items.slice(i, i + 3);
    if (value !== "unspecified" && value !== "unset") found.add(path);
  }
  return found;
}
