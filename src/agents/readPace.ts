// How fast one process of an agent is read. Messages of sessions that a visible panel shows wait for the panel, and the
// process with them. Messages of hidden sessions never wait, not even behind those, and do not use up what the visible
// sessions may send.
import type { ReadPace } from "../acp/ndjson.ts";
import { sessionOfMessage } from "./sessionOfMessage.ts";
import type { ReadBudget } from "../base/readBudget.ts";

/**
 * The pace of one process. `isHidden`: whether no visible panel shows the agent's session with this id. Undefined for an id
 * that is not of an open session, such as that of a sub-agent. Messages of these, and messages without a session, count as
 * those of a visible session.
 */
export function readPace(budget: ReadBudget, isHidden: (agentSession: string) => boolean | undefined): ReadPace {
  const isOfHidden = (session: string | undefined): boolean => session !== undefined && isHidden(session) === true;
  return {
    sessionOf: sessionOfMessage,
    isHeldBack: session => !isOfHidden(session) && budget.isExhausted,
    isIndependent: session => session !== undefined && isHidden(session) !== undefined,
    read: (session, size) => {
      if (!isOfHidden(session)) budget.spend(size);
    },
  };
}
