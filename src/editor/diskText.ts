// Reads and decodes files on disk, as the editor would. Everything else on the editor's side reads texts through here.
import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { normalizeText, withoutByteOrderMark } from "../base/text.ts";
import { asError, isNotFoundError } from "../base/errors.ts";

/** Larger files are not reviewed. */
const maxBytes = 8 * 1024 * 1024;

/** How many bytes are searched for a NUL, which marks a file as binary. */
const maxSearchedBytes = 8192;

/** The content of a file on disk. Texts have no byte-order mark and keep their line endings. */
export type DiskContent =
  | { readonly kind: "text"; readonly text: string }
  /** The editor could not decode the bytes, for example because they are binary. */
  | { readonly kind: "undecodable"; readonly bytes: Uint8Array; readonly error: Error }
  | { readonly kind: "missing" };

/**
 * Reads a file of any size. Without an encoding, the editor chooses it from the settings and the bytes. Rejects if the
 * file cannot be read.
 */
export async function readDisk(path: string, encoding?: string): Promise<DiskContent> {
  const bytes = await diskBytes(path);
  if (!bytes) return { kind: "missing" };
  try {
    return { kind: "text", text: withoutByteOrderMark(await decode(bytes, path, encoding)) };
  } catch (thrown) {
    return { kind: "undecodable", bytes, error: asError(thrown) };
  }
}

/**
 * The text of a file for the review, normalized. Null if there is no file, undefined if it is binary, too large or not
 * a file. Rejects if it cannot be read.
 */
export async function diskText(path: string): Promise<string | null | undefined> {
  const found = await statIfExists(path);
  if (!found) return null;
  if (!found.isFile() || found.size > maxBytes) return undefined;
  const bytes = await diskBytes(path);
  if (!bytes) return null;
  if (bytes.subarray(0, maxSearchedBytes).includes(0) && !isUtf16(bytes)) return undefined;
  return normalizeText(await decode(bytes, path));
}

/** The bytes of a file. Undefined if there is none. Rejects if it cannot be read. */
export async function diskBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

const decode = (bytes: Uint8Array, path: string, encoding?: string): Thenable<string> =>
  encoding === undefined
    ? vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) })
    : vscode.workspace.decode(bytes, { encoding });

const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** Whether there is a file. Rejects if this cannot be determined. */
export async function isFile(path: string): Promise<boolean> {
  return (await statIfExists(path))?.isFile() === true;
}

/** Whether there is a folder. Rejects if this cannot be determined. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statIfExists(path))?.isDirectory() === true;
}

/**
 * When the file was last changed, in ms since the epoch. Undefined if there is none. This is the change time (ctime),
 * because any program can set the modification time of the content.
 */
export async function changeTime(path: string): Promise<number | undefined> {
  return (await statIfExists(path))?.ctimeMs;
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}
