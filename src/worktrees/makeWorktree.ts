// Makes the worktree of a session: its record, its branch and folder, the files that are not committed, and ignored files
// that it needs.
import { constants } from "node:fs";
import { access, mkdir, realpath, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { asError, errorCodeOf, isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock } from "../base/log.ts";
import { GitError, type Git } from "../git/gitProgram.ts";
import {
  addWorktree,
  createBranch,
  listWorktrees,
  removeNewWorktree,
  uncommittedFiles,
  WorktreeUnavailableError,
  type Repository,
  type UncommittedFiles,
} from "../git/gitWorktrees.ts";
import { stateAtPath } from "../files/standing.ts";
import { worktreeFolderName } from "./branchNames.ts";
import { copyNewFiles, copyUncommitted } from "./copyFiles.ts";
import type { BaseState } from "./fileBases.ts";
import { includedFiles } from "./includedFiles.ts";
import type { WorktreeRecord, WorktreeRecords } from "./worktreeRecords.ts";

/** What the user chose for a new worktree. */
export interface WorktreeChoices {
  readonly repository: Repository;
  /** The name of the new branch. */
  readonly branch: string;
  /** The id of the commit on which it begins. */
  readonly base: string;
  /** Whether what is not committed is copied. Only if the base is the last commit. */
  readonly takesUncommitted: boolean;
  /** The folder in which worktrees are made. Undefined: beside the repository. */
  readonly parent: string | undefined;
  /** The ignored files to copy, in the syntax of `.gitignore`, in addition to `.worktreeinclude`. */
  readonly copy: readonly string[];
}

export interface MakeWorktreeOptions {
  readonly git: Git;
  readonly records: WorktreeRecords;
  readonly clock: Pick<Clock, "now">;
  readonly signal?: AbortSignal;
}

/** A worktree that was made. */
export interface MadeWorktree {
  readonly record: WorktreeRecord;
  /** The folder for the session: as far below the top as that of the window. */
  readonly folder: string;
  /** What could not be done, as sentences. The worktree can be used nevertheless. */
  readonly warnings: readonly string[];
}

/**
 * Makes the worktree. Rejects with a WorktreeUnavailableError, with a GitError, or when the signal aborts. Its folder, its
 * branch and its record are then removed.
 */
export async function makeWorktree(
  choices: WorktreeChoices,
  { git, records, clock, signal }: MakeWorktreeOptions,
): Promise<MadeWorktree> {
  const { repository, branch, base } = choices;
  const parent = await usableParent(choices, git);
  const path = await createFolder(parent, branch);
  const { top: origin, commonFolder } = repository;
  const record: WorktreeRecord = { path, origin, commonFolder, branch, base, created: clock.now(), state: "made" };
  try {
    await createBranch(git, origin, branch, base);
  } catch (thrown) {
    await rmdir(path);
    throw thrown;
  }
  let made: MadeWorktree;
  try {
    await records.write(record);
    made = await fill(record, choices, { git, records, ...(signal && { signal }) });
  } catch (thrown) {
    await removeNewWorktree(git, origin, record).catch((cleanup: unknown) => {
      const [reason, rest] = [asError(thrown).message, asError(cleanup).message];
      throw new Error(t("{0} A part of the worktree stays in “{1}”: {2}", reason, path, rest));
    });
    await records.remove(path);
    throw thrown;
  }
  await records.write(made.record);
  return made;
}

/**
 * Makes an empty folder for the worktree of a branch. If something stands there, its name gets a number. Nobody else has
 * the folder, so it can be removed if git fails.
 */
async function createFolder(parent: string, branch: string): Promise<string> {
  const name = worktreeFolderName(branch);
  for (let number = 1; ; number++) {
    const path = join(parent, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(path);
      return path;
    } catch (thrown) {
      if (errorCodeOf(thrown) !== "EEXIST") throw thrown;
    }
  }
}

/** Makes the files of a worktree. */
async function fill(
  record: WorktreeRecord,
  { repository, takesUncommitted, copy }: WorktreeChoices,
  { git, records, signal }: Pick<MakeWorktreeOptions, "git" | "records" | "signal">,
): Promise<MadeWorktree> {
  const { path, origin, base } = record;
  const warnings: string[] = [];
  try {
    await addWorktree(git, origin, record, signal);
  } catch (thrown) {
    signal?.throwIfAborted();
    // A hook that fails leaves the worktree, and git ends with an error.
    if (!(thrown instanceof GitError) || !(await isWorktree(git, origin, path))) throw thrown;
    warnings.push(t("A hook of the repository failed in the new worktree: {0}", thrown.message));
  }
  if (takesUncommitted) {
    const uncommitted = await uncommittedFiles(git, origin, signal);
    await copyUncommitted(uncommitted, origin, path, signal);
    // They are the user's, so they don't come back as changes of the session.
    await records.bases.write(path, { commit: base, files: await copiedBases(uncommitted, path) });
    if (uncommitted.submodules.length > 0)
      warnings.push(t("Changes of submodules were not copied: {0}", uncommitted.submodules.join(", ")));
  }
  const included = await includedFiles(git, origin, copy, signal);
  const skipped = await copyNewFiles(included, origin, path, signal);
  if (skipped.length > 0)
    warnings.push(
      t("These files were not copied, because they are links, or something stands there: {0}", skipped.join(", ")),
    );
  const folder = join(path, repository.prefix);
  await mkdir(folder, { recursive: true });
  return { record: { ...record, state: "created" }, folder, warnings };
}

/** Files that are read at the same time. */
const maxConcurrentReads = 16;

/** The states of the files that were copied, by path. */
async function copiedBases(
  { changed, deleted }: UncommittedFiles,
  path: string,
): Promise<ReadonlyMap<string, BaseState>> {
  const bases = new Map<string, BaseState>();
  await forEachLimited([...changed, ...deleted], maxConcurrentReads, async name => {
    const state = await stateAtPath(join(path, name), [path]);
    if (state) bases.set(name, state);
  });
  return bases;
}

/** The folder in which worktrees of the repository are made by default: beside the main work tree. */
async function defaultParent(git: Git, { top }: Repository): Promise<string> {
  const [main] = await listWorktrees(git, top);
  const path = main?.path ?? top;
  return join(dirname(path), `${basename(path)}.worktrees`);
}

/** The folder for worktrees, which exists. Rejects with a WorktreeUnavailableError if none can be made there. */
async function usableParent({ repository, parent }: WorktreeChoices, git: Git): Promise<string> {
  const chosen = parent === undefined ? await defaultParent(git, repository) : resolve(parent);
  const tops = (await listWorktrees(git, repository.top)).map(({ path }) => path);
  const real = await realpathOf(chosen);
  for (const top of tops) {
    const realTop = await realpathOf(top);
    if (real === realTop || real.startsWith(join(realTop, "/")))
      throw new WorktreeUnavailableError(
        t(
          "Worktrees cannot be in “{0}”, because it is inside the repository. Change “parley.worktrees.folder”.",
          chosen,
        ),
      );
  }
  try {
    await mkdir(chosen, { recursive: true });
    await access(chosen, constants.W_OK);
  } catch {
    throw new WorktreeUnavailableError(
      t("Parley cannot write in “{0}”. Choose another folder for worktrees with “parley.worktrees.folder”.", chosen),
    );
  }
  return realpath(chosen);
}

/** The path without links. Parts that do not exist stay as they are. */
async function realpathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isNotFoundError(thrown) || dirname(path) === path) return path;
    return join(await realpathOf(dirname(path)), basename(path));
  }
}

async function isWorktree(git: Git, top: string, path: string): Promise<boolean> {
  const real = await realpathOf(path);
  for (const one of await listWorktrees(git, top))
    if (!one.isMissing && (await realpathOf(one.path)) === real) return true;
  return false;
}
