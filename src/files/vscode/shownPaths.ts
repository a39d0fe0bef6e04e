// Which files the user has open, and their tabs.
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

/** Closes the tabs of a file that was deleted. A tab with unsaved text stays, because VS Code would ask about the text. */
export async function closeTabs(path: string): Promise<void> {
  const tabs = savedTabsOf(path);
  if (tabs.length === 0) return;
  try {
    await vscode.window.tabGroups.close(tabs, true);
  } catch (thrown) {
    // With “workbench.editor.closeOnFileDelete”, VS Code closes them at the same moment.
    if (savedTabsOf(path).length > 0) throw thrown;
  }
}

function savedTabsOf(path: string): readonly vscode.Tab[] {
  const isOf = ({ scheme, fsPath }: vscode.Uri): boolean => scheme === "file" && fsPath === path;
  return vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input, isDirty }) => {
      if (isDirty) return false;
      if (input instanceof vscode.TabInputText) return isOf(input.uri);
      return input instanceof vscode.TabInputTextDiff && isOf(input.modified);
    });
}
