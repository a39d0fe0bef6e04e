// Asks for the branch and the base of a worktree, makes it, and starts a session in it.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Clock } from "../../base/log.ts";
import { showInputBox, withProgress } from "../../editor/editorUi.ts";
import { branchNameProblem, localBranches, type Repository } from "../../git/gitWorktrees.ts";
import type { Git } from "../../git/gitProgram.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { branchNameFrom, firstWords } from "../branchNames.ts";
import { makeWorktree, type MadeWorktree } from "../makeWorktree.ts";
import type { WorktreeRecords } from "../worktreeRecords.ts";
import { askBase, chooseRepository } from "./askBase.ts";

export interface NewWorktreeSessionOptions {
  readonly registry: SessionRegistry;
  readonly folders: Pick<WorkspaceFolders, "choose">;
  readonly chat: ChatSurface;
  readonly records: WorktreeRecords;
  readonly clock: Pick<Clock, "now">;
  /** The ignored files that a worktree gets. */
  readonly copy: () => readonly string[];
  /** The folder in which worktrees are made. Undefined: beside the repository. Throws with a sentence. */
  readonly parent: () => string | undefined;
  /** What the user has written in the active chat and not sent. It names the branch. */
  readonly draft: () => Promise<string>;
}

/** Asks, makes the worktree and starts the session. Rejects with a sentence. Nothing is made if the user cancels. */
export async function newWorktreeSession(options: NewWorktreeSessionOptions): Promise<void> {
  const { registry, folders, chat, records, clock, copy, parent, draft } = options;
  const surface = registry.open.activeSurface;
  if (registry.obstacle) {
    // The chat shows it, with what to do.
    registry.start(undefined, surface);
    return chat.focus("composer", [surface]);
  }
  const chosen = await chooseRepository(folders);
  if (!chosen) return;
  const { git, repository } = chosen;
  const under = parent();
  const branch = await askBranch(git, repository, await draft());
  if (branch === undefined) return;
  const base = await askBase(git, repository, t("New Session in Worktree (2 of 2)"));
  if (!base) return;
  const made = await withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t("Creating the worktree “{0}”…", branch),
      cancellable: true,
    },
    (_, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const choices = { repository, branch, ...base, parent: under, copy: copy() };
      return makeWorktree(choices, { git, records, clock, signal: controller.signal }).catch((thrown: unknown) => {
        if (controller.signal.aborted) return undefined;
        throw new Error(t("The worktree could not be created: {0}", asError(thrown).message));
      });
    },
  );
  if (!made) return;
  startIn(made, registry, surface);
  await chat.focus("composer", [surface]);
}

/** Starts the session, and says in it where it works. */
function startIn({ record, folder, warnings }: MadeWorktree, registry: SessionRegistry, surface: string): void {
  const session = registry.start(undefined, surface, folder);
  if (!session) throw new Error(t("The worktree was created in “{0}”, but no session could start there.", folder));
  session.addNotice(
    t(
      "This session works in a worktree of {0}, on the new branch “{1}”: {2}",
      basename(record.origin),
      record.branch,
      folder,
    ),
  );
  for (const warning of warnings) session.addNotice(warning);
}

/** Asks for the name of the new branch. Undefined: cancelled. */
async function askBranch(git: Git, { top }: Repository, draft: string): Promise<string | undefined> {
  const branches = new Set(await localBranches(git, top));
  return showInputBox({
    title: t("New Session in Worktree (1 of 2)"),
    prompt: t("The name of the new branch"),
    value: branchNameFrom(firstWords(draft), name => branches.has(name)),
    validateInput: name => (name.trim() === "" ? t("Enter a name.") : branchNameProblem(git, top, name)),
  });
}
