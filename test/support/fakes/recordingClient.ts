// The client side of a session for tests of the wire: records the events, and serves requests as the test defines.
import { Refusal } from "../../../src/base/errors.ts";
import type { AgentClient } from "../../../src/session/agent.ts";
import type { SessionEvent } from "../../../src/session/events.ts";

/** A client that refuses every request that the test does not serve. */
export function recordingClient(serve: Partial<AgentClient> = {}): AgentClient & { readonly events: SessionEvent[] } {
  const events: SessionEvent[] = [];
  const none = (): Promise<never> => Promise.reject(new Refusal("failed", "Not served here."));
  return {
    events,
    report: event => events.push(event),
    requestPermission: none,
    askForm: none,
    completeAddress: () => {},
    readTextFile: none,
    writeTextFile: none,
    createTerminal: none,
    terminalOutput: none,
    waitForTerminalExit: none,
    killTerminal: none,
    releaseTerminal: none,
    ...serve,
  };
}
