// Recognises git folders as git does, by their content: also those of worktrees and submodules, bare ones, and ones with
// another name than `.git`. Their configuration and hooks run programs.
import { posix, win32 } from "node:path";
import type { Platform } from "../base/platform.ts";

/** Whether a file or folder exists. */
export type PathExists = (path: string) => Promise<boolean>;

/** A folder with all of these is a git folder: one with its own objects, and one of a linked worktree. */
const marks: readonly (readonly string[])[] = [
  ["HEAD", "objects", "refs"],
  ["HEAD", "commondir"],
];

/** Whether a normal path is in a git folder, or would make one of its folders a git folder if it existed. */
export async function isInGitFolder(path: string, platform: Platform, exists: PathExists): Promise<boolean> {
  const { dirname, basename, join } = platform === "windows" ? win32 : posix;
  for (let child = path, folder = dirname(path); folder !== child; child = folder, folder = dirname(folder)) {
    const own = basename(child).toLowerCase();
    const has = (name: string): Promise<boolean> | boolean => own === name.toLowerCase() || exists(join(folder, name));
    for (const names of marks) {
      if (await hasAll(names, has)) return true;
    }
  }
  return false;
}

async function hasAll(names: readonly string[], has: (name: string) => Promise<boolean> | boolean): Promise<boolean> {
  for (const name of names) if (!(await has(name))) return false;
  return true;
}
