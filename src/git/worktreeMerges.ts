// Commits and merges that the user asked for, with hooks and signing. A merge that fails is aborted, and git's text says why.
import { t } from "../base/l10n.ts";
import { GitError, gitList, gitOutput, runGit, type Git } from "./gitProgram.ts";

/** A merge has conflicts. `files`: their paths, relative to the top folder. */
export class MergeConflictError extends Error {
  readonly files: readonly string[];
  constructor(message: string, files: readonly string[]) {
    super(message);
    this.name = "MergeConflictError";
    this.files = files;
  }
}

/** How commits of the user run: with hooks and signing. */
const users = { isUsers: true };

/** Commits these files of a work tree, and nothing else that is not staged. Rejects with a GitError. */
export async function commitFiles(
  git: Git,
  top: string,
  { paths, message }: { readonly paths: readonly string[]; readonly message: string },
  signal: AbortSignal,
): Promise<void> {
  const input = paths.map(path => `${path}\0`).join("");
  const add = ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
  if (paths.length > 0) await gitOutput(git, top, add, { ...users, signal, input });
  await gitOutput(git, top, ["commit", "--quiet", "--message", message], { ...users, signal });
}

/** The paths with conflicts. */
export async function unmergedFiles(git: Git, top: string): Promise<readonly string[]> {
  const items = await gitList(git, top, ["ls-files", "-z", "--unmerged"]);
  return [...new Set(items.map(item => item.slice(item.indexOf("\t") + 1)))];
}

/** Whether a merge is neither committed nor aborted. */
export async function isMerging(git: Git, top: string): Promise<boolean> {
  try {
    await gitOutput(git, top, ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"], {});
    return true;
  } catch (thrown) {
    if (thrown instanceof GitError) return false;
    throw thrown;
  }
}

/** Undoes a merge that is not committed. Rejects with a GitError. */
export async function abortMerge(git: Git, top: string): Promise<void> {
  await gitOutput(git, top, ["merge", "--abort"], users);
}

/**
 * Merges a branch or commit into what is checked out, with a commit unless git can move the branch forward. Rejects with a
 * MergeConflictError and leaves the conflicts to solve, or with a GitError: the merge is then aborted.
 */
export async function merge(
  git: Git,
  top: string,
  { from, message }: { readonly from: string; readonly message?: string },
  signal: AbortSignal,
): Promise<void> {
  if (await isMerging(git, top)) throw new GitError(t("A merge is not committed yet. Commit or abort it first."), null);
  const named = message === undefined ? [] : ["--message", message];
  try {
    // A stash belongs to all worktrees, and conflicts when it is applied.
    const args = ["merge", "--quiet", "--no-autostash", "--no-edit", ...named, "--", from];
    await gitOutput(git, top, args, { ...users, signal });
  } catch (thrown) {
    const files = signal.aborted ? [] : await unmergedFiles(git, top);
    if (files.length > 0) throw new MergeConflictError((thrown as Error).message, files);
    // A hook can fail when the files are merged already.
    if (await isMerging(git, top)) await abortMerge(git, top);
    throw thrown;
  }
}

/**
 * Puts all changes of a branch or commit into one commit on what is checked out. Nothing may be staged. Rejects with a
 * GitError: what the merge has staged is then taken back.
 */
export async function squash(
  git: Git,
  top: string,
  { from, message }: { readonly from: string; readonly message: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    await gitOutput(git, top, ["merge", "--quiet", "--no-autostash", "--squash", "--", from], { ...users, signal });
    await gitOutput(git, top, ["commit", "--quiet", "--message", message], { ...users, signal });
  } catch (thrown) {
    // Only what differs from the last commit in the index changes: that is the merge.
    await gitOutput(git, top, ["reset", "--quiet", "--merge", "HEAD"], users);
    throw thrown;
  }
}

/** Whether something is staged. */
export async function hasStaged(git: Git, top: string): Promise<boolean> {
  return (await gitList(git, top, ["diff", "--cached", "--name-only", "-z", "--no-ext-diff"])).length > 0;
}

/** The paths that differ between the latest common commit of both and `from`. */
export const branchFiles = (git: Git, top: string, into: string, from: string): Promise<readonly string[]> =>
  gitList(git, top, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", `${into}...${from}`, "--"]);

/** The paths that would conflict in a merge, without doing it. Undefined: this git cannot tell. */
export async function mergeConflicts(
  git: Git,
  top: string,
  into: string,
  from: string,
): Promise<readonly string[] | undefined> {
  let output = "";
  const take = (text: string): void => void (output += text);
  try {
    const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", into, from];
    await runGit(git, top, args, { take });
    return [];
  } catch (thrown) {
    // Git before 2.38 has no such command, and ends with 129.
    if (!(thrown instanceof GitError) || thrown.code !== 1) return undefined;
    return [
      ...new Set(
        output
          .split("\0")
          .slice(1)
          .filter(path => path !== ""),
      ),
    ];
  }
}
