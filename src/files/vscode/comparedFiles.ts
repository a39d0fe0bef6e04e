// The two sides of a file with unsaved changes: its open document and what the disk has.
import type * as vscode from "vscode";
import { normalizeText } from "../../base/text.ts";
import { isFile, readDisk, type DiskContent } from "../../editor/diskText.ts";
import { findOpenDocument } from "../../editor/openDocuments.ts";
import type { Confinement } from "../paths.ts";
import { hashBytes, hashText, missingFileHash, type ContentHash } from "../unsavedConflicts.ts";

/** The open document of a file, also through symbolic links. If it is open under several names, the unsaved one. */
export function documentOfFile(path: string, confinement: Confinement): Promise<vscode.TextDocument | undefined> {
  return findOpenDocument(path, {
    ofPath: name => name,
    ofFile: async name => (await confinement.locate(name)).key,
  });
}

/** The hash of a file on disk, which can be compared with that of a document in this encoding. */
export async function hashOnDisk(path: string, encoding: string): Promise<ContentHash> {
  const content = await contentOnDisk(path, encoding);
  if (content.kind === "missing") return missingFileHash;
  // The file may be binary now.
  return content.kind === "text" ? hashText(content.text) : hashBytes(content.bytes);
}

/** The normalized text that the disk has of a document. Undefined if there is no file, or if it is no longer text. */
export async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  const content = await contentOnDisk(document.uri.fsPath, document.encoding);
  return content.kind === "text" ? normalizeText(content.text) : undefined;
}

async function contentOnDisk(path: string, encoding: string): Promise<DiskContent> {
  return (await isFile(path)) ? readDisk(path, encoding) : { kind: "missing" };
}
