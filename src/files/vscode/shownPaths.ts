// Which files the user has open.
import * as vscode from "vscode";
import { openFileDocuments } from "../../editor/openDocuments.ts";

/** The files that a tab or an editor shows, and those with unsaved text. */
export function shownPaths(): ReadonlySet<string> {
  const shown = new Set<string>();
  const add = ({ scheme, fsPath }: vscode.Uri): void => void (scheme === "file" && shown.add(fsPath));
  for (const { input } of vscode.window.tabGroups.all.flatMap(group => group.tabs)) {
    if (input instanceof vscode.TabInputText) add(input.uri);
    else if (input instanceof vscode.TabInputTextDiff) add(input.modified);
  }
  for (const { document } of vscode.window.visibleTextEditors) add(document.uri);
  for (const document of openFileDocuments()) if (document.isDirty) add(document.uri);
  return shown;
}
