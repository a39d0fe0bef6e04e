// Tells what a user types apart from what a formatter does while a document is saved. VS Code reports no authors. Pure.
import { withLineFeeds } from "../base/text.ts";

/** An edit of a document: the text that was inserted, and the number of characters that it replaced. */
export interface TypedEdit {
  readonly text: string;
  readonly rangeLength: number;
}

/** A keystroke inserts at most this many characters: a closing bracket may come with it. */
const maxKeystroke = 2;

/**
 * Whether a user typed these edits, rather than a formatter made them while the document was being saved. A formatter
 * moves, replaces and removes text, and inserts spaces and punctuation. A user inserts letters, or one character at
 * each cursor.
 */
export function looksTyped(edits: readonly TypedEdit[]): boolean {
  const [first] = edits;
  if (!first || edits.some(({ rangeLength }) => rangeLength > 0)) return false;
  // Fast typing arrives as several edits, one for each letter.
  if (edits.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) return true;
  const isKeystroke = first.text !== "" && first.text.length <= maxKeystroke && !first.text.includes("\n");
  return isKeystroke && edits.every(({ text }) => text === first.text);
}

/** Whether a formatter can have made `after` of `before`: it may change, move and remove words, but it adds none. */
export function isFormatted(before: string, after: string): boolean {
  const counts = new Map<string, number>();
  const words = (text: string): readonly string[] =>
    withLineFeeds(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  for (const word of words(before)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words(after).every(word => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  });
}
