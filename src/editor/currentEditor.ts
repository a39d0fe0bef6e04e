// The text editor that the user works in while a chat has the focus.
import * as vscode from "vscode";

/** The active editor. While a chat in an editor tab is active, the first visible editor. */
export const currentEditor = (): vscode.TextEditor | undefined =>
  vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
