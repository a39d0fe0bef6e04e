// Where the branches of a conversation part, and which branch a session is of them. Pure.
import type { ViewBranch } from "../panel/protocol.ts";
import { isPrompt, type SessionState } from "../session/state.ts";
import { branchStarts, type BranchStart } from "./sessionEntry.ts";

/** A session with the branches that led to it. */
export interface BranchedSession {
  readonly id: string;
  readonly branches?: readonly BranchStart[];
}

/** The id of the session that the branches of a conversation come from. It need not exist any more. */
const firstSession = ({ id, branches }: BranchedSession): string => branches?.[0]?.from ?? id;

/**
 * The places where branches of the session part from each other, by the entry that shows them: the first prompt after the
 * last common entry, or else the common entry. `sessions` are all that exist.
 */
export function branchPoints(
  id: string,
  state: SessionState,
  sessions: readonly BranchedSession[],
): ReadonlyMap<string, ViewBranch> {
  const self = { id, branches: branchStarts(state) };
  const root = firstSession(self);
  const family = [...sessions.filter(one => one.id !== id && firstSession(one) === root), self];
  const points = new Map<string, ViewBranch>();
  if (family.length < 2) return points;
  const starts = new Map(
    family.flatMap(({ branches = [] }) => branches.map(start => [`${start.from}\n${start.after}`, start] as const)),
  );
  for (const { from, after } of starts.values()) {
    if (!isOnPath(self, state, from, after)) continue;
    const entry = shownAt(state, after);
    const place = placeOf(self, family, from, after);
    if (entry !== undefined && place.of > 1) points.set(entry, place);
  }
  return points;
}

/** Whether the session has the entry of the session `from`, and did not leave that session before it. */
function isOnPath(self: BranchedSession, { entries }: SessionState, from: string, after: string): boolean {
  const { id, branches = [] } = self;
  const position = (entry: string): number => (entry === "" ? -1 : entries.position(entry));
  const left = branches.find(start => start.from === from);
  if (!left && from !== id) return false;
  if (after !== "" && !entries.get(after)) return false;
  return !left || position(after) <= position(left.after);
}

/** The sessions that go on after the entry: the one that has it, and those that were copied up to it, oldest first. */
function placeOf(self: BranchedSession, family: readonly BranchedSession[], from: string, after: string): ViewBranch {
  const startsAt = ({ branches = [] }: BranchedSession): BranchStart | undefined =>
    branches.find(start => start.from === from && start.after === after);
  const starts = new Map(family.flatMap(one => startsAt(one) ?? []).map(start => [start.session, start] as const));
  const ordered = [...starts.values()].sort((a, b) => a.at - b.at || (a.session < b.session ? -1 : 1));
  // A branch that was deleted is still shown if another one begins in it.
  const shown = (branch: string): string | undefined =>
    family.find(one => one.id === branch)?.id ?? family.find(one => startsAt(one)?.session === branch)?.id;
  const goesOn = (one: BranchedSession): boolean =>
    startsAt(one) === undefined && (one.branches ?? []).some(start => start.from === from);
  const first = family.find(one => one.id === from) ?? family.find(goesOn);
  const others = ordered.filter(({ session }) => shown(session) !== undefined).map(({ session }) => session);
  const branches = [...(first ? [undefined] : []), ...others];
  const at = branches.indexOf(startsAt(self)?.session);
  const sessionAt = (index: number): string | undefined => {
    if (index < 0 || index >= branches.length) return undefined;
    const branch = branches[index];
    return branch === undefined ? first?.id : shown(branch);
  };
  const previous = sessionAt(at - 1);
  const next = sessionAt(at + 1);
  return {
    ...{ at: at + 1, of: branches.length },
    ...(previous !== undefined && { previous }),
    ...(next !== undefined && { next }),
  };
}

function shownAt({ entries }: SessionState, after: string): string | undefined {
  for (let at = after === "" ? 0 : entries.position(after) + 1; at < entries.length; at++) {
    const entry = entries.at(at);
    if (entry && isPrompt(entry)) return entry.id;
  }
  return after === "" ? undefined : after;
}
