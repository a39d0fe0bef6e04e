// Computes which words of a line changed, within limits.
import { diffArrays } from "diff";

/** Longer lines are not compared by words. */
const maxLineLength = 2000;
const maxEdits = 120;

// A flag emoji, a word, white space, or one character with its combining marks. Characters are never split.
const wordPattern =
  /\p{RI}\p{RI}|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*|[^\S\p{M}]+(?![\p{M}\u200d])|[^][\p{M}\p{Emoji_Modifier}\u200c\u200d]*(?:(?<=\u200d)[^][\p{M}\p{Emoji_Modifier}\u200c\u200d]*)*/gu;

/** Ranges of columns of a line, in UTF-16 units. In order and not adjacent. */
export type Columns = readonly (readonly [from: number, to: number])[];

/** Two lines compared by words: the removed columns of the old line, and the added columns of the new one. */
export interface ComparedLines {
  readonly old: Columns;
  readonly new: Columns;
  /** From 0 (nothing in common) to 1 (equal). White space does not count. */
  readonly likeness: number;
  /** The cost of the comparison, in words. */
  readonly steps: number;
}

/** Compares two lines by their words. */
export function compareLines(oldLine: string, newLine: string): ComparedLines {
  const nothing = { likeness: 0, old: [], new: [] };
  if (oldLine.length > maxLineLength || newLine.length > maxLineLength) return { ...nothing, steps: 1 };
  const a = oldLine.match(wordPattern) ?? [];
  const b = newLine.match(wordPattern) ?? [];
  const steps = 20 + a.length + b.length;
  const parts = diffArrays(a, b, { maxEditLength: maxEdits }) as
    | readonly { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }[]
    | undefined;
  if (!parts) return { ...nothing, steps: steps + maxEdits ** 2 / 4 };
  const old: [number, number][] = [];
  const others: [number, number][] = [];
  let [atOld, atNew, kept, edits] = [0, 0, 0, 0];
  for (const { value, added, removed } of parts) {
    const text = value.join("");
    if (added || removed) edits += value.length;
    else kept += nonSpaceLength(text);
    if (removed) addRange(old, atOld, text.length);
    if (added) addRange(others, atNew, text.length);
    if (!added) atOld += text.length;
    if (!removed) atNew += text.length;
  }
  const longer = Math.max(nonSpaceLength(oldLine), nonSpaceLength(newLine));
  const likeness = longer === 0 ? 1 : kept / longer;
  return { likeness, old, new: others, steps: steps + Math.ceil(edits ** 2 / 4) };
}

const nonSpaceLength = (text: string): number => text.replace(/\s+/g, "").length;

function addRange(marks: [number, number][], from: number, length: number): void {
  const last = marks.at(-1);
  if (last?.[1] === from) last[1] = from + length;
  else marks.push([from, from + length]);
}
