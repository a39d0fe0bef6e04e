// "Switch Session…": the sessions of the workspace, what waits first.
import * as vscode from "vscode";
import { isListed, sessionsByUrgency, type ListedSession } from "../sessionGroups.ts";
import { ageText, sessionIcon, statusText, titleOf } from "./sessionTexts.ts";
import { showQuickPick } from "../../editor/editorUi.ts";

export interface SwitchSessionOptions {
  readonly sessions: Promise<readonly ListedSession[]>;
  /** The session that is shown now. */
  readonly shown: string | undefined;
  readonly now: number;
}

interface SessionPick extends vscode.QuickPickItem {
  readonly session: string;
}

/** Asks for a session. Returns its id. */
export async function pickSession({ sessions, shown, now }: SwitchSessionOptions): Promise<string | undefined> {
  const pickOf = (listed: ListedSession): SessionPick => {
    const { id, agentName, updated } = listed;
    const age = updated === undefined ? "" : ageText(updated, now);
    return {
      session: id,
      label: titleOf(listed),
      iconPath: sessionIcon(listed),
      description: [agentName, statusText(listed), age].filter(text => text !== "").join(" · "),
      ...(id === shown && { detail: vscode.l10n.t("Shown now") }),
    };
  };
  const picks = sessions.then(all => sessionsByUrgency(all.filter(each => isListed(each) && !each.isDone)).map(pickOf));
  const picked = await showQuickPick(picks, {
    title: vscode.l10n.t("Switch Session"),
    placeHolder: vscode.l10n.t("Select the session to show in the chat"),
    matchOnDescription: true,
  });
  return picked?.session;
}
