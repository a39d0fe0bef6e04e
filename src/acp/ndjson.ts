// vscode-jsonrpc reader and writer for newline-delimited JSON, the framing of ACP's stdio transport (spec page
// "Transports"): one UTF-8 message per line. Malformed lines are reported and never fatal.
import type { Readable, Writable } from "node:stream";
import { Sequencer } from "../base/async.ts";
import { parseBoundedJson } from "../base/jsonDepth.ts";
import { asError } from "../base/errors.ts";
import { LineSplitter } from "../base/lineSplitter.ts";
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-jsonrpc/node";
import { t } from "../base/l10n.ts";

/** Longer lines are dropped. */
const maxLineBytes = 64 * 1024 * 1024;
/** The stream is paused while more lines or bytes than this wait to be processed. */
export const maxWaitingLines = 50;
const maxWaitingBytes = 16 * 1024 * 1024;
/** The interval at which an exhausted read budget is checked again (ms). */
const budgetPollTime = 4;

/** A line that is not a message: the reason, and the beginning of its text. */
export interface BadLine {
  readonly reason: string;
  readonly text: string;
}

/** Observes the traffic in one direction. */
export interface TrafficObserver {
  readonly onMessage?: (message: unknown, bytes: number) => void;
  readonly onBadLine?: (line: BadLine) => void;
}

type JsonObject = Record<string, unknown>;

/** What the framing must know about the protocol that uses it. */
export interface MessageDialect {
  /**
   * Whether only clients call the method. An agent that reads from a terminal gets its input echoed, so such a message
   * is our own. Answering it would type into the agent's prompt.
   */
  isClientMethod(method: string): boolean;
  /** The protocol's notification that cancels a request. vscode-jsonrpc knows it as `$/cancelRequest {id}`. */
  readonly cancelMethod: string;
  /** The field of its parameters that holds the id of the request. */
  readonly cancelledIdField: string;
}

/**
 * A line as a message for vscode-jsonrpc, or the reason why it is not one. Tolerates what real agents send: escape
 * codes before the message, a missing `jsonrpc`, a response without a result.
 */
export function parseLine(
  text: string,
  dialect: MessageDialect,
): { readonly message: Message; readonly raw: unknown } | { readonly bad: string } | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const raw = parseJson(trimmed) ?? parseJson(trimmed.slice(Math.max(0, trimmed.indexOf('{"'))));
  if (raw === undefined) return { bad: "It is not JSON." };
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return { bad: "It is not a JSON-RPC message." };
  const received = raw as JsonObject;
  const { method, id } = received;
  if (method !== undefined && typeof method !== "string") return { bad: "Its method is not a string." };
  if (method !== undefined && dialect.isClientMethod(method)) return { bad: "It is an echo of a message from Parley." };
  if (id !== undefined && id !== null && !isId(id)) return { bad: "Its id is neither a string nor a whole number." };
  if (method !== undefined && id === null)
    return { bad: "It is a request whose id is null, which cannot be answered." };
  if (method === undefined && (id === undefined || id === null)) {
    return {
      bad: "error" in received ? "It is an error that answers no request." : "It has neither a method nor an id.",
    };
  }
  const message = normalise(received, dialect);
  if (message["method"] === cancelRequest && !isId((message["params"] as JsonObject)["id"])) {
    return { bad: "It cancels a request without naming it." };
  }
  return { message: message as unknown as Message, raw };
}

const cancelRequest = "$/cancelRequest";
const isId = (id: unknown): boolean => typeof id === "string" || Number.isInteger(id);

function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined; // Not JSON; the caller reports it.
  }
}

function normalise(given: JsonObject, dialect: MessageDialect): JsonObject {
  const message: JsonObject = { ...given, jsonrpc: "2.0" };
  if (given["method"] === undefined) {
    const { error } = given;
    if (error === undefined || error === null) {
      delete message["error"];
      message["result"] ??= null;
    } else {
      delete message["result"];
      message["error"] = asWireError(error);
    }
    return message;
  }
  const { params } = given;
  // Handlers expect one object. With anything else, or nothing, vscode-jsonrpc would shift their arguments.
  if (typeof params !== "object" || params === null || Array.isArray(params)) message["params"] = {};
  if (given["method"] === dialect.cancelMethod) {
    message["method"] = cancelRequest;
    message["params"] = { id: (params as JsonObject | null | undefined)?.[dialect.cancelledIdField] };
  }
  return message;
}

function asWireError(error: unknown): unknown {
  const given: JsonObject =
    typeof error === "object" && error !== null ? (error as JsonObject) : { message: String(error) };
  return {
    ...given,
    code: Number.isInteger(given["code"]) ? given["code"] : -32603,
    message: typeof given["message"] === "string" ? given["message"] : t("The agent gave no reason."),
  };
}

/** How fast the messages of one process are read. `session`: the agent's session that a message names, if it is known. */
export interface ReadPace {
  /** The session that the message names. */
  sessionOf(line: Buffer): string | undefined;
  /** Whether a message of the session has to wait. */
  isHeldBack(session: string | undefined): boolean;
  /** Whether a message of the session may be read before or after waiting messages of other sessions. */
  isIndependent(session: string | undefined): boolean;
  /** A message of this size (bytes) was read. */
  read(session: string | undefined, size: number): void;
}

interface WaitingLine {
  readonly line: Buffer;
  readonly session: string | undefined;
}

/** Reads messages from an agent's stdout, with backpressure: see {@link maxWaitingLines}. */
export class NdJsonReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #dialect: MessageDialect;
  readonly #observer: TrafficObserver;
  readonly #pace: ReadPace | undefined;
  readonly #lines: WaitingLine[] = [];
  #stop: () => void = () => {};
  #nextIndex = 0;
  #waitingBytes = 0;
  #paused = false;
  #ended = false;
  /** Cancels the scheduled delivery. */
  #cancelDelivery: (() => void) | undefined;
  #callback: DataCallback | undefined;

  constructor(input: Readable, dialect: MessageDialect, observer: TrafficObserver = {}, pace?: ReadPace) {
    super();
    this.#input = input;
    this.#dialect = dialect;
    this.#observer = observer;
    this.#pace = pace;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const splitter = new LineSplitter(
      line => this.#enqueue(line),
      bytes =>
        this.#observer.onBadLine?.({
          reason: `It is ${bytes} bytes long; the limit is ${maxLineBytes} bytes.`,
          text: "",
        }),
      maxLineBytes,
    );
    const onData = (chunk: Buffer): void => splitter.push(chunk);
    const onEnd = (): void => {
      if (this.#ended) return;
      this.#ended = true;
      splitter.end();
      this.#scheduleDelivery();
    };
    const onError = (error: Error): void => this.fireError(error);
    this.#input.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError);
    this.#stop = () => {
      this.#stop = () => {};
      this.#input.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError);
      // An error after this must not become an uncaught exception.
      this.#input.on("error", () => {});
      // Discard further output so that the agent does not block on a full pipe.
      this.#input.resume();
      this.#callback = undefined;
      this.#lines.length = 0;
      this.#cancelDelivery?.();
    };
    return { dispose: () => this.#stop() };
  }

  /** Whether messages wait to be processed. */
  get hasWaitingMessages(): boolean {
    return this.#lines.length > this.#nextIndex;
  }

  /** Also stops reading, because vscode-jsonrpc never disposes the result of {@link listen}. */
  override dispose(): void {
    this.#stop();
    super.dispose();
  }

  #enqueue(line: Buffer): void {
    this.#lines.push({ line, session: this.#pace?.sessionOf(line) });
    this.#waitingBytes += line.length;
    if (!this.#paused && this.#isFull()) {
      this.#paused = true;
      this.#input.pause();
    }
    this.#scheduleDelivery();
  }

  #isFull(): boolean {
    return this.#lines.length - this.#nextIndex > maxWaitingLines || this.#waitingBytes > maxWaitingBytes;
  }

  /**
   * Delivers one message per turn of the event loop, the rate at which vscode-jsonrpc processes them. Messages
   * therefore wait here, where they are counted, and other work of the extension host runs in between.
   */
  #scheduleDelivery(): void {
    if (this.#cancelDelivery || this.#callback === undefined) return;
    const index = this.#deliverableIndex();
    this.#cancelDelivery = schedule(index === undefined, () => {
      this.#cancelDelivery = undefined;
      if (index === undefined) return this.#scheduleDelivery();
      const taken = this.#take(index);
      if (taken === undefined) {
        if (this.#ended) this.fireClose();
        return;
      }
      const { line, session } = taken;
      this.#waitingBytes -= line.length;
      if (this.#paused && this.#lines.length - this.#nextIndex < maxWaitingLines / 2 && !this.#isFull()) {
        this.#paused = false;
        this.#input.resume();
      }
      this.#pace?.read(session, line.length);
      this.#deliver(line);
      this.#scheduleDelivery();
    });
  }

  /**
   * The first line that does not have to wait, or the end. Such a line overtakes only waiting lines of other sessions, and
   * never a line that concerns more than its session, such as a response. Undefined if all have to wait.
   */
  #deliverableIndex(): number | undefined {
    const next = this.#lines[this.#nextIndex];
    if (next === undefined || this.#pace?.isHeldBack(next.session) !== true) return this.#nextIndex;
    const waiting = new Set<string | undefined>();
    for (let index = this.#nextIndex; index < this.#lines.length; index++) {
      const session = this.#lines[index]?.session;
      if (waiting.has(session)) continue;
      if (!this.#pace.isIndependent(session)) return undefined;
      if (!this.#pace.isHeldBack(session)) return index;
      waiting.add(session);
    }
    return undefined;
  }

  /** Removes the line at the index. */
  #take(index: number): WaitingLine | undefined {
    if (index > this.#nextIndex) return this.#lines.splice(index, 1)[0];
    const taken = this.#lines[this.#nextIndex];
    if (taken === undefined) return undefined;
    this.#nextIndex++;
    // During a flood the queue may never become empty, so release delivered lines before that.
    if (this.#nextIndex === this.#lines.length || this.#nextIndex > maxWaitingLines) {
      this.#lines.splice(0, this.#nextIndex);
      this.#nextIndex = 0;
    }
    return taken;
  }

  #deliver(line: Buffer): void {
    const text = line.toString("utf8");
    const result = parseLine(text, this.#dialect);
    if (result === undefined) return;
    if ("bad" in result) {
      this.#observer.onBadLine?.({ reason: result.bad, text: text.slice(0, 2000) });
      return;
    }
    this.#observer.onMessage?.(result.raw, line.length);
    try {
      this.#callback?.(result.message);
    } catch (error) {
      // No message of an agent may end the connection.
      const reason = `It could not be handled: ${asError(error).message}`;
      this.#observer.onBadLine?.({ reason, text: text.slice(0, 2000) });
    }
  }
}

/** Runs in the next turn of the event loop, or after a pause. Returns a function that cancels it. */
function schedule(pause: boolean, run: () => void): () => void {
  if (pause) {
    const timer = setTimeout(run, budgetPollTime);
    return () => clearTimeout(timer);
  }
  const turn = setImmediate(run);
  return () => clearImmediate(turn);
}

/** Writes messages to an agent's stdin one at a time, and waits while the pipe is full. */
export class NdJsonWriter extends AbstractMessageWriter {
  readonly #output: Writable;
  readonly #dialect: MessageDialect;
  readonly #observer: TrafficObserver;
  readonly #writes = new Sequencer();
  #closed: Error | undefined;
  /**
   * Resolves when the agent's input is closed. That does not end the connection: when an agent exits, its input closes
   * before all of its output was read.
   */
  readonly closed: Promise<void>;

  constructor(output: Writable, dialect: MessageDialect, observer: TrafficObserver = {}) {
    super();
    this.#output = output;
    this.#dialect = dialect;
    this.#observer = observer;
    output.on("error", error => {
      this.#closed ??= error;
      this.fireError(error);
    });
    this.closed = new Promise(resolve => {
      output.on("close", () => {
        this.#closed ??= new Error("The agent's input is closed.");
        resolve();
      });
    });
  }

  write(message: Message): Promise<void> {
    const wire = toWireMessage(message as unknown as JsonObject, this.#dialect);
    return this.#writes.queue(() => this.#writeLine(wire));
  }

  end(): void {
    this.#closed ??= new Error("The agent's input is closed.");
    this.#output.end();
  }

  #writeLine(wire: JsonObject): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    const line = Buffer.from(JSON.stringify(wire) + "\n", "utf8");
    this.#observer.onMessage?.(wire, line.length);
    return new Promise((resolve, reject) => {
      const more = this.#output.write(line, error => {
        if (error) reject(error);
        else if (more) resolve();
      });
      if (more) return;
      const done = (): void => {
        this.#output.off("drain", done).off("close", done);
        resolve();
      };
      this.#output.on("drain", done).on("close", done);
    });
  }
}

function toWireMessage(message: JsonObject, { cancelMethod, cancelledIdField }: MessageDialect): JsonObject {
  if (message["method"] !== cancelRequest) return message;
  const { id } = message["params"] as JsonObject;
  return { jsonrpc: "2.0", method: cancelMethod, params: { [cancelledIdField]: id } };
}
