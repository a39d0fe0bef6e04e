// Undoes a review decision at the same lines, even if the file has changed since.
import { applyAgentEdit } from "./fileChanges.ts";
import { type FileChanges } from "./hunk.ts";
import { keepDecision, revertKeep } from "./revertKeep.ts";
import { applyEdits, smallestEdits, type OffsetEdit } from "../files/textEdits.ts";

/** A file before and after a decision. */
export interface DecidedFile {
  readonly path: string;
  readonly before: FileChanges;
  readonly after: FileChanges;
}

/**
 * The file after its decision is undone: a kept hunk needs a review again, and an undone hunk has the agent's lines
 * again. Undefined if other changes to the same lines were made since, or if the file is no longer tracked.
 */
export function revertDecision(
  kind: "keep" | "undo",
  { before, after }: DecidedFile,
  now: FileChanges | undefined,
): FileChanges | undefined {
  if (now === undefined) return undefined;
  if (now === after) return before;
  if (kind === "keep") return revertKeep(now, keepDecision(before, after));
  // Undo in the editor may have had this effect already.
  if (now.text === before.text) return now;
  const turn = before.hunks.flatMap(hunk => hunk.turns).at(-1) ?? "";
  const text = rebaseChange(after.text, before.text, now.text);
  return text === undefined ? undefined : applyAgentEdit(now, text, turn);
}

/**
 * Applies the change from `from` to `to` to `now`, which was derived from `from` by other edits. Undefined if they
 * conflict.
 */
function rebaseChange(from: string | null, to: string | null, now: string | null): string | null | undefined {
  if (from === now) return to;
  if (to === now) return now;
  if (from === null || to === null || now === null) return undefined;
  const moved = rebaseEdits(smallestEdits(from, to), smallestEdits(from, now));
  return moved && applyEdits(now, moved);
}

/**
 * Adjusts edits of a text to the text after other edits. Undefined if two of them conflict.
 * @example rebased([{ start: 5, end: 6, text: "x" }], [{ start: 0, end: 0, text: "ab" }]) // [{ start: 7, end: 8, text: "x" }]
 */
export function rebaseEdits(
  edits: readonly OffsetEdit[],
  others: readonly OffsetEdit[],
): readonly OffsetEdit[] | undefined {
  const moved: OffsetEdit[] = [];
  for (const edit of edits) {
    let shift = 0;
    for (const other of others) {
      if (other.end < edit.start || (other.end === edit.start && other.start < other.end && edit.start < edit.end)) {
        shift += other.text.length - (other.end - other.start);
      } else if (other.start <= edit.end) return undefined;
    }
    moved.push({ start: edit.start + shift, end: edit.end + shift, text: edit.text });
  }
  return moved;
}
