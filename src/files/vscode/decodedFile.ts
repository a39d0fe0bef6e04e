// The texts of files as the editor decodes them. An agent gets no text in which the editor has replaced bytes that the
// encoding lacks.
import * as vscode from "vscode";
import { Refusal, unreachable } from "../../base/errors.ts";
import { hasReplacement, quotePath, withoutByteOrderMark } from "../../base/text.ts";
import { decodeBytes, diskBytes, isReplaced, readDisk } from "../../editor/diskText.ts";
import { utf16Refusal, type LineDecoder } from "../lineWindow.ts";
import { binaryRefusal, encodingRefusal, missingRefusal } from "../refusals.ts";

type OpenDocument = vscode.TextDocument | undefined;

/** The decoded file without a byte-order mark. Undefined if there is none. */
export async function decodedFile(path: string, document: OpenDocument): Promise<string | undefined> {
  return (await decoded(path, document))?.text;
}

/** Like {@link decodedFile}, but refuses a text in which bytes are replaced. */
export async function intactFile(path: string, document: OpenDocument): Promise<string | undefined> {
  const found = await decoded(path, document);
  if (found) await refuseReplaced(path, found, document);
  return found?.text;
}

/** The text of a document with unsaved changes. Refuses it if it still has characters that replace bytes on disk. */
export async function intactUnsaved(document: vscode.TextDocument): Promise<string> {
  const text = document.getText();
  const refusal = await replacedRefusal(document, text);
  if (refusal) throw refusal;
  return text;
}

/** The refusal of a text from a document, if characters in it may replace bytes on disk. */
export async function replacedRefusal(document: vscode.TextDocument, text: string): Promise<Refusal | undefined> {
  if (!hasReplacement(text) || document.uri.scheme !== "file") return undefined;
  const { uri, encoding } = document;
  const disk = await readDisk(uri.fsPath, encoding);
  const isIntact = disk.kind !== "text" || !(await isReplaced(disk.text, disk.bytes, encoding));
  return isIntact ? undefined : encodingRefusal(uri.fsPath, encoding);
}

/** Decodes lines of a file that is read in parts. Refuses UTF-16, in which the lines cannot be found. */
export async function lineDecoder(path: string, document: OpenDocument): Promise<LineDecoder> {
  const encoded = document
    ? await vscode.workspace.encode("a", { encoding: document.encoding })
    : await vscode.workspace.encode("a", { uri: vscode.Uri.file(path) });
  const isUtf16 = encoded.includes(0);
  return async (bytes, hasMark) => {
    const encoding = document?.encoding ?? (hasMark ? "utf8" : undefined);
    if (isUtf16 && encoding !== "utf8") throw utf16Refusal();
    const lines = { bytes, text: withoutByteOrderMark(await decodeBytes(bytes, path, encoding)) };
    await refuseReplaced(path, lines, encoding === undefined ? undefined : { encoding });
    return lines.text;
  };
}

/** Refuses a write that would lose text: bytes that were not decoded, or characters that the encoding lacks. */
export async function refuseLoss(document: vscode.TextDocument, wanted: string): Promise<void> {
  const { encoding } = document;
  const path = document.uri.fsPath;
  if (!document.isDirty && hasReplacement(document.getText())) {
    const bytes = await diskBytes(path);
    if (!bytes) throw missingRefusal(path);
    if (await isReplaced(document.getText(), bytes, encoding)) throw encodingRefusal(path, encoding);
  }
  if (encoding.startsWith("utf")) return;
  const bytes = await vscode.workspace.encode(wanted, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) === wanted) return;
  throw new Refusal(
    "invalid",
    `${quotePath(path)} is encoded in ${encoding}, which lacks characters of the new text.`,
    { path },
  );
}

interface Decoded {
  readonly text: string;
  readonly bytes: Uint8Array;
}

async function decoded(path: string, document: OpenDocument): Promise<Decoded | undefined> {
  const content = await readDisk(path, document?.encoding);
  switch (content.kind) {
    case "text":
      return content;
    case "missing":
      return undefined;
    case "undecodable":
      throw content.bytes.includes(0) ? binaryRefusal(path) : content.error;
    default:
      throw unreachable(content);
  }
}

async function refuseReplaced(
  path: string,
  { text, bytes }: Decoded,
  document: { readonly encoding: string } | undefined,
): Promise<void> {
  // Bytes without a replacement are compared as UTF-8 first, because finding out the encoding can open the file.
  if (!(await isReplaced(text, bytes, "utf8"))) return;
  const encoding = document?.encoding ?? (await encodingOf(path));
  if (!(await isReplaced(text, bytes, encoding))) return;
  // Compressed data can have no NUL where the editor searches for it.
  throw bytes.includes(0) && !encoding.startsWith("utf16") ? binaryRefusal(path) : encodingRefusal(path, encoding);
}

/** The encoding that the editor uses for a closed file. Only a document has its name. */
async function encodingOf(path: string): Promise<string> {
  const uri = vscode.Uri.file(path);
  try {
    return (await vscode.workspace.openTextDocument(uri)).encoding;
  } catch {
    // Too large for the editor. The settings of its language are then unknown.
    return vscode.workspace.getConfiguration("files", uri).get("encoding", "utf8");
  }
}
