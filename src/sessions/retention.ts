// Which stored sessions are removed. Pure.
import type { SessionEntry } from "./sessionEntry.ts";

/** Limits of the user for stored sessions. 0: no limit. */
export interface SessionLimits {
  readonly count: number;
  readonly days: number;
  readonly megabytes: number;
}

export interface SizedEntry {
  readonly entry: SessionEntry;
  /** The size of the session's files, in bytes. */
  readonly bytes: number;
  /** A window has the session open. */
  readonly isOpen: boolean;
}

const day = 24 * 60 * 60 * 1000;
/** A session without entries can have a larger log if the log is damaged. It may hold a conversation, so it stays (bytes). */
const maxBlankSize = 64 * 1024;
/** Undo can restore a deleted session for this time (ms). */
export const undoTime = day;

/**
 * The ids of the sessions to remove, oldest first: deleted and blank ones after a day, and the oldest ones beyond a limit. A session
 * that is open, works or has something unread is never removed for a limit, but it counts.
 */
export function expiredSessions(
  sessions: readonly SizedEntry[],
  limits: SessionLimits,
  now: number,
): readonly string[] {
  const removed = new Set<string>();
  for (const { entry, bytes, isOpen } of sessions) {
    const isBlank = entry.blank === true && bytes <= maxBlankSize;
    const since = entry.deleted ?? (isBlank ? entry.updated : undefined);
    if (since !== undefined && now - since >= undoTime && !isOpen) removed.add(entry.id);
  }
  const kept = sessions
    .filter(({ entry }) => entry.deleted === undefined)
    .sort((a, b) => b.entry.updated - a.entry.updated || (a.entry.id < b.entry.id ? -1 : 1));
  const oldest = now - limits.days * day;
  let count = 0;
  let bytes = 0;
  // A session that may not be removed takes its place before the others.
  for (const one of [...kept].sort((a, b) => Number(isProtected(b)) - Number(isProtected(a)))) {
    count++;
    bytes += one.bytes;
    if (isProtected(one)) continue;
    const isOver =
      (limits.count > 0 && count > limits.count) ||
      (limits.days > 0 && one.entry.updated < oldest) ||
      (limits.megabytes > 0 && bytes > limits.megabytes * 1024 * 1024);
    if (isOver) removed.add(one.entry.id);
  }
  return sessions
    .filter(({ entry }) => removed.has(entry.id))
    .sort((a, b) => a.entry.updated - b.entry.updated)
    .map(({ entry }) => entry.id);
}

const isProtected = ({ entry, isOpen }: SizedEntry): boolean =>
  isOpen || entry.unread === true || entry.status === "working" || entry.status === "waiting";
