// Creates the list of sessions, and the sessions that an empty conversation offers.
import { jsonEqual } from "../../base/jsonEqual.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { Review } from "../../review/review.ts";
import { linesBySession } from "../../review/turns/linesBySession.ts";
import type { AskedSessions } from "../attention.ts";
import type { OpenSessions } from "../openSessions.ts";
import { recentSessions } from "../recentSessions.ts";
import { SessionList, type ListedAgents, type ListedWorktrees } from "../sessionList.ts";
import type { StoredSessions } from "../storedSessions.ts";

export interface SessionListSources {
  readonly open: OpenSessions;
  readonly stored: StoredSessions;
  readonly agents: ListedAgents;
  readonly asked: AskedSessions;
  readonly review: Pick<Review, "files" | "turns" | "onDidChange">;
  readonly worktrees: ListedWorktrees;
}

export interface SessionListFeature {
  readonly list: SessionList;
  readonly head: HeadPart<"recent">;
}

/** Creates the list. */
export function createSessionList(
  { store, clock }: ExtensionPlatform,
  { open, stored, agents, asked, review, worktrees }: SessionListSources,
): SessionListFeature {
  const changes = (): ReturnType<typeof linesBySession> => linesBySession(review);
  const list = store.add(new SessionList({ open, stored, agents, asked, changes, worktrees, clock }));
  store.add(review.onDidChange(() => list.refresh()));
  let recent: ReturnType<typeof recentSessions> = [];
  return {
    list,
    head: {
      values: {
        recent: session => {
          if (session?.state.entries.length !== 0) return undefined;
          const next = recentSessions(list.sessions(), session.id);
          // The same object is not sent to the panel again.
          if (!jsonEqual(next, recent)) recent = next;
          return recent;
        },
      },
      onDidChange: list.onDidChange,
    },
  };
}
