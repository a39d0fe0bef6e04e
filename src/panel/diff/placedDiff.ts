// The line numbers of a diff whose texts are a fragment of their file. Runs on both sides of the webview.
import type { DiffBody, DiffHunk } from "../protocol.ts";

/** The diff of texts that begin at a line of their file. Without a known line, its own line numbers mean nothing. */
export function placedDiff<T extends DiffBody>(body: T, line: number | undefined): T {
  const { unplaced: _, ...rest } = body;
  if (body.hunks.length === 0) return body;
  if (line === undefined) return { ...body, unplaced: true };
  if (line === 1 && !body.unplaced) return body;
  const shifted = (hunk: DiffHunk): DiffHunk => ({
    ...hunk,
    oldStart: hunk.oldStart + line - 1,
    newStart: hunk.newStart + line - 1,
  });
  return { ...rest, hunks: body.hunks.map(shifted) } as unknown as T;
}

/** The line with which {@link placedDiff} turns one diff into the other, if that is the only difference of their hunks. */
export function lineBetween(unplaced: DiffBody, placed: DiffBody): number | undefined {
  if (!unplaced.unplaced || placed.unplaced || unplaced.hunks.length !== placed.hunks.length) return undefined;
  const [first, now] = [unplaced.hunks[0], placed.hunks[0]];
  if (!first || !now) return undefined;
  const shift = now.oldStart - first.oldStart;
  const isShifted = unplaced.hunks.every((hunk, i) => {
    const other = placed.hunks[i];
    return (
      other?.lines === hunk.lines &&
      other.oldStart - hunk.oldStart === shift &&
      other.newStart - hunk.newStart === shift
    );
  });
  return isShifted ? shift + 1 : undefined;
}
