// The inputs of VS Code for the values of `${input:…}`: one at a time, and hidden if they are secret.
import * as vscode from "vscode";
import { withNote } from "../../base/secrets/watchedSecrets.ts";
import { visibleText } from "../../base/visibleText.ts";
import { showInformationMessage, showInputBox, showTextPick, showQuickPicks } from "../../editor/editorUi.ts";
import type { ServerInputs } from "../serverInputs.ts";
import type { McpServer, ServerInput } from "../servers.ts";

/**
 * Asks for a value of a server. Resolves with undefined if the user enters none. `note` is what the user should know before
 * entering a secret.
 */
export async function askInput(
  server: McpServer,
  input: ServerInput,
  note?: string | undefined,
): Promise<string | undefined> {
  const title = vscode.l10n.t("MCP Server “{0}”", visibleText(server.name));
  const placeHolder = visibleText(input.description ?? input.id);
  if (input.options) return showTextPick(input.options, { title, placeHolder, ignoreFocusOut: true });
  return showInputBox({
    title,
    prompt: withNote(vscode.l10n.t("{0}. Parley keeps the value in VS Code's secret storage.", placeHolder), note),
    password: input.secret,
    ...(input.default !== undefined && { value: input.default }),
    ignoreFocusOut: true,
  });
}

/** Asks which values are deleted. Resolves with the keys of their definitions. */
export async function forgetInputs(inputs: ServerInputs): Promise<readonly string[]> {
  const names = Object.entries(inputs.names);
  if (names.length === 0) {
    void showInformationMessage(vscode.l10n.t("No values for MCP servers are stored."));
    return [];
  }
  const picked = await showQuickPicks(
    names.map(([key, { name, ids }]) => ({
      label: visibleText(name),
      description: ids.map(visibleText).join(", "),
      key,
    })),
    {
      title: vscode.l10n.t("Remove Stored Values of MCP Servers"),
      placeHolder: vscode.l10n.t("The servers whose values are removed. Parley asks for them at the next start."),
    },
  );
  const keys = (picked ?? []).map(({ key }) => key);
  for (const key of keys) await inputs.forget(key);
  return keys;
}
