// Whether VS Code knows the file of a document as it is on disk. If VS Code loads a file while a program writes it, it has
// the new text with the old time, and cannot save the document until it has noticed the change.
import { stat, utimes } from "node:fs/promises";
import type * as vscode from "vscode";
import { errorCodeOf, isNotFoundError } from "../../base/errors.ts";

/** VS Code notices a change on disk within this time (ms). */
const noticeTime = 250;

/** No modification time that VS Code knows is before this one (seconds or milliseconds since the epoch). */
const oldest = 0;

/** The modification times (ms since the epoch) of files that were saved or opened here, which VS Code knows. */
const knownTimes = new WeakMap<vscode.TextDocument, number>();

/** VS Code has just opened or saved the document, so it knows the file with this modification time. */
export function noteKnownTime(document: vscode.TextDocument, time: number | undefined): void {
  if (time !== undefined) knownTimes.set(document, time);
}

/** VS Code saved the document, for example because the user pressed the keys to save it. */
export function noteSave(document: vscode.TextDocument): void {
  if (document.uri.scheme !== "file") return;
  modificationTime(document.uri.fsPath).then(
    time => noteKnownTime(document, time),
    // isNoticed examines the file too, and reports the failure.
    () => undefined,
  );
}

/**
 * Whether VS Code has noticed the last change of the file, which it does not report if it has the text already. Rejects if
 * the file cannot be examined.
 */
export async function isNoticed(document: vscode.TextDocument): Promise<boolean> {
  const time = await modificationTime(document.uri.fsPath);
  // The clock of the file system may differ.
  return time === undefined || time === knownTimes.get(document) || Math.abs(Date.now() - time) > noticeTime;
}

/** When the file was last modified, ms since the epoch. Undefined if there is none. Rejects if it cannot be examined. */
export async function modificationTime(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Saves a document that VS Code refuses to save because the file is newer than it knows, although only its bytes changed and
 * not its text: VS Code does not notice every change, for example of a line ending in a folder that was created again.
 * `isUnchanged`: whether the file still has the text that the edit began with. Returns false if it has not, or if VS Code
 * refuses for another reason.
 */
export async function saveUnnoticed(
  document: vscode.TextDocument,
  isUnchanged: () => Promise<boolean>,
): Promise<boolean> {
  const path = document.uri.fsPath;
  const time = await modificationTime(path);
  if (time === undefined || !document.isDirty || !(await isUnchanged())) return false;
  try {
    // A file that another program writes from now on is newer again, and VS Code refuses to save over it.
    await utimes(path, Date.now() / 1000, oldest);
  } catch (thrown) {
    // Only the owner of a file may set its time.
    if (errorCodeOf(thrown) === "EPERM") return false;
    throw thrown;
  }
  let isSaved = false;
  try {
    isSaved = (await isUnchanged()) && (await document.save());
  } finally {
    if (!isSaved && (await modificationTime(path)) === oldest) await utimes(path, Date.now() / 1000, time / 1000);
  }
  return isSaved;
}
