// Whether a path that an agent names is outside of folders.
import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/** The folders with links resolved. */
const realFolders = new Map<string, string>();

/**
 * Whether a path that an agent names is outside the folders. A folder can be a link, and agents name its target. The
 * path itself is not resolved.
 */
export function isOutsideFolders(path: string, folders: readonly string[]): boolean {
  return (
    isAbsolute(path) && !folders.some(folder => folder !== "" && (isIn(path, folder) || isIn(path, realFolder(folder))))
  );
}

function isIn(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

function realFolder(folder: string): string {
  const known = realFolders.get(folder);
  if (known !== undefined) return known;
  let real = folder;
  try {
    real = realpathSync.native(folder);
  } catch {
    return folder; // The folder does not exist now.
  }
  realFolders.set(folder, real);
  return real;
}
