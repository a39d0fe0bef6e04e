// The client of an agent's session that no conversation uses: it keeps what the agent reports, and refuses its requests.
import { Refusal } from "../base/errors.ts";
import type { AgentClient } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";

/** Passes each event to `report`. */
export function detachedClient(report: (event: SessionEvent) => void): AgentClient {
  const refuse = (): Promise<never> =>
    Promise.reject(new Refusal("failed", "No conversation uses this session. Ask again after the next prompt."));
  return {
    report,
    requestPermission: refuse,
    askForm: refuse,
    completeAddress: () => {},
    readTextFile: refuse,
    writeTextFile: refuse,
    createTerminal: refuse,
    terminalOutput: refuse,
    waitForTerminalExit: refuse,
    killTerminal: refuse,
    releaseTerminal: refuse,
  };
}
