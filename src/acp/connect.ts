// Connects to an agent process: framing, handshake, and the Agent of the version that both sides speak.
import type { Readable, Writable } from "node:stream";
import { createMessageConnection } from "vscode-jsonrpc/node";
import { withTimeout } from "../base/async.ts";
import { toDisposable, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { Agent } from "../session/agent.ts";
import type { AgentPlace } from "./agentPlace.ts";
import { acpDialect } from "./dialect.ts";
import { NdJsonReader, NdJsonWriter, type ReadPace } from "./ndjson.ts";
import type { TrafficRecorder } from "./trafficRecorder.ts";
import { negotiate, type ProtocolVersion } from "./handshake.ts";
import { V1Agent } from "./v1/v1Agent.ts";
import { V2Agent } from "./v2/v2Agent.ts";
import { OpenRequests } from "./openRequests.ts";

/** After stdin closes, keep reading stdout at least this long (ms). */
const stdoutGraceTime = 1000;

export interface ConnectOptions {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly recorder: TrafficRecorder;
  readonly log: Log;
  readonly clientVersion: string;
  /** The name that users see, for messages. */
  readonly agentName: string;
  readonly place: AgentPlace;
  /**
   * The time limit for answers to `initialize` and to requests that open sessions (ms). Absent: the user decides how long
   * to wait.
   */
  readonly timeout?: number;
  /** Measures the time limit. Absent: the clock of the system. */
  readonly limitClock?: Clock;
  /** The latest version of the protocol to offer. Version 2 is a draft. */
  readonly protocol?: ProtocolVersion;
  readonly clock?: Clock;
  /** Limits how far reading may be ahead of painting. */
  readonly pace?: ReadPace;
  /** Called for each line that is not a message, with the number of such lines so far. */
  readonly onBadLine?: (count: number) => void;
}

/** A connected agent. Disposing ends the connection. */
export interface AgentConnection extends Disposable {
  readonly agent: Agent;
  /** Resolves when the agent's output has ended and all of it was processed, or when the connection was disposed. */
  readonly closed: Promise<void>;
}

const agentsByVersion = { 1: V1Agent, 2: V2Agent } as const;

/**
 * Sends `initialize` and returns the agent. Rejects with a ProblemError if the agent gives a wrong answer or none in
 * time, or when `signal` aborts. Disposing the connection settles every pending request and question.
 */
export async function connect(options: ConnectOptions, signal: AbortSignal): Promise<AgentConnection> {
  const { agentName, recorder, log, protocol = 1 } = options;
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
    options.pace,
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
  let agent: V1Agent | V2Agent | undefined;
  connection.onClose(() => end.dispose());
  void writer.closed.then(async () => {
    // An agent whose input is closed is of no further use, but messages that it has already written still count.
    do await withTimeout(closed, stdoutGraceTime, () => undefined);
    while (reader.hasWaitingMessages);
    end.dispose();
  });
  connection.listen();
  try {
    const { version, result } = await negotiate(connection, { ...options, protocol }, signal);
    agent = new agentsByVersion[version](connection, result, { ...options, openRequests });
    return { agent, closed, dispose: () => end.dispose() };
  } catch (error) {
    end.dispose();
    throw error;
  }
}
