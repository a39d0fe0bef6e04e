// Reads the files of a small folder without git at the start of a turn. With git, a tree has this information.
import { lstat, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { asError, isNotFoundError } from "../../base/errors.ts";
import { decodeUtf8 } from "../../base/text.ts";
import { isPlainState, isSameState, plainState, readFileState, type FileState } from "../../files/fileState.ts";
import { walkFiles } from "../../files/fileWalk.ts";
import { isPlainFolder, linkOnPath, stateAtPath } from "../../files/standing.ts";
import type { FileDifference, TurnStart } from "./turnStart.ts";

/** The limits of reading. Files beyond the limits are unknown. */
export interface FolderLimits {
  readonly files: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export const folderLimits: FolderLimits = { files: 3000, bytes: 16 * 1024 * 1024, milliseconds: 1000 };

const maxFileBytes = 8 * 1024 * 1024;
const maxConcurrentReads = 16;

/** The most paths that are left out and remembered. */
const maxOmitted = 1000;

/** File systems may use a clock that is this far behind, in milliseconds. */
const clockTick = 20;

/** A file at the start of the turn. */
interface SeenFile {
  /** Undefined: binary or too large. */
  readonly text: string | undefined;
  /** Absent: too large, or the text determines it. */
  readonly state?: FileState;
  /** The same for a file that was moved. */
  readonly id: string;
  /** Differs if the content was written. */
  readonly version: string;
}

/** Reads the UTF-8 texts of a folder up to the limits, except files ignored by .gitignore. */
export async function folderTexts(root: string, limits: FolderLimits = folderLimits): Promise<TurnStart> {
  const startTime = Date.now();
  const seen = new Map<string, SeenFile>();
  const links = new Map<string, FileState>();
  const omitted: string[] = [];
  const omit = (name: string): void => {
    if (omitted.length < maxOmitted) omitted.push(join(root, name));
  };
  let bytes = 0;
  const read = async (path: string): Promise<void> => {
    const found = await identify(path);
    if (!found) {
      const state = await readFileState(path, 0);
      // A link, or a file that was deleted meanwhile.
      if (state?.kind === "link") links.set(path, state);
      return;
    }
    const isTooLarge = found.size > maxFileBytes || bytes + found.size > limits.bytes;
    if (!isTooLarge) bytes += found.size;
    const state = isTooLarge ? undefined : await readFileState(path);
    const text = state?.kind === "file" ? decodeUtf8(state.bytes) : undefined;
    const isPlain = text !== undefined && state !== undefined && isPlainState(state);
    seen.set(path, { text, id: found.id, version: found.version, ...(state && !isPlain && { state }) });
  };
  const isComplete = await walk(root, limits, read, { omit });
  /** Whether the file would have been seen if it had existed. */
  const isListed = async (path: string): Promise<boolean> => {
    let found = false;
    await walkFiles(root, { take: () => void (found = true), isExcluded, from: relativePath(root, path) });
    return found;
  };
  const isOmitted = (path: string): boolean =>
    omitted.some(one => (one.endsWith(sep) ? path.startsWith(one) : path === one));
  const start: TurnStart = {
    folders: isComplete ? [root] : [],
    omitted,
    async stateAt(path) {
      const known = seen.get(path);
      if (known) return known.state ?? (known.text === undefined ? undefined : plainState(known.text));
      return links.get(path) ?? ((await start.textAt(path)) === null ? plainState(null) : undefined);
    },
    async textAt(path) {
      const known = seen.get(path);
      if (known) return known.text;
      if (links.has(path) || !isInside(root, path)) return undefined;
      const createdAt = await stat(path).then(
        found => found.birthtimeMs,
        (thrown: unknown) => {
          if (isNotFoundError(thrown)) return undefined;
          throw asError(thrown);
        },
      );
      // The file was not seen, so it did not exist or was left out. On nearly all file systems, the creation time tells
      // which. A file that was moved here keeps its creation time.
      if (createdAt !== undefined && createdAt >= startTime - clockTick) return null;
      if (!isComplete || isOmitted(path)) return undefined;
      return createdAt === undefined || (await isListed(path)) ? null : undefined;
    },
    filesAt(path) {
      const files = [...seen.keys()].filter(one => one === path || one.startsWith(`${path}${sep}`));
      const isKnown = files.length > 0 || (isComplete && isInside(root, path));
      return Promise.resolve(isKnown ? files : undefined);
    },
    async differences(signal) {
      const differences: FileDifference[] = [];
      const gone = new Map(seen);
      // New files are known only if the first walk saw everything.
      const compare = async (path: string): Promise<void> => {
        const now = await identify(path);
        const then = gone.get(path);
        gone.delete(path);
        const link = links.get(path);
        if (!now || link) return void differences.push(...(await linkDifference(path, link, isComplete)));
        if (then ? then.version === now.version : !isComplete) return;
        differences.push({ path, before: then ? then.text : null, was: then?.id, is: now.id });
      };
      const isWhole = await walk(root, { ...limits, files: Infinity, milliseconds: Infinity }, compare, { signal });
      for (const [path, { text, id, version }] of isWhole ? gone : []) {
        // A file that is ignored meanwhile still exists.
        const now = (await linkOnPath(path, [root])) === undefined ? await identify(path) : undefined;
        if (now?.version !== version) differences.push({ path, before: text, was: id, is: now?.id });
      }
      for (const [path, link] of isWhole ? links : []) {
        const now = await stateAtPath(path, [root]);
        if (now?.kind === "missing") differences.push(...(await linkDifference(path, link, isComplete)));
      }
      return differences;
    },
  };
  return start;
}

/** The difference of a path that was a link, or is one now. Its text is no text of this path. */
async function linkDifference(
  path: string,
  before: FileState | undefined,
  isComplete: boolean,
): Promise<readonly FileDifference[]> {
  const now = (await isPlainFolder(path)) ? plainState(null) : await readFileState(path, 0);
  const isLink = now?.kind === "link";
  if ((!before && !(isComplete && isLink)) || (before && isLink && isSameState(before, now))) return [];
  const id = `link ${path}`;
  return [
    {
      path,
      before: undefined,
      was: before && id,
      is: now?.kind === "missing" ? undefined : isLink ? id : `file ${path}`,
    },
  ];
}

/** Calls `each` for the files of the folder. Resolves with whether all of them were within the limits. */
async function walk(
  root: string,
  limits: Pick<FolderLimits, "files" | "milliseconds">,
  each: (path: string) => Promise<void>,
  { omit, signal }: { readonly omit?: (name: string) => void; readonly signal?: AbortSignal },
): Promise<boolean> {
  const startTime = Date.now();
  const limit = new AbortController();
  let count = 0;
  const take = async (names: readonly string[]): Promise<void> => {
    for (let i = 0; i < names.length; i += maxConcurrentReads) {
      signal?.throwIfAborted();
      if (count >= limits.files || Date.now() - startTime > limits.milliseconds) return limit.abort();
      const some = names.slice(i, i + maxConcurrentReads);
      count += some.length;
      await Promise.all(some.map(name => each(join(root, name)).catch(ignoreUnreadable)));
    }
  };
  try {
    await walkFiles(root, { take, isExcluded, signal: limit.signal, ...(omit && { omit }) });
    return !limit.signal.aborted;
  } catch (thrown) {
    if (!limit.signal.aborted) throw thrown;
    return false;
  }
}

/** A file that was deleted meanwhile, or that this user cannot read, is left out: nothing is known of it. */
function ignoreUnreadable(thrown: unknown): void {
  const { code } = asError(thrown) as NodeJS.ErrnoException;
  if (isNotFoundError(thrown) || code === "EACCES" || code === "EPERM" || code === "ELOOP" || code === "EISDIR") return;
  throw thrown;
}

interface FileIdentity {
  readonly id: string;
  readonly version: string;
  readonly size: number;
}

/** Undefined if there is no regular file. A link is not followed: its target is a file of its own. */
async function identify(path: string): Promise<FileIdentity | undefined> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return undefined;
    const { ino, birthtimeMs, mtimeMs, ctimeMs, size } = found;
    const id = `${ino} ${birthtimeMs}`;
    return { id, version: `${id} ${mtimeMs} ${ctimeMs} ${size}`, size };
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

const isExcluded = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
const relativePath = (root: string, path: string): string => relative(root, path).split(sep).join("/");
const isInside = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
