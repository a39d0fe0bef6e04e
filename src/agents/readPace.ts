// How fast one process of an agent is read. Messages of sessions that a visible panel shows wait for the panel; those of
// hidden sessions never wait, and do not use up what the visible ones may send.
import type { ReadPace } from "../acp/ndjson.ts";
import type { ReadBudget } from "../base/readBudget.ts";

/** Agents name the session at the beginning of a message. A message without it counts as one of a visible session (bytes). */
const maxSearched = 512;

/** The pace of one process. `isHidden`: whether no visible panel shows the agent's session with this id. */
export function readPace(budget: ReadBudget, isHidden: (agentSession: string) => boolean): ReadPace {
  const isOfHidden = (line: Buffer): boolean => {
    const session = /"sessionId"\s*:\s*"([^"\\]+)"/.exec(line.toString("utf8", 0, maxSearched))?.[1];
    return session !== undefined && isHidden(session);
  };
  return {
    isHeldBack: line => !isOfHidden(line) && budget.isExhausted,
    read: line => {
      if (!isOfHidden(line)) budget.spend(line.length);
    },
  };
}
