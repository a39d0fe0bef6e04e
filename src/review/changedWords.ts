// Which words changed within a hunk, for lines that are alike: what an editor highlights.
import { wordMarks } from "../base/wordMarks.ts";
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import { textLinesOf } from "./textLines.ts";

/** Characters of one line, 0-based: `[from, to)`. */
export interface WordRange {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** Ranges in the lines of the base and of the text. */
export interface ChangedWords {
  readonly base: readonly WordRange[];
  readonly text: readonly WordRange[];
}

/** The steps for one hunk, as in {@link ComparedLines}: a few milliseconds. */
const maxSteps = 20_000;

/** Hunks with more lines on one side are not compared word by word. */
const maxLines = 500;

/** The words that changed in a hunk. Empty if finding them would take long. */
export function changedWords(changes: FileChanges, hunk: Hunk): ChangedWords {
  const none: ChangedWords = { base: [], text: [] };
  if (size(hunk.base) > maxLines || size(hunk.text) > maxLines) return none;
  const [olds, news] = [linesInRange(changes.base, hunk.base), linesInRange(changes.text, hunk.text)];
  const [base, text]: [WordRange[], WordRange[]] = [[], []];
  let stepsLeft = maxSteps;
  for (const { steps, marks } of wordMarks(olds, news)) {
    stepsLeft -= steps;
    if (stepsLeft < 0) return none;
    if (!marks) continue;
    for (const [from, to] of marks.old) base.push({ line: hunk.base.from + marks.oldIndex, from, to });
    for (const [from, to] of marks.new) text.push({ line: hunk.text.from + marks.newIndex, from, to });
  }
  return { base, text };
}

const size = ({ from, to }: LineRange): number => to - from;

/** Lines without their line endings. */
function linesInRange(text: string | null, { from, to }: LineRange): readonly string[] {
  const lines = textLinesOf(text ?? "");
  return Array.from({ length: to - from }, (_, i) =>
    lines.slice({ from: from + i, to: from + i + 1 }).replace(/\n$/, ""),
  );
}
