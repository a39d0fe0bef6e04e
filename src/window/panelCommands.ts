// The commands that a panel can run: a closed set, each with its literal id.
import * as vscode from "vscode";
import { openMachineSettings } from "../editor/openMachineSettings.ts";
import type { NextStep } from "../base/errors.ts";

export type PanelCommand =
  | "openChatInEditor"
  | "copyConversation"
  | "saveTranscript"
  | "showSessionHistory"
  | "showSessions"
  | "showChanges"
  | "showPermissionLog"
  | "showInspector"
  | Exclude<NextStep, "retry" | "restartAgent" | "showTraffic" | "newSession" | "startAnyway" | "useDraftProtocol">;

const panelCommands: Readonly<Record<PanelCommand, () => Thenable<unknown>>> = {
  openChatInEditor: () => vscode.commands.executeCommand("parley.openChatInEditor"),
  copyConversation: () => vscode.commands.executeCommand("parley.copyConversation"),
  saveTranscript: () => vscode.commands.executeCommand("parley.saveTranscript"),
  showSessionHistory: () => vscode.commands.executeCommand("parley.switchSession"),
  // VS Code has these two for the views of the manifest.
  showSessions: () => vscode.commands.executeCommand("parley.sessions.focus"),
  showChanges: () => vscode.commands.executeCommand("parley.changes.focus"),
  showInspector: () => vscode.commands.executeCommand("parley.showInspector"),
  showPermissionLog: () => vscode.commands.executeCommand("parley.showPermissionLog"),
  selectAgent: () => vscode.commands.executeCommand("parley.selectAgent"),
  openSettings: () => openMachineSettings("parley.agents"),
  exportSession: () => vscode.commands.executeCommand("parley.exportSession"),
  continueWith: () => vscode.commands.executeCommand("parley.continueWith"),
  showLog: () => vscode.commands.executeCommand("parley.showLog"),
  checkAgent: () => vscode.commands.executeCommand("parley.checkAgents", "current"),
  setAgentHeader: () => vscode.commands.executeCommand("parley.setAgentHeader", "current"),
  manageTrust: () => vscode.commands.executeCommand("workbench.trust.manage"),
  openFolder: () => vscode.commands.executeCommand("workbench.action.files.openFolder"),
};

/** Runs one of the commands. */
export async function runPanelCommand(command: PanelCommand): Promise<void> {
  await panelCommands[command]();
}

/** Shows the message at which the session failed. Without a session, that of the agent. */
export async function showFailingMessage(session: string | undefined): Promise<void> {
  await vscode.commands.executeCommand("parley.showInspector", session ?? "");
}
