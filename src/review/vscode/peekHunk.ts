// Shows the earlier lines of a hunk below it: in VS Code's inline diff, or as a peek of the text before.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Hunk } from "../hunk.ts";
import type { Review } from "../review.ts";
import { anchorLine, type HunkLocation } from "../reviewPresentation.ts";
import type { BaseDocuments } from "./baseDocuments.ts";

/** VS Code computes the inline diff of a file that was just opened within this time. Milliseconds. */
const maxDiffTime = 2000;
/** The time for VS Code to show an inline diff that it has computed. Milliseconds. */
const maxShowTime = 300;
/** An inline diff that is open for this long stays open. Milliseconds. */
const settlingTime = 1000;

/**
 * Shows the earlier lines of a hunk in the editor that shows its file. Opens the file if there is none. Does nothing if the
 * hunk no longer exists.
 */
export async function peekHunk(
  bases: BaseDocuments,
  review: Review,
  { path, id }: HunkLocation,
  shown?: vscode.TextEditor,
): Promise<void> {
  const hunkNow = (): Hunk | undefined => review.file(path)?.changes.hunks.find(each => each.id === id);
  const editor = shown ?? (await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true }));
  const asked = hunkNow();
  if (!asked || (await showInlineDiff(editor, asked, bases.baseUri(path)))) return;
  // The user can have decided on it in the inline diff, which closed after that.
  const hunk = hunkNow();
  if (!hunk) return;
  const line = anchorLine(hunk);
  const first = anchorLine(hunk, "base");
  const last = Math.max(first, hunk.base.to - 1);
  const before = new vscode.Location(bases.peekUri(path), new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER));
  const { uri } = editor.document;
  const place = new vscode.Position(line, 0);
  await vscode.commands.executeCommand("editor.action.peekLocations", uri, place, [before], "peek");
}

/** Opens the inline diff at a hunk. False if VS Code doesn't show one with this text before. */
async function showInlineDiff(editor: vscode.TextEditor, hunk: Hunk, base: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.getConfiguration("scm").get("diffDecorations") === "none") return false;
  await closePeek();
  const place = new vscode.Position(anchorLine(hunk), 0);
  // VS Code counts removed lines to the line before them.
  const start = hunk.text.from === hunk.text.to ? new vscode.Position(Math.max(0, place.line - 1), 0) : place;
  editor.selection = new vscode.Selection(start, start);
  const known = new Set(vscode.window.visibleTextEditors);
  // The inline diff consists of editors, too.
  const shown = (): readonly vscode.TextEditor[] => vscode.window.visibleTextEditors.filter(one => !known.has(one));
  const isBase = ({ document }: vscode.TextEditor): boolean => document.uri.toString() === base.toString();
  for (const end = Date.now() + maxDiffTime; Date.now() < end && shown().length === 0;) {
    await vscode.commands.executeCommand("editor.action.dirtydiff.next");
    await visibleEditors(() => shown().length > 0, maxShowTime);
  }
  const isShown = (): boolean => shown().some(isBase);
  if (isShown()) {
    editor.selection = new vscode.Selection(place, place);
    // On a busy machine, VS Code closes an inline diff that it has just shown.
    await visibleEditors(() => !isShown(), settlingTime);
    return isShown();
  }
  // The diff of another source control, or none.
  await closePeek();
  editor.selection = new vscode.Selection(place, place);
  return false;
}

/** Closes the inline diff, whose command has had two names, and the peek of an earlier text. */
async function closePeek(): Promise<void> {
  const known = new Set(await vscode.commands.getCommands(true));
  if (known.has("closeReferenceSearch")) await vscode.commands.executeCommand("closeReferenceSearch");
  if (known.has("closeQuickDiff")) await vscode.commands.executeCommand("closeQuickDiff");
  else if (known.has("closeDirtyDiff")) await vscode.commands.executeCommand("closeDirtyDiff");
}

/** Resolves when the condition holds for the visible editors, or after this time (ms). */
async function visibleEditors(condition: () => boolean, limit: number): Promise<void> {
  if (condition()) return;
  let listening: Disposable | undefined;
  const holds = new Promise<void>(resolve => {
    listening = vscode.window.onDidChangeVisibleTextEditors(() => condition() && resolve());
  });
  await withTimeout(holds, limit, () => undefined);
  listening?.dispose();
}
