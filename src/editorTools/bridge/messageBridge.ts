// Forwards the messages of an MCP client over stdio to the server of the editor's tools over HTTP, and its answers back.
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { LineSplitter } from "../../base/lineSplitter.ts";
import type { ToolTarget } from "../bridgeTarget.ts";
import { EventStream } from "../eventStream.ts";
import { requestHeaders } from "../requestHeaders.ts";

/** Of a message of the client (bytes). The server takes no more. */
const maxMessage = 1024 * 1024;
/** A longer line is not even parsed, so its request has no id in the error (bytes). */
const maxLine = 4 * 1024 * 1024;
/** Of an answer of the server (characters). */
const maxAnswer = 32 * 1024 * 1024;
/** The requests that wait for answers at the same time. */
const maxRequests = 64;
const maxSockets = 16;

const parseError = -32700;
const invalidRequest = -32600;
const internalError = -32603;

/** An error of JSON-RPC. */
interface MessageError {
  readonly code: number;
  readonly message: string;
}

const tooLarge: MessageError = {
  code: invalidRequest,
  message: `The message has more than ${maxMessage} bytes. Send a smaller one.`,
};

type RequestId = string | number;
type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const requestId = (id: unknown): RequestId | undefined =>
  typeof id === "string" || typeof id === "number" ? id : undefined;

export interface MessageBridgeOptions extends ToolTarget {
  /** Sends a line to the client. It has no line ending. */
  readonly write: (line: string) => void;
  /** Tells the user of the client something, as a sentence. */
  readonly warn: (sentence: string) => void;
  /** The server is gone, or the session has ended: nothing more can be forwarded. */
  readonly onGone: (sentence: string) => void;
}

/** The bridge between one client and the server. */
export class MessageBridge {
  readonly #options: MessageBridgeOptions;
  readonly #lines: LineSplitter;
  /** Only 127.0.0.1 is reached, so no proxy of the environment is used. */
  readonly #agent = new Agent({ maxSockets });
  readonly #running = new Map<RequestId, ClientRequest>();
  readonly #notifications = new Set<ClientRequest>();
  /** The revision of MCP that the client and the server have agreed on, if the client asked for one. */
  #revision: string | undefined;
  #hasEnded = false;

  constructor(options: MessageBridgeOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(
      line => this.#receive(line),
      () => this.#refuse(null, tooLarge),
      maxLine,
    );
  }

  /** Takes bytes of the client. */
  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** Ends all requests. */
  end(): void {
    this.#hasEnded = true;
    for (const sent of [...this.#running.values(), ...this.#notifications]) sent.destroy();
    this.#agent.destroy();
  }

  #receive(line: Buffer): void {
    if (this.#hasEnded || line.length === 0) return;
    const message = parsed(line);
    if (message === undefined)
      return this.#refuse(null, { code: parseError, message: "The line is not JSON in UTF-8." });
    if (Array.isArray(message))
      return this.#refuse(null, {
        code: invalidRequest,
        message: "Send each message by itself, not several as a list.",
      });
    if (!isObject(message))
      return this.#refuse(null, { code: invalidRequest, message: "The line is not a message of JSON-RPC." });
    const id = requestId(message["id"]);
    if (message["method"] === "notifications/cancelled") return this.#cancel(message["params"]);
    if (line.length > maxMessage) return this.#refuse(id ?? null, tooLarge);
    if (id === undefined && this.#notifications.size < maxRequests) return this.#send(message, line);
    if (id === undefined) return this.#options.warn("Too many notifications at the same time. One is left out.");
    if (this.#running.has(id))
      return this.#refuse(id, { code: invalidRequest, message: "A request with this id still runs. Use another id." });
    if (this.#running.size >= maxRequests)
      return this.#refuse(id, {
        code: internalError,
        message: "Too many requests at the same time. Wait for the answers.",
      });
    this.#send(message, line, id);
  }

  /** The server has no sessions, so the end of the connection cancels the request. It gets no answer then. */
  #cancel(params: unknown): void {
    const id = isObject(params) ? requestId(params["requestId"]) : undefined;
    const sent = id === undefined ? undefined : this.#running.get(id);
    if (id === undefined || !sent) return;
    this.#running.delete(id);
    sent.destroy();
  }

  #send(message: JsonObject, line: Buffer, id?: RequestId): void {
    const { url, token } = this.#options;
    const headers = { ...requestHeaders(message, this.#revision), Authorization: `Bearer ${token}` };
    const sent = httpRequest(url, {
      ...{ method: "POST", agent: this.#agent },
      headers: { ...headers, "Content-Length": line.length },
    });
    if (id === undefined) this.#notifications.add(sent);
    else this.#running.set(id, sent);
    const isRunning = (): boolean => id !== undefined && this.#running.get(id) === sent;
    const failed = (error: MessageError): void => {
      if (id === undefined) this.#options.warn(error.message);
      else if (isRunning()) {
        this.#running.delete(id);
        this.#refuse(id, error);
      }
    };
    sent.once("response", response => {
      this.#read(response, isRunning, { id, method: message["method"], failed });
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#hasEnded) return;
      const isGone = error.code === "ECONNREFUSED";
      failed(failure(isGone ? goneReason : `The request to the editor failed: ${error.message}.`));
      if (isGone) this.#gone(goneReason);
    });
    sent.once("close", () => {
      this.#notifications.delete(sent);
      if (!this.#hasEnded && isRunning()) failed(failure("The editor ended the request without an answer."));
    });
    sent.end(line);
  }

  #read(response: IncomingMessage, isRunning: () => boolean, { id, method, failed }: SentRequest): void {
    const { statusCode = 0, headers } = response;
    const isStream = (headers["content-type"] ?? "").startsWith("text/event-stream");
    const events = new EventStream();
    const decoder = new StringDecoder("utf8");
    let text = "";
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswer) {
        failed(failure("The answer of the editor is too long."));
        response.destroy();
        return;
      }
      const part = decoder.write(chunk);
      if (isStream) for (const data of events.push(part)) this.#forward(data, isRunning, id, method);
      else text += part;
    });
    response.on("error", () => {}); // The request reports it when it closes.
    response.once("end", () => {
      if (statusCode >= 400) {
        failed(errorIn(text) ?? failure(`The editor answered ${statusCode}.`));
        if (statusCode === 401) this.#gone("The session of the editor's tools has ended.");
      } else if (!isStream && text.trim() !== "") this.#forward(text, isRunning, id, method);
    });
  }

  /** Sends a message of the server to the client: the answer to a request, or what comes before it. */
  #forward(text: string, isRunning: () => boolean, id: RequestId | undefined, method: unknown): void {
    const message = parsed(Buffer.from(text));
    if (!isObject(message))
      return this.#options.warn("The editor sent something that is not a message. It is left out.");
    const isAnswer = "result" in message || "error" in message;
    // A request that was cancelled gets no answer.
    if (this.#hasEnded || id === undefined || !isRunning()) return;
    if (isAnswer) this.#running.delete(id);
    if (method === "initialize" && isObject(message["result"])) {
      const { protocolVersion } = message["result"];
      if (typeof protocolVersion === "string") this.#revision = protocolVersion;
    }
    // An answer to what the server could not read has no id.
    const answered = isAnswer && requestId(message["id"]) === undefined ? { ...message, id } : message;
    this.#options.write(JSON.stringify(answered));
  }

  #refuse(id: RequestId | null, error: MessageError): void {
    if (!this.#hasEnded) this.#options.write(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  /** Answers all requests with the reason, and ends. */
  #gone(reason: string): void {
    if (this.#hasEnded) return;
    for (const id of [...this.#running.keys()]) this.#refuse(id, { code: internalError, message: reason });
    this.#running.clear();
    this.end();
    this.#options.onGone(reason);
  }
}

const failure = (message: string): MessageError => ({ code: internalError, message });
const goneReason = "The editor no longer has this session, or its window was closed.";

/** What the response of a request needs to know of it. */
interface SentRequest {
  readonly id: RequestId | undefined;
  readonly method: unknown;
  readonly failed: (error: MessageError) => void;
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line)) as unknown;
  } catch {
    return undefined; // The caller says so.
  }
}

/** The error in a body of JSON-RPC, with its data. */
function errorIn(text: string): MessageError | undefined {
  const body = parsed(Buffer.from(text));
  const error = isObject(body) ? body["error"] : undefined;
  return isMessageError(error) ? error : undefined;
}

const isMessageError = (value: unknown): value is MessageError =>
  isObject(value) && typeof value["code"] === "number" && typeof value["message"] === "string";
