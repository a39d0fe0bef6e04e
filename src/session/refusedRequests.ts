// The requests of an agent for files and terminals, all of them refused.
import { Refusal } from "../base/errors.ts";
import type { AgentClient } from "./agent.ts";

type RefusedRequest = Exclude<keyof AgentClient, "report" | "requestPermission" | "askForm" | "completeAddress">;

/** Each request rejects with a Refusal that has this sentence. */
export function refusedRequests(sentence: string): Readonly<Record<RefusedRequest, () => Promise<never>>> {
  const refuse = (): Promise<never> => Promise.reject(new Refusal("failed", sentence));
  return {
    readTextFile: refuse,
    writeTextFile: refuse,
    createTerminal: refuse,
    terminalOutput: refuse,
    waitForTerminalExit: refuse,
    killTerminal: refuse,
    releaseTerminal: refuse,
  };
}
