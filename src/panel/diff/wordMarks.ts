// Which words of a changed line changed: for lines that are alike, within bounds.
import type { Work } from "../../base/lineDiff.ts";
import { compareLines, type ComparedLines } from "../../base/wordDiff.ts";
import type { DiffHunk, DiffLine } from "../protocol.ts";

/** Steps for one diff: words looked at. */
const maxSteps = 300_000;
/** A line is looked for among so many that could be its new self. */
const maxCandidates = 4;
/** How much of the longer line must stay for its words to be marked, by characters that are no white space. */
const minLikeness = 0.4;

/** The hunks with the words marked that changed within lines. */
export function* withWordMarks(hunks: readonly DiffHunk[]): Work<readonly DiffHunk[]> {
  const out: DiffHunk[] = [];
  let stepsLeft = maxSteps;
  for (const hunk of hunks) {
    const lines: DiffLine[] = [...hunk.lines];
    for (const [dels, adds] of changeRuns(lines)) {
      let from = 0;
      for (let i = 0; i < dels.length && from < adds.length && stepsLeft > 0; i++) {
        const at = dels[i] as number;
        // As many lines as before: each is its own new self. Else the best of the next few.
        const candidates = dels.length === adds.length ? adds.slice(i, i + 1) : adds.slice(from, from + maxCandidates);
        const best = bestMatch(lines, at, candidates);
        stepsLeft -= best.steps;
        yield best.steps;
        if (!best.marks) continue;
        from = adds.indexOf(best.at) + 1;
        if (best.marks.old.length > 0) lines[at] = { ...(lines[at] as DiffLine), marks: best.marks.old };
        if (best.marks.new.length > 0) lines[best.at] = { ...(lines[best.at] as DiffLine), marks: best.marks.new };
      }
    }
    out.push({ ...hunk, lines });
  }
  return out;
}

interface LineMatch {
  readonly at: number;
  readonly marks?: Pick<ComparedLines, "old" | "new">;
  readonly steps: number;
}

function bestMatch(lines: readonly DiffLine[], del: number, candidates: readonly number[]): LineMatch {
  let best: (ComparedLines & { readonly at: number }) | undefined;
  let steps = 0;
  for (const at of candidates) {
    const [old, other] = [lines[del] as DiffLine, lines[at] as DiffLine];
    // What is cut cannot be compared.
    if (old.cut !== undefined || other.cut !== undefined) continue;
    const compared = compareLines(old.text, other.text);
    steps += compared.steps;
    if (compared.likeness > (best?.likeness ?? 0)) best = { ...compared, at };
  }
  if (!best || best.likeness < minLikeness) return { at: -1, steps };
  return { at: best.at, marks: { old: best.old, new: best.new }, steps };
}

/** Lines that go with the lines that come right after them, by index. */
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
