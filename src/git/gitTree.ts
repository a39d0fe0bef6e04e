// Takes a git tree of all files in a folder, tracked or new, as they are on disk. The repository is only read: objects
// go to a private folder that has the repository's objects as alternate, and the index is a copy.
import { constants } from "node:fs";
import { access, copyFile, lstat, mkdir, rm, stat, utimes } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { addExactFiles, conversionOf } from "./exactFiles.ts";
import { gitList, gitOutput, runGit, runGitBytes, type Git, type GitRunOptions } from "./gitProgram.ts";
import { errorCodeOf } from "../base/errors.ts";

/** No tree can be taken of a folder. The message is a sentence with the reason. */
export class TreeUnavailableError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "TreeUnavailableError";
  }
}

/** A folder under git, and the location of our own objects and index for it. */
export interface TreeLocation {
  readonly git: Git;
  readonly folder: string;
  /** The folder's path in its repository, ending with a slash. Empty at the top. */
  readonly prefix: string;
  /** The repository's objects and index. */
  readonly objects: string;
  readonly index: string;
  /** The repository's own attributes, a file that need not exist. */
  readonly attributes: string;
  /** Whether the index is split into two files. */
  readonly splitIndex: boolean;
  readonly privateFolder: string;
}

export interface TreeLimits {
  /** Larger files are omitted. */
  readonly bytes: number;
  /** With more new or changed files, no tree is taken. */
  readonly files: number;
}

export const treeLimits: TreeLimits = { bytes: 5 * 1024 * 1024, files: 20_000 };

/** With more omitted files, no tree is taken, because each of them is stored by name. */
const maxLeftOut = 1000;

/** Finds the repository of a folder. Rejects with a {@link TreeUnavailableError} if there is none that can be used. */
export async function findTreeLocation(
  git: Git,
  folder: string,
  ownFolder: string,
  signal?: AbortSignal,
): Promise<TreeLocation> {
  const paths = ["objects", "index", "info/attributes"].flatMap(name => ["--git-path", name]);
  const args = ["rev-parse", "--show-toplevel", "--show-prefix", ...paths, "--shared-index-path"];
  const lines = await gitOutput(git, folder, args, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new TreeUnavailableError(`It is not in a git repository that can be read: ${(error as Error).message}`);
  });
  const [top, prefix, objects, index, attributes, shared] = lines.split("\n");
  if (!top || prefix === undefined || !objects || !index || !attributes)
    throw new TreeUnavailableError("git does not report where its files are.");
  return {
    git,
    folder,
    prefix,
    objects: resolve(folder, objects),
    index: resolve(folder, index),
    attributes: resolve(folder, attributes),
    splitIndex: shared !== undefined && shared !== "",
    privateFolder: ownFolder,
  };
}

/** Options that make git use our objects and our index in place of the repository's. */
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

/** A path quoted for a list of paths. */
const quotedAlternate = (path: string): string =>
  path.includes(delimiter) || path.startsWith('"') ? `"${path.replace(/["\\]/g, "\\$&")}"` : path;

/** A tree, and the paths omitted from it, relative to the folder. Folders end with a slash. */
export interface TakenTree {
  readonly tree: string;
  readonly left: readonly string[];
  /** Whether the tree has all files byte for byte, also those that git converts. */
  readonly exact: boolean;
}

/** Takes a tree. Rejects with a {@link TreeUnavailableError} if that is not possible, and when the signal aborts. */
export async function takeTree(place: TreeLocation, limits: TreeLimits, signal?: AbortSignal): Promise<TakenTree> {
  const settings = await readSettings(place, signal);
  const options = privateRunOptions(place, configWithoutPrograms(settings), signal);
  await mkdir(join(place.privateFolder, "objects"), { recursive: true });
  // A git that was killed may have left it.
  await rm(join(place.privateFolder, "index.lock"), { force: true });
  if (!(await exists(join(place.privateFolder, "index")))) await copyIndex(place, options);
  const { git, folder } = place;
  // Both read the whole index, so they run at the same time.
  const [{ add, remove, left }, before] = await Promise.all([
    indexChanges(place, limits, options),
    conversionOf(place, settings, options),
  ]);
  const hasNewAttributes = add.some(path => /(?:^|\/)\.gitattributes$/.test(path));
  const converts = before === "nothing" && hasNewAttributes ? "some" : before;
  const update = async (args: readonly string[], paths: readonly string[]): Promise<void> => {
    if (paths.length === 0) return;
    const input = paths.map(path => `${path}\0`).join("");
    await gitOutput(git, folder, ["update-index", "-z", ...args, "--stdin"], { ...options, input });
  };
  await update(["--force-remove"], remove);
  await update(["--add", "--remove", "--replace"], add);
  const exact = await addExactFiles(place, limits.bytes, converts, options);
  const tree = (await gitOutput(git, folder, ["write-tree", "--missing-ok"], options)).trim();
  return { tree, left, exact };
}

/** The settings of a repository, with those of the user and the system: the last value of each, `true` if it has none. */
async function readSettings({ git, folder }: TreeLocation, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const items = await gitList(git, folder, ["config", "-z", "--list"], { signal });
  return new Map(
    items.map(item => {
      const end = item.indexOf("\n");
      return end < 0 ? [item, "true"] : [item.slice(0, end), item.slice(end + 1)];
    }),
  );
}

/**
 * Settings that turn off the programs in the repository's configuration. Throws if they cannot be turned off, and if
 * only some of the files are checked out.
 */
function configWithoutPrograms(settings: ReadonlyMap<string, string>): readonly string[] {
  if ((settings.get("core.sparsecheckout") ?? "false") !== "false") throw sparseCheckoutError();
  const config = new Set<string>();
  for (const name of settings.keys()) {
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

/** Starts with a copy of the repository's index, which has the state in which files were last read. */
async function copyIndex(place: TreeLocation, options: GitRunOptions): Promise<void> {
  const { git, folder, index, splitIndex } = place;
  const own = join(place.privateFolder, "index");
  if (splitIndex || !(await exists(index))) return; // Git then reads all files.
  const { mtimeMs } = await stat(index);
  await copyFile(index, own);
  // Git reads files again that are as new as the index. Subtract 1 ms, because times are set less exactly than read.
  await utimes(own, mtimeMs / 1000, (mtimeMs - 1) / 1000);
  try {
    const unwatched: string[] = [];
    for (const item of await gitList(git, folder, ["ls-files", "-v", "-z"], options)) {
      const tag = item.slice(0, 1);
      if (tag === "S" || tag === "s") throw sparseCheckoutError();
      // The user marked these files as unchanged ("assume unchanged"), so git would not check them.
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

/** The differences from our index: paths to add, to remove, and to omit from the tree. */
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
  const links = new Map<string, Promise<boolean>>();
  /** Whether a link is in the place of a folder above the path. Git knows no file there. */
  const isBehindLink = async (path: string): Promise<boolean> => {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const above = path.slice(0, end);
      const found = links.get(above) ?? isLink(join(folder, above));
      links.set(above, found);
      if (await found) return true;
    }
    return false;
  };
  for (let at = 0; at < paths.length; at += 64) {
    options.signal?.throwIfAborted();
    const some = paths.slice(at, at + 64);
    const kinds = await Promise.all(
      some.map(async path => ((await isBehindLink(path)) ? "missing" : kindOf(folder, path, limits))),
    );
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

/** The kind of a path: a file for the tree, an omitted file, nothing, or another repository. */
async function kindOf(
  folder: string,
  path: string,
  limits: TreeLimits,
): Promise<"file" | "left" | "missing" | "repository"> {
  // Git lists only repositories as folders.
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

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    found => found.isSymbolicLink(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A file of a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  /** Relative to the repository, with slashes. */
  readonly path: string;
}

/**
 * The entries of a tree at these paths, if it has them, also those of a folder with another path in it. Paths are
 * relative to the repository, with slashes.
 */
export async function treeEntries(
  place: TreeLocation,
  tree: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-z", "-t", "--full-tree", tree, "--", ...paths];
  const items = await gitList(place.git, place.folder, args, privateRunOptions(place, [], signal));
  return items.map(item => {
    const tab = item.indexOf("\t");
    const [mode = "", , object = ""] = item.slice(0, tab).split(" ");
    return { mode, object, path: item.slice(tab + 1) };
  });
}

/**
 * The regular files of a tree at the path, or at any depth in a folder at the path. Paths are relative to the
 * repository, with slashes. The empty path is the whole tree.
 */
export async function filesBeneath(
  place: TreeLocation,
  tree: string,
  path: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree, ...(path === "" ? [] : ["--", path])];
  const items = await gitList(place.git, place.folder, args, privateRunOptions(place, [], signal));
  return items.flatMap(item => (item.startsWith("100") ? [item.slice(item.indexOf("\t") + 1)] : []));
}

/** The contents of the objects, in order. Undefined for an object that is missing or larger than `maxBytes`. */
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

/** The differences between two trees of a folder. */
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

/** The paths, relative to the folder, whose text on disk differs from what git stores: LFS, filters, keywords. */
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
