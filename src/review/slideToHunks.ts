// Moves edits to the borders of hunks where lines repeat. Of equal lines, nothing tells which ones an edit inserted or
// removed, so those count that keep the lines of the agent and of the user apart. Pure.
import type { LineChange } from "../base/lineDiff.ts";
import type { Hunk, LineRange } from "./hunk.ts";
import type { TextLines } from "./textLines.ts";

/** An edit is not moved by more lines. */
const maxLines = 200;

/** The edits, in order, with insertions inside of hunks and deletions across their borders moved to the borders. */
export function slideToHunks(
  edits: readonly LineChange[],
  hunks: readonly Hunk[],
  before: TextLines,
  after: TextLines,
): readonly LineChange[] {
  const out: LineChange[] = [];
  let next = 0;
  for (const [i, edit] of edits.entries()) {
    while ((hunks[next]?.text.to ?? Infinity) <= edit.oldFrom) next++;
    const hunk = hunks[next];
    const isInsertion = edit.oldFrom === edit.oldTo;
    const distances = hunk && (isInsertion || edit.newFrom === edit.newTo) ? distancesTo(hunk.text, edit) : [];
    const range = isInsertion ? { from: edit.newFrom, to: edit.newTo } : { from: edit.oldFrom, to: edit.oldTo };
    const [earliest, latest] = [out.at(-1)?.oldTo ?? -1, edits[i + 1]?.oldFrom ?? Infinity];
    const by = distances.find(
      by =>
        edit.oldFrom + by > earliest && edit.oldTo + by < latest && canSlide(isInsertion ? after : before, range, by),
    );
    out.push(by === undefined ? edit : shifted(edit, by));
  }
  return out;
}

/** How far the edit is from places where it does not mix lines of the hunk with others, the nearest first. */
function distancesTo({ from, to }: LineRange, { oldFrom, oldTo }: LineChange): readonly number[] {
  const found: number[] = [];
  if (oldFrom === oldTo) {
    if (from < oldFrom && oldFrom < to) found.push(to - oldFrom, from - oldFrom);
  } else if (oldFrom < from && from < oldTo && oldTo <= to) found.push(from - oldFrom, from - oldTo);
  else if (from <= oldFrom && oldFrom < to && to < oldTo) found.push(to - oldTo, to - oldFrom);
  return found.filter(by => Math.abs(by) <= maxLines).sort((a, b) => Math.abs(a) - Math.abs(b));
}

/** Whether the same text results if the lines that were inserted or removed are those so many lines further. */
function canSlide(lines: TextLines, { from, to }: LineRange, by: number): boolean {
  if (from + by < 0 || to + by > lines.count) return false;
  const line = (at: number): string => lines.slice({ from: at, to: at + 1 });
  for (let i = 0; i < by; i++) if (line(from + i) !== line(to + i)) return false;
  for (let i = -1; i >= by; i--) if (line(from + i) !== line(to + i)) return false;
  return true;
}

const shifted = ({ oldFrom, oldTo, newFrom, newTo }: LineChange, by: number): LineChange => ({
  oldFrom: oldFrom + by,
  oldTo: oldTo + by,
  newFrom: newFrom + by,
  newTo: newTo + by,
});
