// Turns the text before and after a change into the hunks that a card shows. Size and time are bounded, because a card
// is an overview. The diff editor shows the exact diff.
import {
  diffIds,
  runToEnd,
  differingPart,
  type LineChange,
  type NumberedLines,
  type DifferingPart,
  type Work,
} from "../../base/lineDiff.ts";
import type { DiffBody, DiffHunk, DiffLine } from "../protocol.ts";
import { withWordMarks } from "./hunkWordMarks.ts";

const contextLines = 3;
/** The size of both sides together. Larger texts are left to the diff editor. */
const maxTotalLength = 8_000_000;
/** Limits of what is sent to the panel: lines of one diff, characters of one line and of all lines. */
const maxLines = 2000;
const maxLineLength = 5000;
const maxText = 400_000;

export const tooLargeDiff: DiffBody = { hunks: [], added: 0, removed: 0, state: "tooLarge" };
export const computingDiff: DiffBody = { hunks: [], added: 0, removed: 0, state: "computing" };

/**
 * A line diff of two texts, with the words that changed within lines.
 * @example hunksOf("a\nb\n", "a\nc\n").hunks[0].lines → same "a", del "b", add "c"
 */
export function diffHunks(oldText: string, newText: string): DiffBody {
  return runToEnd(diffWork(oldText, newText));
}

/** {@link diffHunks} in steps. */
export function* diffWork(oldText: string, newText: string): Work<DiffBody> {
  if (oldText.length + newText.length > maxTotalLength) return tooLargeDiff;
  if (oldText === newText) return { hunks: [], added: 0, removed: 0 };
  const middle = yield* differingPart(oldText, newText, contextLines);
  if (!middle) return tooLargeDiff;
  const changes = yield* diffIds(middle.old.ids, middle.new.ids);
  const lineEnds = newLineEnds(middle, changes);
  const body = yield* limitHunks(hunksFrom(middle, changes));
  const count = (size: (change: LineChange) => number): number => changes.reduce((sum, each) => sum + size(each), 0);
  return {
    ...body,
    hunks: yield* withWordMarks(body.hunks),
    added: count(change => change.newTo - change.newFrom),
    removed: count(change => change.oldTo - change.oldFrom),
    ...(lineEnds && { lineEnds }),
  };
}

/** A hunk whose lines are created on demand. */
interface LazyHunk extends Omit<DiffHunk, "lines"> {
  readonly lines: Iterable<DiffLine>;
}

/** Joins changes that are near each other into one hunk. */
function* hunksFrom(middle: DifferingPart, changes: readonly LineChange[]): Generator<LazyHunk> {
  for (let i = 0; i < changes.length;) {
    const first = changes[i] as LineChange;
    const from = i++;
    while (i < changes.length && (changes[i]?.oldFrom ?? 0) - (changes[i - 1]?.oldTo ?? 0) <= 2 * contextLines) i++;
    const before = Math.min(contextLines, first.oldFrom);
    yield {
      oldStart: middle.skipped + first.oldFrom - before + 1,
      newStart: middle.skipped + first.newFrom - before + 1,
      lines: hunkLines(middle, changes.slice(from, i), first.oldFrom - before),
    };
  }
}

function* hunkLines(
  { old, new: now }: DifferingPart,
  changes: readonly LineChange[],
  start: number,
): Generator<DiffLine, void, undefined> {
  let at = start;
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    yield* lineSlice(old, "same", at, oldFrom);
    yield* lineSlice(old, "del", oldFrom, oldTo);
    yield* lineSlice(now, "add", newFrom, newTo);
    at = oldTo;
  }
  yield* lineSlice(old, "same", at, Math.min(at + contextLines, old.texts.length));
}

function* lineSlice(
  lines: NumberedLines,
  op: DiffLine["op"],
  from: number,
  to: number,
): Generator<DiffLine, void, undefined> {
  const last = lines.texts.length - 1;
  for (let i = from; i < to; i++) {
    yield { op, text: lines.texts[i] ?? "", ...(lines.lacksLineEnd && i === last && { noEnd: true as const }) };
  }
}

/** The new line ending, if some unchanged lines end differently now. */
function newLineEnds({ old, new: now }: DifferingPart, changes: readonly LineChange[]): DiffBody["lineEnds"] {
  let at = 0;
  let shift = 0;
  let differs = false;
  for (const { oldFrom, oldTo, newTo } of [...changes, { oldFrom: old.ids.length, oldTo: 0, newTo: 0 }]) {
    for (; at < oldFrom; at++) differs ||= old.crlf[at] !== now.crlf[at + shift];
    at = oldTo;
    shift = newTo - oldTo;
  }
  if (!differs) return undefined;
  // The last line may have no line ending.
  const ends = now.crlf.length > 1 ? now.crlf.slice(0, -1) : now.crlf;
  return ends.every(end => end) ? "crlf" : ends.some(end => end) ? "mixed" : "lf";
}

/** Limits the hunks to the part that a panel gets. */
export function* limitHunks(hunks: Iterable<LazyHunk>): Work<Pick<DiffBody, "hunks" | "more">> {
  const kept: DiffHunk[] = [];
  let lines = 0;
  let characters = 0;
  let more = 0;
  for (const hunk of hunks) {
    const own: DiffLine[] = [];
    for (const line of hunk.lines) {
      if (more > 0 || lines >= maxLines || characters >= maxText) more++;
      else own.push(cutLine(line));
      if (++lines % maxLines === 0) yield maxLines;
      characters += Math.min(line.text.length, maxLineLength);
    }
    if (own.length > 0) kept.push({ ...hunk, lines: own });
  }
  yield lines % maxLines;
  return { hunks: kept, ...(more > 0 && { more }) };
}

/** Cuts a line to the length limit of a panel, but not within a character. */
function cutLine(line: DiffLine): DiffLine {
  const { text } = line;
  if (text.length <= maxLineLength) return line;
  const kept = text.slice(0, maxLineLength).replace(/[\ud800-\udbff]$/, "");
  return { ...line, text: kept, cut: text.length - kept.length };
}
