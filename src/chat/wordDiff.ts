// Which words of a changed line changed: for lines that are alike, within bounds.
import { diffArrays } from "diff";
import type { Work } from "../base/lineDiff.ts";
import type { DiffHunk, DiffLine, Marks } from "./protocol.ts";

/** Longer lines are not looked at by their words. */
const maxLine = 2000;
/** Steps for one diff: words looked at. */
const maxWords = 300_000;
const maxEdits = 120;
/** A line is looked for among so many that could be its new self. */
const reach = 4;
/** How much of the longer line must stay for its words to be marked, by characters that are no white space. */
const alike = 0.4;

// A flag; a word; white space; or one character with all that is drawn on it. A character is never cut in two.
const words =
  /\p{RI}\p{RI}|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*|[^\S\p{M}]+(?![\p{M}\u200d])|[^][\p{M}\p{Emoji_Modifier}\u200c\u200d]*(?:(?<=\u200d)[^][\p{M}\p{Emoji_Modifier}\u200c\u200d]*)*/gu;

/** The two sides of a changed line: which columns went, and which came. In UTF-16 units, in order, never touching. */
export interface WordMarks {
  readonly old: Marks;
  readonly new: Marks;
}

interface Compared extends WordMarks {
  /** 0: nothing in common; 1: the same. */
  readonly likeness: number;
  readonly steps: number;
}

function compare(oldLine: string, newLine: string): Compared {
  const nothing = { likeness: 0, old: [], new: [] };
  if (oldLine.length > maxLine || newLine.length > maxLine) return { ...nothing, steps: 1 };
  const a = oldLine.match(words) ?? [];
  const b = newLine.match(words) ?? [];
  const steps = 20 + a.length + b.length;
  const parts = diffArrays(a, b, { maxEditLength: maxEdits }) as
    readonly { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }[] | undefined;
  if (!parts) return { ...nothing, steps: steps + maxEdits ** 2 / 4 };
  const old: [number, number][] = [];
  const others: [number, number][] = [];
  let [atOld, atNew, kept, edits] = [0, 0, 0, 0];
  for (const { value, added, removed } of parts) {
    const text = value.join("");
    if (added || removed) edits += value.length;
    else kept += solid(text);
    if (removed) mark(old, atOld, text.length);
    if (added) mark(others, atNew, text.length);
    if (!added) atOld += text.length;
    if (!removed) atNew += text.length;
  }
  const longer = Math.max(solid(oldLine), solid(newLine));
  const likeness = longer === 0 ? 1 : kept / longer;
  return { likeness, old, new: others, steps: steps + Math.ceil(edits ** 2 / 4) };
}

const solid = (text: string): number => text.replace(/\s+/g, "").length;

function mark(marks: [number, number][], from: number, length: number): void {
  const last = marks.at(-1);
  if (last?.[1] === from) last[1] = from + length;
  else marks.push([from, from + length]);
}

/** The hunks with the words marked that changed within lines. */
export function* marked(hunks: readonly DiffHunk[]): Work<readonly DiffHunk[]> {
  const out: DiffHunk[] = [];
  let left = maxWords;
  for (const hunk of hunks) {
    const lines: DiffLine[] = [...hunk.lines];
    for (const [dels, adds] of runs(lines)) {
      let from = 0;
      for (let i = 0; i < dels.length && from < adds.length && left > 0; i++) {
        const at = dels[i] as number;
        // As many lines as before: each is its own new self. Else the best of the next few.
        const choice = dels.length === adds.length ? adds.slice(i, i + 1) : adds.slice(from, from + reach);
        const best = bestOf(lines, at, choice);
        left -= best.steps;
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

interface Best {
  readonly at: number;
  readonly marks?: WordMarks;
  readonly steps: number;
}

function bestOf(lines: readonly DiffLine[], del: number, choice: readonly number[]): Best {
  let best: (Compared & { readonly at: number }) | undefined;
  let steps = 0;
  for (const at of choice) {
    const [old, other] = [lines[del] as DiffLine, lines[at] as DiffLine];
    // What is cut cannot be compared.
    if (old.cut !== undefined || other.cut !== undefined) continue;
    const compared = compare(old.text, other.text);
    steps += compared.steps;
    if (compared.likeness > (best?.likeness ?? 0)) best = { ...compared, at };
  }
  if (!best || best.likeness < alike) return { at: -1, steps };
  return { at: best.at, marks: { old: best.old, new: best.new }, steps };
}

/** Lines that go with the lines that come right after them, by index. */
function* runs(lines: readonly DiffLine[]): Generator<readonly [dels: readonly number[], adds: readonly number[]]> {
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
