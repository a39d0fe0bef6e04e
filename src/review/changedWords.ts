// Which words changed within a hunk, for lines that are alike: what an editor highlights.
import { compareLines, type ComparedLines } from "../base/wordDiff.ts";
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import { textLinesOf } from "./textLines.ts";

/** Characters of one line, counted from 0: `[from, to)`. */
export interface WordRange {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** Spans in the base's lines and in the text's lines. */
export interface ChangedWords {
  readonly base: readonly WordRange[];
  readonly text: readonly WordRange[];
}

/** Steps for one hunk, as in {@link ComparedLines}: a few milliseconds. */
const maxSteps = 20_000;

/** More lines on one side are not looked at by their words. */
const maxLines = 500;

/** A line is looked for among so many that could be its new self. */
const maxLookahead = 4;

/** How much of the longer line must stay for its words to be shown. */
const minLikeness = 0.4;

/** The words that changed in a hunk. Empty when that would take long. */
export function changedWords(changes: FileChanges, hunk: Hunk): ChangedWords {
  const none: ChangedWords = { base: [], text: [] };
  if (size(hunk.base) > maxLines || size(hunk.text) > maxLines) return none;
  const [olds, news] = [linesInRange(changes.base, hunk.base), linesInRange(changes.text, hunk.text)];
  const [base, text]: [WordRange[], WordRange[]] = [[], []];
  let [from, steps] = [0, 0];
  for (const [i, old] of olds.entries()) {
    // As many lines as before: each is its own new self. Else the best of the next few.
    const choice = olds.length === news.length ? [i] : news.slice(from, from + maxLookahead).map((_, at) => from + at);
    let best: { readonly at: number; readonly compared: ComparedLines } | undefined;
    for (const at of choice) {
      const compared = compareLines(old, news[at] ?? "");
      steps += compared.steps;
      if (steps > maxSteps) return none;
      if (compared.likeness > (best?.compared.likeness ?? 0)) best = { at, compared };
    }
    if (!best || best.compared.likeness < minLikeness) continue;
    from = best.at + 1;
    for (const [start, end] of best.compared.old) base.push({ line: hunk.base.from + i, from: start, to: end });
    for (const [start, end] of best.compared.new) text.push({ line: hunk.text.from + best.at, from: start, to: end });
  }
  return { base, text };
}

const size = ({ from, to }: LineRange): number => to - from;

/** Lines without their ends. */
function linesInRange(text: string | null, { from, to }: LineRange): readonly string[] {
  const lines = textLinesOf(text ?? "");
  return Array.from({ length: to - from }, (_, i) =>
    lines.slice({ from: from + i, to: from + i + 1 }).replace(/\n$/, ""),
  );
}
