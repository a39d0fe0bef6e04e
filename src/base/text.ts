// Helpers for texts: line feeds and quoting.

/** The character with which some files begin. It belongs to the encoding, not to the text. */
export const byteOrderMark = "\uFEFF";

/** The text without a byte-order mark at its beginning. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** The text with all line endings replaced by "\n". */
export function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The form in which texts are compared: without a byte-order mark, all line endings as "\n". */
export function normalizeText(text: string): string {
  return withLineFeeds(withoutByteOrderMark(text));
}

/** The normalized text of UTF-8 bytes. Undefined if they contain a NUL or are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // The decoder removes the byte-order mark.
    return withLineFeeds(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined; // Binary, or another encoding.
  }
}

/** Whether the text has the character that stands for bytes that could not be decoded. It can also be part of a text. */
export function hasReplacement(text: string): boolean {
  return text.includes("\uFFFD");
}

/** The path in quotation marks for use in a sentence, cut after 300 characters. */
export function quotePath(path: string): string {
  return path.length > 300 ? `“${path.slice(0, 300)}…”` : `“${path}”`;
}

/** A word in quotes, cut after 80 characters. */
export function shortQuote(text: string): string {
  const characters = Array.from(text.slice(0, 200));
  return characters.length > 80 ? `“${characters.slice(0, 79).join("")}…”` : `“${text}”`;
}
