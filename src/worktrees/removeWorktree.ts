// Removes a worktree that Parley has made, on demand of the user: what keeps it from being removed, and what would be lost.
import { t } from "../base/l10n.ts";
import { pathExists } from "../files/nodePaths.ts";
import { submodulePaths, gitIgnoredEntries } from "../git/gitQueries.ts";
import { GitError, type Git } from "../git/gitProgram.ts";
import {
  commitNamed,
  deleteBranch,
  listWorktrees,
  removeWorktreeFolder,
  uncommittedFiles,
  unreachedCommits,
} from "../git/gitWorktrees.ts";
import { namedPaths } from "./namedPaths.ts";
import { checkRepository, type WorktreeRecord, type WorktreeRecords } from "./worktreeRecords.ts";

/** What is known before a worktree is removed. */
export interface RemovalCheck {
  /** Why it must not be removed, as sentences. Empty: it can be. */
  readonly refusals: readonly string[];
  /** What would be lost, as lines. Empty: nothing. */
  readonly losses: readonly string[];
  /** What happens to its branch, as a sentence. */
  readonly branch: string;
  /** Whether its branch is deleted, because other branches have all of its commits. */
  readonly deletesBranch: boolean;
}

/** More ignored files are not counted. */
const maxIgnored = 1000;

/**
 * Checks a worktree. `isBusy`: whether a session of this window works there. `elsewhere`: the titles of sessions there that other
 * windows have open. Rejects with a GitError if git cannot tell.
 */
export async function checkRemoval(
  git: Git,
  record: WorktreeRecord,
  records: Pick<WorktreeRecords, "bases">,
  isBusy: boolean,
  elsewhere: readonly string[] = [],
): Promise<RemovalCheck> {
  const { path, commonFolder, branch } = record;
  const refusals: string[] = [];
  const losses: string[] = [];
  if (isBusy) refusals.push(t("A session works there. Stop it first."));
  if (elsewhere.length > 0)
    refusals.push(t("Another window has sessions there open. Close that window first: {0}", namedPaths(elsewhere)));
  const listed = (await listWorktrees(git, commonFolder)).find(one => one.path === path);
  if (listed?.locked !== undefined)
    refusals.push(listed.locked === "" ? t("It is locked.") : t("It is locked: {0}", listed.locked));
  const head = await commitNamed(git, commonFolder, `refs/heads/${branch}`);
  if (listed && (await pathExists(path))) {
    await checkRepository(git, record);
    if (listed.branch === undefined && (await unreachedCommits(git, path, "HEAD")) > 0)
      refusals.push(t("No branch has its last commits. Create a branch there first."));
    const { changed, deleted, submodules } = await uncommittedFiles(git, path);
    const uncommitted = [...changed, ...deleted];
    if ((await submodulePaths(git, path)).size > 0)
      refusals.push(t("It has submodules, which git does not remove safely."));
    else if (submodules.length > 0) refusals.push(t("It contains other repositories: {0}", namedPaths(submodules)));
    if (uncommitted.length > 0) losses.push(t("Not committed: {0}", namedPaths(uncommitted)));
    const ignored = await gitIgnoredEntries(git, path, maxIgnored);
    if (ignored.length > 0) losses.push(t("Ignored by git: {0}", namedPaths(ignored)));
  } else if (!listed && (await pathExists(path)))
    refusals.push(t("Git knows no worktree in this folder. Delete it yourself if you no longer need it."));
  // Another worktree can have it checked out by now.
  const isElsewhere = listed?.branch !== branch;
  const merged = await squashedHead(git, record, records);
  const all = head === undefined ? 0 : await unreachedCommits(git, commonFolder, head, branch);
  const own = head === undefined || !merged ? all : await unreachedCommits(git, commonFolder, head, branch, merged);
  const deletesBranch = head !== undefined && own === 0 && !isElsewhere;
  const sentence = branchSentence(branch, head, deletesBranch, own);
  const isSquashed = deletesBranch && all > 0;
  return {
    ...{ refusals, losses, deletesBranch },
    branch: isSquashed
      ? t("The branch “{0}” is deleted too. Its commits were merged as one commit, and are then lost.", branch)
      : sentence,
  };
}

/** The last commit whose changes another branch has in one commit. Undefined: there is none, or that commit is gone. */
async function squashedHead(
  git: Git,
  { path, commonFolder }: WorktreeRecord,
  records: Pick<WorktreeRecords, "bases">,
): Promise<string | undefined> {
  const { head, as } = (await records.bases.read(path))?.merged ?? {};
  if (head === undefined || as === undefined) return undefined;
  const [own, one] = [await commitNamed(git, commonFolder, head), await commitNamed(git, commonFolder, as)];
  return own !== undefined && one !== undefined && (await unreachedCommits(git, commonFolder, one)) === 0
    ? own
    : undefined;
}

function branchSentence(branch: string, head: string | undefined, isDeleted: boolean, own: number): string {
  if (head === undefined) return t("The branch “{0}” no longer exists.", branch);
  if (isDeleted) return t("The branch “{0}” is deleted too. Other branches have all of its commits.", branch);
  if (own === 1) return t("The branch “{0}” stays. It has 1 commit that no other branch has.", branch);
  return own === 0
    ? t("The branch “{0}” stays.", branch)
    : t("The branch “{0}” stays. It has {1} commits that no other branch has.", branch, own);
}

/**
 * Removes a worktree that was checked and that the user lets go. Rejects with a sentence if something changed since the check,
 * and with a GitError.
 */
export async function removeWorktree(
  git: Git,
  record: WorktreeRecord,
  records: Pick<WorktreeRecords, "remove" | "bases">,
  checked: RemovalCheck,
  isBusy: boolean,
  elsewhere: readonly string[] = [],
): Promise<void> {
  const { path, commonFolder, branch } = record;
  const now = await checkRemoval(git, record, records, isBusy, elsewhere);
  if (JSON.stringify(now) !== JSON.stringify(checked))
    throw new Error(t("The worktree has changed meanwhile, so it was not removed. Try again."));
  const head = await commitNamed(git, commonFolder, `refs/heads/${branch}`);
  await removeWorktreeFolder(git, commonFolder, path);
  if (checked.deletesBranch && head !== undefined)
    await deleteBranch(git, commonFolder, branch, head).catch((thrown: unknown) => {
      // Somebody has committed there since.
      if (!(thrown instanceof GitError)) throw thrown;
    });
  await records.remove(path);
}
