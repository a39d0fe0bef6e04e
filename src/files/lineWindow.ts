// Cuts lines out of a text or a byte stream. A line includes the "\n" that ends it, so that consecutive windows add up
// to the whole text.
import { Refusal } from "../base/errors.ts";
import type { LineWindow } from "./ports.ts";

/**
 * The lines of a window. Empty beyond the end and for a limit of 0.
 * @example sliceLines("a\nb\nc", { line: 2, limit: 1 }) // "b\n"
 */
export function sliceLines(text: string, window: LineWindow): string {
  if (window.limit <= 0) return "";
  const start = skipLines(text, 0, window.line - 1);
  return text.slice(start, skipLines(text, start, window.limit));
}

function skipLines(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) {
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

const newline = 0x0a;

/** The text of the bytes of whole lines. `hasMark`: the file begins with the byte-order mark of UTF-8. */
export type LineDecoder = (lines: Uint8Array, hasMark: boolean) => Promise<string> | string;

/**
 * The lines of a window of a file. Stops reading after the window. Refuses binary data, UTF-16, and windows of more than
 * `maxBytes`. In all other encodings of the editor, the byte of a newline is part of no other character.
 */
export async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  window: LineWindow,
  maxBytes: number,
  decode: LineDecoder = decodeUtf8Lines,
): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  let toSkip = window.line - 1;
  let toTake = window.limit;
  let hasMark = false;
  let first = true;
  for await (const chunk of chunks) {
    if (first) {
      checkHasLines(chunk);
      hasMark = utf8Mark.every((byte, at) => chunk[at] === byte);
    }
    first = false;
    let from = 0;
    while (toSkip > 0 && from < chunk.length) {
      const end = chunk.indexOf(newline, from);
      from = end < 0 ? chunk.length : end + 1;
      if (end >= 0) toSkip--;
    }
    let to = from;
    while (toSkip <= 0 && toTake > 0 && to < chunk.length) {
      const end = chunk.indexOf(newline, to);
      to = end < 0 ? chunk.length : end + 1;
      if (end >= 0) toTake--;
    }
    size += to - from;
    if (size > maxBytes) throw tooLargeRefusal(maxBytes);
    if (to > from) kept.push(chunk.slice(from, to));
    if (toTake <= 0) break;
  }
  const text = await decode(Buffer.concat(kept, size), hasMark);
  if (Buffer.byteLength(text) > maxBytes) throw tooLargeRefusal(maxBytes);
  return text;
}

function decodeUtf8Lines(lines: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(lines);
  } catch {
    throw new Refusal("failed", "The lines are not valid utf8.");
  }
}

/** The Refusal for a file in UTF-16 of which only lines are to be read. */
export function utf16Refusal(): Refusal {
  return new Refusal("invalid", "The file is large and encoded in UTF-16, which cannot be read in parts.");
}

/** The Refusal for a window above the limit. */
export function tooLargeRefusal(maxBytes: number): Refusal {
  return new Refusal(
    "invalid",
    `The text is larger than ${sizeInMebibytes(maxBytes)}, the limit for one request. Request fewer lines with “line” and “limit”.`,
  );
}

/** A size for use in a sentence. */
export function sizeInMebibytes(bytes: number): string {
  const size = bytes / (1024 * 1024);
  return `${size >= 10 || Number.isInteger(size) ? Math.round(size) : size.toFixed(1)} MiB`;
}

const utf8Mark = [0xef, 0xbb, 0xbf];

/** How many bytes show whether a file is UTF-16. The editor examines as many. */
const utf16Sample = 512;

function checkHasLines(start: Uint8Array): void {
  if (isUtf16(start)) throw utf16Refusal();
  if (start.subarray(0, 8192).includes(0)) throw new Refusal("invalid", "The file is binary, not text.");
}

/** Whether there is a mark of UTF-16, or every other byte is a NUL, as in texts of Latin characters. */
function isUtf16(start: Uint8Array): boolean {
  const [a, b] = start;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  const sample = start.subarray(0, utf16Sample);
  const hasNulsAt = (parity: number): boolean => sample.every((byte, at) => (byte === 0) === (at % 2 === parity));
  return sample.length > 1 && (hasNulsAt(1) || hasNulsAt(0));
}
