// The trees of a session's checkpoints: one for each of its folders that is under git.
import { readdir, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Sequencer } from "../base/async.ts";
import { Batches } from "../base/batches.ts";
import { asError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isOmitted, type TreeRecord } from "./checkpointIndex.ts";
import type { TreeChange, TreeChanges, CheckpointTrees } from "./checkpointTrees.ts";
import { gitFolderKind, nestedRepositories } from "./nestedRepositories.ts";
import { contentKey } from "./checkpointStore.ts";
import { decodeUtf8 } from "../base/text.ts";
import { maxStateBytes, type FileState } from "../files/fileState.ts";
import { isPlainFolder, linkOnPath } from "../files/standing.ts";
import { forgetExactFiles } from "../git/exactFiles.ts";
import { gitList, gitOutput, GitError, type Git } from "../git/gitProgram.ts";
import { gitIgnoredEntries } from "../git/gitQueries.ts";
import {
  filesBeneath,
  filteredPaths,
  findTreeLocation,
  TreeUnavailableError,
  privateRunOptions,
  readObjects,
  takeTree,
  treeDifferences,
  treeEntries,
  treeLimits,
  type TreeDifference,
  type TreeLimits,
  type TreeLocation,
} from "../git/gitTree.ts";

export interface GitTreesOptions {
  readonly git: Git;
  /** The workspace folders of the session. */
  readonly folders: readonly string[];
  /** The folder for objects and indexes. */
  readonly storageFolder: string;
  readonly log: Log;
  readonly limits?: TreeLimits;
  /** Messages that were logged already, also by the trees of other sessions. */
  readonly loggedMessages?: Set<string>;
}

const missingMode = "000000";
const linkMode = "120000";
const folderMode = "040000";
const repositoryMode = "160000";
const executableMode = "100755";

/** The most files whose states are read together. */
const maxBatch = 50;

/** The most ignored paths that are remembered. Further ones are not known. */
const maxIgnored = 1000;

/** The most repositories in a folder of which trees are taken. */
const maxNested = 20;

/** Whether a repository in the folder was added, changed or deleted. Its files are in a tree of their own. */
const isRepository = ({ before, after }: TreeDifference): boolean =>
  [before.mode, after.mode].every(mode => mode === missingMode || mode === repositoryMode);

/** Modes of regular files. The other modes are links and repositories. */
const isFile = (mode: string): boolean => mode.startsWith("100");

export class GitTrees implements CheckpointTrees {
  readonly #options: GitTreesOptions;
  readonly #limits: TreeLimits;
  readonly #places = new Map<string, Promise<TreeLocation>>();
  /** Messages that were logged already, so that each is logged once. */
  readonly #loggedMessages: Set<string>;
  readonly #sequencer = new Sequencer();
  /** The files whose states are being read, by tree. */
  readonly #states = new WeakMap<TreeRecord, Batches<string, FileState | undefined>>();

  constructor(options: GitTreesOptions) {
    this.#options = options;
    this.#loggedMessages = options.loggedMessages ?? new Set();
    this.#limits = options.limits ?? treeLimits;
  }

  take(signal: AbortSignal): Promise<readonly TreeRecord[]> {
    return this.#sequencer.queue(async () => {
      const all = await Promise.all(this.#options.folders.map(folder => this.#takeOne(folder, signal)));
      const taken = all.filter(tree => tree !== undefined);
      const withNested = await Promise.all(taken.map(tree => this.#withNested(tree, signal)));
      return withNested.flat();
    });
  }

  async textAt(trees: readonly TreeRecord[], path: string): Promise<string | null | undefined> {
    const state = await this.stateAt(trees, path);
    if (!state || state.kind === "link") return undefined;
    return state.kind === "missing" ? null : decodeText(state.bytes);
  }

  async stateAt(trees: readonly TreeRecord[], path: string): Promise<FileState | undefined> {
    const { record, inside } = recordOf(trees, path) ?? {};
    if (!record || inside === undefined) return undefined;
    const states =
      this.#states.get(record) ?? new Batches((paths: readonly string[]) => this.#statesIn(record, paths), maxBatch);
    this.#states.set(record, states);
    return states.get(inside);
  }

  /** The states of files in the tree. Git is started once for all of them, because each start costs 10 ms or more. */
  async #statesIn(record: TreeRecord, paths: readonly string[]): Promise<readonly (FileState | undefined)[]> {
    const place = await this.#place(record.folder);
    const placed = paths.map(path => ({ path, above: pathsAbove(`${place.prefix}${path}`) }));
    // If a path does not exist, git lists everything beside it, too.
    const listed = await treeEntries(place, record.tree, [...new Set(placed.flatMap(({ above }) => above))]);
    const entries = new Map(listed.map(entry => [entry.path, entry]));
    const found = placed.map(({ path, above }) => ({ path, above, entry: entries.get(above.at(-1) ?? "") }));
    const missing = found.filter(
      ({ entry, above }) => !entry && !above.some(one => isNested(entries.get(one)?.mode ?? folderMode)),
    );
    // Git does not know whether an ignored file existed.
    const ignored = await ignoredPaths(
      place,
      missing.map(({ path }) => path),
    );
    const absent = new Set(missing.flatMap(({ path }) => (ignored.has(path) ? [] : [path])));
    const files = found.filter(({ entry }) => entry && isFile(entry.mode)).map(({ path }) => path);
    const filtered = record.exact ? new Set<string>() : await filteredPaths(place, files);
    const objects = (fits: (mode: string, path: string) => boolean): readonly string[] =>
      found.flatMap(({ entry, path }) => (entry && fits(entry.mode, path) ? [entry.object] : []));
    const targets = await readMap(
      place,
      objects(mode => mode === linkMode),
      this.#limits.bytes,
    );
    const contents = await readMap(
      place,
      objects((mode, path) => isFile(mode) && !filtered.has(path)),
      maxStateBytes,
    );
    return found.map(({ path, entry }): FileState | undefined => {
      if (!entry) return absent.has(path) ? { kind: "missing" } : undefined;
      if (entry.mode === linkMode) {
        const target = targets.get(entry.object);
        return target && { kind: "link", target: target.toString() };
      }
      // No file was there.
      if (entry.mode === folderMode) return { kind: "missing" };
      if (!isFile(entry.mode) || filtered.has(path)) return undefined;
      const bytes = contents.get(entry.object);
      return bytes && { kind: "file", bytes, executable: entry.mode === executableMode };
    });
  }

  async filesAt(trees: readonly TreeRecord[], path: string): Promise<readonly string[] | undefined> {
    const whole = trees.find(({ folder }) => folder === path);
    const { record, inside } = whole ? { record: whole, inside: "" } : (recordOf(trees, path) ?? {});
    if (!record || inside === undefined) return undefined;
    const place = await this.#place(record.folder);
    const found = await filesBeneath(place, record.tree, `${place.prefix}${inside}`);
    const nested = trees.filter(({ folder }) => folder !== record.folder && folder.startsWith(`${path}${sep}`));
    const files = await Promise.all(nested.map(one => this.filesAt([one], one.folder)));
    return [
      ...found.map(one => join(record.folder, one.slice(place.prefix.length))),
      ...files.flatMap(one => one ?? []),
    ];
  }

  async changed(from: readonly TreeRecord[], to: readonly TreeRecord[], max: number): Promise<TreeChanges> {
    const files: TreeChange[] = [];
    let more = 0;
    for (const before of from) {
      const after = to.find(({ folder }) => folder === before.folder);
      const place = await this.#place(before.folder);
      // No tree can be taken of a repository that was deleted. Others took too long, or cannot be read now.
      if (!after && (place.prefix !== "" || (await gitFolderKind(before.folder)) !== "none")) continue;
      const all = (await this.#differences(place, before, after)).filter(
        one => !isOmitted(before, one.path) && !(after && isOmitted(after, one.path)) && !isRepository(one),
      );
      const listed = all.slice(0, Math.max(0, max - files.length));
      more += all.length - listed.length;
      const texts = await this.#texts(place, listed, before.exact === true);
      listed.forEach((one, i) => {
        const [was, is] = [objectOf(one.before), objectOf(one.after)];
        files.push({ path: join(before.folder, one.path), text: texts[i], was, is });
      });
    }
    return { files, more };
  }

  keepOnly(trees: readonly TreeRecord[]): Promise<void> {
    return this.#sequencer.queue(async () => {
      const { storageFolder: storageFolder } = this.#options;
      const names = await readdir(storageFolder).catch((): readonly string[] => []);
      for (const name of names) {
        const records = trees.filter(({ folder }) => folderKey(folder) === name);
        const [first] = records;
        // The repository may be gone, while its trees are still kept.
        const place = first && (await this.#place(first.folder).catch(() => undefined));
        if (place) await deleteUnusedObjects(place, records);
        else if (first) this.#options.log.debug(`The trees of ${first.folder} are all kept, because it is gone.`);
        else await rm(join(storageFolder, name), { recursive: true, force: true, maxRetries: 3 });
      }
    });
  }

  async #takeOne(folder: string, signal: AbortSignal): Promise<TreeRecord | undefined> {
    try {
      const place = await this.#location(folder, signal);
      const [{ tree, left, exact }, ignored] = await Promise.all([
        takeTree(place, this.#limits, signal),
        this.#ignored(folder, signal),
      ]);
      if (left.length > 0) {
        const some = left.slice(0, 5).join(", ");
        this.#logOnce(`Checkpoints of ${folder} leave out ${left.length} files or repositories within it: ${some}`);
      }
      return { folder, tree, left, ...(ignored.length > 0 && { ignored }), ...(exact && { exact }) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TreeUnavailableError)
        this.#logOnce(`Checkpoints of ${folder} have no tree. ${error.message}`);
      else this.#options.log.warn(`No tree could be taken of ${folder}.`, asError(error).message);
      return undefined;
    }
  }

  /**
   * A tree, and those of the repositories in its folder, as far as there is time. The tree is worth having without them,
   * so this does not reject.
   */
  async #withNested(tree: TreeRecord, signal: AbortSignal): Promise<readonly TreeRecord[]> {
    const left = new Set(tree.left);
    const nested: TreeRecord[] = [];
    try {
      for (const { path, hasOwnObjects } of await nestedRepositories(this.#options.git, tree, maxNested, signal)) {
        const taken = await this.#takeOne(join(tree.folder, path), signal);
        if (taken) nested.push(taken);
        if (hasOwnObjects || !taken) left.add(path);
        else left.delete(path);
        // It is in no tree, and without it the folder is no repository.
        if (!hasOwnObjects) left.add(`${path}.git`);
      }
    } catch (error) {
      if (!signal.aborted)
        this.#options.log.warn(`The repositories in ${tree.folder} could not be read.`, asError(error).message);
    }
    return [{ ...tree, left: [...left] }, ...nested];
  }

  /** What git ignores in the folder. A tree is worth taking also if this is not known. */
  async #ignored(folder: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const found = await gitIgnoredEntries(this.#options.git, folder, maxIgnored, signal);
      if (found.length === maxIgnored) this.#logOnce(`More than ${maxIgnored} paths in ${folder} are ignored by git.`);
      return found;
    } catch (error) {
      signal.throwIfAborted();
      this.#options.log.warn(`The ignored files in ${folder} could not be listed.`, asError(error).message);
      return [];
    }
  }

  /** The location of a folder. If the folder is gone, git runs in the nearest folder that is there. */
  async #place(folder: string, signal?: AbortSignal): Promise<TreeLocation> {
    const place = await this.#location(folder, signal);
    let nearest = folder;
    while (nearest !== dirname(nearest) && !(await isPlainFolder(nearest))) nearest = dirname(nearest);
    return nearest === folder ? place : { ...place, folder: nearest };
  }

  #location(folder: string, signal?: AbortSignal): Promise<TreeLocation> {
    const known = this.#places.get(folder);
    if (known) return known;
    const { git, storageFolder: storageFolder } = this.#options;
    const found = findTreeLocation(git, folder, join(storageFolder, folderKey(folder)), signal);
    this.#places.set(folder, found);
    // The folder may become a repository later.
    found.catch(() => this.#places.delete(folder));
    return found;
  }

  /** The text of each difference in the first tree. */
  async #texts(
    place: TreeLocation,
    differences: readonly TreeDifference[],
    exact: boolean,
  ): Promise<readonly (string | null | undefined)[]> {
    const readable = differences.filter(
      ({ before, after }) => isFile(before.mode) && (isFile(after.mode) || after.mode === missingMode),
    );
    const inPlace = differences.map(({ path }) => path);
    const changedByFilter = exact ? new Set<string>() : await filteredPaths(place, inPlace);
    const objects = readable.map(({ before }) => before.object);
    const contents = await readObjects(place, objects, this.#limits.bytes);
    const texts = new Map(readable.map(({ path }, i) => [path, contents[i]]));
    return differences.map(({ before, after, path }) => {
      if (changedByFilter.has(path)) return undefined;
      if (before.mode === missingMode) return isFile(after.mode) ? null : undefined;
      const bytes = texts.get(path);
      return bytes && decodeText(bytes);
    });
  }

  /** The differences of a tree from a later one, or from a folder that is no repository any more. */
  async #differences(
    place: TreeLocation,
    before: TreeRecord,
    after: TreeRecord | undefined,
  ): Promise<readonly TreeDifference[]> {
    if (after) return treeDifferences(place, before.tree, after.tree);
    try {
      const options = privateRunOptions(place, []);
      const empty = (
        await gitOutput(place.git, place.folder, ["hash-object", "-t", "tree", "-w", "--stdin"], options)
      ).trim();
      return await treeDifferences(place, before.tree, empty);
    } catch (error) {
      // Its objects are gone with it.
      this.#options.log.debug(`The tree of ${before.folder} can no longer be read.`, asError(error).message);
      return [];
    }
  }

  #logOnce(words: string): void {
    if (this.#loggedMessages.has(words)) return;
    this.#loggedMessages.add(words);
    this.#options.log.info(words);
  }
}

/** The name of the private storage of a folder. */
const folderKey = (folder: string): string => contentKey(folder).slice(0, 16);

const objectOf = ({ mode, object }: TreeDifference["before"]): string | undefined =>
  mode === missingMode ? undefined : object;

/** The tree of the innermost folder that contains the path. Undefined if the tree has no information about the path. */
function recordOf(
  trees: readonly TreeRecord[],
  path: string,
): { readonly record: TreeRecord; readonly inside: string } | undefined {
  const [found] = trees
    .flatMap(record => ({ record, inside: relativePath(record.folder, path) }))
    .sort((a, b) => b.record.folder.length - a.record.folder.length)
    .flatMap(({ record, inside }) => (inside === undefined ? [] : [{ record, inside }]));
  return found && !isOmitted(found.record, found.inside) ? found : undefined;
}

/** The path relative to the folder, with slashes. Undefined if it is outside, or inside git's own folder. */
function relativePath(folder: string, path: string): string | undefined {
  const inside = relative(folder, path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || inside.startsWith(`.git${sep}`)) return;
  return inside.split(sep).join("/");
}

/** The path and the folders above it, the outermost first. */
const pathsAbove = (path: string): readonly string[] =>
  path.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"));

/** Whether an entry of this mode is another repository, which hides the files beneath its path. */
const isNested = (mode: string): boolean => mode !== folderMode && mode !== linkMode && !isFile(mode);

/** The ignored ones of the paths, as git's patterns alone decide. */
async function ignoredPaths(place: TreeLocation, paths: readonly string[]): Promise<ReadonlySet<string>> {
  // Git fails for a path behind a link. What is there is no file of the folder.
  const links = await Promise.all(paths.map(path => linkOnPath(join(place.folder, path), [place.folder])));
  const asked = paths.filter((path, i) => links[i] === undefined || links[i] === join(place.folder, path));
  if (asked.length === 0) return new Set();
  // The command does not support the option for literal paths, and treats every path literally anyway.
  const args = ["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"];
  try {
    const items = await gitList(place.git, place.folder, args, { input: asked.map(path => `./${path}\0`).join("") });
    return new Set(items.map(item => item.slice(2)));
  } catch (error) {
    // None of them is ignored.
    if (error instanceof GitError && error.code === 1) return new Set();
    throw error;
  }
}

/** The contents of the objects, by object. Those that are missing or too large have none. */
async function readMap(
  place: TreeLocation,
  objects: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, Buffer | undefined>> {
  const contents = await readObjects(place, objects, maxBytes);
  return new Map(objects.map((object, i) => [object, contents[i]]));
}

/** Undefined if the bytes are not UTF-8 text. */
function decodeText(bytes: Uint8Array): string | undefined {
  // What Git LFS keeps in place of a file.
  if (Buffer.from(bytes.subarray(0, 42)).toString("latin1") === "version https://git-lfs.github.com/spec/v1")
    return undefined;
  return decodeUtf8(bytes);
}

/** Removes our objects that belong to none of the trees. */
async function deleteUnusedObjects(place: TreeLocation, records: readonly TreeRecord[]): Promise<void> {
  const args = ["rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin"];
  const input = [...new Set(records.map(({ tree }) => tree))].map(tree => `${tree}\n`).join("");
  const listed = await gitList(place.git, place.folder, args, { ...privateRunOptions(place, []), input });
  const kept = new Set(listed.join("").split("\n"));
  const objects = join(place.privateFolder, "objects");
  // The index may refer to objects that are about to be removed.
  await rm(join(place.privateFolder, "index"), { force: true });
  await forgetExactFiles(place);
  for (const two of await readdir(objects)) {
    if (!/^[0-9a-f]{2}$/.test(two)) continue;
    for (const rest of await readdir(join(objects, two))) {
      if (!kept.has(`${two}${rest}`)) await rm(join(objects, two, rest), { force: true });
    }
  }
}
