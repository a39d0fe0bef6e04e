// Asks which worktree to remove, names what would be lost with it, and removes it.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { showInformationMessage, showQuickPick, showWarningMessage } from "../../editor/editorUi.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import { isBusy } from "../../session/state.ts";
import { checkRemoval, removeWorktree } from "../removeWorktree.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";

export interface RemoveWorktreeOptions {
  readonly open: OpenSessions;
  readonly records: WorktreeRecords;
  /** The titles of sessions in folders of a worktree that other windows have open. Rejects if that is not known. */
  readonly openElsewhere: (isThere: (folder: string) => boolean) => Promise<readonly string[]>;
  /** The path of the worktree to remove. Undefined: the user selects it. */
  readonly of?: string | undefined;
}

/** Removes a worktree that the user selects, that of the active session first. Rejects with a sentence. */
export async function removeWorktreeCommand(options: RemoveWorktreeOptions): Promise<void> {
  const { open, records, of } = options;
  const all = await records.read();
  const named = all.find(({ path }) => path === of);
  if (named) return remove(named, options);
  const active = records.of(open.active?.state.workspaceFolder ?? "");
  const listed = [...(active ? [active] : []), ...all.filter(one => one.path !== active?.path).reverse()];
  if (listed.length === 0) return void showInformationMessage(t("Parley has made no worktree."));
  const picks = listed.map(record => ({
    label: record.branch,
    iconPath: new vscode.ThemeIcon("git-branch"),
    description: basename(record.origin),
    detail: record.path,
    record,
  }));
  const picked = await showQuickPick(picks, {
    title: t("Remove Worktree"),
    placeHolder: t("Select a worktree that Parley has made"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked) await remove(picked.record, options);
}

async function remove(record: WorktreeRecord, { open, records, openElsewhere }: RemoveWorktreeOptions): Promise<void> {
  const git = gitOf(vscode.Uri.file(record.origin));
  if (!git) throw new Error(t("Git was not found. Worktrees need it."));
  const isThere = (folder: string): boolean => records.of(folder)?.path === record.path;
  const isUsed = (): boolean =>
    open.sessions.some(({ state }) => isThere(state.workspaceFolder) && (isBusy(state) || state.background !== null));
  const elsewhere = (): Promise<readonly string[]> =>
    openElsewhere(isThere).catch((thrown: unknown) => {
      throw new Error(
        t(
          "Parley cannot read what other windows have open, so the worktree was not removed: {0}",
          asError(thrown).message,
        ),
      );
    });
  const checked = await checkRemoval(git, record, records, isUsed(), await elsewhere()).catch((thrown: unknown) => {
    throw new Error(t("Git cannot check the worktree, so it was not removed: {0}", asError(thrown).message));
  });
  const { refusals, losses, branch } = checked;
  if (refusals.length > 0) {
    await showWarningMessage(t("The worktree “{0}” cannot be removed.", record.branch), {
      modal: true,
      detail: [...refusals, record.path],
    });
    return;
  }
  const button = losses.length > 0 ? t("Delete Files and Remove") : t("Remove");
  const pressed = await showWarningMessage(
    t("Remove the worktree “{0}”?", record.branch),
    { modal: true, detail: [...losses, branch, record.path] },
    button,
  );
  if (pressed !== button) return;
  await removeWorktree(git, record, records, checked, isUsed(), await elsewhere());
  void showInformationMessage(t("Removed the worktree “{0}”.", record.branch));
}
