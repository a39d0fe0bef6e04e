// Puts review decisions into the editor: all files of a decision as one edit, so that one Ctrl+Z takes it back.
import * as vscode from "vscode";
import { Refusal } from "../../base/errors.ts";
import { positionFinder, smallestEdits } from "../textEdits.ts";
import { withLineFeeds } from "../../base/text.ts";
import { nodePaths } from "../nodePaths.ts";
import { Confinement } from "../paths.ts";
import { quotePath } from "../../base/text.ts";
import type { ReviewPort } from "../ports.ts";
import type { FileTextStep } from "../ports.ts";
import { changeTime, diskText } from "../../editor/diskText.ts";
import { waitForReload, maxReloadWait, reopenIfClosed, withFileLock } from "../../editor/openDocuments.ts";

const maxAttempts = 5;

/** Milliseconds. */
const retryDelay = 100;

/**
 * The editor's side of a review, in these folders. The editor also refuses when it has just closed a document, so it is
 * asked more than once.
 */
export const editorReviewPort = (roots: () => readonly string[]): ReviewPort => ({
  async apply(steps) {
    await checkInsideRoots(roots(), steps);
    const uris = steps.map(({ path }) => vscode.Uri.file(path));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await new Promise(resolve => setTimeout(resolve, retryDelay));
      const change = new vscode.WorkspaceEdit();
      const documents: EditedDocument[] = [];
      for (const step of steps) documents.push(...(await addStep(change, step)));
      if (await withFileLock(uris, () => applyAndSave(change, documents))) return;
    }
    throw changedMeanwhile(steps[0]?.path ?? "");
  },
});

interface EditedDocument {
  readonly document: vscode.TextDocument;
  /** The text that the edit is made for. */
  readonly before: string;
  /** Nobody had unsaved text in it. */
  readonly wasClean: boolean;
}

/** Makes all of the change, and saves, or none of it. Rejects when something could not be saved. */
async function applyAndSave(change: vscode.WorkspaceEdit, documents: readonly EditedDocument[]): Promise<boolean> {
  if (!documents.every(({ document, before }) => hasText(document, before))) return false;
  if (!(await vscode.workspace.applyEdit(change))) return false;
  for (const { document, wasClean: clean } of documents) {
    if (!clean || (await saveAndVerify(document))) continue;
    const path = document.uri.fsPath;
    throw new Refusal("failed", `${quotePath(path)} was changed in the editor, but could not be saved.`, { path });
  }
  return true;
}

/** A file may have become a link to elsewhere since it was followed. */
async function checkInsideRoots(roots: readonly string[], steps: readonly FileTextStep[]): Promise<void> {
  const confinement = new Confinement(nodePaths(), roots);
  for (const { path } of steps) {
    const located = await confinement.locate(path);
    if (located.inside && located.path === path) continue;
    throw new Refusal(
      "failed",
      vscode.l10n.t("{0} does not lie in this session's folders any more, so nothing was changed.", path),
    );
  }
}

const hasText = (document: vscode.TextDocument, text: string): boolean => withLineFeeds(document.getText()) === text;

/** Adds one file's change to the edit; gives its document, where text is edited. Rejects when the file is not as expected. */
async function addStep(
  change: vscode.WorkspaceEdit,
  { path, before, after, raw }: FileTextStep,
): Promise<readonly EditedDocument[]> {
  const uri = vscode.Uri.file(path);
  if (before === null) {
    if ((await changeTime(path)) !== undefined) throw changedMeanwhile(path);
    change.createFile(uri, { contents: raw ?? new TextEncoder().encode(after ?? "") });
    return [];
  }
  const document = await waitForReload(
    await vscode.workspace.openTextDocument(uri),
    // What is not as expected on disk either is not waited for.
    async one => one.isDirty || hasText(one, before) || (await diskText(path)) !== before,
    maxReloadWait,
  );
  if (!document || !hasText(document, before)) throw changedMeanwhile(path);
  if (after === null) {
    if (document.isDirty) {
      throw new Refusal("failed", `${quotePath(path)} has unsaved changes, so it was not deleted. Save it first.`, {
        path,
      });
    }
    change.deleteFile(uri, { ignoreIfNotExists: true });
    return [];
  }
  const positionAt = positionFinder(before);
  for (const { start, end, text } of smallestEdits(before, after)) {
    const [from, to] = [positionAt(start), positionAt(end)];
    change.replace(uri, new vscode.Range(from.line, from.character, to.line, to.character), text);
  }
  return [{ document, before, wasClean: !document.isDirty }];
}

/**
 * Saves, and believes only the disk: a document that was just edited may not know yet that it is unsaved, and `save()` says
 * false, too, while another save is under way.
 */
async function saveAndVerify(found: vscode.TextDocument): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await new Promise(resolve => setTimeout(resolve, retryDelay));
    const document = await reopenIfClosed(found);
    await document.save();
    if ((await diskText(document.uri.fsPath)) === withLineFeeds(document.getText())) return true;
  }
  return false;
}

function changedMeanwhile(path: string): Refusal {
  return new Refusal("failed", `${quotePath(path)} changed at the same moment, so nothing was undone. Try again.`, {
    path,
  });
}
