// Computes which lines differ between two texts. The work is done in short pieces, and the total is bounded for any
// texts.
import { diffArrays } from "diff";

/**
 * Work that is done in pieces. Each `yield` returns the cost of the piece in steps. One step is about the work of
 * comparing one line. A piece takes some thousand steps at most, which is a few milliseconds.
 */
export type Work<T> = Generator<number, T, void>;

/** Does all of the work synchronously. */
export function runToEnd<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

/** A change of lines: `old[oldFrom..oldTo)` was replaced by `new[newFrom..newTo)`. 0-based. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** The lines of a text, without their line endings. */
export interface NumberedLines {
  readonly texts: readonly string[];
  /** Equal lines have equal ids. An unterminated last line has an id of its own, unless both texts end in one. */
  readonly ids: readonly number[];
  /** Whether the line ends in CR LF. */
  readonly crlf: readonly boolean[];
  /** The last line is unterminated, and that of the other text is terminated. */
  readonly lacksLineEnd: boolean;
}

/** The part of two texts that differs. `skipped` is the number of equal lines before it that are left out. */
export interface DifferingPart {
  readonly skipped: number;
  readonly old: NumberedLines;
  readonly new: NumberedLines;
}

const textPieceLength = 65_536;
const linePieceSize = 2000;
/** Texts with more lines are not compared. */
const maxLines = 200_000;
/** The limit of steps for finding short changes. Ranges left when it is reached are replaced as a whole. */
const maxSearchSteps = 3_000_000;
/** The limit of a single search (edits × lines), because a search cannot be done in pieces. */
const searchSize = 400_000;
const lastSearchSize = 500_000;
const maxEdits = 400;

/**
 * The lines of both texts without the equal lines at the beginning and the end, except for `context` lines on each
 * side. Undefined if there are too many lines.
 */
export function* differingPart(oldText: string, newText: string, context: number): Work<DifferingPart | undefined> {
  const prefix = yield* commonPrefix(oldText, newText);
  const from = startOfLinesBefore(oldText, prefix, context);
  const suffix = yield* commonSuffix(oldText, newText, Math.min(oldText.length, newText.length) - prefix);
  const to = endOfLinesAfter(oldText, oldText.length - suffix, context) - oldText.length;
  const skipped = yield* countLines(oldText, from);
  const numbers = new Map<string, number>();
  // Agents often send a part of a file. If both sides end in an unterminated line, that is not a change.
  const alike = isUnterminated(oldText) && isUnterminated(newText);
  const old = yield* numberLines(oldText, from, oldText.length + to, numbers, alike);
  const now = old && (yield* numberLines(newText, from, newText.length + to, numbers, alike));
  return now && { skipped, old, new: now };
}

/**
 * The changes between two texts, in order and not adjacent. Every character counts, so lines with different line
 * endings differ. Texts with too many lines to compare result in a single change.
 */
export function* changesBetween(oldText: string, newText: string): Work<readonly LineChange[]> {
  if (oldText === newText) return [];
  const prefix = yield* commonPrefix(oldText, newText);
  const from = startOfLinesBefore(oldText, prefix, 0);
  const suffix = yield* commonSuffix(oldText, newText, Math.min(oldText.length, newText.length) - prefix);
  const oldEnd = endOfLinesAfter(oldText, oldText.length - suffix, 0);
  const newEnd = newText.length - (oldText.length - oldEnd);
  const skipped = yield* countLines(oldText, from);
  const numbers = new Map<string, number>();
  const old = yield* numberWholeLines(oldText, from, oldEnd, numbers);
  const now = yield* numberWholeLines(newText, from, newEnd, numbers);
  const all = [{ oldFrom: 0, oldTo: old.length, newFrom: 0, newTo: now.length }];
  const changes = Math.max(old.length, now.length) > maxLines ? all : yield* diffIds(old, now);
  return changes.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    oldFrom: oldFrom + skipped,
    oldTo: oldTo + skipped,
    newFrom: newFrom + skipped,
    newTo: newTo + skipped,
  }));
}

function* numberWholeLines(
  text: string,
  from: number,
  to: number,
  numbers: Map<string, number>,
): Work<readonly number[]> {
  const ids: number[] = [];
  let done = 0;
  for (let at = from; at < to;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? to : found + 1;
    const line = text.slice(at, end);
    const id = numbers.get(line) ?? numbers.size;
    numbers.set(line, id);
    ids.push(id);
    done += 1 + line.length / 100;
    if (done >= linePieceSize) {
      yield Math.round(done);
      done = 0;
    }
    at = end;
  }
  yield Math.round(done);
  return ids;
}

const isUnterminated = (text: string): boolean => text !== "" && !text.endsWith("\n");

function* commonPrefix(a: string, b: string): Work<number> {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.slice(at, at + textPieceLength) === b.slice(at, at + textPieceLength)) {
    at += textPieceLength;
    yield 100;
  }
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return Math.min(at, end);
}

function* commonSuffix(a: string, b: string, end: number): Work<number> {
  let size = 0;
  const piece = (text: string, count: number): string => text.slice(text.length - count, text.length - size);
  while (size + textPieceLength <= end && piece(a, size + textPieceLength) === piece(b, size + textPieceLength)) {
    size += textPieceLength;
    yield 100;
  }
  while (size < end && a.charCodeAt(a.length - size - 1) === b.charCodeAt(b.length - size - 1)) size++;
  return size;
}

/** The start of the line that is `count` lines before the line at `at`. */
function startOfLinesBefore(text: string, at: number, count: number): number {
  let start = at;
  for (let i = 0; i <= count && start > 0; i++) start = i === 0 ? lineStart(text, start) : lineStart(text, start - 1);
  return start;
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** The end of the line that is `count` lines after the line at `at`. */
function endOfLinesAfter(text: string, at: number, count: number): number {
  let end = at;
  for (let i = 0; i <= count && end < text.length; i++) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}

function* countLines(text: string, end: number): Work<number> {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    if (++count % linePieceSize === 0) yield linePieceSize / 10;
  }
  return count;
}

function* numberLines(
  text: string,
  from: number,
  to: number,
  numbers: Map<string, number>,
  closed: boolean,
): Work<NumberedLines | undefined> {
  const texts: string[] = [];
  const ids: number[] = [];
  const crlf: boolean[] = [];
  let done = 0;
  let at = from;
  let open = false;
  while (at < to) {
    if (texts.length === maxLines) return undefined;
    const found = text.indexOf("\n", at);
    open = found < 0 || found >= to;
    const end = open ? to : found;
    const returns = !open && end > at && text.charCodeAt(end - 1) === 13;
    const line = text.slice(at, returns ? end - 1 : end);
    // Lines contain no line break, so this key differs from that of any terminated line.
    const key = open && !closed ? `\n${line}` : line;
    const id = numbers.get(key) ?? numbers.size;
    numbers.set(key, id);
    texts.push(line);
    ids.push(id);
    crlf.push(returns);
    at = end + 1;
    done += 1 + line.length / 100;
    if (done >= linePieceSize) {
      yield Math.round(done);
      done = 0;
    }
  }
  yield Math.round(done);
  return { texts, ids, crlf, lacksLineEnd: open && !closed };
}

/**
 * The changes from one list of line ids to the other, in order. The list of changes is short but not always the
 * shortest: lines that are unique on both sides are matched first, and the ranges between them are searched within
 * limits.
 */
export function* diffIds(a: readonly number[], b: readonly number[]): Work<readonly LineChange[]> {
  const found: LineChange[] = [];
  const counts = new UniqueLines(Math.max(0, ...[a, b].map(ids => ids.reduce((top, id) => Math.max(top, id + 1), 0))));
  const open: LineChange[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length }];
  let left = maxSearchSteps;
  for (let range = open.pop(); range; range = open.pop()) {
    const { inner, steps } = trimRange(range, a, b);
    const lines = inner.oldTo - inner.oldFrom + inner.newTo - inner.newFrom;
    yield steps;
    left -= steps;
    if (lines === 0) continue;
    // Only one side has lines, or each side has one line and they differ.
    if (left <= 0 || inner.oldFrom === inner.oldTo || inner.newFrom === inner.newTo || lines === 2) {
      found.push(inner);
      continue;
    }
    yield lines;
    if (!counts.hasCommonLine(inner, a, b)) {
      found.push(inner);
      continue;
    }
    const first = search(inner, a, b, searchSize);
    yield first.steps;
    left -= first.steps;
    if (first.changes) {
      found.push(...first.changes);
      continue;
    }
    const between = yield* counts.rangesBetween(inner, a, b);
    left -= lines * 2;
    if (between) {
      for (let i = between.length - 1; i >= 0; i--) open.push(between[i] as LineChange);
      continue;
    }
    const last = search(inner, a, b, lastSearchSize);
    yield last.steps;
    left -= last.steps;
    found.push(...(last.changes ?? [inner]));
  }
  return found;
}

/** The range without the equal lines at its start and end. */
function trimRange(
  range: LineChange,
  a: readonly number[],
  b: readonly number[],
): { readonly inner: LineChange; readonly steps: number } {
  let { oldFrom, oldTo, newFrom, newTo } = range;
  while (oldFrom < oldTo && newFrom < newTo && a[oldFrom] === b[newFrom]) {
    oldFrom++;
    newFrom++;
  }
  while (oldFrom < oldTo && newFrom < newTo && a[oldTo - 1] === b[newTo - 1]) {
    oldTo--;
    newTo--;
  }
  const steps = 1 + Math.ceil((oldFrom - range.oldFrom + range.oldTo - oldTo) / 10);
  return { inner: { oldFrom, oldTo, newFrom, newTo }, steps };
}

interface SearchResult {
  readonly changes?: readonly LineChange[];
  readonly steps: number;
}

/** The shortest list of changes in the range. None if finding it would exceed the limit for this number of lines. */
function search(range: LineChange, a: readonly number[], b: readonly number[], size: number): SearchResult {
  const { oldFrom, oldTo, newFrom, newTo } = range;
  const lines = oldTo - oldFrom + newTo - newFrom;
  const maxEditLength = Math.min(maxEdits, Math.floor(size / lines));
  const old = a.slice(oldFrom, oldTo);
  const parts = diffArrays(old, b.slice(newFrom, newTo), { maxEditLength }) as
    | readonly { readonly count: number; readonly added: boolean; readonly removed: boolean }[]
    | undefined;
  // The width of the search grows with the number of edits, up to the length of the shorter side.
  const spread = 2 * Math.min(oldTo - oldFrom, newTo - newFrom) + 2;
  const cost = (edits: number): number => 10 + Math.ceil((lines + edits * Math.min(edits, spread)) / 4);
  if (!parts) return { steps: cost(maxEditLength) };
  const changes: LineChange[] = [];
  let edits = 0;
  let atOld = oldFrom;
  let atNew = newFrom;
  for (let i = 0; i < parts.length;) {
    const change = { oldFrom: atOld, newFrom: atNew };
    for (let part = parts[i]; part && (part.added || part.removed); part = parts[++i]) {
      if (part.added) atNew += part.count;
      else atOld += part.count;
      edits += part.count;
    }
    if (atOld > change.oldFrom || atNew > change.newFrom) changes.push({ ...change, oldTo: atOld, newTo: atNew });
    const same = parts[i]?.count ?? 0;
    atOld += same;
    atNew += same;
    i++;
  }
  return { changes, steps: cost(edits) };
}

/** Finds lines that occur exactly once on each side of a range. */
class UniqueLines {
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  readonly #place: Int32Array;

  constructor(size: number) {
    this.#old = new Int32Array(size);
    this.#new = new Int32Array(size);
    this.#place = new Int32Array(size);
  }

  /** Whether both sides have a line in common. */
  hasCommonLine({ oldFrom, oldTo, newFrom, newTo }: LineChange, a: readonly number[], b: readonly number[]): boolean {
    let found = false;
    for (let i = oldFrom; i < oldTo; i++) this.#old[a[i] as number] = 1;
    for (let i = newFrom; i < newTo && !found; i++) found = this.#old[b[i] as number] === 1;
    for (let i = oldFrom; i < oldTo; i++) this.#old[a[i] as number] = 0;
    return found;
  }

  /** The ranges between unique lines, in order. Undefined if there are no unique lines. */
  *rangesBetween(
    range: LineChange,
    a: readonly number[],
    b: readonly number[],
  ): Work<readonly LineChange[] | undefined> {
    const { oldFrom, oldTo, newFrom, newTo } = range;
    const pairs = yield* longestIncreasing(yield* this.#pairs(range, a, b));
    if (pairs.length === 0) return undefined;
    const out: LineChange[] = [];
    let atOld = oldFrom;
    let atNew = newFrom;
    const addBefore = ([old, place]: Pair): void => {
      if (old > atOld || place > atNew) out.push({ oldFrom: atOld, oldTo: old, newFrom: atNew, newTo: place });
      atOld = old + 1;
      atNew = place + 1;
    };
    for (const [i, pair] of pairs.entries()) {
      if (endsPiece(i)) yield 0;
      addBefore(pair);
    }
    addBefore([oldTo, newTo]);
    return out;
  }

  *#pairs({ oldFrom, oldTo, newFrom, newTo }: LineChange, a: readonly number[], b: readonly number[]): Work<Pair[]> {
    for (let i = oldFrom; i < oldTo; i++) {
      if (endsPiece(i)) yield 0;
      countIn(this.#old, a[i] as number);
    }
    yield oldTo - oldFrom;
    for (let i = newFrom; i < newTo; i++) {
      if (endsPiece(i)) yield 0;
      countIn(this.#new, b[i] as number);
      this.#place[b[i] as number] = i;
    }
    yield newTo - newFrom;
    const pairs: Pair[] = [];
    for (let i = oldFrom; i < oldTo; i++) {
      if (endsPiece(i)) yield 0;
      const id = a[i] as number;
      if (this.#old[id] === 1 && this.#new[id] === 1) pairs.push([i, this.#place[id] as number]);
    }
    for (let i = oldFrom; i < oldTo; i++) this.#old[a[i] as number] = 0;
    for (let i = newFrom; i < newTo; i++) this.#new[b[i] as number] = 0;
    return pairs;
  }
}

/** Whether a piece of work on numbered lines ends before this one. */
const endsPiece = (line: number): boolean => line % linePieceSize === linePieceSize - 1;

const countIn = (counts: Int32Array, id: number): void => {
  counts[id] = (counts[id] ?? 0) + 1;
};

type Pair = readonly [old: number, place: number];

/** The longest subsequence of pairs whose places increase. */
function* longestIncreasing(pairs: readonly Pair[]): Work<readonly Pair[]> {
  /** The index of the pair that ends the best chain of each length. `before[i]` is the pair before `i` in its chain. */
  const ends: number[] = [];
  const before: number[] = [];
  const place = (i: number): number => (pairs[i] as Pair)[1];
  for (let i = 0; i < pairs.length; i++) {
    if (endsPiece(i)) yield linePieceSize;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (place(ends[middle] as number) < place(i)) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = i;
  }
  const chain: Pair[] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i] as number) {
    if (endsPiece(chain.length)) yield 0;
    chain.push(pairs[i] as Pair);
  }
  return chain.reverse();
}
