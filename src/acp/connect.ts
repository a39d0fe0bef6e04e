// Connects to an agent process: framing, `initialize`, version check. Returns an Agent.
import type { Readable, Writable } from "node:stream";
import { createMessageConnection, ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { withTimeout } from "../base/async.ts";
import type { ReadBudget } from "../base/readBudget.ts";
import { ProblemError, asError, type Problem } from "../base/errors.ts";
import { toDisposable, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { Agent } from "../session/agent.ts";
import type { AgentProgram } from "../session/signIn.ts";
import { acpDialect } from "./dialect.ts";
import { NdJsonReader, NdJsonWriter } from "./ndjson.ts";
import type { TrafficRecorder } from "./trafficRecorder.ts";
import { shorten, unsupportedVersion } from "./errorCodes.ts";
import { asArray, asString, asObject, optionalField, type JsonObject } from "./parse.ts";
import { V1Agent } from "./v1/v1Agent.ts";
import { errorReason } from "./errorReason.ts";
import { OpenRequests } from "./openRequests.ts";
import { signInProblem } from "./signInProblem.ts";
import { answerInTime, asSentence, isConnectionClosed } from "./agentProblems.ts";

/** After stdin closes, keep reading stdout at least this long (ms). */
const stdoutGraceTime = 1000;

/** The protocol version that Parley supports. */
export const protocolVersion = 1;

export interface ConnectOptions {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly recorder: TrafficRecorder;
  readonly log: Log;
  readonly clientVersion: string;
  /** The name that users see, for messages. */
  readonly agentName: string;
  /** How the agent is started, for methods that sign in with its program. */
  readonly program: AgentProgram;
  /** The time limit for answers to `initialize` and to requests that open sessions (ms). */
  readonly timeout: number;
  readonly clock?: Clock;
  /** Limits how far reading may be ahead of painting. */
  readonly readBudget?: ReadBudget;
  /** Called for each line that is not a message, with the number of such lines so far. */
  readonly onBadLine?: (count: number) => void;
}

/** A connected agent. Disposing ends the connection. */
export interface AgentConnection extends Disposable {
  readonly agent: Agent;
  /** Resolves when the agent's output has ended and all of it was processed, or when the connection was disposed. */
  readonly closed: Promise<void>;
}

/**
 * Advertises only what works (spec page "Initialization": omitted means unsupported). `_meta.terminal_output` is the
 * de-facto extension for the output of commands that the agent runs itself. With `_meta["terminal-auth"]`, agents name
 * the command that signs in.
 */
const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  _meta: { terminal_output: true, "terminal-auth": true },
};

/**
 * Sends `initialize` and returns the agent. Rejects with a ProblemError if the agent gives a wrong answer or none in
 * time, or when `signal` aborts. Disposing the connection settles every pending request and question.
 */
export async function connect(options: ConnectOptions, signal: AbortSignal): Promise<AgentConnection> {
  const { agentName, recorder, log } = options;
  const openRequests = new OpenRequests();
  let badLines = 0;
  const reader = new NdJsonReader(
    options.stdout,
    acpDialect,
    {
      onMessage: (message, bytes) => {
        recorder.recordMessage("a>c", message, bytes);
        openRequests.received(message);
      },
      onBadLine: line => {
        badLines++;
        recorder.recordText("out", line.text === "" ? line.reason : line.text);
        log.debug(`${agentName} wrote a line that is not a message. ${line.reason}`, line.text.slice(0, 200));
        options.onBadLine?.(badLines);
      },
    },
    options.readBudget,
  );
  const writer = new NdJsonWriter(options.stdin, acpDialect, {
    onMessage: (message, bytes) => {
      recorder.recordMessage("c>a", message, bytes);
      openRequests.sent(message);
    },
  });
  const logAt = (level: "warn" | "debug") => (message: string) => log[level](`${agentName}: ${message}`);
  const connection = createMessageConnection(reader, writer, {
    error: logAt("warn"),
    warn: logAt("warn"),
    info: logAt("debug"),
    log: logAt("debug"),
  });
  connection.onError(([error]) => log.warn(`${agentName}: ${error.message}`));
  let close = (): void => {};
  const closed = new Promise<void>(resolve => (close = resolve));
  // vscode-jsonrpc leaves requests pending when the stream closes; disposing settles them.
  const end = toDisposable(() => {
    close();
    agent?.dispose();
    connection.dispose();
    reader.dispose();
    writer.end();
  });
  let agent: V1Agent | undefined;
  connection.onClose(() => end.dispose());
  void writer.closed.then(async () => {
    // An agent whose input is closed is of no further use, but messages that it has already written still count.
    do await withTimeout(closed, stdoutGraceTime, () => undefined);
    while (reader.hasWaitingMessages);
    end.dispose();
  });
  connection.listen();
  try {
    const result = await initialize(connection, options, signal);
    agent = new V1Agent(connection, result, { ...options, openRequests });
    return { agent, closed, dispose: () => end.dispose() };
  } catch (error) {
    end.dispose();
    throw error;
  }
}

async function initialize(
  connection: MessageConnection,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<JsonObject> {
  const request = {
    protocolVersion,
    clientInfo: { name: "parley", title: "Parley", version: options.clientVersion },
    clientCapabilities,
  };
  const answer = await answerInTime(
    connection.sendRequest<unknown>("initialize", request),
    options,
    signal,
    "its first message, `initialize`,",
  ).catch((error: unknown) => {
    throw error instanceof ProblemError ? error : handshakeError(options, asError(error));
  });
  const result = asObject(answer);
  const version = result["protocolVersion"];
  if (version !== protocolVersion) throw new ProblemError(versionProblem(options, version));
  return result;
}

/** The agent's output ended before it answered. Usually its process ended too, and its exit explains more. */
export class StreamEndedError extends ProblemError {}

function handshakeError(options: ConnectOptions, error: Error): ProblemError {
  const { agentName } = options;
  if (isConnectionClosed(error)) {
    return new StreamEndedError({
      message: `${agentName} closed its output before it answered. Check that its command starts an ACP agent.`,
      next: ["restartAgent", "showTraffic", "showLog", "openSettings"],
    });
  }
  if (error instanceof ResponseError && error.code === unsupportedVersion)
    return new ProblemError(otherVersions(agentName, asArray(asObject(error.data)["supported"]).filter(isVersion)));
  const reason = errorReason(error);
  if (reason.isAuthentication) return new ProblemError(signInProblem({ agentName, signInMethods: [] }, reason));
  return new ProblemError({
    message: `${agentName} refused to start a conversation: ${asSentence(reason.sentence)} Check that its command starts an ACP agent.`,
    ...optionalField("detail", reason.detail),
    next: ["restartAgent", "showTraffic", "openSettings"],
  });
}

/** The problem for an agent that answered with another version, or with a value that is no version. */
function versionProblem({ agentName }: ConnectOptions, version: unknown): Problem {
  if (isVersion(version)) return otherVersions(agentName, [version]);
  const given = asString(version) === undefined ? "no version" : `version "${shorten(String(version))}" (a string)`;
  return {
    message: `${agentName} speaks ${given} of the Agent Client Protocol; Parley speaks version ${protocolVersion}. Check that its command starts an ACP agent, or select another one.`,
    next: versionSteps,
  };
}

/** The problem for an agent that speaks only these versions, which are none if it does not list them. */
function otherVersions(agentName: string, supported: readonly number[]): Problem {
  const versions = [...new Set(supported)].sort((a, b) => a - b).slice(0, maxListedVersions);
  const speaks =
    versions.length === 0
      ? `does not speak version ${protocolVersion} of the Agent Client Protocol, the version that Parley speaks`
      : `speaks ${versions.length === 1 ? "version" : "versions"} ${versions.join(", ")} of the Agent Client Protocol; Parley speaks version ${protocolVersion}`;
  return { message: `${agentName} ${speaks}. ${versionAdvice(versions)}`, next: versionSteps };
}

const versionSteps = ["selectAgent", "openSettings", "showTraffic"] as const;
const maxListedVersions = 5;

function versionAdvice(versions: readonly number[]): string {
  if (versions.length === 0) return "Try another version of the agent, or select another agent.";
  // The agent lists the version that it refused.
  if (versions.includes(protocolVersion)) return "This is an error in the agent. Select another one.";
  return versions.some(version => version > protocolVersion)
    ? "The agent is newer than Parley. Update Parley, use an earlier version of the agent, or select another agent."
    : "Update the agent or select another one.";
}

const isVersion = (value: unknown): value is number => Number.isInteger(value);
