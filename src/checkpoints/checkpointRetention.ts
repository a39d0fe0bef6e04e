// Which checkpoints of a session the limits remove. A removed checkpoint stays in the index with its contents for a week, so
// that it can be restored. Pure.
import type { TurnRecord } from "./checkpointIndex.ts";

export interface CheckpointLimits {
  /** The number of checkpoints to keep. */
  readonly count: number;
  /** Their maximum age (ms). */
  readonly age: number;
}

/** Removed checkpoints can be restored for this time (ms). */
export const removedTime = 7 * 24 * 60 * 60 * 1000;

export const isRemoved = ({ removed }: TurnRecord): boolean => removed !== undefined;

/**
 * The records, oldest first, after the limits: the oldest ones beyond them are marked as removed, and those that were
 * removed a week ago are gone. Restored ones count as new, and those after them are needed to restore them. Returns the same
 * array if nothing changed.
 */
export function applyLimits(
  records: readonly TurnRecord[],
  { count, age }: CheckpointLimits,
  now: number,
): readonly TurnRecord[] {
  // The clock can have been wrong. Then the week begins now.
  const dated = records.map(record => ((record.removed ?? 0) > now ? { ...record, removed: now } : record));
  const firstLeft = dated.findIndex(({ removed }) => removed === undefined || now - removed < removedTime);
  const left = firstLeft < 0 ? [] : dated.slice(firstLeft);
  let kept = left.filter(record => !isRemoved(record)).length;
  let isBeyond = true;
  const marked = left.map(record => {
    if (isRemoved(record) || !isBeyond) return record;
    const isOld = now - Math.max(record.at, record.kept ?? 0) > age;
    const isRestored = record.kept !== undefined && now - record.kept <= age;
    isBeyond = isOld || (kept > Math.max(1, count) && !isRestored);
    if (!isBeyond) return record;
    kept--;
    const { kept: _, ...rest } = record;
    return { ...rest, removed: now };
  });
  const isSame = marked.length === records.length && marked.every((record, at) => record === records[at]);
  return isSame ? records : marked;
}

/** Whether the limits keep none of these records. */
export const areAllBeyond = (records: readonly TurnRecord[], { age }: CheckpointLimits, now: number): boolean =>
  records.every(record => isRemoved(record) || now - Math.max(record.at, record.kept ?? 0) > age);

/** The records without their removal. Returns the same array if none was removed. */
export const restoredRecords = (records: readonly TurnRecord[], now: number): readonly TurnRecord[] =>
  records.some(isRemoved)
    ? records.map(record => {
        if (!isRemoved(record)) return record;
        const { removed: _, seen: __, ...rest } = record;
        return { ...rest, kept: now };
      })
    : records;

/** The records after the user has seen the notice of their removal. Returns the same array if the user had. */
export const seenRecords = (records: readonly TurnRecord[]): readonly TurnRecord[] =>
  records.some(record => isRemoved(record) && !record.seen)
    ? records.map(record => (isRemoved(record) ? { ...record, seen: true as const } : record))
    : records;

/** The removed turns. Restores are no checkpoints of the user. */
export const removedTurns = (records: readonly TurnRecord[]): readonly { readonly isSeen: boolean }[] =>
  records.filter(record => record.kind === "turn" && isRemoved(record)).map(({ seen }) => ({ isSeen: seen === true }));
