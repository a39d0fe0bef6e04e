// Marks the words that changed within the lines of a diff's hunks.
import type { Work } from "../../base/lineDiff.ts";
import { wordMarks } from "../../base/wordMarks.ts";
import type { ColumnRanges, DiffHunk, DiffLine } from "../protocol.ts";

/** Steps for one diff: words looked at. */
const maxSteps = 300_000;

/** The hunks with the words marked that changed within lines. */
export function* withWordMarks(hunks: readonly DiffHunk[]): Work<readonly DiffHunk[]> {
  const out: DiffHunk[] = [];
  let stepsLeft = maxSteps;
  for (const hunk of hunks) {
    const lines: DiffLine[] = [...hunk.lines];
    const mark = (at: number | undefined, marks: ColumnRanges): void => {
      if (at !== undefined && marks.length > 0) lines[at] = { ...(lines[at] as DiffLine), marks };
    };
    for (const [dels, adds] of changeRuns(lines)) {
      if (stepsLeft <= 0) break;
      const textOf = (at: number): string | undefined => comparableText(lines[at] as DiffLine);
      for (const { steps, marks } of wordMarks(dels.map(textOf), adds.map(textOf))) {
        stepsLeft -= steps;
        yield steps;
        if (marks) {
          mark(dels[marks.oldIndex], marks.old);
          mark(adds[marks.newIndex], marks.new);
        }
        if (stepsLeft <= 0) break;
      }
    }
    out.push({ ...hunk, lines });
  }
  return out;
}

/** Lines that were cut cannot be compared. */
const comparableText = ({ text, cut }: DiffLine): string | undefined => (cut === undefined ? text : undefined);

/** Removed lines with the added lines that follow them directly, by index. */
function* changeRuns(
  lines: readonly DiffLine[],
): Generator<readonly [dels: readonly number[], adds: readonly number[]]> {
  let dels: number[] = [];
  let adds: number[] = [];
  for (const [i, { op }] of lines.entries()) {
    if (op === "add") {
      if (dels.length > 0) adds.push(i);
      continue;
    }
    if (adds.length > 0 || op === "same") {
      if (adds.length > 0) yield [dels, adds];
      [dels, adds] = [[], []];
    }
    if (op === "del") dels.push(i);
  }
  if (adds.length > 0) yield [dels, adds];
}
