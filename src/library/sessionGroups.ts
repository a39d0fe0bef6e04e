// How the list of sessions is grouped: first what the user pinned, then what needs the user or works, then by the day of
// the last change, or by the folder of the workspace.
import type { ViewWorktree } from "../panel/protocol.ts";
import type { UsageRow } from "./sessionUsage.ts";

/** What a listed session does, or what happened to it last. */
export type ListedStatus = "waiting" | "working" | "failed" | "interrupted" | "idle";

/** A session as lists show it. */
export interface ListedSession {
  readonly id: string;
  /** Empty if the session has none yet. */
  readonly title: string;
  readonly agentName: string;
  /** The path of the workspace folder in which the session works. Absent if it is not known. */
  readonly folder?: string;
  /** The name of the codicon of its agent, if it has one. */
  readonly agentIcon?: string;
  /** Time of the last change, in milliseconds since the epoch. Absent if it is not known. */
  readonly updated?: number;
  readonly status: ListedStatus;
  /** Whether something happened that the user has not seen. */
  readonly isUnread: boolean;
  /** Whether the user marked the session as done. */
  readonly isDone: boolean;
  /** The user pinned the session. */
  readonly isPinned?: true;
  /** Nothing was written in the session, and the user gave it no name. */
  readonly isBlank?: true;
  /** The session whose conversation this one was copied from first. Absent if it is no branch. */
  readonly branchOf?: string;
  /** The session that this one continues, and its title at the time. */
  readonly continues?: { readonly session: string; readonly title: string };
  /** The agent can copy the session. */
  readonly canFork?: true;
  /** What its turns have used. */
  readonly usage?: readonly UsageRow[];
  /** The lines of its changes that wait for review. */
  readonly changes?: { readonly added: number; readonly removed: number };
  /** The worktree that Parley has made, in which the session works. */
  readonly worktree?: ViewWorktree;
}

export type SessionGroupId = "pinned" | "waiting" | "working" | "today" | "yesterday" | "week" | "older";

/** A folder of the workspace. */
export interface SessionFolder {
  readonly path: string;
  readonly name: string;
}

export interface SessionGroup {
  readonly id: SessionGroupId | `folder:${string}`;
  /** The folder whose sessions it has, if the sessions are grouped by folder. */
  readonly folder?: SessionFolder;
  /** Latest first. Never empty. */
  readonly conversations: readonly ListedConversation[];
}

/** A session, and the other branches of its conversation, which stand below it. */
export interface ListedConversation {
  readonly session: ListedSession;
  /** Latest first. */
  readonly branches: readonly ListedSession[];
}

type GroupHead = Pick<SessionGroup, "id" | "folder">;

/** These stand first, however the others are grouped. */
const firstGroups: readonly GroupHead[] = [{ id: "pinned" }, { id: "waiting" }, { id: "working" }];
const dayGroups: readonly GroupHead[] = [{ id: "today" }, { id: "yesterday" }, { id: "week" }, { id: "older" }];

/**
 * The groups that have sessions, in the order of the list. Done sessions are left out unless `showsDone`. A conversation
 * stands where its most urgent branch belongs, the latest of several. `folders`: the folders of the workspace, to group by
 * them. Sessions of other folders follow.
 */
export function sessionGroups(
  sessions: readonly ListedSession[],
  now: number,
  showsDone: boolean,
  folders?: readonly SessionFolder[],
): readonly SessionGroup[] {
  const shown = sessions.filter(session => isListed(session) && (showsDone || !session.isDone || isActive(session)));
  const heads = [...firstGroups, ...(folders ? folderGroups(shown, folders) : dayGroups)];
  const rest = ({ folder = "", updated = 0 }: ListedSession): SessionGroup["id"] =>
    folders ? `folder:${folder}` : dayOf(updated, now);
  const placed = shown.map(session => ({ session, group: firstGroupOf(session) ?? rest(session) }));
  const found = conversationsOf(
    placed,
    heads.map(({ id }) => id),
  );
  const groups = new Map(heads.map(head => [head.id, { ...head, conversations: [] as ListedConversation[] }]));
  for (const { group, ...conversation } of found) groups.get(group)?.conversations.push(conversation);
  return [...groups.values()].filter(({ conversations }) => conversations.length > 0);
}

/** A group for each folder, those of the workspace first. */
function folderGroups(sessions: readonly ListedSession[], folders: readonly SessionFolder[]): readonly GroupHead[] {
  const paths = new Set(folders.map(({ path }) => path));
  const others = new Set(sessions.map(({ folder = "" }) => folder).filter(path => !paths.has(path)));
  const named = [...others].map(path => ({ path, name: nameOfPath(path) }));
  return [...folders, ...named.toSorted((a, b) => (a.path < b.path ? -1 : 1))].map(folder => ({
    id: `folder:${folder.path}`,
    folder,
  }));
}

const nameOfPath = (path: string): string => path.split(/[\\/]/).findLast(part => part !== "") ?? "";

/** A session, and the group that it belongs to. */
interface PlacedSession {
  readonly session: ListedSession;
  readonly group: SessionGroup["id"];
}

/** The conversations with their groups, in the order of their most urgent branches. */
function conversationsOf(
  placed: readonly PlacedSession[],
  order: readonly SessionGroup["id"][],
): readonly (ListedConversation & Pick<PlacedSession, "group">)[] {
  const families = new Map<string, PlacedSession[]>();
  const rank = ({ group }: PlacedSession): number => order.indexOf(group);
  for (const one of placed.toSorted((a, b) => rank(a) - rank(b) || byTime(a.session, b.session))) {
    const root = one.session.branchOf ?? one.session.id;
    const family = families.get(root);
    if (family) family.push(one);
    else families.set(root, [one]);
  }
  return [...families.values()].flatMap(([head, ...others]) =>
    head ? [{ ...head, branches: others.map(({ session }) => session).toSorted(byTime) }] : [],
  );
}

/** Lists leave out blank sessions, unless one needs the user, as for the form of a server. */
export const isListed = (session: ListedSession): boolean => session.isBlank !== true || session.status === "waiting";

/** A session that waits or works is shown, even if it was done before. */
const isActive = ({ status }: ListedSession): boolean => status === "waiting" || status === "working";

/** Sessions with the same time keep one order, so that a refresh moves no row. */
const byTime = (a: ListedSession, b: ListedSession): number =>
  (b.updated ?? 0) - (a.updated ?? 0) || (a.id < b.id ? -1 : 1);

function firstGroupOf({ status, isPinned }: ListedSession): SessionGroupId | undefined {
  if (isPinned) return "pinned";
  return status === "waiting" || status === "working" ? status : undefined;
}

function dayOf(updated: number, now: number): SessionGroupId {
  if (updated >= startOfDay(now, 0)) return "today";
  if (updated >= startOfDay(now, 1)) return "yesterday";
  return updated >= startOfDay(now, 6) ? "week" : "older";
}

/** Midnight in local time, some days ago. A day can have 23 or 25 hours. */
function startOfDay(now: number, daysAgo: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}

/** The order in which the user chooses a session: what waits first, then what failed or is unread, then the latest. */
export function sessionsByUrgency(sessions: readonly ListedSession[]): readonly ListedSession[] {
  const rank = (session: ListedSession): number =>
    session.status === "waiting" ? 0 : needsAttention(session) ? 1 : session.status === "working" ? 2 : 3;
  return sessions.toSorted((a, b) => rank(a) - rank(b) || byTime(a, b));
}

/** Whether the badge counts the session: it waits, or something in it is unread, such as a failure. */
export const needsAttention = (session: ListedSession): boolean =>
  isListed(session) && (session.status === "waiting" || session.isUnread);

/** A rounded time span. The unit "now" means less than a minute. */
export interface SessionAge {
  readonly unit: "now" | "minutes" | "hours" | "days" | "weeks";
  readonly count: number;
}

const minute = 60_000;
const units = [
  { unit: "weeks", length: 7 * 24 * 60 * minute },
  { unit: "days", length: 24 * 60 * minute },
  { unit: "hours", length: 60 * minute },
  { unit: "minutes", length: minute },
] as const;

/** The time since the last change, rounded down. A time in the future, by another clock, is "now". */
export function sessionAge(updated: number, now: number): SessionAge {
  const passed = now - updated;
  const found = units.find(({ length }) => passed >= length);
  return found ? { unit: found.unit, count: Math.floor(passed / found.length) } : { unit: "now", count: 0 };
}
