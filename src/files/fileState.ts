// The exact state of a path on disk: bytes, executable bit, or the target of a symbolic link. Reads, compares and
// writes it. A text alone does not determine it, because line endings, encodings and modes are no part of a text.
import { chmod, lstat, mkdir, readFile, readlink, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCodeOf, isNotFoundError } from "../base/errors.ts";
import { hostPlatform } from "../base/platform.ts";
import { withLineFeeds } from "../base/text.ts";

/** The exact state of a path on disk. Links are not followed. */
export type FileState =
  | {
      readonly kind: "missing";
      /** Folders above the path that did not exist either, outermost first. They are removed if they are empty. */
      readonly newFolders?: readonly string[];
    }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "link"; readonly target: string };

/** Larger files are not remembered byte for byte. */
export const maxStateBytes = 32 * 1024 * 1024;

const executableBits = 0o111;

/** The state of a path. Undefined for a folder, a device, or a file that is too large. Rejects if it cannot be read. */
export async function readFileState(path: string, maxBytes: number = maxStateBytes): Promise<FileState | undefined> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) return { kind: "link", target: await readlink(path) };
    if (!found.isFile() || found.size > maxBytes) return undefined;
    return { kind: "file", bytes: await readFile(path), executable: isExecutable(found.mode) };
  } catch (thrown) {
    if (isNotFoundError(thrown)) return { kind: "missing" };
    throw thrown;
  }
}

const isExecutable = (mode: number): boolean => hostPlatform !== "windows" && (mode & executableBits) !== 0;

/** Whether both states are the same on disk. */
export function isSameState(a: FileState, b: FileState): boolean {
  if (a.kind === "file")
    return b.kind === "file" && a.executable === b.executable && Buffer.compare(a.bytes, b.bytes) === 0;
  if (a.kind === "link") return b.kind === "link" && a.target === b.target;
  return b.kind === "missing";
}

/** Whether a text determines the state: UTF-8 without a byte-order mark, "\n" line endings, not executable. */
export function isPlainState(state: FileState): boolean {
  if (state.kind === "missing") return (state.newFolders ?? []).length === 0;
  if (state.kind === "link" || state.executable) return false;
  const { bytes } = state;
  if (bytes.includes(13) || bytes.includes(0)) return false;
  const text = Buffer.from(bytes).toString("utf8");
  return !text.startsWith("\uFEFF") && Buffer.compare(Buffer.from(withLineFeeds(text)), bytes) === 0;
}

/** The state of a plain file with this text. */
export function plainState(text: string | null): FileState {
  return text === null ? { kind: "missing" } : { kind: "file", bytes: Buffer.from(text), executable: false };
}

/** Puts a path into the state. `now` is its present state, so that only what differs is written. */
export async function writeFileState(path: string, state: FileState, now: FileState): Promise<void> {
  if (state.kind === "missing") {
    await rm(path, { force: true });
    for (const folder of (state.newFolders ?? []).toReversed()) await removeEmptyFolder(folder);
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  // A link must be replaced, not followed.
  if (now.kind === "link" || (state.kind === "link" && now.kind === "file")) await rm(path, { force: true });
  if (state.kind === "link") return symlink(state.target, path);
  if (now.kind !== "file" || Buffer.compare(now.bytes, state.bytes) !== 0) await writeFile(path, state.bytes);
  await setExecutable(path, state.executable);
}

/** Sets or removes the executable bit of whoever can read the file, as git does. */
async function setExecutable(path: string, executable: boolean): Promise<void> {
  if (hostPlatform === "windows") return;
  const { mode } = await lstat(path);
  if (isExecutable(mode) === executable) return;
  const permissions = mode & 0o777;
  await chmod(path, executable ? permissions | ((permissions & 0o444) >> 2) : permissions & ~executableBits);
}

/** The folders above a path that do not exist, outermost first. */
export async function missingFolders(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let folder = dirname(path); (await createdAt(folder)) === undefined; folder = dirname(folder))
    missing.unshift(folder);
  return missing;
}

/**
 * The folders above a path that were created since that time (ms since the epoch), outermost first. Without creation
 * times, as on some file systems, there are none.
 */
export async function foldersCreatedSince(path: string, since: number): Promise<readonly string[]> {
  const created: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await createdAt(folder)) ?? Infinity) < since) break;
    created.unshift(folder);
  }
  return created;
}

async function createdAt(folder: string): Promise<number | undefined> {
  try {
    return (await lstat(folder)).birthtimeMs;
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/** Removes a folder that is empty. A folder that the user has put something into stays. */
async function removeEmptyFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (thrown) {
    const code = errorCodeOf(thrown);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && !isNotFoundError(thrown)) throw thrown;
  }
}
