// The notice of sessions that a limit removed, with Undo, and the command that restores removed and deleted sessions.
import * as vscode from "vscode";
import { openMachineSettings } from "../../editor/openMachineSettings.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { showInformationMessage, showQuickPicks, showWarningMessage } from "../../editor/editorUi.ts";
import type { RemovalReason } from "../retention.ts";
import type { RemovedSession } from "../sessionTrash.ts";
import type { StoredSessions } from "../storedSessions.ts";
import { ageText, titleOf } from "./sessionTexts.ts";

type Removals = Pick<StoredSessions, "removed" | "restore" | "markSeen">;

/** Shows that limits removed these sessions. Resolves when the user has closed the notice. Never rejects. */
export async function announceRemoval(stored: Removals, ids: readonly string[], log: Log): Promise<void> {
  if (ids.length === 0) return;
  const undo = vscode.l10n.t("Undo");
  const change = vscode.l10n.t("Change Limits");
  const message =
    ids.length === 1
      ? vscode.l10n.t("Parley removed a session because of the limits in your settings. It can be restored for a week.")
      : vscode.l10n.t(
          "Parley removed {0} sessions because of the limits in your settings. They can be restored for a week.",
          ids.length,
        );
  try {
    const pressed = await showInformationMessage(message, undo, change);
    // The notice comes again in the next window, because changing the limits does not bring the sessions back.
    if (pressed === change) return await openMachineSettings("parley.sessions");
    if (pressed === undo) await restoreAll(stored, ids);
    await stored.markSeen(ids);
  } catch (error) {
    log.error("Removed sessions could not be restored.", asError(error).stack);
    void showWarningMessage(vscode.l10n.t("The sessions could not be restored: {0}", asError(error).message));
  }
}

/** The sessions that limits removed and whose removal the user has not seen, for example because the window was closed. */
export async function unseenRemovals(stored: Removals): Promise<readonly string[]> {
  const removed = await stored.removed();
  return removed.filter(({ reason, isSeen }) => reason === "limit" && !isSeen).map(({ id }) => id);
}

/** Shows the removed and deleted sessions, and restores those that the user selects. Rejects with a sentence. */
export async function restoreRemovedSessions(stored: Removals, now: number): Promise<void> {
  const removed = await stored.removed();
  if (removed.length === 0) {
    void showInformationMessage(
      vscode.l10n.t("There are no removed sessions. Parley keeps removed sessions for a week."),
    );
    return;
  }
  const picked = await showQuickPicks(
    groups(removed).flatMap(([label, sessions]) => [
      { label, kind: vscode.QuickPickItemKind.Separator, id: undefined },
      ...sessions.map(session => pickOf(session, now)),
    ]),
    {
      title: vscode.l10n.t("Restore Removed Sessions"),
      placeHolder: vscode.l10n.t("Select the sessions to restore"),
      matchOnDescription: true,
    },
  );
  const ids = (picked ?? []).flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return;
  await restoreAll(stored, ids);
}

async function restoreAll(stored: Removals, ids: readonly string[]): Promise<void> {
  const restored = await stored.restore(ids);
  if (restored.length < ids.length)
    throw new Error(
      ids.length === 1
        ? vscode.l10n.t("The session can no longer be restored.")
        : vscode.l10n.t("Of {0} sessions, {1} could be restored.", ids.length, restored.length),
    );
  void showInformationMessage(
    restored.length === 1
      ? vscode.l10n.t("Restored a session. It is in the list of sessions again.")
      : vscode.l10n.t("Restored {0} sessions. They are in the list of sessions again.", restored.length),
  );
}

/** The groups that have sessions, in the order of what people look for. */
function groups(removed: readonly RemovedSession[]): readonly (readonly [string, readonly RemovedSession[]])[] {
  const labels: Readonly<Record<RemovalReason, string>> = {
    limit: vscode.l10n.t("Removed Because of a Limit"),
    deleted: vscode.l10n.t("Deleted by You"),
    blank: vscode.l10n.t("Without Messages"),
  };
  const order: readonly RemovalReason[] = ["limit", "deleted", "blank"];
  return order.flatMap(reason => {
    const sessions = removed.filter(session => session.reason === reason);
    return sessions.length > 0 ? [[labels[reason], sessions] as const] : [];
  });
}

function pickOf(
  { id, entry, removed }: RemovedSession,
  now: number,
): { readonly label: string; readonly description: string; readonly id: string } {
  const ages = [
    ...(entry ? [vscode.l10n.t("last changed: {0}", ageText(entry.updated, now))] : []),
    vscode.l10n.t("removed: {0}", ageText(removed, now)),
  ];
  return {
    id,
    label: titleOf({ title: entry?.title ?? "" }),
    description: [entry?.agentName ?? "", ...ages].filter(text => text !== "").join(" · "),
  };
}
