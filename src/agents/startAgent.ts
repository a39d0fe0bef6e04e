// Starts an agent: its program on this machine, or the connection to its server.
import type { AgentPlace } from "../acp/agentPlace.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import type { AgentTransport } from "./agentTransport.ts";
import { exitProblem, launch, type AgentProcess } from "./launch.ts";
import { locateAgent, type LocatedAgent } from "./locateAgent.ts";
import type { AgentDefinition } from "./registry.ts";
import type { RemoteAgents } from "./remote/remoteAgents.ts";

export interface StartOptions {
  /** Makes the folder in which the program starts, if its definition has none. */
  readonly startFolder: () => Promise<string>;
  readonly environment: WindowEnvironment;
  /** Connects to agents on servers. Absent: all agents are programs. */
  readonly remote?: Pick<RemoteAgents, "connect"> | undefined;
  /** Called with each line of stderr. */
  readonly onStderr: (line: string) => void;
  /** Called with the program before it starts. */
  readonly onLocated?: (located: LocatedAgent) => void;
}

/** Where the agent of the definition runs. */
export const agentPlace = ({ command, args, remote, cwd }: AgentDefinition): AgentPlace =>
  remote
    ? { server: { sharesFiles: remote.sameFolder, ...(cwd !== undefined && { folder: cwd }) } }
    : { program: { command, args } };

/** Starts the program of the agent, or begins to connect to its server. Rejects with a ProblemError if it cannot be started. */
export async function startAgent(definition: AgentDefinition, options: StartOptions): Promise<AgentTransport> {
  if (definition.remote) {
    if (!options.remote) throw new Error("There is no client for servers.");
    return options.remote.connect(definition, definition.remote);
  }
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
