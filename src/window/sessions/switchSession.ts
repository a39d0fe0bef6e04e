// "Switch Session…": a list of the open sessions, what waits first, and of those that an earlier window had open.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { sessionTitle } from "../../session/state.ts";
import { byAttention } from "../../sessions/attention.ts";
import { sessionStatus } from "../statusBar.ts";
import type { WindowSessions } from "./windowSessions.ts";

interface SessionPick extends vscode.QuickPickItem {
  readonly run?: () => void | Promise<unknown>;
}

/** Asks for a session, and shows it in the active surface. Resolves with whether one was shown. */
export async function switchSession(sessions: WindowSessions): Promise<boolean> {
  const { open } = sessions;
  const surface = open.activeSurface;
  const shown = open.selected(surface);
  const newest = [...open.sessions].reverse();
  const picks: SessionPick[] = byAttention(newest).map(session => {
    const { icon, words } = sessionStatus(session.state);
    return {
      label: `$(${icon}) ${sessionTitle(session.state) || vscode.l10n.t("New Conversation")}`,
      description: `${session.state.agent?.name ?? ""} · ${words}`,
      ...(session === shown && { detail: vscode.l10n.t("Shown now") }),
      run: () => sessions.show(session.id, surface),
    };
  });
  if (sessions.unopened.length > 0) {
    picks.push({ label: vscode.l10n.t("Earlier"), kind: vscode.QuickPickItemKind.Separator });
    for (const remembered of [...sessions.unopened].reverse())
      picks.push({
        label: `$(history) ${remembered.title ?? vscode.l10n.t("New Conversation")}`,
        description: sessions.agentName(remembered.agent),
        run: () => sessions.openStored(remembered, surface),
      });
  }
  const picked = await vscode.window.showQuickPick(picks, {
    title: vscode.l10n.t("Switch Session"),
    placeHolder: vscode.l10n.t("Select the session to show in the chat"),
    matchOnDescription: true,
  });
  if (!picked?.run) return false;
  try {
    await picked.run();
  } catch (error) {
    throw new Error(vscode.l10n.t("The session could not be opened: {0}", asError(error).message));
  }
  return true;
}
