// Asks before an action of the user ends a session that still has work to do.
import * as vscode from "vscode";
import { isBusy, type SessionState } from "../session/state.ts";

/**
 * Whether a session in this state may end. Asks if a turn is running or prompts are queued, because both would be lost.
 */
export async function confirmEnd(state: SessionState): Promise<boolean> {
  const isWorking = isBusy(state);
  if (!isWorking && state.pendingPrompts.length === 0) return true;
  const agent = state.agent?.name ?? vscode.l10n.t("The agent");
  const [message, detail, confirm] = isWorking
    ? [
        vscode.l10n.t("{0} is still working in this session.", agent),
        vscode.l10n.t("A new session stops the agent and discards queued messages."),
        vscode.l10n.t("Stop and Start New Session"),
      ]
    : [
        vscode.l10n.t("This session has queued messages that {0} has not received.", agent),
        vscode.l10n.t("A new session discards them."),
        vscode.l10n.t("Discard and Start New Session"),
      ];
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, confirm)) === confirm;
}
