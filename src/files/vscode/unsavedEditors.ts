// The files with unsaved changes that are no text: in notebooks, and in editors of other extensions, such as those of
// images or tables.
import * as vscode from "vscode";
import { openFileDocuments } from "../../editor/openDocuments.ts";

/** The paths of these files, with how each is open. A custom editor of a text document is none: the document has the text. */
export function unsavedEditors(
  tabs: readonly Pick<vscode.Tab, "input" | "isDirty">[] = vscode.window.tabGroups.all.flatMap(group => group.tabs),
): ReadonlyMap<string, string> {
  const dirtyDocuments = openFileDocuments().filter(({ isDirty }) => isDirty);
  const texts = new Set(dirtyDocuments.map(({ uri }) => uri.fsPath));
  const found = new Map<string, string>();
  for (const { uri, isDirty } of vscode.workspace.notebookDocuments)
    if (isDirty && uri.scheme === "file") found.set(uri.fsPath, "as a notebook");
  for (const { input, isDirty } of tabs) {
    if (!isDirty || !(input instanceof vscode.TabInputCustom) || input.uri.scheme !== "file") continue;
    if (!texts.has(input.uri.fsPath)) found.set(input.uri.fsPath, "in an editor that is no text editor");
  }
  return found;
}
