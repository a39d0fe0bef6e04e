// Finds the repositories in a folder of which the tree of the folder has no files: submodules, and others.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import type { Git } from "../git/gitProgram.ts";
import { submodulePaths } from "../git/gitQueries.ts";
import type { TreeRecord } from "./checkpointIndex.ts";

/** A repository in a folder. */
export interface NestedRepository {
  /** Relative to the folder, with slashes, and one at the end. */
  readonly path: string;
  /** Its objects are deleted together with it. Those of most submodules are in the repository around them. */
  readonly hasOwnObjects: boolean;
}

/** The repositories in the folder of a tree, at most `max` of them. */
export async function nestedRepositories(
  git: Git,
  { folder, left, ignored = [] }: TreeRecord,
  max: number,
  signal: AbortSignal,
): Promise<readonly NestedRepository[]> {
  const submodules = [...(await submodulePaths(git, folder, signal))].map(path => `${path}/`);
  const folders = [...left, ...ignored].filter(path => path.endsWith("/"));
  const found: NestedRepository[] = [];
  for (const path of new Set([...submodules, ...folders])) {
    if (found.length >= max) break;
    const kind = await gitFolderKind(join(folder, path));
    if (kind !== "none") found.push({ path, hasOwnObjects: kind === "folder" });
  }
  return found;
}

/** Whether a folder is the top of a repository, and where the objects of the repository are. */
export async function gitFolderKind(folder: string): Promise<"none" | "folder" | "file"> {
  try {
    return (await lstat(join(folder, ".git"))).isDirectory() ? "folder" : "file";
  } catch (thrown) {
    if (isNotFoundError(thrown)) return "none";
    throw thrown;
  }
}
