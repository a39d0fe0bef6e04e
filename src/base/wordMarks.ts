// Pairs removed lines with the lines that replace them, and finds the words that changed between the two.
import { compareLines, type ComparedLines } from "./wordDiff.ts";

/** How many added lines are candidates for the replacement of a removed line. */
const maxCandidates = 4;

/** The part of the longer line that must stay for its words to be marked, by characters other than white space. */
const minLikeness = 0.4;

/** A removed line and the added line that replaces it, by index, with the columns of the words that changed. */
export interface WordMarks extends Pick<ComparedLines, "old" | "new"> {
  readonly oldIndex: number;
  readonly newIndex: number;
}

/** The result for one removed line. */
export interface WordMarksStep {
  /** The cost, as in {@link ComparedLines}. */
  readonly steps: number;
  /** Undefined if no added line is similar enough. */
  readonly marks?: WordMarks;
}

/**
 * Compares the removed lines, one after the other, with the added lines that may replace them. Undefined stands for a
 * line that cannot be compared. The caller stops when the steps add up to its limit.
 */
export function* wordMarks(
  olds: readonly (string | undefined)[],
  news: readonly (string | undefined)[],
): Generator<WordMarksStep, void> {
  let from = 0;
  for (let i = 0; i < olds.length && from < news.length; i++) {
    // With as many lines as before, each line replaces the one at its index. Else the best of the next few does.
    const [start, end] = olds.length === news.length ? [i, i + 1] : [from, from + maxCandidates];
    const { best, steps } = bestMatch(olds[i], news, start, end);
    if (!best || best.likeness < minLikeness) {
      yield { steps };
      continue;
    }
    from = best.index + 1;
    yield { steps, marks: { oldIndex: i, newIndex: best.index, old: best.old, new: best.new } };
  }
}

function bestMatch(
  old: string | undefined,
  news: readonly (string | undefined)[],
  start: number,
  end: number,
): { readonly best?: ComparedLines & { readonly index: number }; readonly steps: number } {
  let best: (ComparedLines & { readonly index: number }) | undefined;
  let steps = 0;
  for (let index = start; index < Math.min(end, news.length); index++) {
    const candidate = news[index];
    if (old === undefined || candidate === undefined) continue;
    const compared = compareLines(old, candidate);
    steps += compared.steps;
    if (compared.likeness > (best?.likeness ?? 0)) best = { ...compared, index };
  }
  return best ? { best, steps } : { steps };
}
