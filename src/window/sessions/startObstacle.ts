// Why no session can start: the workspace, or faults in the settings.
import * as vscode from "vscode";
import type { Problem } from "../../base/errors.ts";
import { sessionFolder } from "../../editor/folders.ts";

/** Why no session can start in this window, if there is a reason. */
export function startObstacle(): Problem | undefined {
  if (!vscode.workspace.isTrusted) {
    const message = vscode.l10n.t(
      "Parley doesn't start agents in untrusted workspaces. Trust this workspace to work with agents.",
    );
    return { message, next: ["manageTrust"] };
  }
  if (sessionFolder() === undefined) {
    return { message: vscode.l10n.t("Open a folder for the agent to work in."), next: ["openFolder"] };
  }
  return undefined;
}

/** The faults in the settings as one problem. */
export function settingsProblem(reasons: readonly string[]): Problem | undefined {
  return reasons.length === 0 ? undefined : { message: reasons.join("\n"), next: ["openSettings"] };
}
