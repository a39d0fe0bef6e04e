// Puts review decisions into the editor: all files of a decision as one edit, so that one Ctrl+Z takes it back.
import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { Refusal } from "../base/errors.ts";
import { placesIn, smallestEdits, withLineFeeds } from "../workspace/edits.ts";
import { codeOf, quoted } from "../workspace/paths.ts";
import type { ReviewPort, TextStep } from "../workspace/reviewService.ts";
import { fileText } from "./fileTexts.ts";

const mostSaves = 5;
/** Milliseconds. */
const betweenSaves = 100;

/** The editor's side of a review. */
export const editorEdits: ReviewPort = {
  async apply(steps) {
    const change = new vscode.WorkspaceEdit();
    const saved: vscode.TextDocument[] = [];
    for (const step of steps) {
      const document = await addStep(change, step);
      if (document && !document.isDirty) saved.push(document);
    }
    if (!(await vscode.workspace.applyEdit(change))) throw stuck(steps[0]?.path ?? "");
    for (const document of saved) {
      if (await isSaved(document)) continue;
      const path = document.uri.fsPath;
      throw new Refusal("failed", `${quoted(path)} was changed in the editor, but could not be saved.`, { path });
    }
  },
};

/** Adds one file's change to the edit; the document, where text is edited. Rejects when the file is not as expected. */
async function addStep(
  change: vscode.WorkspaceEdit,
  { path, before, after, raw }: TextStep,
): Promise<vscode.TextDocument | undefined> {
  const uri = vscode.Uri.file(path);
  if (before === null) {
    if (await exists(path)) throw stuck(path);
    change.createFile(uri, { contents: raw ?? new TextEncoder().encode(after ?? "") });
    return undefined;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (withLineFeeds(document.getText()) !== before) throw stuck(path);
  if (after === null) {
    if (document.isDirty) {
      throw new Refusal("failed", `${quoted(path)} has unsaved changes, so it was not deleted. Save it first.`, {
        path,
      });
    }
    change.deleteFile(uri, { ignoreIfNotExists: true });
    return undefined;
  }
  const place = placesIn(before);
  for (const { start, end, text } of smallestEdits(before, after)) {
    const [from, to] = [place(start), place(end)];
    change.replace(uri, new vscode.Range(from.line, from.character, to.line, to.character), text);
  }
  return document;
}

/**
 * Saves, and believes only the disk: a document that was just edited may not know yet that it is unsaved, and `save()` says
 * false, too, while another save is under way.
 */
async function isSaved(document: vscode.TextDocument): Promise<boolean> {
  for (let attempt = 0; attempt < mostSaves; attempt++) {
    if (attempt > 0) await new Promise(resolve => setTimeout(resolve, betweenSaves));
    await document.save();
    if ((await fileText(document.uri.fsPath)) === withLineFeeds(document.getText())) return true;
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}

function stuck(path: string): Refusal {
  return new Refusal("failed", `${quoted(path)} changed at the same moment, so nothing was undone. Try again.`, {
    path,
  });
}
