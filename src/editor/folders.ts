// The workspace folders that sessions work in.
import * as vscode from "vscode";
import { isOutsideFolders } from "./outsideFolders.ts";

/**
 * The folders in which an agent may work: every folder of the workspace if its own is one of them. A session in another
 * folder, such as a worktree, works there alone. Without a folder: those of the workspace.
 */
export function sessionRoots(workspaceFolder: string): readonly string[] {
  const paths = workspaceFolderPaths();
  return workspaceFolder === "" || paths.includes(workspaceFolder)
    ? [...new Set([workspaceFolder, ...paths])]
    : [workspaceFolder];
}

/** Whether the folder is one of the workspace. */
export const isWorkspaceFolder = (path: string): boolean => workspaceFolderPaths().includes(path);

const workspaceFolderPaths = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === "file" ? [uri.fsPath] : []));

/**
 * The folder for a new session: that of the active editor in a multi-root workspace, else the first on a disk. A virtual
 * folder is none, because agents work with files on a disk.
 */
export function sessionFolder(): string | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active && vscode.workspace.getWorkspaceFolder(active);
  return folder?.uri.scheme === "file" ? folder.uri.fsPath : firstDiskFolder();
}

/** The first folder of the workspace that is on a disk. */
export const firstDiskFolder = (): string | undefined => workspaceFolderPaths()[0];

/** Whether a path that an agent names is outside the folders of its session. */
export const isOutsideSession = (path: string, workspaceFolder: string): boolean =>
  isOutsideFolders(path, sessionRoots(workspaceFolder));
