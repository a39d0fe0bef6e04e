// The only writer of documents: the smallest edits of one or several files as one undo step, then saved, and verified
// against the disk. These edits can be undone in the editor, so they change only texts: VS Code would also undo the
// creation, the deletion or the move of a file, and take a file away that the user has kept.
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { errorCodeOf } from "../../base/errors.ts";
import { withLineFeeds, type byteOrderMark } from "../../base/text.ts";
import { reopenIfClosed, waitForEvent } from "../../editor/openDocuments.ts";
import { positionFinder, smallestEdits } from "../textEdits.ts";

/** A file's text before and after an edit, with "\n" line endings. */
export interface TextChange {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
  /** The line ending to set. */
  readonly eol?: vscode.EndOfLine;
}

/**
 * Applies the changes as one undo step, without saving. False if the editor refused, for example because a document
 * changed in the meantime.
 */
export async function applyTextChanges(changes: readonly TextChange[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  let isEmpty = true;
  for (const { uri, before, after, eol } of changes) {
    if (before === after && eol === undefined) continue;
    isEmpty = false;
    edit.set(uri, [...(eol === undefined ? [] : [vscode.TextEdit.setEndOfLine(eol)]), ...textEdits(before, after)]);
  }
  // VS Code answers that it has not applied an edit that changes nothing.
  return isEmpty || vscode.workspace.applyEdit(edit);
}

/**
 * Creates a file without text, at most with a byte-order mark. Its text is then an edit: Ctrl+Z empties the file and
 * keeps it. Returns false if there is a file already, which stays as it is.
 */
export async function createEmptyFile(path: string, mark: typeof byteOrderMark | "" = ""): Promise<boolean> {
  try {
    await writeFile(path, mark, { flag: "wx" });
    return true;
  } catch (thrown) {
    if (errorCodeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
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

/** Whether the document has the text, which has "\n" line endings. */
export const hasText = (document: vscode.TextDocument, text: string): boolean =>
  withLineFeeds(document.getText()) === text;

/** The line ending of a text, if all of its lines have the same and a document can have it. */
export function lineEndOf(text: string): vscode.EndOfLine | undefined {
  const ends = new Set(text.match(/\r\n|\r|\n/g));
  if (ends.size !== 1) return undefined;
  if (ends.has("\n")) return vscode.EndOfLine.LF;
  return ends.has("\r\n") ? vscode.EndOfLine.CRLF : undefined;
}

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
