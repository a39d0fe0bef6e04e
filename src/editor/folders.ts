// The workspace folders that sessions work in.
import * as vscode from "vscode";
import { isOutsideFolders } from "./outsideFolders.ts";

/** The folders in which an agent may work: its own and every folder of the workspace. */
export function sessionRoots(workspaceFolder: string): readonly string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(folder => folder.uri.scheme === "file");
  return [...new Set([workspaceFolder, ...folders.map(folder => folder.uri.fsPath)])];
}

/** The folder for a new session: that of the active editor in a multi-root workspace, else the first. */
export function sessionFolder(): string | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.scheme === "file" ? folder.uri.fsPath : undefined;
}

/** Whether a path that an agent names is outside the folders of its session. */
export const isOutsideSession = (path: string, workspaceFolder: string): boolean =>
  isOutsideFolders(path, sessionRoots(workspaceFolder));
