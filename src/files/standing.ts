// What stands at a path inside a folder: links below the folder are not followed, and a folder is no file.
import type { Stats } from "node:fs";
import { lstat, readdir, rmdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import { readFileState, type FileState } from "./fileState.ts";

/**
 * The outermost part of the path that is a symbolic link below one of the folders. Undefined if the path has none, and if
 * it is in none of the folders.
 */
export async function linkOnPath(path: string, folders: readonly string[]): Promise<string | undefined> {
  const [folder] = folders.filter(one => path.startsWith(withSeparator(one))).sort((a, b) => b.length - a.length);
  if (folder === undefined) return undefined;
  const names = path.slice(withSeparator(folder).length).split(sep);
  for (let i = 1; i <= names.length; i++) {
    const part = join(folder, ...names.slice(0, i));
    const found = await lstatIfExists(part);
    if (!found) return undefined;
    if (found.isSymbolicLink()) return part;
  }
  return undefined;
}

/**
 * The state of a path as in {@link readFileState}, but nothing stands at a path that leads through a link below one of the
 * folders, and no file where a folder is.
 */
export async function stateAtPath(path: string, folders: readonly string[]): Promise<FileState | undefined> {
  const link = await linkOnPath(path, folders);
  if (link !== undefined && link !== path) return { kind: "missing" };
  return (await readFileState(path)) ?? ((await isPlainFolder(path)) ? { kind: "missing" } : undefined);
}

/** Whether there is a folder that is no link. */
export async function isPlainFolder(path: string): Promise<boolean> {
  return (await lstatIfExists(path))?.isDirectory() === true;
}

/** The time of the last change of the link itself (ms since the epoch). */
export async function linkChangeTime(path: string): Promise<number | undefined> {
  return (await lstatIfExists(path))?.ctimeMs;
}

/** Removes a folder if there is no file at any depth in it. Resolves with whether nothing stands at the path now. */
export async function removeFolderWithoutFiles(path: string): Promise<boolean> {
  if (!(await isPlainFolder(path))) return false;
  const entries = await readdir(path, { withFileTypes: true });
  if (entries.some(one => !one.isDirectory())) return false;
  for (const { name } of entries) if (!(await removeFolderWithoutFiles(join(path, name)))) return false;
  await rmdir(path);
  return true;
}

async function lstatIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

const withSeparator = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);
