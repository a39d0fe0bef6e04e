// An agent behind a WebSocket: one text frame per message. `createWebSocketStream` of the official SDK parses each message
// once more, reads without a limit, and hides why a connection ended, so the frames go to Parley's own framing instead.
import type { IncomingMessage } from "node:http";
import { Writable } from "node:stream";
import WebSocket, { type RawData } from "ws";
import type { RemoteFailure, RemoteStreams, RemoteTarget } from "../remoteClient.ts";
import { maxCloseTime, maxMessageBytes, maxRefusalLength } from "./limits.ts";
import { LineQueue } from "./lineQueue.ts";
import { networkFailure } from "./networkFailure.ts";

/** Balancers end connections that are idle for a minute. */
const usualPingInterval = 25_000;
/** The codes with which a connection ends for a message that is against the rules: of the protocol, its type or its size. */
const ruleCodes: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1009]);

/** Begins to connect. Messages wait until the server has accepted the connection. */
export function openWebSocket(target: RemoteTarget): RemoteStreams {
  return new WebSocketStreams(target);
}

class WebSocketStreams implements RemoteStreams {
  readonly input: Writable;
  readonly whenEnded: Promise<RemoteFailure | undefined>;
  readonly #lines = new LineQueue(() => this.#socket.resume());
  readonly #socket: WebSocket;
  #resolveEnded: (failure: RemoteFailure | undefined) => void = () => {};
  /** The first reason why the connection ends. */
  #failure: RemoteFailure | undefined;
  #isStopped = false;
  #pings: NodeJS.Timeout | undefined;
  #hasAnswered = true;

  constructor(target: RemoteTarget) {
    this.whenEnded = new Promise(resolve => (this.#resolveEnded = resolve));
    const { url, cookies, connectTimeout } = target;
    const socket = new WebSocket(url, {
      headers: headersWithCookies(target),
      handshakeTimeout: connectTimeout,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const whenSettled = new Promise<void>(resolve => socket.once("open", resolve).once("close", () => resolve()));
    this.input = new Writable({
      write: (line: Buffer, _encoding, done) => {
        void whenSettled.then(() => socket.send(line.toString("utf8").trimEnd(), error => done(error)));
      },
      final: done => {
        socket.close(1000);
        done();
      },
    });
    // The end of the connection is reported once, by its reason.
    this.input.on("error", () => {});
    socket.on("upgrade", response => cookies.store(headersOf(response)));
    socket.on("open", () => this.#keepAlive(target.pingInterval ?? usualPingInterval));
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => (this.#hasAnswered = true));
    socket.on("unexpected-response", (_request, response) => this.#refused(response));
    socket.on("error", error => {
      const isLate = error.message === "Opening handshake has timed out";
      this.#failure ??= isLate ? { kind: "late" } : webSocketFailure(error);
    });
    socket.on("close", (code, reason) => this.#closed(code, reason.toString("utf8")));
  }

  get output(): LineQueue["output"] {
    return this.#lines.output;
  }

  async end(): Promise<void> {
    this.#isStopped = true;
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), maxCloseTime);
    await this.whenEnded;
    clearTimeout(timer);
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#hasAnswered = true;
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    // Only text frames are messages. The framing reports what it cannot read.
    const line = isBinary ? Buffer.from(`a binary frame of ${bytes.length} bytes`) : bytes;
    if (!this.#lines.push(line)) this.#socket.pause();
  }

  /** A connection whose other end is gone looks open until something is sent. */
  #keepAlive(interval: number): void {
    this.#pings = setInterval(() => {
      // While the connection is paused for its reader, no answer arrives.
      if (this.#socket.isPaused) return;
      if (!this.#hasAnswered) {
        this.#failure ??= { kind: "silent" };
        return this.#socket.terminate();
      }
      this.#hasAnswered = false;
      this.#socket.ping();
    }, interval);
    this.#pings.unref();
  }

  #refused(response: IncomingMessage): void {
    let text = "";
    const done = (): void => {
      this.#failure ??= { kind: "refused", status: response.statusCode ?? 0, text };
      response.destroy();
      this.#socket.terminate();
    };
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text = (text + chunk).slice(0, maxRefusalLength);
      if (text.length === maxRefusalLength) done();
    });
    response.on("end", done).on("error", done);
    setTimeout(done, maxCloseTime).unref();
  }

  #closed(code: number, text: string): void {
    clearInterval(this.#pings);
    const isAgainstRules = ruleCodes.has(code);
    const closed: RemoteFailure = isAgainstRules
      ? { kind: "broken", text: `${code} ${text}` }
      : { kind: "closed", code, text };
    this.#lines.end();
    this.input.destroy();
    this.#resolveEnded(this.#isStopped ? undefined : (this.#failure ?? closed));
  }
}

/** The failure behind an error of `ws`, which has codes of its own for messages that break the rules. */
function webSocketFailure(error: Error): RemoteFailure {
  const { code } = error as NodeJS.ErrnoException;
  return code?.startsWith("WS_ERR_") ? { kind: "broken", text: error.message } : networkFailure(error);
}

function headersWithCookies({ headers, cookies }: RemoteTarget): Record<string, string> {
  const all = new Headers(headers);
  cookies.apply(all);
  return Object.fromEntries(all);
}

function headersOf(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const value of response.headers["set-cookie"] ?? []) headers.append("set-cookie", value);
  return headers;
}
