// The connection to a running agent, which is a program on this machine or runs on a server: two streams and an end.
import type { Readable, Writable } from "node:stream";
import type { Problem } from "../base/errors.ts";

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
