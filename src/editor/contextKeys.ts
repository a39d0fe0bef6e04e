// Context keys for menus and keybindings.
import * as vscode from "vscode";

type Value = boolean | readonly (string | number)[];
const told = new Map<string, string>();

/** Sets a context key. VS Code is told only when it changes. */
export function setContext(key: string, value: Value): void {
  const written = JSON.stringify(value);
  if (told.get(key) === written) return;
  told.set(key, written);
  void vscode.commands.executeCommand("setContext", key, value);
}
