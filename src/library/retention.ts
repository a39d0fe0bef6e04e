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
/** Deleted and blank sessions go into the trash after this time (ms). */
const trashDelay = day;

/** `blank`: nothing was written in the session. */
export type RemovalReason = "limit" | "deleted" | "blank";

export interface ExpiredSession {
  readonly id: string;
  readonly reason: RemovalReason;
}

/**
 * The sessions to move into the trash, oldest first: deleted and blank ones after a day, and the oldest ones beyond a limit. A
 * session that is open, works or has something unread is never removed for a limit, but it counts. A session that the user
 * pinned or restored is not removed and doesn't count, so that it does not take the place of others.
 */
export function expiredSessions(
  sessions: readonly SizedEntry[],
  limits: SessionLimits,
  now: number,
): readonly ExpiredSession[] {
  const removed = new Map<string, RemovalReason>();
  for (const { entry, bytes, isOpen } of sessions) {
    const isBlank = entry.blank === true && !isKept(entry) && bytes <= maxBlankSize;
    const since = entry.deleted ?? (isBlank ? entry.updated : undefined);
    if (since !== undefined && now - since >= trashDelay && !isOpen)
      removed.set(entry.id, entry.deleted === undefined ? "blank" : "deleted");
  }
  const kept = sessions
    .filter(({ entry }) => entry.deleted === undefined && !isKept(entry))
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
    if (isOver && !removed.has(one.entry.id)) removed.set(one.entry.id, "limit");
  }
  return sessions
    .toSorted((a, b) => a.entry.updated - b.entry.updated)
    .flatMap(({ entry: { id } }) => {
      const reason = removed.get(id);
      return reason ? [{ id, reason }] : [];
    });
}

const isKept = ({ kept, pinned }: SessionEntry): boolean => kept === true || pinned === true;

const isProtected = ({ entry, isOpen }: SizedEntry): boolean =>
  isOpen || entry.unread === true || entry.status === "working" || entry.status === "waiting";
