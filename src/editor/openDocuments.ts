// Documents as the editor holds them, which may be of an older time than the disk.
import * as vscode from "vscode";
import { withLineFeeds } from "../base/text.ts";

/** The open document of a file, also one that no tab shows. */
export function openDocumentOf(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    one => one.uri.scheme === "file" && one.uri.fsPath === path && !one.isClosed,
  );
}

/** The text of an open document; undefined when the file is not open. */
export function openTextOf(path: string): { readonly text: string; readonly dirty: boolean } | undefined {
  const open = openDocumentOf(path);
  return open && { text: withLineFeeds(open.getText()), dirty: open.isDirty };
}

/**
 * The document as it is open now. One that no tab shows is closed whenever the editor likes, also between our steps, and
 * an edit opens it anew, as another object. An unsaved one stays open.
 */
export async function reopenIfClosed(document: vscode.TextDocument): Promise<vscode.TextDocument> {
  return document.isClosed ? vscode.workspace.openTextDocument(document.uri) : document;
}

/** How long the editor may take to notice that a file changed on disk. Milliseconds. */
export const maxReloadWait = 5000;

/** How long the editor is waited for before it is helped to notice. Milliseconds. */
const forcedReloadDelay = 400;

/**
 * Waits until the editor has read what is on disk, as `isCurrent` tells. Gives the document that has; undefined when time
 * is up. VS Code may never be told of files that come into a folder just made.
 */
export async function waitForReload(
  found: vscode.TextDocument,
  isCurrent: (document: vscode.TextDocument) => Promise<boolean>,
  timeout: number,
): Promise<vscode.TextDocument | undefined> {
  const startedAt = Date.now();
  let isReloadForced = false;
  for (let document = found; ;) {
    document = await reopenIfClosed(document);
    if (await isCurrent(document)) return document;
    const waited = Date.now() - startedAt;
    if (waited >= timeout) return undefined;
    if (waited >= forcedReloadDelay && !isReloadForced) {
      isReloadForced = true;
      await forceReload(document);
    }
    const { onDidChangeTextDocument } = vscode.workspace;
    await waitForEvent(onDidChangeTextDocument, event => event.document === document, Math.min(timeout - waited, 100));
  }
}

/** Encodings that read the same text of the same bytes. */
const equivalentEncodings: Readonly<Record<string, string>> = { utf8: "utf8bom", utf8bom: "utf8" };

/**
 * Has the editor read a saved document from disk: it does so for another encoding, and then for the one it had. Not where
 * the user may be typing: a document with unsaved text would keep the other encoding.
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

/** The work that is under way with a file. */
const fileLocks = new Map<string, Promise<unknown>>();

/**
 * Does work on files when no other such work is under way: a document that is read anew has another encoding meanwhile, and
 * must not be edited and saved then. Not to be nested, and not to wait for {@link waitForReload}.
 */
export async function withFileLock<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const keys = uris.map(uri => uri.toString());
  const pending = keys.flatMap(key => fileLocks.get(key) ?? []);
  const done = Promise.allSettled(pending).then(work);
  for (const key of keys) fileLocks.set(key, done);
  try {
    return await done;
  } finally {
    for (const key of keys) if (fileLocks.get(key) === done) fileLocks.delete(key);
  }
}

/** Waits for an event that fits, but no longer than so many milliseconds. */
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
