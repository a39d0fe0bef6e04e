// Undoes a keep: restores the lines of the base that it replaced, if their position can be found.
import { changesBetween, runToEnd, type LineChange } from "../base/lineDiff.ts";
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import { updateHunks, applySplices } from "./hunkUpdates.ts";
import { textLinesOf, TextLines } from "./textLines.ts";
import { sharedLinesOf, withSharedLines } from "./userLines.ts";

/** The record of a keep: the base before and after it, and the previous hunks. Plain JSON. */
export interface KeepDecision {
  readonly before: string | null;
  readonly after: string | null;
  readonly hunks: readonly Hunk[];
}

/** A range of the base to restore: the current position of the kept lines, and the lines that were there before. */
interface RestoredRange {
  readonly hunk: Hunk;
  readonly range: LineRange;
  readonly text: string;
}

/** The decision that led from one state to the next by keeping hunks. */
export function keepDecision(before: FileChanges, after: FileChanges): KeepDecision {
  const left = new Set(after.hunks.map(hunk => hunk.id));
  return { before: before.base, after: after.base, hunks: before.hunks.filter(hunk => !left.has(hunk.id)) };
}

/**
 * The changes with the kept hunks under review again. Text that the user has written among their lines since belongs to
 * them. Undefined if none of their positions can be found, because the user changed lines across their borders, or the
 * file is gone.
 */
export function revertKeep(changes: FileChanges, decision: KeepDecision): FileChanges | undefined {
  const { base, text } = changes;
  const ids = new Set(decision.hunks.map(hunk => hunk.id));
  const kept = changes.kept.filter(id => !ids.has(id));
  if (decision.hunks.length === 0) return undefined;
  if (decision.after === base && (decision.before === null || base === null)) {
    const all = (side: string | null): LineRange => ({ from: 0, to: textLinesOf(side ?? "").count });
    const turns = [...new Set([...decision.hunks, ...changes.hunks].flatMap(one => one.turns))];
    const hunk = { ...(decision.hunks[0] as Hunk), base: all(decision.before), text: all(text), turns };
    return { ...changes, base: decision.before, hunks: decision.before === text ? [] : [hunk], kept };
  }
  if (base === null || text === null || decision.after === null) return undefined;
  const bases = textLinesOf(base);
  const returns = restoredRanges(decision, decision.after, bases);
  if (returns.length === 0) return undefined;
  const now = new TextLines(applySplices(bases, returns));
  // The base was edited and not the text, so the two sides are exchanged. The turns are filled in afterwards.
  const flipped = { base: textLinesOf(text), text: bases, hunks: changes.hunks.map(swapSides), nextId: changes.nextId };
  const edits = editsOf(returns);
  const result = runToEnd(updateHunks(flipped, now, edits, { kind: "agent", turn: placeholderTurn }));
  const shared = sharedLinesOf(changes.hunks);
  const hunks = result.hunks.map(hunk => withSharedLines(swapSides(hunk), shared));
  return {
    ...changes,
    base: now.text,
    hunks:
      now.text === text ? [] : restoreIdsAndTurns(hunks, returns, edits, new Set(changes.hunks.map(hunk => hunk.id))),
    nextId: result.nextId,
    kept,
  };
}

const placeholderTurn = "";

/** Exchanges the sides. The lines that agent and user wrote are those of the text, so they are added afterwards. */
const swapSides = ({ shared: _, ...hunk }: Hunk): Hunk => ({ ...hunk, base: hunk.text, text: hunk.base });

/** The ranges to restore: only hunks whose lines are still in the base, within their borders. */
function restoredRanges(decision: KeepDecision, after: string, base: TextLines): readonly RestoredRange[] {
  const before = textLinesOf(decision.before ?? "");
  const changes = runToEnd(changesBetween(after, base.text));
  const returns: RestoredRange[] = [];
  let growth = 0;
  for (const hunk of decision.hunks) {
    const from = hunk.base.from + growth;
    const range = { from, to: from + hunk.text.to - hunk.text.from };
    growth += hunk.text.to - hunk.text.from - hunk.base.to + hunk.base.from;
    const place = mapRange(range, changes);
    const text = before.slice(hunk.base);
    if (place && canInsert(place, text, base)) returns.push({ hunk, range: place, text });
  }
  return returns;
}

/** The position of a range after changes. Undefined if one of them crosses its borders. */
function mapRange({ from, to }: LineRange, changes: readonly LineChange[]): LineRange | undefined {
  let [start, end] = [from, to];
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    const growth = newTo - newFrom - oldTo + oldFrom;
    if (oldTo <= from && (oldFrom < from || from < to)) [start, end] = [start + growth, end + growth];
    else if (oldFrom >= to) break;
    else if (oldFrom < from || oldTo > to) return undefined;
    else end += growth;
  }
  return { from: start, to: end };
}

/** Whether lines can be inserted there: a line without "\n" must be the last one. */
function canInsert({ from, to }: LineRange, text: string, base: TextLines): boolean {
  const last = to === base.count;
  if (text !== "" && !text.endsWith("\n") && !last) return false;
  return text === "" || !base.isUnterminated || from < base.count;
}

function editsOf(returns: readonly RestoredRange[]): readonly LineChange[] {
  let growth = 0;
  return returns.map(({ hunk, range: { from, to } }) => {
    const lines = hunk.base.to - hunk.base.from;
    const change = { oldFrom: from, oldTo: to, newFrom: from + growth, newTo: from + growth + lines };
    growth += lines - (to - from);
    return change;
  });
}

/** The hunks with the ids and turns of the restored ones. */
function restoreIdsAndTurns(
  hunks: readonly Hunk[],
  returns: readonly RestoredRange[],
  edits: readonly LineChange[],
  waiting: ReadonlySet<string>,
): readonly Hunk[] {
  const usedIds = new Set(waiting);
  return hunks.map(hunk => {
    if (!hunk.turns.includes(placeholderTurn)) return hunk;
    const here = returns.filter((_, i) => {
      const { newFrom = 0, newTo = 0 } = edits[i] ?? {};
      return newFrom <= hunk.base.to && hunk.base.from <= newTo;
    });
    // Among repeated lines, the difference may appear at another position.
    const back = here.length > 0 ? here : returns;
    const free = back.map(one => one.hunk.id).find(id => !usedIds.has(id));
    const id = waiting.has(hunk.id) ? hunk.id : (free ?? hunk.id);
    usedIds.add(id);
    const turns = [...new Set([...back.flatMap(one => one.hunk.turns), ...hunk.turns])];
    return { ...hunk, id, turns: turns.filter(turn => turn !== placeholderTurn) };
  });
}
