// The files that tabs show.
import * as vscode from "vscode";

/** The file of a tab: that of an editor, or of the right side of a diff. */
export function tabUri({ input }: vscode.Tab): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook) return [input.uri];
  if (input instanceof vscode.TabInputCustom) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.modified] : [];
}
