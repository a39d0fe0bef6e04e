// Whether VS Code knows the file of a document as it is on disk. If VS Code loads a file while a program writes it, it has
// the new text with the old time, and cannot save the document until it has noticed the change.
import { stat } from "node:fs/promises";
import type * as vscode from "vscode";
import { isNotFoundError } from "../../base/errors.ts";

/** VS Code notices a change on disk within this time (ms). */
const noticeTime = 250;

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
