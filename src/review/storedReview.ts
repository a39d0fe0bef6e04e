// The state of a review that is stored for the next window.
import type { Work } from "../base/lineDiff.ts";
import { reanchor, reanchorWork } from "./fileChanges.ts";
import type { FileChanges } from "./hunk.ts";
import type { StoredSessionsOfTurns } from "./turns/sessionsOfTurns.ts";
import { withoutReviewedMark, type MoveOrigin, type TrackedFile } from "./trackedFile.ts";

export interface StoredReview {
  readonly files: readonly StoredFile[];
  readonly titles: Readonly<Record<string, string>>;
  readonly sessions?: StoredSessionsOfTurns;
  /** Files whose texts another program replaced, as they were before. */
  readonly replaced?: readonly StoredFile[];
}

export interface StoredFile {
  readonly path: string;
  readonly changes: FileChanges;
  readonly mixed: boolean;
  readonly unknown?: string;
  readonly hasSameText?: true;
  readonly movedFrom?: MoveOrigin;
  readonly isMeanwhile?: true;
  readonly isReviewed?: true;
}

/** A file under review, as plain JSON. */
export function storedFile(file: TrackedFile): StoredFile {
  const { path, changes, mixed, unknown, hasSameText, movedFrom, isMeanwhile, isReviewed } = file;
  return {
    path,
    changes,
    mixed,
    ...(unknown !== undefined && { unknown }),
    ...(hasSameText && { hasSameText }),
    ...(movedFrom && { movedFrom }),
    ...(isMeanwhile && { isMeanwhile }),
    ...(isReviewed && { isReviewed }),
  };
}

/** The most earlier states of a file that are kept. */
export const maxHistory = 100;

/** A file after a restore to `text`. `then`: what waited for review at that time. */
export function restoredFile(
  path: string,
  text: string | null | undefined,
  then: StoredFile | undefined,
  now: TrackedFile | undefined,
): TrackedFile {
  const history = now ? [...now.history, now.changes].slice(-maxHistory) : [];
  const nextId = Math.max(now?.changes.nextId ?? 1, then?.changes.nextId ?? 1);
  const settled: FileChanges = { base: text ?? null, text: text ?? null, hunks: [], nextId, kept: [] };
  if (!then) return { path, changes: settled, history, mixed: false };
  if (then.unknown !== undefined || text === undefined) return { ...withoutReviewedMark(then), history };
  const changes = reanchor(then.changes, text);
  const { mixed, movedFrom } = then;
  return { path, changes: changes ? { ...changes, nextId } : settled, history, mixed, ...(movedFrom && { movedFrom }) };
}

/** A stored file with its current text. Undefined if its changes cannot be found again. `complete`: does the work. */
export async function revivedFile(
  stored: StoredFile,
  text: string | null | undefined,
  complete: (work: Work<FileChanges | undefined>) => Promise<FileChanges | undefined>,
): Promise<TrackedFile | undefined> {
  const { changes, unknown, hasSameText } = stored;
  const isEdited = hasSameText && typeof text === "string";
  if (unknown !== undefined)
    return { ...stored, history: [], ...(isEdited && { changes: { ...changes, base: text, text } }) };
  if (text === undefined) return undefined;
  if (changes.text === text) return { ...stored, history: [] };
  const now = await complete(reanchorWork(changes, text));
  return now && { ...withoutReviewedMark(stored), changes: now, history: [] };
}
