// The connection to a running agent, whether a program of this machine or a server has it: two streams and an end.
import type { Readable, Writable } from "node:stream";
import type { Problem } from "../base/errors.ts";
import type { AgentPlace } from "../acp/agentPlace.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { exitProblem, launch, type AgentProcess } from "./launch.ts";
import { locateAgent, type LocatedAgent } from "./locateAgent.ts";
import type { AgentDefinition } from "./registry.ts";

/** A connection to a running agent. `stop` resolves when nothing of it is left on this machine. */
export interface AgentTransport {
  /** What the agent reads, one message a line. */
  readonly input: Writable;
  /** What the agent writes, one message a line. */
  readonly output: Readable;
  /** Resolves when the agent has ended, or is out of reach, and its output was read. Never rejects. */
  readonly whenEnded: Promise<TransportEnd>;
  /** The end of what the agent wrote to stderr. Empty for a server. */
  stderrTail(): string;
  stop(): Promise<void>;
}

/** How the connection ended. `wasStopped`: because `stop` was called. */
export interface TransportEnd {
  readonly wasStopped: boolean;
  /** For the log. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What users see of it. `ready`: the agent had opened a session, or was ready for one. */
  problem(ready: boolean): Problem;
}

export interface StartOptions {
  /** Makes the folder in which the program starts, if its definition has none. */
  readonly startFolder: () => Promise<string>;
  readonly environment: WindowEnvironment;
  /** Called with each line of stderr. */
  readonly onStderr: (line: string) => void;
  /** Called with the program before it starts. */
  readonly onLocated?: (located: LocatedAgent) => void;
}

/** Where the agent of the definition runs. */
export const agentPlace = ({ command, args }: AgentDefinition): AgentPlace => ({ program: { command, args } });

/** Starts the program of the agent. Rejects with a ProblemError if it cannot be started. */
export async function startAgent(definition: AgentDefinition, options: StartOptions): Promise<AgentTransport> {
  const folder = definition.cwd ?? (await options.startFolder());
  const located = await locateAgent(definition, options.environment);
  options.onLocated?.(located);
  return programTransport(definition, await launch(definition, folder, options.onStderr, located));
}

function programTransport(definition: AgentDefinition, agentProcess: AgentProcess): AgentTransport {
  return {
    input: agentProcess.stdin,
    output: agentProcess.stdout,
    whenEnded: agentProcess.whenExited.then(exit => ({
      wasStopped: exit.wasStopped,
      facts: { code: exit.code, signal: exit.signal, asked: exit.wasStopped },
      problem: ready => exitProblem(definition, exit, ready),
    })),
    stderrTail: () => agentProcess.stderrTail(),
    stop: () => agentProcess.stop(),
  };
}
