// Merges the changes of one side into a text, hunk by hunk: what conflicts stays as it is, without markers, and is listed.
import { changesBetween, runToEnd, type LineChange } from "../base/lineDiff.ts";

/** A range of whole lines, 0-based: `[from, to)`. */
export interface MergedLines {
  readonly from: number;
  readonly to: number;
}

/** A place that both sides changed. The lines of the three texts before the merge. */
export interface MergeConflict {
  readonly known: MergedLines;
  readonly current: MergedLines;
  readonly wanted: MergedLines;
}

/** The result of {@link mergeHunks}. */
export interface HunkMerge {
  /** The current text with the changes that do not conflict. */
  readonly text: string;
  /** The known text with the changes that `text` has: what the next merge begins with. */
  readonly known: string;
  readonly conflicts: readonly MergeConflict[];
  /** The lines that the merge adds to the current text and removes from it. */
  readonly added: number;
  readonly removed: number;
}

/**
 * Brings the changes from `known` to `wanted` into `current`, which was derived from `known` by other changes. Changes that
 * touch each other conflict unless they are the same. `isChosen`: whether a change is wanted at all, by its number. All texts
 * have "\n" line endings.
 */
export function mergeHunks(
  known: string,
  current: string,
  wanted: string,
  isChosen: (change: number) => boolean = () => true,
): HunkMerge {
  const { olds, lines, applied, learned, conflicts } = sorted(known, current, wanted, isChosen);
  return {
    text: spliced(lines, applied),
    known: spliced(olds, learned),
    conflicts,
    added: applied.reduce((sum, { insert }) => sum + insert.length, 0),
    removed: applied.reduce((sum, { from, to }) => sum + to - from, 0),
  };
}

/**
 * The known text with the changes that conflict in {@link mergeHunks}. A merge that begins with it leaves the current lines at
 * these places without a conflict, and still has the other changes.
 */
export function knownWithConflicts(known: string, current: string, wanted: string): string {
  const { olds, refused } = sorted(known, current, wanted);
  return spliced(olds, refused);
}

/** What {@link mergeHunks} does with a change. `same`: the current text has it already. */
export type HunkState = "applied" | "same" | "conflict";

/** The states of all changes, by their numbers. */
export const hunkStates = (known: string, current: string, wanted: string): readonly HunkState[] =>
  sorted(known, current, wanted).states;

/** The changes of a merge. */
interface SortedChanges {
  readonly olds: readonly string[];
  readonly lines: readonly string[];
  /** Those that are new, in the current text. */
  readonly applied: readonly Splice[];
  /** Those that the result has, in the known text. */
  readonly learned: readonly Splice[];
  /** Those that conflict, in the known text. */
  readonly refused: readonly Splice[];
  readonly conflicts: readonly MergeConflict[];
  /** The states of the chosen changes. */
  readonly states: readonly HunkState[];
}

/** Finds out which changes can be merged. */
function sorted(
  known: string,
  current: string,
  wanted: string,
  isChosen: (change: number) => boolean = () => true,
): SortedChanges {
  const [olds, lines, news] = [linesOf(known), linesOf(current), linesOf(wanted)];
  const own = differences(known, current);
  const conflicts: MergeConflict[] = [];
  const [applied, learned, refused]: [Splice[], Splice[], Splice[]] = [[], [], []];
  const states: HunkState[] = [];
  let [next, shift] = [0, 0];
  for (const [number, change] of differences(known, wanted).entries()) {
    if (!isChosen(number)) continue;
    for (let one = own[next]; one && one.oldTo < change.oldFrom; one = own[++next]) shift = one.newTo - one.oldTo;
    const touching: LineChange[] = [];
    for (let at = next, one = own[at]; one && one.oldFrom <= change.oldTo; one = own[++at]) touching.push(one);
    const [first] = touching;
    const insert = news.slice(change.newFrom, change.newTo);
    const splice = { from: change.oldFrom, to: change.oldTo, insert };
    if (!first) {
      applied.push({ from: change.oldFrom + shift, to: change.oldTo + shift, insert });
      states.push("applied");
    } else if (touching.length > 1 || !isSame(first, change, lines.slice(first.newFrom, first.newTo), insert)) {
      noteConflict(conflicts, change, touching);
      refused.push(splice);
      states.push("conflict");
      continue;
    } else states.push("same");
    learned.push(splice);
  }
  return { olds, lines, applied, learned, refused, conflicts, states };
}

/** The changes from one text to another as {@link mergeHunks} numbers them, with the lines of both. */
export function changedHunks(
  known: string,
  wanted: string,
): readonly { readonly line: number; readonly before: readonly string[]; readonly after: readonly string[] }[] {
  const [olds, news] = [linesOf(known), linesOf(wanted)];
  return differences(known, wanted).map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    ...{ line: newFrom, before: olds.slice(oldFrom, oldTo), after: news.slice(newFrom, newTo) },
  }));
}

/** Lines that replace a range of lines. */
interface Splice extends MergedLines {
  readonly insert: readonly string[];
}

function spliced(lines: readonly string[], splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, insert } of splices) {
    for (const line of lines.slice(at, from)) parts.push(line);
    for (const line of insert) parts.push(line);
    at = to;
  }
  for (const line of lines.slice(at)) parts.push(line);
  return parts.join("");
}

/** Whether both sides put the same lines in the place of the same lines. */
const isSame = (own: LineChange, change: LineChange, now: readonly string[], wanted: readonly string[]): boolean =>
  own.oldFrom === change.oldFrom && own.oldTo === change.oldTo && now.join("") === wanted.join("");

/** Adds a conflict. Changes that touch the same change of the other side are one place. */
function noteConflict(conflicts: MergeConflict[], change: LineChange, touching: readonly LineChange[]): void {
  const [first, last] = [touching[0] ?? change, touching.at(-1) ?? change];
  const known = { from: Math.min(change.oldFrom, first.oldFrom), to: Math.max(change.oldTo, last.oldTo) };
  // Lines of the range that a side did not change are as many on that side.
  const current = {
    from: first.newFrom - (first.oldFrom - known.from),
    to: last.newTo + (known.to - last.oldTo),
  };
  const wanted = {
    from: change.newFrom - (change.oldFrom - known.from),
    to: change.newTo + (known.to - change.oldTo),
  };
  const before = conflicts.at(-1);
  if (!before || before.known.to < known.from || before.current.to < current.from)
    return void conflicts.push({ known, current, wanted });
  conflicts[conflicts.length - 1] = {
    known: joined(before.known, known),
    current: joined(before.current, current),
    wanted: joined(before.wanted, wanted),
  };
}

const joined = (a: MergedLines, b: MergedLines): MergedLines => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
});

const differences = (before: string, after: string): readonly LineChange[] => runToEnd(changesBetween(before, after));

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
