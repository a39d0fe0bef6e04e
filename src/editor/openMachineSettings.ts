// Opens the settings editor where it lists the settings of a machine.
import * as vscode from "vscode";

/** Opens the settings that the query finds. A remote window lists those of a machine only among those of the other side. */
export async function openMachineSettings(query: string): Promise<void> {
  if (vscode.env.remoteName === undefined) await vscode.commands.executeCommand("workbench.action.openSettings", query);
  else await vscode.commands.executeCommand("workbench.action.openRemoteSettings", { query });
}
