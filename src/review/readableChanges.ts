// The changes between two texts at the positions where a reader expects them, as `git diff` shows them.
import { changesBetween, type LineChange, type Work } from "../base/lineDiff.ts";
import { slideChanges } from "../base/slideChanges.ts";
import type { LineRange } from "./hunk.ts";
import type { TextLines } from "./textLines.ts";

const allOf = (text: TextLines): LineRange => ({ from: 0, to: text.count });

/** The changes between parts of two texts, by default all of them. Line numbers are those of the whole texts. */
export function* readableChanges(
  old: TextLines,
  now: TextLines,
  oldPart: LineRange = allOf(old),
  newPart: LineRange = allOf(now),
): Work<readonly LineChange[]> {
  const changes = yield* changesBetween(old.slice(oldPart), now.slice(newPart));
  const whole = { oldFrom: oldPart.from, oldTo: oldPart.to, newFrom: newPart.from, newTo: newPart.to };
  const placed = changes.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    oldFrom: oldFrom + oldPart.from,
    oldTo: oldTo + oldPart.from,
    newFrom: newFrom + newPart.from,
    newTo: newTo + newPart.from,
  }));
  return yield* slideChanges(placed, old, now, whole);
}
