// The commands that merge between a worktree and its main checkout: they ask, show progress with Cancel, and show what git
// refuses as git words it.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import {
  showInformationMessage,
  showInputBox,
  showQuickPick,
  showWarningMessage,
  withProgress,
} from "../../editor/editorUi.ts";
import { GitError, type Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import { abortMerge, MergeConflictError } from "../../git/worktreeMerges.ts";
import type { Session } from "../../session/session.ts";
import { isBusy, sessionTitle } from "../../session/state.ts";
import { currentBases, keepBases } from "../bringBack.ts";
import { checkMerge, mergeWorktree, updateFromBase, type MergeCheck, type MergeChoice } from "../mergeWorktree.ts";
import { namedPaths } from "../namedPaths.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";
import { editorTexts } from "./editorTexts.ts";

/** A time limit for hooks and signing. Milliseconds. */
const maxMergeTime = 10 * 60_000;

/** A session, and the worktree in which it works. */
export interface WorktreeOfSession {
  readonly session: Session;
  readonly record: WorktreeRecord;
  readonly records: WorktreeRecords;
}

/** Merges the last commit of the main checkout into the worktree. Rejects with a sentence. */
export async function updateWorktreeCommand({ session, record, records }: WorktreeOfSession): Promise<void> {
  const git = neededGit(record);
  if (refusesWhileWorking(session)) return;
  const name = basename(record.origin);
  try {
    const result = await stoppable(t("Updating {0} from {1}…", record.branch, name), signal =>
      updateFromBase(git, record, signal),
    );
    await keepBases(record, await currentBases(record, { git, records, texts: editorTexts }), records);
    if (result === "upToDate")
      return void showInformationMessage(t("{0} has all commits of {1} already.", record.branch, name));
    session.addNotice(t("The worktree was updated with the commits of {0}.", record.origin));
    void showInformationMessage(t("Updated {0} with the commits of {1}.", record.branch, name));
  } catch (thrown) {
    if (!(thrown instanceof MergeConflictError)) return showRefusal(t("The worktree was not updated."), thrown);
    await offerAbort(git, record, thrown.files);
  }
}

/** Conflicts stay in the worktree for the user or the agent to solve, unless the user aborts the merge. */
async function offerAbort(git: Git, record: WorktreeRecord, files: readonly string[]): Promise<void> {
  const abort = t("Abort Merge");
  const pressed = await showWarningMessage(
    t(
      "The merge conflicts in {0}. Solve the conflicts in the worktree, or ask the agent to, and commit.",
      namedPaths(files),
    ),
    abort,
  );
  if (pressed !== abort) return;
  await abortMerge(git, record.path);
  void showInformationMessage(t("The merge was aborted. The worktree is as it was before."));
}

/** Commits what is not committed in the worktree, and merges it into the branch of the main checkout. */
export async function commitWorktreeCommand({ session, record, records }: WorktreeOfSession): Promise<void> {
  const git = neededGit(record);
  if (refusesWhileWorking(session)) return;
  const check = await checkMerge(git, record);
  if (check.uncommitted.length === 0 && !check.hasCommits)
    return void showInformationMessage(t("{0} has all commits of {1} already.", check.into, check.from));
  const choice = await askChoice(check, sessionTitle(session.state));
  if (!choice) return;
  const isUnsaved = (path: string): boolean => editorTexts.unsavedText(path) !== undefined;
  try {
    await stoppable(t("Merging {0} into {1}…", check.from, check.into), signal =>
      mergeWorktree(git, record, records, { check, choice }, { signal, isUnsaved }),
    );
  } catch (thrown) {
    return showRefusal(t("{0} was not merged into {1}.", check.from, check.into), thrown);
  }
  session.addNotice(t("{0} was merged into {1}.", check.from, check.into));
  void showInformationMessage(t("{0} was merged into {1}.", check.from, check.into));
}

/** Asks how to merge, and for the messages of commits. Undefined: cancelled. */
async function askChoice(check: MergeCheck, title: string): Promise<MergeChoice | undefined> {
  const { from, into, uncommitted } = check;
  const heading = t("Merge {0} into {1}", from, into);
  const files = uncommitted.length === 1 ? t("1 uncommitted file") : t("{0} uncommitted files", uncommitted.length);
  const first = uncommitted.length > 0 ? { detail: t("Commits {0} of the worktree first", files) } : {};
  const picked = await showQuickPick(
    [
      { id: "merge" as const, label: t("Merge"), description: t("with its commits"), ...first },
      { id: "squash" as const, label: t("Squash"), description: t("as one commit"), ...first },
    ],
    { title: heading, placeHolder: t("Select how the commits come into {0}", into) },
  );
  if (!picked) return undefined;
  const ask = (prompt: string): Thenable<string | undefined> =>
    showInputBox({
      ...{ title: heading, prompt, value: title },
      validateInput: text => (text.trim() === "" ? t("Enter a message.") : undefined),
    });
  const isSquash = picked.id === "squash";
  // A squash has one message, which the commit in the worktree has too.
  const message = isSquash
    ? await ask(t("The message of the commit in {0}", into))
    : uncommitted.length > 0
      ? await ask(t("The message of the commit of {0} in {1}", files, from))
      : "";
  if (message === undefined) return undefined;
  return {
    ...(uncommitted.length > 0 && { commitMessage: message }),
    ...(isSquash && { squashMessage: message }),
  };
}

function refusesWhileWorking(session: Session): boolean {
  if (!isBusy(session.state) && session.state.background === null) return false;
  void showInformationMessage(t("The session is working. Stop it, or wait until it is done."));
  return true;
}

function neededGit(record: WorktreeRecord): Git {
  const git = gitOf(vscode.Uri.file(record.origin));
  if (!git) throw new Error(t("Git was not found. Worktrees need it."));
  return git;
}

/** Shows what git or a hook says, line by line. Rejects with other errors. */
async function showRefusal(what: string, thrown: unknown): Promise<void> {
  if (!(thrown instanceof GitError)) throw asError(thrown);
  await showWarningMessage(what, { modal: true, detail: thrown.message.split("\n") });
}

/** Runs work that hooks can delay. Rejects with a sentence when it is cancelled or takes too long. */
async function stoppable<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_, token) => {
      const cancel = new AbortController();
      token.onCancellationRequested(() => cancel.abort());
      const limit = AbortSignal.timeout(maxMergeTime);
      try {
        return await work(AbortSignal.any([cancel.signal, limit]));
      } catch (thrown) {
        if (cancel.signal.aborted) throw new Error(t("It was cancelled, and nothing was merged."));
        if (limit.aborted)
          throw new Error(t("It took more than {0} minutes, so nothing was merged.", maxMergeTime / 60_000));
        throw thrown;
      }
    },
  );
}
