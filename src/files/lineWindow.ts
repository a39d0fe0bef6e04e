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

/**
 * The lines of a window of a UTF-8 file. Stops reading after the window. Refuses binary data, other Unicode encodings,
 * and windows of more than `maxBytes`.
 */
export async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  window: LineWindow,
  maxBytes: number,
): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  let toSkip = window.line - 1;
  let toTake = window.limit;
  let first = true;
  for await (const chunk of chunks) {
    if (first) checkIsUtf8Text(chunk);
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
  return new TextDecoder().decode(Buffer.concat(kept, size));
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

function checkIsUtf8Text(start: Uint8Array): void {
  const [a, b] = start;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw new Refusal("invalid", "The file is large and encoded in UTF-16. Only UTF-8 files can be read in parts.");
  }
  if (start.subarray(0, 8192).includes(0)) throw new Refusal("invalid", "The file is binary, not text.");
}
