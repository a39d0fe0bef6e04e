// Text before and after → the hunks a card shows. Bounded in size and time: a card is a glance, the diff editor is exact.
import { structuredPatch } from "diff";
import type { DiffHunk, DiffLine } from "./protocol.ts";

const contextLines = 3;
const maxCharacters = 2_000_000;
const maxLines = 2000;
const timeout = 40;

/** Hunks with three lines of context, and how many lines come and go. `note` says why hunks are missing. */
export interface Hunks {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
  readonly note?: string;
}

/**
 * A line diff of two texts.
 * @example hunksOf("a\nb\n", "a\nc\n").hunks[0].lines → same "a", del "b", add "c"
 */
export function hunksOf(oldText: string, newText: string): Hunks {
  if (oldText === "" || newText === "") return whole(oldText, newText);
  const tooLarge = { hunks: [], added: 0, removed: 0, note: "This change is too large to show here." };
  if (oldText.length + newText.length > maxCharacters) return tooLarge;
  const patch = structuredPatch("", "", oldText, newText, undefined, undefined, { context: contextLines, timeout });
  if (!patch) return tooLarge;
  const hunks = patch.hunks.map(hunk => ({
    oldStart: hunk.oldStart,
    newStart: hunk.newStart,
    lines: hunk.lines.filter(line => !line.startsWith("\\")).map(asLine),
  }));
  return bounded(hunks);
}

function whole(oldText: string, newText: string): Hunks {
  const op = newText === "" ? "del" : "add";
  const text = newText === "" ? oldText : newText;
  if (text === "") return { hunks: [], added: 0, removed: 0 };
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map(line => ({ op, text: line }) as const);
  return bounded([{ oldStart: 1, newStart: 1, lines }]);
}

function asLine(line: string): DiffLine {
  const op = line[0] === "+" ? "add" : line[0] === "-" ? "del" : "same";
  return { op, text: line.slice(1).replace(/\r$/, "") };
}

function bounded(hunks: readonly DiffHunk[]): Hunks {
  const all = hunks.flatMap(hunk => hunk.lines);
  const added = all.filter(line => line.op === "add").length;
  const removed = all.filter(line => line.op === "del").length;
  if (all.length <= maxLines) return { hunks, added, removed };
  let left = maxLines;
  const kept: DiffHunk[] = [];
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push({ ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return { hunks: kept, added, removed, note: `The first ${maxLines} of ${all.length} lines are shown here.` };
}
