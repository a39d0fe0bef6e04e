// The text of bytes as the editor shows them: a document that is open keeps the encoding that the user chose for it with
// “Reopen with Encoding”, although the settings name another one.
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import { withLineFeeds, withoutByteOrderMark } from "../base/text.ts";

/** The encodings of documents that differ from the ones that the editor would choose. */
const chosen = new WeakMap<vscode.TextDocument, string>();

/** The encoding of the open document with this path. Undefined if the file is not open. */
export function openEncoding(path: string): string | undefined {
  return openDocument(path)?.encoding;
}

/**
 * The text of the bytes of a file in the encoding of its open document. If the file is not open, the editor chooses the
 * encoding from the settings for the path and the bytes. Rejects if the bytes cannot be decoded.
 */
export async function shownText(bytes: Uint8Array, path: string): Promise<string> {
  const usual = await usualText(bytes, path);
  const open = openDocument(path);
  const loaded = open && withLineFeeds(open.getText());
  const isLoaded = (text: string): boolean => withLineFeeds(withoutByteOrderMark(text)) === loaded;
  // VS Code has loaded a text with a mark again, and goes by the mark.
  if (open && typeof usual === "string" && hasMark(bytes) && isLoaded(usual)) chosen.delete(open);
  if (open && !(typeof usual === "string" && isLoaded(usual))) {
    const { encoding } = open;
    const text = await Promise.resolve(vscode.workspace.decode(bytes, { encoding })).catch(asError);
    // The document has an older text. With a byte-order mark, it may have another encoding when it is loaded again.
    const isCertain = chosen.get(open) === encoding || (!hasMark(bytes) && !/^utf(?:16|8bom)/.test(encoding));
    if (typeof text === "string" && isLoaded(text)) chosen.set(open, encoding);
    if (typeof text === "string" && (isCertain || isLoaded(text))) return text;
  }
  if (typeof usual === "string") return usual;
  throw usual;
}

/** The text, or why the bytes have none. */
async function usualText(bytes: Uint8Array, path: string): Promise<string | Error> {
  try {
    return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
  } catch (thrown) {
    return asError(thrown);
  }
}

function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => uri.scheme === "file" && uri.fsPath === path && !isClosed,
  );
}

const hasMark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) ||
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff);
