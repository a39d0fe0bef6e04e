// Where branches of the shown conversation part, for the panels.
import { jsonEqual } from "../base/jsonEqual.ts";
import { Emitter, type DisposableStore } from "../base/lifecycle.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { ViewBranch } from "../panel/protocol.ts";
import type { Session } from "../session/session.ts";
import { branchPoints, type BranchedSession } from "./branchPoints.ts";
import type { OpenSessions } from "./openSessions.ts";
import { branchStarts } from "./sessionEntry.ts";
import type { StoredSessions } from "./storedSessions.ts";

interface Known {
  readonly count: number;
  readonly version: number;
  readonly points: ReadonlyMap<string, ViewBranch>;
}

/** The part of the head that has the branches. It is computed again only if a session, or an entry, is new or gone. */
export function createBranchHead(
  store: DisposableStore,
  { open, stored }: { readonly open: OpenSessions; readonly stored: Pick<StoredSessions, "entries" | "onDidChange"> },
): HeadPart<"branches"> {
  const changed = store.add(new Emitter<void>());
  let sessions: readonly BranchedSession[] = [];
  let version = 0;
  const known = new WeakMap<Session, Known>();
  const refresh = (): void => {
    const opened = open.sessions.map(({ id, state }) => ({ id, branches: branchStarts(state) }));
    const isOpen = new Set(opened.map(({ id }) => id));
    const closed = stored.entries
      .filter(({ id }) => !isOpen.has(id))
      .map(({ id, branches = [] }) => ({ id, branches }));
    const current = [...opened, ...closed].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (jsonEqual(current, sessions)) return;
    sessions = current;
    version++;
    changed.fire();
  };
  store.add(open.onDidChange(({ type }) => (type === "opened" || type === "closed") && refresh()));
  store.add(stored.onDidChange(refresh));
  const pointsOf = (session: Session): ReadonlyMap<string, ViewBranch> => {
    const { id, state } = session;
    const last = known.get(session);
    if (last?.version === version && last.count === state.entries.length) return last.points;
    const next = branchPoints(id, state, sessions);
    const points = last && jsonEqual([...last.points], [...next]) ? last.points : next;
    known.set(session, { count: state.entries.length, version, points });
    return points;
  };
  return { values: { branches: session => session && pointsOf(session) }, onDidChange: changed.event };
}
