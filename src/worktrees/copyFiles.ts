// Copies files of one work tree into another one: what is not committed, and ignored files that a session needs.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, lstat, mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { errorCodeOf, isNotFoundError } from "../base/errors.ts";
import type { UncommittedFiles } from "../git/gitWorktrees.ts";

const maxConcurrentFiles = 16;

/**
 * Copies what is not committed in the work tree `from` into the work tree `to` of the same commit. Bytes, modes and links
 * stay. Rejects with the error of the file system. Submodules are not copied.
 */
export async function copyUncommitted(
  { changed, deleted }: UncommittedFiles,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  await forEachLimited(deleted, maxConcurrentFiles, path => rm(join(to, path), { recursive: true, force: true }));
  await forEachLimited(changed, maxConcurrentFiles, async path => {
    signal?.throwIfAborted();
    await copyOver(join(from, path), join(to, path), to);
  });
}

/** Copies a file or a link over whatever stands there. A file that is gone meanwhile is not copied. */
async function copyOver(from: string, to: string, root: string): Promise<void> {
  const found = await lstat(from).catch(ifMissing);
  if (!found || found.isDirectory()) return;
  await makeFolder(dirname(to), root);
  const copy = temporaryName(to);
  try {
    if (found.isSymbolicLink()) await symlink(await readlink(from), copy);
    else await copyFile(from, copy, constants.COPYFILE_FICLONE);
    const old = await lstat(to).catch(ifMissing);
    if (old?.isDirectory()) await rm(to, { recursive: true });
    await rename(copy, to);
  } finally {
    await rm(copy, { force: true });
  }
}

/** Makes the folder, also where a file or a link stands in the place of one of its parents below `root`. */
async function makeFolder(folder: string, root: string): Promise<void> {
  let at = root;
  for (const part of folder.slice(root.length).split(sep)) {
    if (part === "") continue;
    at = join(at, part);
    const found = await lstat(at).catch(ifMissing);
    if (found && !found.isDirectory()) await rm(at);
  }
  await mkdir(folder, { recursive: true });
}

/**
 * Copies regular files from one folder to another. Never over anything, and never through a link. `paths`: relative to
 * both folders, with slashes. Resolves with the paths that were not copied because something else stands in their way.
 */
export async function copyNewFiles(
  paths: readonly string[],
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const skipped: string[] = [];
  await forEachLimited(paths, maxConcurrentFiles, async path => {
    signal?.throwIfAborted();
    if (!(await copyNew(path, from, to))) skipped.push(path);
  });
  return skipped;
}

async function copyNew(path: string, from: string, to: string): Promise<boolean> {
  const source = join(from, path);
  const found = await lstat(source).catch(ifMissing);
  if (!found?.isFile() || (await passesLink(path, from)) || (await passesLink(path, to))) return false;
  const target = join(to, path);
  const copy = temporaryName(target);
  try {
    await mkdir(dirname(target), { recursive: true });
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
    return await place(copy, target);
  } catch (thrown) {
    // A file stands in the place of a folder.
    if (["EEXIST", "ENOTDIR"].includes(errorCodeOf(thrown) ?? "")) return false;
    throw thrown;
  } finally {
    await rm(copy, { force: true });
  }
}

/** Gives the copy its name, unless something has it: a second name of a file never replaces another file. */
async function place(copy: string, target: string): Promise<boolean> {
  try {
    await link(copy, target);
    return true;
  } catch (thrown) {
    if (errorCodeOf(thrown) === "EEXIST") return false;
    // The file system has no second names.
    if ((await lstat(target).catch(ifMissing)) !== undefined) return false;
    await rename(copy, target);
    return true;
  }
}

/** Whether a folder on the path below `root` is a link. */
async function passesLink(path: string, root: string): Promise<boolean> {
  let at = root;
  for (const part of path.split("/").slice(0, -1)) {
    at = join(at, part);
    if ((await lstat(at).catch(ifMissing))?.isSymbolicLink()) return true;
  }
  return false;
}

const temporaryName = (path: string): string => join(dirname(path), `.parley-${randomUUID()}`);

function ifMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown) && errorCodeOf(thrown) !== "ENOTDIR") throw thrown;
}
