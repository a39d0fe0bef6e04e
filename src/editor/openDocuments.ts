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
export async function openedAgain(document: vscode.TextDocument): Promise<vscode.TextDocument> {
  return document.isClosed ? vscode.workspace.openTextDocument(document.uri) : document;
}

/** How long the editor may take to notice that a file changed on disk. Milliseconds. */
export const mostCatchUp = 5000;

/** How long the editor is waited for before it is helped to notice. Milliseconds. */
const patience = 400;

/**
 * Waits until the editor has read what is on disk, as `isCurrent` tells. Gives the document that has; undefined when time
 * is up. VS Code may never be told of files that come into a folder just made.
 */
export async function caughtUp(
  found: vscode.TextDocument,
  isCurrent: (document: vscode.TextDocument) => Promise<boolean>,
  within: number,
): Promise<vscode.TextDocument | undefined> {
  const began = Date.now();
  let isHelped = false;
  for (let document = found; ;) {
    document = await openedAgain(document);
    if (await isCurrent(document)) return document;
    const waited = Date.now() - began;
    if (waited >= within) return undefined;
    if (waited >= patience && !isHelped) {
      isHelped = true;
      await readAnew(document);
    }
    const { onDidChangeTextDocument } = vscode.workspace;
    await nextOf(onDidChangeTextDocument, event => event.document === document, Math.min(within - waited, 100));
  }
}

/** Encodings that read the same text of the same bytes. */
const twins: Readonly<Record<string, string>> = { utf8: "utf8bom", utf8bom: "utf8" };

/**
 * Has the editor read a saved document from disk: it does so for another encoding, and then for the one it had. Not where
 * the user may be typing: a document with unsaved text would keep the other encoding.
 */
function readAnew({ uri }: vscode.TextDocument): Promise<void> {
  return undisturbed([uri], async () => {
    const document = openDocumentOf(uri.fsPath);
    if (!document || document.isDirty || vscode.window.activeTextEditor?.document === document) return;
    const { encoding } = document;
    const twin = twins[encoding];
    if (twin === undefined) return;
    try {
      await vscode.workspace.openTextDocument(uri, { encoding: twin });
    } finally {
      await vscode.workspace.openTextDocument(uri, { encoding });
    }
  });
}

/** The work that is under way with a file. */
const working = new Map<string, Promise<unknown>>();

/**
 * Does work on files when no other such work is under way: a document that is read anew has another encoding meanwhile, and
 * must not be edited and saved then. Not to be nested, and not to wait for {@link caughtUp}.
 */
export async function undisturbed<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const keys = uris.map(uri => uri.toString());
  const earlier = keys.flatMap(key => working.get(key) ?? []);
  const done = Promise.allSettled(earlier).then(work);
  for (const key of keys) working.set(key, done);
  try {
    return await done;
  } finally {
    for (const key of keys) if (working.get(key) === done) working.delete(key);
  }
}

/** Waits for an event that fits, but no longer than so many milliseconds. */
export function nextOf<T>(event: vscode.Event<T>, fits: (told: T) => boolean, within: number): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, within);
    const listener = event(told => {
      if (fits(told)) done();
    });
  });
}
