// Checks one agent: finds its program, starts it apart from the running one, opens a session, and ends it again.
import { withTimeout } from "../base/async.ts";
import { asProblem, ProblemError, Refusal, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { connect } from "../acp/connect.ts";
import { StreamEndedError } from "../acp/handshake.ts";
import { TrafficRecorder } from "../acp/trafficRecorder.ts";
import type { AgentClient, AgentInfo } from "../session/agent.ts";
import type { AgentTransport } from "./agentTransport.ts";
import type { LocatedAgent } from "./locateAgent.ts";
import type { AgentDefinition } from "./registry.ts";
import type { RemoteAgents } from "./remote/remoteAgents.ts";
import { agentPlace, startAgent } from "./startAgent.ts";

/** What a check found. Fields are absent if the check did not get that far. */
export interface AgentCheck {
  readonly located?: Pick<LocatedAgent, "path" | "shell">;
  /** Time until the answer to the first message, and until the session was open (ms). */
  readonly initializeTime?: number;
  readonly sessionTime?: number;
  readonly info?: AgentInfo;
  /** The agent can continue a session after it has started again. */
  readonly continuesSessions?: boolean;
  /** The names of the ways to sign in. */
  readonly signInMethods?: readonly string[];
  readonly signIn: "needed" | "done" | "unknown";
  /** The end of what the agent wrote to stderr. */
  readonly stderr: string;
  /** The lines on stdout that are not messages. */
  readonly badLines: number;
  /** Why the agent does not work. */
  readonly problem?: Problem;
}

export interface CheckOptions {
  /** The folder that the agent's process starts in, if its definition has none. */
  readonly startFolder: string;
  /** The folder that the session works in. */
  readonly workspaceFolder: string;
  readonly clientVersion: string;
  readonly environment: WindowEnvironment;
  /** Connects to agents on servers. Absent: all agents are programs. */
  readonly remote?: Pick<RemoteAgents, "connect">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each line of stderr. */
  readonly onOutput: (line: string) => void;
  /** The check ends with the answer to `initialize`, so the agent gets no session. */
  readonly withoutSession?: boolean;
}

/** After an agent's output ends, wait at most this long for its exit (ms). */
const maxExitWait = 1000;

/** Runs the check. Rejects only when the signal aborts. The agent's process has ended when the promise settles. */
export async function checkAgent(
  definition: AgentDefinition,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<AgentCheck> {
  const found: { -readonly [Field in keyof AgentCheck]: AgentCheck[Field] } = {
    signIn: "unknown",
    stderr: "",
    badLines: 0,
  };
  let transport: AgentTransport | undefined;
  try {
    transport = await startAgent(definition, {
      startFolder: () => Promise.resolve(options.startFolder),
      environment: options.environment,
      remote: options.remote,
      onStderr: options.onOutput,
      onLocated: located => {
        found.located = located;
        signal.throwIfAborted();
      },
    });
    await useAgent(definition, transport, { options, signal, found });
  } catch (error) {
    signal.throwIfAborted();
    found.problem = problemOf(error, found.badLines);
    if (found.problem.signIn !== undefined) found.signIn = "needed";
  } finally {
    found.stderr = transport?.stderrTail() ?? "";
    await transport?.stop();
  }
  return found;
}

interface CheckRun {
  readonly options: CheckOptions;
  readonly signal: AbortSignal;
  readonly found: { -readonly [Field in keyof AgentCheck]: AgentCheck[Field] };
}

async function useAgent(
  definition: AgentDefinition,
  transport: AgentTransport,
  { options, signal, found }: CheckRun,
): Promise<void> {
  const { clock, log, clientVersion, workspaceFolder } = options;
  // Nothing waits for an agent that has exited.
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  // It can abort while the agent starts, which calls no listener any more.
  if (signal.aborted) onAbort();
  let isReady = false;
  void transport.whenEnded.then(end => stop.abort(new ProblemError(end.problem(isReady))));
  const began = clock.now();
  try {
    const connection = await connect(
      {
        stdin: transport.input,
        stdout: transport.output,
        recorder: new TrafficRecorder(clock),
        log,
        clientVersion,
        limitClock: clock,
        agentName: definition.name,
        place: agentPlace(definition),
        timeout: definition.startTimeout * 1000,
        onBadLine: count => (found.badLines = count),
      },
      stop.signal,
    ).catch(async (error: unknown) => {
      // The end of the output is noticed before the exit, which has more to report.
      if (error instanceof StreamEndedError)
        await withTimeout(transport.whenEnded, maxExitWait, () => undefined, clock);
      throw stop.signal.aborted ? stop.signal.reason : error;
    });
    try {
      const { agent } = connection;
      found.initializeTime = clock.now() - began;
      found.info = agent.info;
      found.continuesSessions = agent.continueSession !== undefined;
      found.signInMethods = agent.signInMethods.map(({ name }) => name);
      if (options.withoutSession) return;
      const session = await agent
        .open({ cwd: workspaceFolder, connection: 1 }, silentClient)
        .catch(async (error: unknown) => {
          // The connection can end before the exit is noticed.
          if (await hasEnded(transport, clock)) throw stop.signal.reason;
          throw error;
        });
      isReady = true;
      found.sessionTime = clock.now() - began - found.initializeTime;
      found.signIn = "done";
      session.dispose();
    } finally {
      connection.dispose();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function hasEnded(transport: AgentTransport, clock: Clock): Promise<boolean> {
  const end = await withTimeout(transport.whenEnded, maxExitWait, () => undefined, clock);
  return end !== undefined;
}

/** Adds to the problem that the output contains lines that are no messages, because this can explain it. */
function problemOf(error: unknown, badLines: number): Problem {
  const problem = asProblem(error);
  if (badLines === 0) return problem;
  const lines = badLines === 1 ? t("1 line that is not a message") : t("{0} lines that are not messages", badLines);
  return {
    ...problem,
    message: t("{0} It printed {1}, so its command may not start an ACP agent.", problem.message, lines),
  };
}

const refused = (): Promise<never> =>
  Promise.reject(new Refusal("invalid", "Parley only checks whether this agent starts."));

/** A client that shows and does nothing. */
const silentClient: AgentClient = {
  report: () => {},
  requestPermission: () => Promise.resolve("cancelled"),
  askForm: () => Promise.resolve("cancelled"),
  completeAddress: () => {},
  readTextFile: refused,
  writeTextFile: refused,
  createTerminal: refused,
  terminalOutput: refused,
  waitForTerminalExit: refused,
  killTerminal: refused,
  releaseTerminal: refused,
};
