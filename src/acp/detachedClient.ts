// The client of an agent's session that no conversation uses: it keeps what the agent reports, and refuses its requests.
import { Refusal } from "../base/errors.ts";
import type { AgentClient } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import { refusedRequests } from "../session/refusedRequests.ts";

/** Passes each event to `report`. */
export function detachedClient(report: (event: SessionEvent) => void): AgentClient {
  const sentence = "No conversation uses this session. Ask again after the next prompt.";
  const refuse = (): Promise<never> => Promise.reject(new Refusal("failed", sentence));
  return {
    report,
    requestPermission: refuse,
    askForm: refuse,
    completeAddress: () => {},
    ...refusedRequests(sentence),
  };
}
