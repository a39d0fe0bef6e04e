// Which folders are in the same repository as the window: its main checkout and its worktrees, also those that Parley has not made.
// Git's folder that all worktrees share identifies the repository.
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import { GitError, gitOutput, type Git } from "../git/gitProgram.ts";
import { listWorktrees } from "../git/gitWorktrees.ts";
import { isAtOrBelow } from "../files/nodePaths.ts";

/** The common folder of the repository that a folder is in, without links. Undefined: it is in none, or gone. */
async function commonFolderOf(git: Git, folder: string): Promise<string | undefined> {
  try {
    const output = await gitOutput(git, await realpath(folder), ["rev-parse", "--git-common-dir"], {});
    return await realpath(resolve(folder, output.replace(/\r?\n$/, "")));
  } catch (thrown) {
    if (thrown instanceof GitError || isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Those of the candidates that are in a repository of the window's own folders. Git looks only at candidates that are in a listed
 * worktree, because a profile can have hundreds of folders. `git`: undefined if there is none for the folder.
 */
export async function relatedFolders(
  gitOf: (folder: string) => Git | undefined,
  own: readonly string[],
  candidates: readonly string[],
): Promise<ReadonlySet<string>> {
  const related = new Set<string>();
  if (candidates.length === 0) return related;
  for (const folder of own) {
    const git = gitOf(folder);
    const common = git && (await commonFolderOf(git, folder));
    if (!git || common === undefined) continue;
    const tops = (await listWorktrees(git, folder)).map(({ path }) => path);
    for (const candidate of candidates) {
      const real = await realpath(candidate).catch(() => candidate);
      if (related.has(candidate) || !tops.some(top => isAtOrBelow(real, top))) continue;
      if ((await commonFolderOf(git, candidate)) === common) related.add(candidate);
    }
  }
  return related;
}
