// Context keys for menus and keybindings.
import * as vscode from "vscode";

type Value = boolean | readonly (string | number)[];
const lastValues = new Map<string, string>();

/** Sets a context key. Does nothing if the key already has the value. */
export function setContextKey(key: string, value: Value): void {
  const serialized = JSON.stringify(value);
  if (lastValues.get(key) === serialized) return;
  lastValues.set(key, serialized);
  void vscode.commands.executeCommand("setContext", key, value);
}
