// Merges between a worktree and its main checkout: what the main checkout has committed goes into the worktree, and commits of
// the worktree go to the branch that the main checkout has checked out.
import { join } from "node:path";
import { t } from "../base/l10n.ts";
import type { Git } from "../git/gitProgram.ts";
import { commitNamed, findRepository, uncommittedFiles } from "../git/gitWorktrees.ts";
import { isAncestor } from "../git/differingFiles.ts";
import {
  abortMerge,
  branchFiles,
  commitFiles,
  hasStaged,
  isMerging,
  merge,
  mergeConflicts,
  MergeConflictError,
  squash,
  unmergedFiles,
} from "../git/worktreeMerges.ts";
import { keepBases } from "./bringBack.ts";
import { namedPaths } from "./namedPaths.ts";
import { checkRepository, type WorktreeRecord, type WorktreeRecords } from "./worktreeRecords.ts";

/** What is known before the commits of a worktree are merged. */
export interface MergeCheck {
  /** The branch of the main checkout. */
  readonly into: string;
  /** The branch of the worktree, or its commit if it is on none. */
  readonly from: string;
  /** The files of the worktree that are not committed, without submodules. */
  readonly uncommitted: readonly string[];
  /** Whether the worktree has commits that the branch of the main checkout lacks. */
  readonly hasCommits: boolean;
}

/** How the commits of a worktree are merged. */
export interface MergeChoice {
  /** The message of the commit of what is not committed. Undefined: there is nothing to commit. */
  readonly commitMessage?: string;
  /** The message of the only commit. Undefined: the branch is merged with its commits. */
  readonly squashMessage?: string;
}

/** Checks a worktree and its main checkout. Rejects with a sentence if nothing can be merged. */
export async function checkMerge(git: Git, record: WorktreeRecord): Promise<MergeCheck> {
  await checkRepository(git, record);
  const [main, own] = [await findRepository(git, record.origin), await findRepository(git, record.path)];
  if (main.branch === undefined)
    throw new Error(
      t("“{0}” is on no branch, so nothing can be merged there. Check out a branch first.", record.origin),
    );
  if ((await unmergedFiles(git, record.path)).length > 0 || (await isMerging(git, record.path)))
    throw new Error(t("A merge in the worktree is not committed yet. Solve it there first."));
  if ((await unmergedFiles(git, record.origin)).length > 0 || (await isMerging(git, record.origin)))
    throw new Error(t("A merge in “{0}” is not committed yet. Commit or abort it first.", record.origin));
  const { changed, deleted } = await uncommittedFiles(git, record.path);
  return {
    into: main.branch,
    from: own.branch ?? own.head,
    uncommitted: [...changed, ...deleted],
    hasCommits: !(await isAncestor(git, record.origin, own.head, main.head)),
  };
}

/**
 * Commits what is not committed in the worktree, and merges its branch into that of the main checkout. Rejects with git's
 * text, or with a sentence; the main checkout is then as before. `unsavedIn`: whether a file has unsaved text.
 */
export async function mergeWorktree(
  git: Git,
  record: WorktreeRecord,
  records: WorktreeRecords,
  { check, choice }: { readonly check: MergeCheck; readonly choice: MergeChoice },
  { signal, isUnsaved }: { readonly signal: AbortSignal; readonly isUnsaved: (path: string) => boolean },
): Promise<void> {
  const { path, origin } = record;
  const { commitMessage, squashMessage } = choice;
  await checkRepository(git, record);
  if (commitMessage !== undefined)
    await commitFiles(git, path, { paths: check.uncommitted, message: commitMessage }, signal);
  const main = await findRepository(git, origin);
  if (main.branch !== check.into)
    throw new Error(t("“{0}” has another branch checked out now, so nothing was merged.", origin));
  const head = (await commitNamed(git, path, "HEAD")) ?? check.from;
  const unsaved = (await branchFiles(git, origin, main.head, head)).filter(one => isUnsaved(join(origin, one)));
  if (unsaved.length > 0)
    throw new Error(
      t("These files have unsaved changes, so nothing was merged. Save them first: {0}", namedPaths(unsaved)),
    );
  const conflicts = (await mergeConflicts(git, origin, main.head, head)) ?? [];
  if (conflicts.length > 0) throw conflictError(conflicts);
  if (squashMessage === undefined) {
    const message = t("Merge branch '{0}'", check.from);
    try {
      await merge(git, origin, { from: head, message }, signal);
    } catch (thrown) {
      if (!(thrown instanceof MergeConflictError)) throw thrown;
      // This git could not tell before.
      await abortMerge(git, origin);
      throw conflictError(thrown.files);
    }
    return;
  }
  if (await hasStaged(git, origin))
    throw new Error(
      t("Changes are staged in “{0}”, which the commit would contain. Commit or unstage them first.", origin),
    );
  await squash(git, origin, { from: head, message: squashMessage }, signal);
  const bases = await records.bases.read(path);
  const merged = { head, as: (await findRepository(git, origin)).head };
  await keepBases(record, { ...bases, commit: head, merged, files: new Map() }, records);
}

const conflictError = (files: readonly string[]): Error =>
  new Error(
    t(
      "Both branches changed the same lines, so nothing was merged: {0}. Use “Update Worktree from Base” and solve the conflicts in the worktree first.",
      namedPaths(files),
    ),
  );

/** What happened when a worktree got the commits of its main checkout. */
export type BaseUpdate = "upToDate" | "merged";

/**
 * Merges the last commit of the main checkout into the branch of the worktree. Rejects with a MergeConflictError and leaves the
 * conflicts to solve, with git's text, or with a sentence.
 */
export async function updateFromBase(git: Git, record: WorktreeRecord, signal: AbortSignal): Promise<BaseUpdate> {
  const { path, origin } = record;
  await checkRepository(git, record);
  const main = await findRepository(git, origin);
  if ((await unmergedFiles(git, path)).length > 0 || (await isMerging(git, path)))
    throw new Error(t("A merge in the worktree is not committed yet. Solve it there first."));
  const own = await findRepository(git, path);
  if (await isAncestor(git, path, main.head, own.head)) return "upToDate";
  const message = t("Merge branch '{0}' into {1}", main.branch ?? main.head, own.branch ?? own.head);
  await merge(git, path, { from: main.head, message }, signal);
  return "merged";
}
