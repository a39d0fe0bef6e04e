// Reads and decodes files on disk, as the editor would. Everything else on the editor's side reads texts through here.
import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { hasReplacement, withLineFeeds, withoutByteOrderMark } from "../base/text.ts";
import { asError, isNotFoundError } from "../base/errors.ts";
import { openEncoding, shownText } from "./shownText.ts";

/** Larger files are not reviewed. */
const maxBytes = 8 * 1024 * 1024;

/** How many bytes are searched for a NUL, which marks a file as binary. */
const maxSearchedBytes = 8192;

/** The content of a file on disk. Texts have no byte-order mark and keep their line endings. */
export type DiskContent =
  | { readonly kind: "text"; readonly text: string; readonly bytes: Uint8Array }
  /** The editor could not decode the bytes, for example because they are binary. */
  | { readonly kind: "undecodable"; readonly bytes: Uint8Array; readonly error: Error }
  | { readonly kind: "missing" };

/**
 * Reads a file of any size. Without an encoding, it is that of the open document, or the editor chooses it from the
 * settings and the bytes. Rejects if the file cannot be read.
 */
export async function readDisk(path: string, encoding?: string): Promise<DiskContent> {
  const bytes = await diskBytes(path);
  if (!bytes) return { kind: "missing" };
  try {
    return { kind: "text", text: withoutByteOrderMark(await decodeBytes(bytes, path, encoding)), bytes };
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
  return bytes ? textOfBytes(bytes, path) : null;
}

/** A program that writes a file empties it first. A file is empty on purpose if it stays so for this long (ms). */
const maxEmptyTime = 300;
const emptyCheckInterval = 20;
/** A file that was emptied this long ago is empty on purpose, however busy the machine is (ms). */
const certainEmptyTime = 30_000;
/** How often a file is read after it was empty for long enough, because the program that writes it can be delayed. */
const confirmingReads = 3;

/** Like {@link diskText}, but waits while the file is empty because a program is writing it. */
export async function settledDiskText(path: string): Promise<string | null | undefined> {
  for (let confirmed = 0; ;) {
    const text = await diskText(path);
    if (text !== "") return text;
    const time = await changeTime(path);
    // The clock of the file system may differ.
    const emptyTime = time === undefined ? Infinity : Math.abs(Date.now() - time);
    if (emptyTime > certainEmptyTime || (emptyTime > maxEmptyTime && confirmed++ === confirmingReads)) return text;
    await new Promise(resolve => setTimeout(resolve, emptyCheckInterval));
  }
}

/**
 * The text that the editor would show of bytes at a path, normalized, or their text in the given encoding. Undefined if
 * they are binary or too large. Rejects if they cannot be decoded.
 */
export async function textOfBytes(bytes: Uint8Array, path: string, encoding?: string): Promise<string | undefined> {
  const text = await rawTextOfBytes(bytes, path, encoding);
  return text === undefined ? undefined : withLineFeeds(text);
}

/** Like {@link textOfBytes}, with the line endings of the bytes. */
export async function rawTextOfBytes(bytes: Uint8Array, path: string, encoding?: string): Promise<string | undefined> {
  if (bytes.length > maxBytes || isBinary(bytes)) return undefined;
  return withoutByteOrderMark(await decodeBytes(bytes, path, encoding));
}

/**
 * The bytes of a text in the encoding of other bytes, with their byte-order mark. `raw` is the text of those bytes.
 * Undefined if the encoding is not certain or cannot represent the text.
 */
export async function encodeLike(
  bytes: Uint8Array,
  raw: string,
  text: string,
  path: string,
): Promise<Uint8Array | undefined> {
  const mark = markOf(bytes);
  const encodings: ((wanted: string) => Uint8Array | Thenable<Uint8Array>)[] = [
    wanted => Buffer.concat([mark, mark.length === 2 ? utf16(wanted, mark[0] === 0xfe) : Buffer.from(wanted)]),
    wanted => vscode.workspace.encode(wanted, { uri: vscode.Uri.file(path) }),
  ];
  // Without a character that differs between encodings, the bytes don't tell which one it is. The settings do.
  if (mark.length === 0 && isAscii(raw) && !isAscii(text)) encodings.reverse();
  const encoding = openEncoding(path);
  if (encoding !== undefined) encodings.unshift(wanted => vscode.workspace.encode(wanted, { encoding }));
  for (const encode of encodings) {
    if (Buffer.compare(await encode(raw), bytes) !== 0) continue;
    const encoded = await encode(text);
    if ((await rawTextOfBytes(encoded, path).catch(() => undefined)) === text) return encoded;
  }
  return undefined;
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** The byte-order mark of UTF-8 or UTF-16 at the beginning of the bytes. */
function markOf(bytes: Uint8Array): Uint8Array {
  const isUtf8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.subarray(0, isUtf8 ? 3 : isUtf16(bytes) ? 2 : 0);
}

const utf16 = (text: string, isBigEndian: boolean): Buffer =>
  isBigEndian ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, "utf16le");

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, maxSearchedBytes).includes(0) && !isUtf16(bytes);

/** The bytes of a file. Undefined if there is none. Rejects if it cannot be read. */
export async function diskBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/** The text of bytes. Without an encoding, as the editor shows it or would show it. */
export function decodeBytes(bytes: Uint8Array, path: string, encoding?: string): Thenable<string> {
  return encoding === undefined ? shownText(bytes, path) : vscode.workspace.decode(bytes, { encoding });
}

/** Whether replacement characters of a decoded text stand for bytes that the encoding lacks. */
export async function isReplaced(text: string, bytes: Uint8Array, encoding: string): Promise<boolean> {
  if (!hasReplacement(text)) return false;
  const encoded = await vscode.workspace.encode(text, { encoding });
  return Buffer.compare(withoutMark(encoded), withoutMark(bytes)) !== 0;
}

const withoutMark = (bytes: Uint8Array): Uint8Array => bytes.subarray(markOf(bytes).length);

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

/**
 * The last change time of the deepest folder above a path that exists. The deletion of a file changes its folder, and
 * the deletion of a folder changes the one above it, so the deletion was not later.
 */
export async function folderChangeTime(path: string): Promise<number | undefined> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const time = await changeTime(folder);
    if (time !== undefined || folder === dirname(folder)) return time;
  }
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}
