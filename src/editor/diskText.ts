// The text of a file as it is now, in the editor or on disk, as the review compares it.
import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { normalizeText } from "../base/text.ts";
import { errorCodeOf } from "../base/errors.ts";

/** Larger files are not reviewed. */
const maxBytes = 8 * 1024 * 1024;

/**
 * The decoded file with "\n" line endings and without a byte-order mark; null when there is none, undefined when it is no
 * text or too large. Rejects when it cannot be read.
 */
export async function diskText(path: string): Promise<string | null | undefined> {
  try {
    const found = await statIfExists(path);
    if (!found) return null;
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const bytes = await readFile(path);
    if (bytes.subarray(0, 8192).includes(0) && !isUtf16(bytes)) return undefined;
    const text = await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
    return normalizeText(text);
  } catch (thrown) {
    if (errorCodeOf(thrown) === "ENOENT" || errorCodeOf(thrown) === "ENOTDIR") return null;
    throw thrown;
  }
}

const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** Whether there is a file. Rejects when that cannot be told. */
export async function isFile(path: string): Promise<boolean> {
  return (await statIfExists(path))?.isFile() === true;
}

/** Whether there is a folder. Rejects when that cannot be told. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statIfExists(path))?.isDirectory() === true;
}

/**
 * When the file was last changed, ms since the epoch; undefined when there is none. Not the time of its content, which
 * whoever writes may set.
 */
export async function changeTime(path: string): Promise<number | undefined> {
  return (await statIfExists(path))?.ctimeMs;
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (errorCodeOf(thrown) === "ENOENT" || errorCodeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
