// Moves changes of lines to where a reader expects them, as `git diff` does. Lines that were inserted or removed next to
// equal lines can be shown at several positions. This chooses the position, and joins changes that can touch.
import type { LineChange, Work } from "./lineDiff.ts";

/** A text by lines. A line includes its line ending. */
export interface SlidableText {
  readonly count: number;
  line(number: number): string;
}

/** Part of a file on one side: which of its lines are changed. Lines are numbered from the start of the part. */
class ChangedLines {
  readonly #text: SlidableText;
  readonly #from: number;
  readonly count: number;
  readonly #changed: Uint8Array;
  /** The limits of the current group of changed lines, which can be empty: `[start, end)`. */
  start = 0;
  end = 0;

  constructor(text: SlidableText, from: number, to: number) {
    this.#text = text;
    this.#from = from;
    this.count = to - from;
    this.#changed = new Uint8Array(this.count + 1);
  }

  mark(from: number, to: number): void {
    this.#changed.fill(1, from - this.#from, to - this.#from);
  }

  isChanged(line: number): boolean {
    return this.#changed[line] === 1;
  }

  /** Whether the current group has lines. */
  get hasLines(): boolean {
    return this.end > this.start;
  }

  first(): void {
    this.start = 0;
    this.end = 0;
    while (this.isChanged(this.end)) this.end++;
  }

  /** Goes to the next group. There is a group, possibly empty, before each unchanged line and at the end. */
  next(): boolean {
    if (this.end === this.count) return false;
    this.start = this.end + 1;
    for (this.end = this.start; this.isChanged(this.end);) this.end++;
    return true;
  }

  previous(): void {
    this.end = this.start - 1;
    for (this.start = this.end; this.isChanged(this.start - 1);) this.start--;
  }

  /** Moves the group down by a line if its first line equals the line after it. It takes in a group that it touches. */
  slideDown(): boolean {
    if (this.end >= this.count || !this.#areEqual(this.start, this.end)) return false;
    this.#changed[this.start++] = 0;
    this.#changed[this.end++] = 1;
    while (this.isChanged(this.end)) this.end++;
    return true;
  }

  slideUp(): boolean {
    if (this.start === 0 || !this.#areEqual(this.start - 1, this.end - 1)) return false;
    this.#changed[--this.start] = 1;
    this.#changed[--this.end] = 0;
    while (this.isChanged(this.start - 1)) this.start--;
    return true;
  }

  #areEqual(a: number, b: number): boolean {
    return this.#text.line(this.#from + a) === this.#text.line(this.#from + b);
  }

  /** The score of a position of the group's end. The position is better if the score is lower. */
  scoreOf(end: number, size: number): SplitScore {
    const at = this.#from + end;
    const [below, above] = [scoreOfSplit(this.#text, at), scoreOfSplit(this.#text, at - size)];
    return { indent: below.indent + above.indent, penalty: below.penalty + above.penalty };
  }
}

interface SplitScore {
  readonly indent: number;
  readonly penalty: number;
}

/** The weights of git's indent heuristic, which Michael Haggerty found by rating thousands of diffs. */
const weights = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  postBlank: 6,
  indent: -4,
  indentWithBlank: 10,
  outdent: 24,
  outdentWithBlank: 17,
  dedent: 23,
  dedentWithBlank: 17,
  ofIndent: 60,
};
const maxIndent = 200;
const maxBlanks = 20;
const maxSliding = 100;

/** The indentation of a line in columns. Undefined for a blank line. */
function indentOf(line: string): number | undefined {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 8 - (columns % 8);
    else if (!/\s/.test(character)) return Math.min(columns, maxIndent);
    if (columns >= maxIndent) return maxIndent;
  }
  return undefined;
}

/** The indentation of the nearest line from `line` on that is not blank, and the number of blank lines before it. */
function nearestIndent(text: SlidableText, line: number, step: 1 | -1): { indent?: number; blanks: number } {
  let blanks = 0;
  for (let at = line; at >= 0 && at < text.count; at += step) {
    const indent = indentOf(text.line(at));
    if (indent !== undefined) return { indent, blanks };
    if (++blanks === maxBlanks) return { indent: 0, blanks };
  }
  return { blanks };
}

/** How badly a group would start or end before this line. */
function scoreOfSplit(text: SlidableText, line: number): SplitScore {
  const isEnd = line >= text.count;
  const own = isEnd ? undefined : indentOf(text.line(line));
  const before = nearestIndent(text, line - 1, -1);
  const after = nearestIndent(text, line + 1, 1);
  let penalty = before.indent === undefined && before.blanks === 0 ? weights.startOfFile : 0;
  if (isEnd) penalty += weights.endOfFile;
  const postBlanks = own === undefined ? 1 + after.blanks : 0;
  const blanks = before.blanks + postBlanks;
  penalty += weights.totalBlank * blanks + weights.postBlank * postBlanks;
  const indent = own ?? after.indent;
  if (indent !== undefined && before.indent !== undefined) {
    if (indent > before.indent) penalty += blanks ? weights.indentWithBlank : weights.indent;
    else if (indent < before.indent) {
      const isOutdent = after.indent !== undefined && after.indent > indent;
      if (isOutdent) penalty += blanks ? weights.outdentWithBlank : weights.outdent;
      else penalty += blanks ? weights.dedentWithBlank : weights.dedent;
    }
  }
  return { indent: indent ?? -1, penalty };
}

const isAtLeastAsGood = (one: SplitScore, other: SplitScore): boolean =>
  weights.ofIndent * Math.sign(one.indent - other.indent) + one.penalty - other.penalty <= 0;

/** The limit of steps in relation to the number of lines. Changes left when it is reached stay where they are. */
const maxStepsPerLine = 20;
const stepsPerYield = 500;

/**
 * The same difference with changes at other positions, in order and not adjacent.
 * @param within the lines within which changes may move
 */
export function* slideChanges(
  changes: readonly LineChange[],
  oldText: SlidableText,
  newText: SlidableText,
  within: LineChange,
): Work<readonly LineChange[]> {
  // Only lines without a counterpart can move.
  if (!changes.some(one => one.oldFrom === one.oldTo || one.newFrom === one.newTo)) return changes;
  const old = new ChangedLines(oldText, within.oldFrom, within.oldTo);
  const now = new ChangedLines(newText, within.newFrom, within.newTo);
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    old.mark(oldFrom, oldTo);
    now.mark(newFrom, newTo);
  }
  yield* slideGroups(old, now);
  yield* slideGroups(now, old);
  return changedRanges(old, now, within);
}

/** Moves the groups of one side. The groups of both sides belong together, one by one. */
function* slideGroups(side: ChangedLines, other: ChangedLines): Work<void> {
  let steps = 0;
  let stepsLeft = maxStepsPerLine * (side.count + other.count) + 1000;
  side.first();
  other.first();
  do {
    if (++steps >= stepsPerYield) {
      stepsLeft -= steps;
      yield Math.round(steps / 5);
      steps = 0;
      if (stepsLeft < 0) return;
    }
    if (side.hasLines) steps += slideGroup(side, other);
  } while (side.next() && other.next());
}

/** Moves the current group of a side. Returns the number of steps. */
function slideGroup(side: ChangedLines, other: ChangedLines): number {
  let steps = 0;
  let [size, earliestEnd] = [0, 0];
  /** Whether the group can be at a position where the other side has changed lines. */
  let canMatch = false;
  do {
    size = side.end - side.start;
    while (side.slideUp()) {
      other.previous();
      steps++;
    }
    earliestEnd = side.end;
    canMatch = other.hasLines;
    while (side.slideDown()) {
      other.next();
      steps++;
      canMatch ||= other.hasLines;
    }
    // It has taken in other groups, so it may move further.
  } while (size !== side.end - side.start);
  if (side.end === earliestEnd) return steps;
  const up = (): void => {
    side.slideUp();
    other.previous();
    steps++;
  };
  if (canMatch) {
    while (!other.hasLines) up();
    return steps;
  }
  const best = bestEnd(side, Math.max(earliestEnd, side.end - size - 1, side.end - maxSliding));
  while (side.end > best) up();
  return steps + size;
}

function bestEnd(side: ChangedLines, earliest: number): number {
  const size = side.end - side.start;
  let best = earliest;
  let bestScore = side.scoreOf(earliest, size);
  for (let end = earliest + 1; end <= side.end; end++) {
    const score = side.scoreOf(end, size);
    if (isAtLeastAsGood(score, bestScore)) [best, bestScore] = [end, score];
  }
  return best;
}

function changedRanges(old: ChangedLines, now: ChangedLines, within: LineChange): readonly LineChange[] {
  const ranges: LineChange[] = [];
  old.first();
  now.first();
  do {
    if (!old.hasLines && !now.hasLines) continue;
    ranges.push({
      oldFrom: within.oldFrom + old.start,
      oldTo: within.oldFrom + old.end,
      newFrom: within.newFrom + now.start,
      newTo: within.newFrom + now.end,
    });
  } while (old.next() && now.next());
  return ranges;
}
