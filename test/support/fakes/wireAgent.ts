// The agent's end of a connection, for tests that control it line by line.
import { PassThrough } from "node:stream";
import { TrafficRecorder } from "../../../src/acp/trafficRecorder.ts";
import { connect, type AgentConnection, type ConnectOptions } from "../../../src/acp/connect.ts";
import { nullLog } from "../../../src/base/log.ts";
import { FakeClock } from "./fakePorts.ts";
import { until } from "./until.ts";

export interface SentMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class WireAgent {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly recorder = new TrafficRecorder(new FakeClock());
  readonly received: SentMessage[] = [];
  readonly warnings: string[] = [];
  badLines = 0;

  constructor() {
    let partial = "";
    this.stdin.setEncoding("utf8").on("data", (chunk: string) => {
      const rows = (partial + chunk).split("\n");
      partial = rows.pop() ?? "";
      this.received.push(...rows.map(row => JSON.parse(row) as SentMessage));
    });
  }

  connect(signal = new AbortController().signal, more: Partial<ConnectOptions> = {}): Promise<AgentConnection> {
    return connect(
      {
        stdin: this.stdin,
        stdout: this.stdout,
        recorder: this.recorder,
        log: { ...nullLog, warn: message => this.warnings.push(message) },
        clientVersion: "1.2.3",
        agentName: "Robo",
        place: { program: { command: "robo", args: ["--acp"] } },
        timeout: 5000,
        onBadLine: count => (this.badLines = count),
        ...more,
      },
      signal,
    );
  }

  /** Connected, as version 1. */
  async ready(result: object = {}): Promise<AgentConnection> {
    const connected = this.connect();
    this.answer(await this.request("initialize"), { protocolVersion: 1, ...result });
    return connected;
  }

  line(text: string): void {
    this.stdout.write(`${text}\n`);
  }
  send(message: object): void {
    this.line(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
  update(sessionId: string, update: object): void {
    this.send({ method: "session/update", params: { sessionId, update } });
  }
  answer(request: SentMessage, result: unknown): void {
    this.send({ id: request.id, result });
  }
  fail(request: SentMessage, code: number, message: string, data?: unknown): void {
    this.send({ id: request.id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  /** The next matching message of the client, removed from those it sent. */
  async next(fits: (message: SentMessage) => boolean): Promise<SentMessage> {
    await until(() => this.received.some(fits));
    const [message] = this.received.splice(this.received.findIndex(fits), 1);
    if (!message) throw new Error("It was there a moment ago.");
    return message;
  }
  request(method: string): Promise<SentMessage> {
    return this.next(message => message.method === method);
  }
  response(id: number | string): Promise<SentMessage> {
    return this.next(message => message.method === undefined && message.id === id);
  }
}
