// The only writer of text files: the smallest edits of one or several files as one undo step, then saved, and verified
// against the disk. Everything goes through the editor, so that it can be undone and other extensions are notified.
import * as vscode from "vscode";
import { Refusal } from "../../base/errors.ts";
import { quotePath, withLineFeeds } from "../../base/text.ts";
import { changeTime, diskText } from "../../editor/diskText.ts";
import {
  maxReloadWait,
  reopenIfClosed,
  waitForEvent,
  waitForReload,
  withFileLock,
} from "../../editor/openDocuments.ts";
import { nodePaths } from "../nodePaths.ts";
import { Confinement } from "../paths.ts";
import type { FileTextStep, ReviewPort } from "../ports.ts";
import { positionFinder, smallestEdits } from "../textEdits.ts";

/** A file's text before and after an edit. Null if there is no file. Texts of existing files have "\n" line endings. */
export interface TextChange {
  readonly uri: vscode.Uri;
  readonly before: string | null;
  readonly after: string | null;
  /** The line ending to set. */
  readonly eol?: vscode.EndOfLine;
  /** The bytes of a new file. Without them, its text as UTF-8. */
  readonly bytes?: Uint8Array;
  /** Whether a new file may already exist. It then stays as it is. */
  readonly mayExist?: boolean;
}

/**
 * Applies the changes as one undo step, without saving. False if the editor refused, for example because a document
 * changed in the meantime.
 */
export async function applyTextChanges(changes: readonly TextChange[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  for (const { uri, before, after, eol, bytes, mayExist = false } of changes) {
    if (before === null) {
      const contents = bytes ?? new TextEncoder().encode(after ?? "");
      edit.createFile(uri, { contents, ...(mayExist && { ignoreIfExists: true }) });
    } else if (after === null) edit.deleteFile(uri, { ignoreIfNotExists: true });
    else
      edit.set(uri, [...(eol === undefined ? [] : [vscode.TextEdit.setEndOfLine(eol)]), ...textEdits(before, after)]);
  }
  return vscode.workspace.applyEdit(edit);
}

function textEdits(before: string, after: string): readonly vscode.TextEdit[] {
  const positionAt = positionFinder(before);
  return smallestEdits(before, after).map(({ start, end, text }) => {
    const [from, to] = [positionAt(start), positionAt(end)];
    return new vscode.TextEdit(new vscode.Range(from.line, from.character, to.line, to.character), text);
  });
}

/** Attempts to edit a document in which the user is typing. */
const maxEditAttempts = 3;

/**
 * Changes the document's text to `wanted`, and its line ending to `eol` if given, without saving. Returns the document
 * that has both, or undefined if it did not accept them.
 */
export async function replaceText(
  found: vscode.TextDocument,
  wanted: string,
  eol?: vscode.EndOfLine,
): Promise<vscode.TextDocument | undefined> {
  let document = found;
  const isDone = (): boolean => hasText(document, wanted) && (eol === undefined || document.eol === eol);
  for (let attempt = 0; attempt < maxEditAttempts; attempt++) {
    document = await reopenIfClosed(document);
    if (isDone()) return document;
    const before = withLineFeeds(document.getText());
    const change = { uri: document.uri, before, after: wanted };
    // If the document changed in the meantime, the edit is computed again.
    if (await applyTextChanges([eol === undefined || document.eol === eol ? change : { ...change, eol }])) break;
  }
  document = await reopenIfClosed(document);
  return isDone() ? document : undefined;
}

const hasText = (document: vscode.TextDocument, text: string): boolean => withLineFeeds(document.getText()) === text;

/** How {@link saveAndVerify} reads the disk. Texts have "\n" line endings. Undefined if there is no text. */
export interface SaveOptions {
  /** The text on disk before the edit. */
  readonly before: string | undefined;
  readonly readDisk: () => Promise<string | undefined>;
  /** How long to wait for another save that is in progress, such as an automatic one (ms). */
  readonly maxSaveWait?: number;
}

/** Saves the document. Trusts only the disk, because `save()` may return true without saving. */
export async function saveAndVerify(
  document: vscode.TextDocument,
  { before, readDisk, maxSaveWait = 0 }: SaveOptions,
): Promise<boolean> {
  let hasSaved = await saveIfDirty(document);
  if (!hasSaved && maxSaveWait > 0) {
    // `save()` also returns false at once while another save is in progress. That save is as good.
    const { onDidSaveTextDocument } = vscode.workspace;
    if (document.isDirty) await waitForEvent(onDidSaveTextDocument, saved => saved === document, maxSaveWait);
    hasSaved = await saveIfDirty(document);
  }
  const disk = await readDisk();
  if (disk === undefined) return false;
  // The user may have continued typing after the save.
  return hasText(document, disk) || (hasSaved && document.isDirty && disk !== before);
}

const saveIfDirty = async (document: vscode.TextDocument): Promise<boolean> =>
  !document.isDirty || (await document.save());

/** Attempts to apply and to save the steps of a review. */
const maxReviewAttempts = 5;

/** The pause between two attempts (ms). */
const retryDelay = 100;

/**
 * Applies the decisions of a review to the files in these folders: all files of a decision as one edit, so that one
 * undo reverts it. The editor also refuses an edit if it has just closed a document, so there are several attempts.
 */
export const editorReviewPort = (roots: () => readonly string[]): ReviewPort => ({
  async apply(steps) {
    await checkInsideRoots(roots(), steps);
    const uris = steps.map(({ path }) => vscode.Uri.file(path));
    for (let attempt = 0; attempt < maxReviewAttempts; attempt++) {
      if (attempt > 0) await delay(retryDelay);
      const prepared: PreparedStep[] = [];
      for (const step of steps) prepared.push(await prepareStep(step));
      if (await withFileLock(uris, () => applyAndSave(prepared))) return;
    }
    throw changedMeanwhile(steps[0]?.path ?? "");
  },
});

interface PreparedStep {
  readonly change: TextChange;
  /** The document whose text is edited, if any. */
  readonly edited?: EditedDocument;
}

interface EditedDocument {
  readonly document: vscode.TextDocument;
  /** The text that the edit was made for. */
  readonly before: string;
  /** The document had no unsaved text. */
  readonly wasClean: boolean;
}

/** Applies and saves all steps, or none of them. Rejects if a document could not be saved. */
async function applyAndSave(prepared: readonly PreparedStep[]): Promise<boolean> {
  const documents = prepared.flatMap(({ edited }) => edited ?? []);
  if (!documents.every(({ document, before }) => hasText(document, before))) return false;
  if (!(await applyTextChanges(prepared.map(({ change }) => change)))) return false;
  for (const { document, wasClean } of documents) {
    if (!wasClean || (await saveRepeatedly(document))) continue;
    const path = document.uri.fsPath;
    throw new Refusal("failed", `${quotePath(path)} was changed in the editor, but could not be saved.`, { path });
  }
  return true;
}

/** Rejects if a file has become a link to another place since its path was resolved. */
async function checkInsideRoots(roots: readonly string[], steps: readonly FileTextStep[]): Promise<void> {
  const confinement = new Confinement(nodePaths(), roots);
  for (const { path } of steps) {
    const located = await confinement.locate(path);
    if (located.inside && located.path === path) continue;
    throw new Refusal(
      "failed",
      vscode.l10n.t("{0} is no longer in this session's folders, so nothing was changed.", path),
    );
  }
}

/** Finds the document of a step. Rejects if the file is not in the expected state. */
async function prepareStep({ path, before, after, raw }: FileTextStep): Promise<PreparedStep> {
  const uri = vscode.Uri.file(path);
  const change: TextChange = { uri, before, after, ...(raw && { bytes: raw }) };
  if (before === null) {
    if ((await changeTime(path)) !== undefined) throw changedMeanwhile(path);
    return { change };
  }
  const document = await waitForReload(
    await vscode.workspace.openTextDocument(uri),
    // If the disk does not have the expected text either, there is nothing to wait for.
    async one => one.isDirty || hasText(one, before) || (await diskText(path)) !== before,
    maxReloadWait,
  );
  if (!document || !hasText(document, before)) throw changedMeanwhile(path);
  if (after !== null) return { change, edited: { document, before, wasClean: !document.isDirty } };
  if (!document.isDirty) return { change };
  throw new Refusal("failed", `${quotePath(path)} has unsaved changes, so it was not deleted. Save it first.`, {
    path,
  });
}

/**
 * Saves a document that was just edited until the disk has its text: it may not be marked as unsaved yet, and `save()`
 * also returns false while another save is in progress.
 */
async function saveRepeatedly(found: vscode.TextDocument): Promise<boolean> {
  for (let attempt = 0; attempt < maxReviewAttempts; attempt++) {
    if (attempt > 0) await delay(retryDelay);
    const document = await reopenIfClosed(found);
    await document.save();
    if ((await diskText(document.uri.fsPath)) === withLineFeeds(document.getText())) return true;
  }
  return false;
}

const delay = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

function changedMeanwhile(path: string): Refusal {
  return new Refusal("failed", `${quotePath(path)} changed at the same moment, so nothing was undone. Try again.`, {
    path,
  });
}
