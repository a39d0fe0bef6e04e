// Parley's settings as VS Code stores them. A folder must not decide what Parley does, so only the user's value counts.
import * as vscode from "vscode";
import { jsonEqual } from "../base/jsonEqual.ts";

/**
 * The user's value of a setting of Parley; in a remote window, the value in the remote settings precedes the local one.
 * Undefined if the user has not set it. The scopes in the manifest exclude folders already; this is a second safeguard.
 */
export const userSetting = (key: string): unknown => userValueOf("parley", key);

/** The user's value of a setting of VS Code or of another extension. */
export function userValueOf(section: string, key: string): unknown {
  return vscode.workspace.getConfiguration(section).inspect(key)?.globalValue;
}

/** The values of a setting of Parley in the workspace and in each of its folders. They may only add restrictions. */
export function folderSettings(key: string): readonly unknown[] {
  const workspace = vscode.workspace.getConfiguration("parley").inspect(key);
  const folders = (vscode.workspace.workspaceFolders ?? []).map(
    ({ uri }) => vscode.workspace.getConfiguration("parley", uri).inspect(key)?.workspaceFolderValue,
  );
  // Without several folders, the value of the only folder is also the value of the workspace.
  const values = [workspace?.workspaceValue, ...folders].filter(value => value !== undefined);
  return values.filter((value, at) => values.findIndex(each => jsonEqual(each, value)) === at);
}

/** Changes the user's value of a setting of Parley. Undefined removes it. */
export async function updateUserSetting(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration("parley").update(key, value, vscode.ConfigurationTarget.Global);
}
