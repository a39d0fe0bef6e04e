// The index entry of a stored session: what a list of sessions shows without reading the logs. Each entry is a file of its
// own, so that windows do not overwrite the entries of each other.
import { isFiniteNumber, isListOf, isOneOf, isRecordWith, isString, isTrue, optional } from "../base/validators.ts";
import { isUsageRows, usageRows, type UsageRow } from "./sessionUsage.ts";
import type { SessionLink } from "../session/events.ts";
import {
  continuedSession,
  isBusy,
  openQuestions,
  sessionTitle,
  type Branch,
  type SessionState,
} from "../session/state.ts";

/** `interrupted`: the window was closed while the agent worked. */
export type StoredStatus = "idle" | "working" | "waiting" | "failed" | "interrupted";

export interface SessionEntry {
  readonly id: string;
  /** The id of the agent in the settings, and its name when the session was last open. */
  readonly agent: string;
  readonly agentName: string;
  readonly folder: string;
  /** Empty before the first prompt. */
  readonly title: string;
  /** When the user or the agent last did something, ms since the epoch. */
  readonly updated: number;
  readonly status: StoredStatus;
  /** The id of the agent's session that the conversation continues in. */
  readonly agentSession?: string;
  /** What its turns have used. Absent: not computed yet, because an earlier version of Parley wrote the entry. */
  readonly usage?: readonly UsageRow[];
  /** The session that this one continues, and its title at the time. */
  readonly continues?: Pick<SessionLink, "session" | "title">;
  /** The branches that led to the session. Absent if it is no branch. */
  readonly branches?: readonly BranchStart[];
  /** Nothing was written in the session yet, so lists hide it. */
  readonly blank?: true;
  /** The agent did something that the user has not seen. */
  readonly unread?: true;
  /** The user is done with the session, so lists hide it. */
  readonly done?: true;
  /** The user restored the session after it was removed, so no limit removes it again. */
  readonly kept?: true;
  /** The user pinned the session, so it stands first in lists and no limit removes it. */
  readonly pinned?: true;
  /** When the user deleted the session, ms since the epoch. It goes into the trash a day later. */
  readonly deleted?: number;
}

/** Where a branch left the session that it was copied from. */
export type BranchStart = Omit<Branch, "agentSession">;

/** The marks that the user sets. */
export type SessionMarks = Pick<SessionEntry, "unread" | "done" | "kept" | "pinned" | "deleted">;

const isEntry = isRecordWith({
  id: isString,
  agent: isString,
  agentName: isString,
  folder: isString,
  title: isString,
  updated: isFiniteNumber,
  status: isOneOf("idle", "working", "waiting", "failed", "interrupted"),
  agentSession: optional(isString),
  usage: optional(isUsageRows),
  continues: optional(isRecordWith({ session: isString, title: isString })),
  branches: optional(
    isListOf(isRecordWith({ session: isString, from: isString, after: isString, at: isFiniteNumber })),
  ),
  blank: optional(isTrue),
  unread: optional(isTrue),
  done: optional(isTrue),
  kept: optional(isTrue),
  pinned: optional(isTrue),
  deleted: optional(isFiniteNumber),
});

const suffix = ".session.json";

/** The name of the file of an entry. */
export const entryFileName = (id: string): string => `${id}${suffix}`;

/** The id of the session whose entry the file has; undefined for any other file. */
export const sessionOfEntryFile = (name: string): string | undefined =>
  name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;

/** The entry in the text of its file. Undefined if the file is damaged or belongs to another session. */
export function parseEntry(text: string, id: string): SessionEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) && (value as SessionEntry).id === id ? (value as SessionEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The entry of a session in this state, with the marks that the user set. Undefined if the session has no agent yet. */
export function entryOf(
  id: string,
  state: SessionState,
  updated: number,
  marks: SessionMarks = {},
): SessionEntry | undefined {
  if (state.agent === null) return undefined;
  const { agentSessions, agentSession, workspaceFolder: folder } = state;
  const open = agentSession === null ? undefined : (agentSessions[agentSession] ?? undefined);
  const { unread, done, kept, pinned, deleted } = marks;
  const continues = continuedSession(state);
  return {
    ...{ id, agent: state.agent.id, agentName: state.agent.name, folder },
    ...{ title: sessionTitle(state), updated, status: statusOf(state) },
    usage: usageRows(state.spending.turns),
    ...(open !== undefined && { agentSession: open }),
    ...(continues && { continues: { session: continues.session, title: continues.title } }),
    ...(state.branches.length > 0 && { branches: branchStarts(state) }),
    ...(state.entries.length === 0 && state.pendingPrompts.length === 0 && { blank: true as const }),
    ...(unread && { unread }),
    ...(done && { done }),
    ...(kept && { kept }),
    ...(pinned && { pinned }),
    ...(deleted !== undefined && { deleted }),
  };
}

/** The branches that led to a session in this state. */
export const branchStarts = ({ branches }: SessionState): readonly BranchStart[] =>
  branches.map(({ session, from, after, at }) => ({ session, from, after, at }));

/** When the user or the agent last wrote or did something. Undefined if neither has yet. */
export function lastActivity({ entries }: SessionState): number | undefined {
  const last = entries.findLast(entry => entry.kind === "message" || entry.kind === "tool");
  if (last?.kind === "message") return last.until;
  return last?.kind === "tool" ? (last.ended ?? last.at) : undefined;
}

function statusOf(state: SessionState): StoredStatus {
  if (openQuestions(state).length > 0) return "waiting";
  if (isBusy(state)) return "working";
  return state.lost !== null || state.activity.stopReason === "error" ? "failed" : "idle";
}

/** The entry of a session that no window has open. What it worked on has ended with its window. */
export const closedEntry = (entry: SessionEntry): SessionEntry =>
  entry.status === "working" || entry.status === "waiting" ? { ...entry, status: "interrupted" } : entry;
