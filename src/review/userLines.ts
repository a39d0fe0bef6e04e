// Who wrote the lines of a hunk: the agent, or the agent and the user. Whole lines that the user inserts belong to no
// hunk, so they divide it. Lines that edits move out of a hunk stay the agent's. Pure.
import { changesBetween, type LineChange, type Work } from "../base/lineDiff.ts";
import { trimEdit } from "../files/textEdits.ts";
import type { Hunk, LineRange, SharedLine } from "./hunk.ts";
import type { TextLines } from "./textLines.ts";

/** A line of a text that the agent and the user wrote. */
export interface PlacedLine {
  readonly line: number;
  readonly agents: string;
}

/** Lines that are the same on both sides after an edit. `isNew`: the user inserted them, so the base gets them too. */
export interface SameLines {
  readonly base: LineRange;
  readonly text: LineRange;
  readonly isNew: boolean;
}

/** Hunks with the edits that change them, as in `hunkUpdates.ts`. */
export interface EditedGroup {
  readonly hunks: readonly Hunk[];
  /** `old…` refer to the old text, `new…` to the new one. */
  readonly edits: readonly LineChange[];
  readonly base: TextLines;
  readonly before: TextLines;
  readonly after: TextLines;
  /** From a line of the old text before the group to the same line of the base. */
  readonly toBase: number;
  readonly isUsers: boolean;
  /** Whether an inserted line is the agent's, moved or formatted by edits that arrived together. */
  readonly isAgents?: (line: string) => boolean;
}

/** The lines of hunks that agent and user wrote, by their number in the text. */
export function sharedLinesOf(hunks: readonly Hunk[]): readonly PlacedLine[] {
  return hunks.flatMap(({ text, shared = [] }) => shared.map(({ at, agents }) => ({ line: text.from + at, agents })));
}

/** The hunk with those of the lines that are in it, in order. */
export function withSharedLines(hunk: Hunk, lines: readonly PlacedLine[]): Hunk {
  const { from, to } = hunk.text;
  const shared = lines
    .filter(({ line }) => from <= line && line < to)
    .map(({ line, agents }): SharedLine => ({ at: line - from, agents }));
  const { shared: _, ...rest } = hunk;
  return shared.length > 0 ? { ...rest, shared } : rest;
}

/** The authors of the lines of a group after its edits. */
export function* authorsAfter(
  group: EditedGroup,
): Work<{ readonly shared: readonly PlacedLine[]; readonly same: readonly SameLines[] }> {
  const { hunks, edits, after } = group;
  const known = new Map(sharedLinesOf(hunks).map(({ line, agents }) => [line, agents]));
  const shared: PlacedLine[] = [];
  const same: SameLines[] = [];
  for (const [line, agents] of known) {
    const before = edits.filter(({ oldTo }) => oldTo <= line).at(-1);
    const first = edits[0];
    const by = before ? before.newTo - before.oldTo : first ? first.newFrom - first.oldFrom : 0;
    if (!edits.some(({ oldFrom, oldTo }) => oldFrom <= line && line < oldTo)) shared.push({ line: line + by, agents });
  }
  /** Lines that have no place in the base stay in the hunk, and are not undone with it. */
  const place = (one: SameLines): void => {
    if (!one.isNew || fits(one.base.from, one.text, group)) same.push(one);
    else for (let line = one.text.from; line < one.text.to; line++) shared.push({ line, agents: "" });
  };
  for (const edit of edits) {
    const { oldFrom, oldTo, newFrom, newTo } = edit;
    if (newFrom === newTo) continue;
    const isSwap = oldTo - oldFrom === newTo - newFrom;
    if (!group.isUsers) {
      for (let i = oldFrom; isSwap && i < oldTo; i++) {
        const agents = known.get(i);
        if (agents !== undefined) shared.push({ line: i - oldFrom + newFrom, agents });
      }
      continue;
    }
    const removed = hunks.find(({ text }) => text.from === text.to && text.from === oldFrom);
    if (oldFrom === oldTo && removed && hunks.length === 1 && edits.length === 1) {
      for (const one of yield* writtenBack(removed, edit, group)) place(one);
      continue;
    }
    const found = yield* usersLines(edit, known, group);
    for (const run of found.runs.flatMap(one => withoutAgents(one, group))) {
      const base = basePosition(run.place, group);
      place({ base: { from: base, to: base }, text: run.text, isNew: true });
    }
    shared.push(...found.shared.filter(({ line }) => !group.isAgents?.(lineOf(after, line))));
  }
  return { shared: shared.sort((a, b) => a.line - b.line), same };
}

/** Whole lines that the user inserted, and their place in the old text. */
interface InsertedLines {
  readonly place: number;
  readonly text: LineRange;
}

/** The runs of lines that are not the agent's. */
function withoutAgents({ place, text }: InsertedLines, { after, isAgents }: EditedGroup): readonly InsertedLines[] {
  if (!isAgents) return [{ place, text }];
  const runs: InsertedLines[] = [];
  for (let i = text.from; i < text.to; i++) {
    const last = runs.at(-1);
    if (isAgents(lineOf(after, i))) continue;
    if (last?.text.to === i) runs[runs.length - 1] = { place, text: { from: last.text.from, to: i + 1 } };
    else runs.push({ place, text: { from: i, to: i + 1 } });
  }
  return runs;
}

const lineOf = (text: TextLines, line: number): string => text.slice({ from: line, to: line + 1 });

/** Divides the new lines of a user's edit into whole lines of the user, by their place in the old text, and shared ones. */
function* usersLines(
  { oldFrom, oldTo, newFrom, newTo }: LineChange,
  known: ReadonlyMap<number, string>,
  { before, after }: EditedGroup,
): Work<{
  readonly runs: readonly InsertedLines[];
  readonly shared: readonly PlacedLine[];
}> {
  if (oldFrom === oldTo) return { runs: [{ place: oldFrom, text: { from: newFrom, to: newTo } }], shared: [] };
  /** The agent's text of the old lines, and the old line of each line of it. */
  const agents: string[] = [];
  const owners: number[] = [];
  for (let i = oldFrom; i < oldTo; i++) {
    const text = known.get(i) ?? lineOf(before, i);
    // The parts of a line that the user divided all have the whole line.
    if (known.has(i) && i > oldFrom && known.get(i - 1) === text) continue;
    for (let at = 0; at < text.length;) {
      const end = text.indexOf("\n", at) + 1 || text.length;
      agents.push(text.slice(at, end));
      owners.push(i);
      at = end;
    }
  }
  const runs: InsertedLines[] = [];
  const shared: PlacedLine[] = [];
  for (const found of yield* changesBetween(agents.join(""), after.slice({ from: newFrom, to: newTo }))) {
    const text = { from: found.newFrom + newFrom, to: found.newTo + newFrom };
    const own = agents.slice(found.oldFrom, found.oldTo);
    if (text.from === text.to) continue;
    if (own.length === 0) runs.push({ place: owners[found.oldFrom] ?? oldTo, text });
    else if (!isIndented(own.join(""), after.slice(text))) {
      const isSwap = own.length === text.to - text.from;
      for (let line = text.from; line < text.to; line++)
        shared.push({ line, agents: isSwap ? (own[line - text.from] ?? "") : own.join("") });
    }
  }
  return { runs, shared };
}

/** Whether the texts differ only in white space. */
function isIndented(before: string, after: string): boolean {
  const { start, end, text } = trimEdit(before, 0, before.length, after);
  return withoutSpace(before.slice(start, end)) === withoutSpace(text);
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, "");

/** The user writes where the agent removed lines. Lines that the user writes back are no change any more. */
function* writtenBack(removed: Hunk, { newFrom, newTo }: LineChange, group: EditedGroup): Work<readonly SameLines[]> {
  const { base, after } = group;
  const text = { from: newFrom, to: newTo };
  const out: SameLines[] = [];
  let [atBase, atText] = [removed.base.from, newFrom];
  for (const found of yield* changesBetween(base.slice(removed.base), after.slice(text))) {
    const from = removed.base.from + found.oldFrom;
    const until = newFrom + found.newFrom;
    if (atBase < from) out.push({ base: { from: atBase, to: from }, text: { from: atText, to: until }, isNew: false });
    atBase = removed.base.from + found.oldTo;
    atText = newFrom + found.newTo;
    const users = until < atText ? [{ place: atBase, text: { from: until, to: atText } }] : [];
    for (const { text: lines } of users.flatMap(one => withoutAgents(one, group)))
      out.push({ base: { from: atBase, to: atBase }, text: lines, isNew: true });
  }
  if (atBase < removed.base.to)
    out.push({ base: { from: atBase, to: removed.base.to }, text: { from: atText, to: newTo }, isNew: false });
  return out;
}

/** Where lines that the user inserted at a place of the text belong in the base. */
function basePosition(place: number, { hunks, toBase }: EditedGroup): number {
  let offset = toBase;
  for (const { base, text } of hunks) {
    if (place < text.from) break;
    if (place < text.to) return base.from + Math.min(place - text.from, base.to - base.from);
    offset = base.to - text.to;
  }
  return place + offset;
}

/** Whether lines can be inserted into the base there: a line without "\n" must be the last one. */
function fits(at: number, { to }: LineRange, { base, after }: EditedGroup): boolean {
  if (after.isUnterminated && to === after.count) return at === base.count && !base.isUnterminated;
  return !base.isUnterminated || at < base.count;
}

/** What remains of a hunk when it is undone. Ranges are relative to the hunk. */
export interface UndoneHunk {
  readonly text: string;
  readonly lines: number;
  readonly left: readonly {
    readonly base: LineRange;
    readonly text: LineRange;
    readonly shared: readonly SharedLine[];
  }[];
}

/** Restores the lines of the base, and leaves the lines that agent and user wrote. */
export function undoneHunk(hunk: Hunk, bases: TextLines, texts: TextLines): UndoneHunk {
  const shared = hunk.shared ?? [];
  const [before, now] = [bases.slice(hunk.base), texts.slice(hunk.text)];
  const size = { base: hunk.base.to - hunk.base.from, text: hunk.text.to - hunk.text.from };
  if (shared.length === 0) return { text: before, lines: size.base, left: [] };
  const line = (at: number): string => lineOf(texts, hunk.text.from + at);
  const own = new Set(shared.map(({ at }) => at));
  const first = Array.from({ length: size.text }, (_, i) => i).find(i => !own.has(i));
  const after = shared.filter(({ at }) => at > (first ?? 0));
  const isStuck = before !== "" && !before.endsWith("\n") && after.length > 0 && size.base !== size.text;
  if (first === undefined || isStuck) {
    const all = { base: { from: 0, to: size.base }, text: { from: 0, to: size.text }, shared };
    return { text: now, lines: size.text, left: [all] };
  }
  if (size.base === size.text) {
    // Each line of the text stands for one of the base.
    const stays = (i: number): boolean => own.has(i) && line(i) !== lineOf(bases, hunk.base.from + i);
    const left: UndoneHunk["left"][number][] = [];
    let text = "";
    for (let i = 0; i < size.text; i++) {
      text += stays(i) ? line(i) : lineOf(bases, hunk.base.from + i);
      if (!stays(i) || (i > 0 && stays(i - 1))) continue;
      let to = i + 1;
      while (stays(to)) to++;
      const range = { from: i, to };
      const inside = shared.filter(({ at }) => i <= at && at < to).map(one => ({ ...one, at: one.at - i }));
      left.push({ base: range, text: range, shared: inside });
    }
    return { text, lines: size.text, left };
  }
  const head = shared.filter(({ at }) => at < first);
  const run = (lines: readonly SharedLine[], base: number, text: number): UndoneHunk["left"] =>
    lines.length === 0
      ? []
      : [
          {
            base: { from: base, to: base },
            text: { from: text, to: text + lines.length },
            shared: lines.map(({ agents }, at) => ({ at, agents })),
          },
        ];
  const left = size.base === 0 ? run(shared, 0, 0) : [...run(head, 0, 0), ...run(after, size.base, first + size.base)];
  const texted = (lines: readonly SharedLine[]): string => lines.map(({ at }) => line(at)).join("");
  return { text: texted(head) + before + texted(after), lines: size.base + shared.length, left };
}

/** Hunks and the edits that change them. Without hunks, edits of the user's lines. */
interface EditedHunks {
  readonly hunks: readonly Hunk[];
  readonly edits: readonly LineChange[];
}

/** A run of inserted lines. `from` is the hunk that the lines come from. Without it, they are the user's. */
export interface InsertedRun {
  readonly from?: Hunk;
  readonly lines: number;
}

/** Lines are the same if they differ only in white space. */
const keyOf = (line: string): string => line.replace(/\s+/g, "");

const wordsOf = (line: string): readonly string[] => line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** The number of groups, and of lines of the user, to process in one step of work. */
const perStep = 200;

/**
 * Divides inserted lines into the user's and those that the same edits removed from a hunk. A line that the edits also
 * removed elsewhere is one of the user's that moved.
 */
export class MovedLines {
  /** For each line that left a hunk, its hunks, the last one first. */
  readonly #left = new Map<string, Hunk[]>();
  readonly #after: TextLines;

  private constructor(after: TextLines) {
    this.#after = after;
  }

  /** Finds the lines that the edits of the groups remove. */
  static *of(groups: readonly EditedHunks[], before: TextLines, after: TextLines): Work<MovedLines> {
    const moved = new MovedLines(after);
    for (const [i, group] of groups.entries()) {
      if (i % perStep === perStep - 1) yield perStep;
      if (group.hunks.length > 0) moved.#leave(group, before);
    }
    if (!moved.#isAnyRemoved) return moved;
    // Lines of the user that move are not the agent's, although an agent's line may be the same.
    const users = groups.filter(({ hunks }) => hunks.length === 0).flatMap(({ edits }) => edits);
    let lines = 0;
    for (const { oldFrom, oldTo } of users) {
      for (let i = oldFrom; i < oldTo; i++) {
        if (++lines % perStep === 0) yield perStep;
        const key = keyOf(before.slice({ from: i, to: i + 1 }));
        moved.#users.set(key, (moved.#users.get(key) ?? 0) + 1);
      }
    }
    return moved;
  }

  /** The number of times that the edits remove a line of the user. */
  readonly #users = new Map<string, number>();
  /** Whether the edits remove lines of hunks. */
  #isAnyRemoved = false;
  /** The words that the edits remove from hunks. */
  readonly #agentsWords = new Set<string>();

  /**
   * Whether a line that the edits insert in a hunk is the agent's, in another place or form: it has no word that was not
   * removed from a hunk, and it is no line that the edits took from the user.
   */
  isAgents(line: string): boolean {
    if (!this.#isAnyRemoved || this.#users.has(keyOf(line))) return false;
    return wordsOf(line).every(word => this.#agentsWords.has(word));
  }

  #leave({ hunks, edits }: EditedHunks, before: TextLines): void {
    const removed = new Map<string, Hunk[]>();
    for (const { oldFrom, oldTo } of edits) {
      for (const hunk of hunks) {
        for (let i = Math.max(oldFrom, hunk.text.from); i < Math.min(oldTo, hunk.text.to); i++) {
          const line = before.slice({ from: i, to: i + 1 });
          const key = keyOf(line);
          for (const word of wordsOf(line)) this.#agentsWords.add(word);
          removed.set(key, [...(removed.get(key) ?? []), hunk]);
        }
      }
    }
    if (removed.size === 0) return;
    this.#isAnyRemoved = true;
    // What the edits put back into the hunks has not left them.
    for (const { newFrom, newTo } of edits)
      for (let i = newFrom; i < newTo; i++) removed.get(keyOf(this.#after.slice({ from: i, to: i + 1 })))?.pop();
    for (const [key, from] of removed)
      if (from.length > 0) this.#left.set(key, [...from, ...(this.#left.get(key) ?? [])]);
  }

  /** The lines that an edit outside of hunks inserts, in runs. */
  runsOf({ newFrom, newTo }: LineChange): readonly InsertedRun[] {
    if (this.#left.size === 0) return [{ lines: newTo - newFrom }];
    const runs: InsertedRun[] = [];
    for (let i = newFrom; i < newTo; i++) {
      const from = this.#sourceOf(keyOf(this.#after.slice({ from: i, to: i + 1 })));
      const last = runs.at(-1);
      if (last && last.from === from) runs[runs.length - 1] = { ...last, lines: last.lines + 1 };
      else runs.push({ lines: 1, ...(from && { from }) });
    }
    return runs;
  }

  #sourceOf(key: string): Hunk | undefined {
    const users = this.#users.get(key) ?? 0;
    if (users === 0) return this.#left.get(key)?.pop();
    this.#users.set(key, users - 1);
    return undefined;
  }
}
