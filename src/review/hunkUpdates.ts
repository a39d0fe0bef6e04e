// Updates a file's hunks after an edit: determines which hunks it joins, which ones only move, and what is applied to
// the base.
import { type LineChange, type Work } from "../base/lineDiff.ts";
import type { Hunk, LineRange } from "./hunk.ts";
import { readableChanges } from "./readableChanges.ts";
import { textLinesOf, type TextLines } from "./textLines.ts";
import { MovedLines, authorsAfter, sharedLinesOf, withSharedLines, type InsertedRun } from "./userLines.ts";

/** Both sides of a review. Neither is missing. */
export interface Sides {
  readonly base: TextLines;
  readonly text: TextLines;
  readonly hunks: readonly Hunk[];
  readonly nextId: number;
}

/**
 * The author of an edit, and how far the edit may be divided.
 * - `agent`: all its changes need a review. Hunks that it touches are compared with the base again.
 * - `user`: changes that overlap no hunk, and whole lines inserted in a hunk, are applied to the base. Other changes join
 *   the hunk without a new comparison, because a line may equal the base for a moment while the user types, and must not
 *   leave the hunk for that reason.
 * - `replaced`: changes that overlap no hunk are applied to the base, for a text that was replaced at once. Joined hunks are compared with the base again.
 */
export type EditOrigin =
  | { readonly kind: "agent"; readonly turn: string }
  | { readonly kind: "user" }
  | { readonly kind: "replaced"; readonly recall?: RecallHunk };

/** Returns the hunk in which an agent once replaced the base lines with these lines, if there is one. */
export type RecallHunk = (base: string, text: string) => Hunk | undefined;

/** Hunks and edits that belong together. Lines refer to the old text. */
interface EditGroup {
  readonly hunks: Hunk[];
  readonly edits: LineChange[];
}

interface Splice {
  readonly range: LineRange;
  readonly text: string;
}

/** The sides after edits of the text, which result in `after`. Edits are in order and do not overlap. */
export function* updateHunks(
  sides: Sides,
  after: TextLines,
  edits: readonly LineChange[],
  author: EditOrigin,
): Work<UpdatedSides> {
  const joins = author.kind === "agent" ? touches : overlapsIn(sides, after);
  const intoBase: Splice[] = [];
  const hunks: Hunk[] = [];
  const usedIds = new Set(sides.hunks.map(hunk => hunk.id));
  const ids = new Ids(sides.nextId);
  /**
   * Line offsets: from the old text to the old base, from the old text to the new text, and from the old base to the
   * new base.
   */
  let [toBase, toText, baseGrowth] = [0, 0, 0];
  // An edit that is compared with an agent's hunks is not divided.
  const whole = author.kind === "agent" || (author.kind === "replaced" && author.recall);
  const lines = whole ? edits : edits.flatMap(byLine);
  const slid = whole || edits.length < 2 ? lines : slideToHunks(lines, sides.hunks, sides.text, after);
  const single = whole || edits.length < 2 ? slid : slid.flatMap(atBorders(sides.hunks));
  yield stepsOf(lines);
  const groups = groupEdits(sides.hunks, single, joins);
  yield stepsOf(groups);
  const moved =
    author.kind === "agent" || single.length < 2 ? undefined : yield* MovedLines.of(groups, sides.text, after);
  for (const { hunks: own, edits: made } of groups) {
    const [first, last] = [own[0], own.at(-1)];
    if (made.length === 0 && first) {
      hunks.push(shiftHunk(first, baseGrowth, toText));
      toBase = first.base.to - first.text.to;
      continue;
    }
    const from = Math.min(first?.text.from ?? Infinity, made[0]?.oldFrom ?? Infinity);
    const to = Math.max(last?.text.to ?? 0, made.at(-1)?.oldTo ?? 0);
    const toBaseAfter = last ? last.base.to - last.text.to : toBase;
    const growth = made.reduce((sum, edit) => sum + edit.newTo - edit.newFrom - edit.oldTo + edit.oldFrom, 0);
    const base = { from: from + toBase, to: to + toBaseAfter };
    const text = { from: from + toText, to: to + toText + growth };
    const recall = own.length === 0 && author.kind === "replaced" ? author.recall : undefined;
    const recalled = recall?.(sides.base.slice(base), after.slice(text));
    if (recalled) {
      const id = usedIds.has(recalled.id) ? ids.make() : recalled.id;
      usedIds.add(id);
      hunks.push({ ...recalled, id, base: shiftRange(base, baseGrowth), text });
    } else if (own.length === 0 && author.kind !== "agent") {
      let [users, at] = ["", text.from];
      let inBase = base.from + baseGrowth;
      for (const { from: source, lines } of runsIn(made, moved)) {
        const range = { from: at, to: at + lines };
        if (source)
          hunks.push({ id: ids.make(), base: { from: inBase, to: inBase }, text: range, turns: source.turns });
        else {
          users += after.slice(range);
          inBase += lines;
        }
        at += lines;
      }
      intoBase.push({ range: base, text: users });
      baseGrowth = inBase - base.to;
    } else {
      const given = new Set<string>();
      const group = { hunks: own, edits: made, sides, after, author, ids, given };
      const isUsers = author.kind === "user";
      const isAgents = edits.length > 1 && moved ? (line: string) => moved.isAgents(line) : undefined;
      const edited = {
        ...{ hunks: own, edits: made, base: sides.base, before: sides.text, after, toBase, isUsers },
        ...(isAgents && { isAgents }),
      };
      const authors = yield* authorsAfter(edited);
      let [atBase, atText] = [base.from, text.from];
      for (const same of [...authors.same, undefined]) {
        const [untilBase, untilText] = same ? [same.base.from, same.text.from] : [base.to, text.to];
        const range = { base: { from: atBase, to: untilBase }, text: { from: atText, to: untilText } };
        for (const piece of yield* diffGroup({ ...group, ...range }))
          hunks.push(withSharedLines(shiftHunk(piece, baseGrowth, 0), authors.shared));
        if (!same) break;
        [atBase, atText] = [same.base.to, same.text.to];
        if (!same.isNew) continue;
        intoBase.push({ range: same.base, text: after.slice(same.text) });
        baseGrowth += atText - same.text.from;
      }
    }
    toBase = toBaseAfter;
    toText += growth;
  }
  yield stepsOf(hunks);
  const base = applySplices(sides.base, intoBase);
  yield stepsOf(intoBase);
  return { base, text: after.text, hunks: mergeAdjacent(hunks, base, after), nextId: ids.next };
}

/** The cost of a pass over a list. */
const stepsOf = ({ length }: { readonly length: number }): number => Math.round(length / 5);

/** The result of {@link updateHunks}. */
export interface UpdatedSides {
  readonly base: string;
  readonly text: string;
  readonly hunks: readonly Hunk[];
  readonly nextId: number;
}

class Ids {
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  make(): string {
    return `${this.next++}`;
  }
}

/**
 * Divides an edit that replaces as many lines as it adds into single lines, so that neighbours that are indented
 * together with a hunk do not join it.
 */
function byLine({ oldFrom, oldTo, newFrom, newTo }: LineChange): readonly LineChange[] {
  if (oldTo - oldFrom !== newTo - newFrom) return [{ oldFrom, oldTo, newFrom, newTo }];
  return Array.from({ length: oldTo - oldFrom }, (_, i) => {
    const [old, now] = [oldFrom + i, newFrom + i];
    return { oldFrom: old, oldTo: old + 1, newFrom: now, newTo: now + 1 };
  });
}

/**
 * Divides a deletion at the borders of hunks. If lines of the user next to a hunk move away with it, they leave the base
 * at this place too.
 */
function atBorders(hunks: readonly Hunk[]): (edit: LineChange) => readonly LineChange[] {
  let first = 0;
  return edit => {
    const { oldFrom, oldTo, newFrom, newTo } = edit;
    if (newFrom < newTo) return [edit];
    while (first < hunks.length && (hunks[first]?.text.to ?? 0) <= oldFrom) first++;
    const borders: number[] = [];
    for (let i = first; (hunks[i]?.text.from ?? Infinity) < oldTo; i++)
      borders.push(hunks[i]?.text.from ?? 0, hunks[i]?.text.to ?? 0);
    const ends = [oldFrom, ...new Set(borders.filter(at => oldFrom < at && at < oldTo)), oldTo];
    return ends.slice(1).map((to, i) => ({ oldFrom: ends[i] ?? oldFrom, oldTo: to, newFrom, newTo }));
  };
}

const runsIn = (edits: readonly LineChange[], moved: MovedLines | undefined): readonly InsertedRun[] =>
  edits.flatMap(edit => moved?.runsOf(edit) ?? [{ lines: edit.newTo - edit.newFrom }]);

type Joins = (hunk: Hunk, edit: LineChange) => boolean;

const touches: Joins = ({ text }, { oldFrom, oldTo }) => text.from <= oldTo && oldFrom <= text.to;

/**
 * Whether an edit changes a hunk's lines, or is at the position of removed lines. Lines inserted directly before or
 * after a hunk are not part of it, unless a line without "\n" would come before another line in the base.
 */
function overlapsIn({ base, text }: Sides, after: TextLines): Joins {
  return (hunk, edit) => {
    const { from, to } = hunk.text;
    if (from < edit.oldTo && edit.oldFrom < to) return true;
    if (from === to && edit.oldFrom === from && edit.oldTo === from) return true;
    if (base.isUnterminated && edit.oldFrom === to && hunk.base.to === base.count && to === text.count) return true;
    return after.isUnterminated && edit.oldTo === from && edit.newTo === after.count && edit.newFrom < edit.newTo;
  };
}

/** Hunks and edits, in order. Those that join are in one group. */
function groupEdits(hunks: readonly Hunk[], edits: readonly LineChange[], joins: Joins): readonly EditGroup[] {
  const parts: EditGroup[] = [];
  let [h, e] = [0, 0];
  for (;;) {
    const [hunk, edit, last] = [hunks[h], edits[e], parts.at(-1)];
    if (hunk && (!edit || isBefore(hunk, edit))) {
      const before = last?.edits.at(-1);
      if (before && joins(hunk, before)) last?.hunks.push(hunk);
      else parts.push({ hunks: [hunk], edits: [] });
      h++;
    } else if (edit) {
      const before = last?.hunks.at(-1);
      if (before && joins(before, edit)) last?.edits.push(edit);
      else parts.push({ hunks: [], edits: [edit] });
      e++;
    } else return parts;
  }
}

const isBefore = ({ text: { from, to } }: Hunk, { oldFrom }: LineChange): boolean =>
  from < oldFrom || (from === oldFrom && from === to);

const shiftRange = ({ from, to }: LineRange, by: number): LineRange => ({ from: from + by, to: to + by });

const shiftHunk = (hunk: Hunk, inBase: number, inText: number): Hunk =>
  inBase === 0 && inText === 0
    ? hunk
    : { ...hunk, base: shiftRange(hunk.base, inBase), text: shiftRange(hunk.text, inText) };

/** A group with hunks and edits, and its position in the old base and in the new text. */
interface PlacedGroup extends EditGroup {
  readonly base: LineRange;
  readonly text: LineRange;
  readonly sides: Sides;
  readonly after: TextLines;
  readonly author: EditOrigin;
  readonly ids: Ids;
  /** The ids that were given to other pieces of these hunks. */
  readonly given: Set<string>;
}

/** The hunks between the base and the new text within a range. */
function* diffGroup({
  hunks,
  edits,
  base,
  text,
  sides,
  after,
  author,
  ids,
  given,
}: PlacedGroup): Work<readonly Hunk[]> {
  if (sides.base.slice(base) === after.slice(text)) return [];
  const whole = { oldFrom: base.from, oldTo: base.to, newFrom: text.from, newTo: text.to };
  const changes = author.kind === "user" ? [whole] : yield* readableChanges(sides.base, after, base, text);
  const bases = changes.map(({ oldFrom, oldTo }) => ({ from: oldFrom, to: oldTo }));
  const texts = changes.map(({ newFrom, newTo }) => ({ from: newFrom, to: newTo }));
  const parents = touching(bases, hunks, hunk => hunk.base);
  const made = touching(texts, edits, ({ newFrom, newTo }) => ({ from: newFrom, to: newTo }));
  const names = idsFor(bases, parents);
  const all = turnsOf(hunks);
  return bases.map((range, i) => {
    const name = names[i];
    const id = name === undefined || given.has(name) ? ids.make() : name;
    given.add(id);
    const inherited = turnsOf(parents[i] ?? []);
    let turns = inherited.length > 0 ? inherited : all;
    if (author.kind === "agent" && (inherited.length === 0 || made[i]?.length !== 0))
      turns = [...inherited.filter(turn => turn !== author.turn), author.turn];
    return { id, base: range, text: texts[i] ?? text, turns };
  });
}

/** For each range, the items that overlap or touch it. Both lists are in order. */
function touching<T>(
  ranges: readonly LineRange[],
  items: readonly T[],
  rangeOf: (item: T) => LineRange,
): readonly (readonly T[])[] {
  const places = items.map(rangeOf);
  let first = 0;
  return ranges.map(({ from, to }) => {
    while (first < places.length && (places[first]?.to ?? 0) < from) first++;
    let end = first;
    while (end < places.length && (places[end]?.from ?? 0) <= to) end++;
    return items.slice(first, end);
  });
}

/** Each hunk gives its id to the piece that contains most of its base lines. */
function idsFor(pieces: readonly LineRange[], parents: readonly (readonly Hunk[])[]): readonly string[] {
  const best = new Map<string, { readonly at: number; readonly lines: number }>();
  for (const [at, piece] of pieces.entries()) {
    for (const { id, base } of parents[at] ?? []) {
      const lines = Math.min(base.to, piece.to) - Math.max(base.from, piece.from);
      if (lines > (best.get(id)?.lines ?? -1)) best.set(id, { at, lines });
    }
  }
  const names: string[] = [];
  for (const [id, { at }] of best) names[at] ??= id;
  return names;
}

/** The turns of several hunks, without duplicates. */
const turnsOf = (hunks: readonly Hunk[]): readonly string[] => [...new Set(hunks.flatMap(hunk => hunk.turns))];

/** Merges hunks without a line between them. Together, they may not be a difference at all. */
function mergeAdjacent(hunks: readonly Hunk[], base: string, text: TextLines): readonly Hunk[] {
  const out: Hunk[] = [];
  const joined = new Set<Hunk>();
  for (const hunk of hunks) {
    const last = out.at(-1);
    if (last?.text.to !== hunk.text.from || last.base.to !== hunk.base.from) out.push(hunk);
    else {
      const whole = {
        id: last.id,
        base: { from: last.base.from, to: hunk.base.to },
        text: { from: last.text.from, to: hunk.text.to },
        turns: turnsOf([last, hunk]),
      };
      const joint = withSharedLines(whole, sharedLinesOf([last, hunk]));
      out[out.length - 1] = joint;
      joined.add(joint);
    }
  }
  if (joined.size === 0) return out;
  const bases = textLinesOf(base);
  return out.filter(hunk => !joined.has(hunk) || bases.slice(hunk.base) !== text.slice(hunk.text));
}

/** Replaces ranges of lines in a text. The ranges are in order and do not touch. */
export function applySplices(lines: TextLines, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const { range, text } of splices) {
    result += lines.text.slice(at, lines.start(range.from)) + text;
    at = lines.start(range.to);
  }
  return result + lines.text.slice(at);
}

/** An edit is not moved to the border of a hunk by more lines. */
const maxSlide = 200;

/**
 * The edits, in order, with insertions inside of hunks and deletions across their borders moved to the borders. Of equal
 * lines, nothing tells which ones an edit inserted or removed, so those count that keep the lines of the agent and of the
 * user apart.
 */
function slideToHunks(
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
  return found.filter(by => Math.abs(by) <= maxSlide).sort((a, b) => Math.abs(a) - Math.abs(b));
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
