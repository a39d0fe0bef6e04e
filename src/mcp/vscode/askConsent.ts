// The dialog of VS Code that asks whether an MCP server may start.
import * as vscode from "vscode";
import { showWarningMessage } from "../../editor/editorUi.ts";
import type { ConsentQuestion } from "../consentQuestion.ts";
import type { McpServer } from "../servers.ts";

/** Asks the user. Resolves with whether the user allows the server. */
export async function askConsent(
  { message, detail, isShortened }: ConsentQuestion,
  { folder }: McpServer,
): Promise<boolean> {
  const allow = vscode.l10n.t("Allow");
  const showFile = vscode.l10n.t("Show File");
  const file = folder === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.file(folder), ".vscode", "mcp.json");
  const buttons = isShortened && file ? [allow, showFile] : [allow];
  const answer = await showWarningMessage(message, { modal: true, detail }, ...buttons);
  if (answer === showFile && file) await vscode.window.showTextDocument(file);
  return answer === allow;
}
