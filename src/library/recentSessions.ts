// The sessions that an empty chat offers to continue. Pure.
import { visibleText } from "../base/visibleText.ts";
import type { ViewRecentSession } from "../panel/protocol.ts";
import { sessionsByUrgency, type ListedSession } from "./sessionGroups.ts";

const maxRecent = 5;

/** The sessions that need the user, then the latest ones, without the one with this id, blank ones and done ones. */
export function recentSessions(sessions: readonly ListedSession[], without: string): readonly ViewRecentSession[] {
  const offered = sessions.filter(({ id, title, isDone }) => id !== without && title !== "" && !isDone);
  return sessionsByUrgency(offered)
    .slice(0, maxRecent)
    .map(({ id, title, agentName, agentIcon, updated, status, isUnread }) => ({
      ...{ id, title: visibleText(title), agentName, status },
      ...(agentIcon !== undefined && { icon: agentIcon }),
      ...(updated !== undefined && { updated }),
      ...(isUnread && { isUnread }),
    }));
}
