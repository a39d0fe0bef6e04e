// Finds open documents, locks them, and waits until the editor has reloaded them, as they may be older than the disk.
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { SequencerByKey } from "../base/async.ts";
import { isNotFoundError } from "../base/errors.ts";
import { withLineFeeds } from "../base/text.ts";
import { diskText } from "./diskText.ts";

/** The open documents of files, including those that no tab shows. */
export function openFileDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(one => one.uri.scheme === "file" && !one.isClosed);
}

/** The open document with this path, including one that no tab shows. */
export function openDocumentOf(path: string): vscode.TextDocument | undefined {
  return openFileDocuments().find(one => one.uri.fsPath === path);
}

/** The document with the text of a file that the user sees: one with unsaved text also if the file has another name in it. */
export function documentWithTextOf(path: string): vscode.TextDocument | undefined {
  const exact = openDocumentOf(path);
  if (exact?.isDirty) return exact;
  const unsaved = openFileDocuments().filter(one => one.isDirty);
  if (unsaved.length === 0) return exact;
  const real = realPathOf(path);
  return unsaved.find(one => realPathOfDocument(one) === real) ?? exact;
}

/** The resolved paths of documents, because they are compared often. */
const realPaths = new WeakMap<vscode.TextDocument, string>();

function realPathOfDocument(document: vscode.TextDocument): string {
  const known = realPaths.get(document) ?? realPathOf(document.uri.fsPath);
  realPaths.set(document, known);
  return known;
}

/** The path with links resolved, also of a file that is gone. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    const folder = dirname(path);
    // A path that cannot be resolved is compared as it is.
    return isNotFoundError(thrown) && folder !== path ? join(realPathOf(folder), basename(path)) : path;
  }
}

/** The text of an open document, with "\n" line endings. Undefined if the file is not open. */
export function openTextOf(path: string): { readonly text: string; readonly dirty: boolean } | undefined {
  const open = documentWithTextOf(path);
  return open && { text: withLineFeeds(open.getText()), dirty: open.isDirty };
}

/**
 * The text that the user sees, normalized: unsaved text, else that of the disk. A document without unsaved text may be
 * older than the disk. Null and undefined as in {@link diskText}.
 */
export async function currentTextOf(path: string): Promise<string | null | undefined> {
  const open = openTextOf(path);
  return open?.dirty ? open.text : diskText(path);
}

/** Keys by which paths and files are compared. */
export interface FileKeys {
  /** Equal for two spellings of one path, without following symbolic links. */
  ofPath(path: string): string;
  /** Equal for all paths to one file, also through symbolic links. */
  ofFile(path: string): Promise<string>;
}

/**
 * The open document of a file, also if it was opened through a symbolic link. If the file is open under several names,
 * the document with unsaved text. Rejects if the path cannot be resolved.
 */
export async function findOpenDocument(path: string, keys: FileKeys): Promise<vscode.TextDocument | undefined> {
  const documents = openFileDocuments();
  const exact = documents.find(one => keys.ofPath(one.uri.fsPath) === keys.ofPath(path));
  if (exact?.isDirty) return exact;
  const key = await keys.ofFile(path);
  // A document whose path can no longer be resolved is not a document of this file.
  const isSame = async (one: vscode.TextDocument): Promise<boolean> =>
    (await keys.ofFile(one.uri.fsPath).catch(() => undefined)) === key;
  const candidates = documents.filter(one => one.isDirty || exact === undefined);
  const matches = await Promise.all(candidates.map(isSame));
  const same = candidates.filter((one, index) => matches[index] && !one.isClosed);
  return same.find(one => one.isDirty) ?? exact ?? same[0];
}

/**
 * The document as it is open now. The editor may close a document without unsaved text at any time if no tab shows it,
 * even between two steps of one operation. An edit then opens it as another object.
 */
export async function reopenIfClosed(document: vscode.TextDocument): Promise<vscode.TextDocument> {
  return document.isClosed ? vscode.workspace.openTextDocument(document.uri) : document;
}

/** How long to wait for the editor to notice that a file changed on disk (ms). */
export const maxReloadWait = 5000;

/** How long to wait for the editor before forcing it to reload (ms). */
const forcedReloadDelay = 400;

/** How long to wait before forcing it again (ms): a busy editor may still answer with the old text. */
const forcedReloadInterval = 1000;

/** How often to check a document that reports no change (ms). */
const checkInterval = 100;

/**
 * Waits until the editor has read the disk, which `isCurrent` decides. Returns the document that has, or undefined at
 * the timeout. For files in a new folder VS Code may never get an event, so a reload is forced after a moment.
 */
export async function waitForReload(
  found: vscode.TextDocument,
  isCurrent: (document: vscode.TextDocument) => Promise<boolean>,
  timeout: number,
): Promise<vscode.TextDocument | undefined> {
  const startedAt = Date.now();
  let nextForcedReload = forcedReloadDelay;
  for (let document = found; ;) {
    document = await reopenIfClosed(document);
    if (await isCurrent(document)) return document;
    const waited = Date.now() - startedAt;
    if (waited >= timeout) return undefined;
    if (waited >= nextForcedReload) {
      nextForcedReload = waited + forcedReloadInterval;
      await forceReload(document);
    }
    const { onDidChangeTextDocument } = vscode.workspace;
    const wait = Math.min(timeout - waited, checkInterval);
    await waitForEvent(onDidChangeTextDocument, event => event.document === document, wait);
  }
}

/** Encodings that decode the same bytes to the same text. */
const equivalentEncodings: Readonly<Record<string, string>> = { utf8: "utf8bom", utf8bom: "utf8" };

/**
 * Makes the editor read a saved document from disk, by opening it with another encoding and then with its own. Skips
 * the active editor, where the user may be typing: a document with unsaved text would keep the other encoding.
 */
function forceReload({ uri }: vscode.TextDocument): Promise<void> {
  return withFileLock([uri], async () => {
    const document = openDocumentOf(uri.fsPath);
    if (!document || document.isDirty || vscode.window.activeTextEditor?.document === document) return;
    const { encoding } = document;
    const otherEncoding = equivalentEncodings[encoding];
    if (otherEncoding === undefined) return;
    try {
      await vscode.workspace.openTextDocument(uri, { encoding: otherEncoding });
    } finally {
      await vscode.workspace.openTextDocument(uri, { encoding });
    }
  });
}

/** The work in progress on each file. */
const fileLocks = new SequencerByKey<string>();

/**
 * Runs work on files while no other such work is running on them. While VS Code reloads a document it reports a
 * temporary encoding, so the document must not be edited and saved then. Do not nest calls, and do not call
 * {@link waitForReload} in the work.
 */
export function withFileLock<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const keys = uris.map(uri => uri.toString());
  return fileLocks.queueAll(keys, work);
}

/** Waits for an event that matches, for at most the timeout (ms). */
export function waitForEvent<T>(
  event: vscode.Event<T>,
  matches: (value: T) => boolean,
  timeout: number,
): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, timeout);
    const listener = event(value => {
      if (matches(value)) done();
    });
  });
}
