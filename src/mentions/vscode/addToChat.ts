// Adds items from menus of VS Code to the chat: files, folders, the selection, a problem.
import * as vscode from "vscode";
import type { Attachment } from "../../panel/protocol.ts";
import { attachSelection, intactSelection, type AttachResult, type Attachments } from "./attachments.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import { problemLines } from "./mentionSources.ts";

/**
 * Adds the target of the command: the files selected in the Explorer, otherwise the selection, otherwise the file in
 * the editor.
 */
export async function addToChat(chat: ChatSurface, attachments: Attachments, args: readonly unknown[]): Promise<void> {
  const [target, chosen] = args;
  // Keybindings can pass null. Menus can pass more than a list.
  const isKnown = target === undefined || target === null || target instanceof vscode.Uri;
  const uris: readonly vscode.Uri[] = Array.isArray(chosen) ? chosen : [];
  if (!isKnown || !uris.every(one => one instanceof vscode.Uri)) throw wrongArguments("Uri");
  const editor = vscode.window.activeTextEditor;
  const isEditors = !target || (target instanceof vscode.Uri && same(target, editor?.document.uri));
  const selection = uris.length === 0 && isEditors ? attachSelection(editor, attachments) : undefined;
  if (selection && editor) return show(chat, await intactSelection(editor, selection, attachments));
  const file = target instanceof vscode.Uri ? target : editor?.document.uri;
  const all = uris.length > 0 ? uris : file ? [file] : [];
  if (all.length === 0) throw new Error(vscode.l10n.t("Open a file or select text to add it to the chat."));
  const local = all.filter(({ scheme }) => scheme === "file");
  const made = await attachments.attachPaths(
    local.map(({ fsPath }) => ({ path: fsPath })),
    true,
  );
  const refused = all
    .filter(({ scheme }) => scheme !== "file")
    .map(uri => vscode.l10n.t("{0} is not a file on disk. Save it or select its text.", uri.path));
  await show(chat, { attachments: made.attachments, refused: [...refused, ...made.refused] });
}

const same = (a: vscode.Uri, b: vscode.Uri | undefined): boolean => a.toString() === b?.toString();

/** Adds problems and the lines around them. */
export async function fixWithChat(
  chat: ChatSurface,
  attachments: Attachments,
  args: readonly unknown[],
): Promise<void> {
  const [uri, problems] = args;
  // A keybinding without arguments names no problems.
  if (uri === undefined && problems === undefined) return;
  const known: readonly vscode.Diagnostic[] = Array.isArray(problems) ? problems : [];
  if (!(uri instanceof vscode.Uri) || known.length === 0 || !known.every(isDiagnostic))
    throw wrongArguments("Diagnostic");
  const first = Math.min(...known.map(({ range }) => range.start.line));
  const last = Math.max(...known.map(({ range }) => range.end.line));
  const lines = { line: Math.max(1, first + 1 - contextLines), endLine: last + 1 + contextLines };
  const surroundingText =
    uri.scheme === "file"
      ? await attachments.attachPaths([{ path: uri.fsPath, kind: "selection", ...lines }], true)
      : undefined;
  const label = known.length === 1 ? vscode.l10n.t("1 problem") : vscode.l10n.t("{0} problems", known.length);
  const problemText = attachments.attachText("problems", label, `${problemLines(uri, known).join("\n")}\n`, {
    detail: known[0]?.message.split("\n")[0] ?? "",
  });
  const chips: readonly Attachment[] = [...(surroundingText?.attachments ?? []), ...problemText.attachments];
  await show(chat, { attachments: chips, refused: [...(surroundingText?.refused ?? []), ...problemText.refused] });
}

/** A problem of VS Code, or an object like it. */
const isDiagnostic = (given: unknown): boolean => {
  const { range, message } = (given ?? {}) as Partial<vscode.Diagnostic>;
  return range instanceof vscode.Range && typeof message === "string";
};

const wrongArguments = (items: string): Error =>
  new Error(vscode.l10n.t("These arguments cannot be used. Pass a Uri and a list with items of the type {0}.", items));

/** The number of lines to add before and after a problem. */
const contextLines = 5;

async function show(chat: ChatSurface, { attachments, refused }: AttachResult): Promise<void> {
  if (attachments.length > 0) {
    await chat.reveal({ type: "attached", attachments });
    await chat.focus("composer");
  }
  if (refused.length > 0) void showWarningMessage(refused.join(" "));
}
