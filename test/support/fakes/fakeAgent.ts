// Plays a recorded agent process at its streams, as bytes. A cursor walks the recording; each line of the client is a
// barrier that only the code under test can lift, by sending a message that matches.
import { PassThrough } from "node:stream";
import { answerTo, isObject, messageOf, type RecordedMessage, type Recording, type JsonObject } from "./transcript.ts";

/** What a client line of the recording waits for. */
export interface Barrier {
  readonly at: number;
  readonly message: RecordedMessage;
  /** What the agent answers to it later, or, for a response, undefined. */
  readonly answer: RecordedMessage | undefined;
  /** For a response of the client: the agent's request. */
  readonly request: RecordedMessage | undefined;
}

/** How a barrier is to be lifted when not by the very method that was recorded. */
export interface StandIn {
  readonly method: string;
  /** Changes the agent's answer so that it fits. */
  readonly amend: (result: JsonObject) => JsonObject;
}

export interface FakeAgentOptions {
  /** The cursor stands before a line of the client: make the code under test send it. */
  readonly onBarrier: (barrier: Barrier) => Promise<StandIn | undefined> | StandIn | undefined;
  /** The barrier was lifted by this message. */
  readonly onLifted: (barrier: Barrier, sent: RecordedMessage) => void;
  readonly onStderr: (line: string) => void;
  /** Resolves when the client has taken in this many lines. */
  readonly whenSettled: (lines: number) => Promise<void>;
  /** The line of the recording with this index is left out. */
  readonly without?: number | undefined;
}

/** How long a barrier may stand before the test fails, in milliseconds. */
const barrierTimeout = 15_000;

export class FakeAgent {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly #lines: Recording;
  readonly #options: FakeAgentOptions;
  readonly #received: RecordedMessage[] = [];
  #wake: () => void = () => {};
  /** Ids of the recording's client → ids of the client under test, and how their answers are changed. */
  readonly #ids = new Map<unknown, { readonly id: unknown; readonly amend?: StandIn["amend"] }>();
  #written = 0;

  constructor(lines: Recording, options: FakeAgentOptions) {
    this.#lines = lines;
    this.#options = options;
    let partial = "";
    this.stdin.setEncoding("utf8").on("data", (chunk: string) => {
      const rows = (partial + chunk).split("\n");
      partial = rows.pop() ?? "";
      this.#received.push(...rows.map(row => JSON.parse(row) as RecordedMessage));
      this.#wake();
    });
  }

  /** Plays the whole recording. Rejects when a barrier is not lifted in time. */
  async play(): Promise<void> {
    for (const [at, line] of this.#lines.entries()) {
      if (at === this.#options.without) continue;
      const message = messageOf(line);
      if (line.dir === "c>a") {
        if (message) await this.#stopAt(at, message);
      } else if (line.dir === "a>c") await this.#write(JSON.stringify(this.#mapped(message ?? {})));
      else if (line.dir === "out") await this.#write(line.text ?? "");
      else if (line.dir === "err") this.#options.onStderr(line.text ?? "");
    }
    await this.#options.whenSettled(this.#written);
  }

  /** Messages of the client that no line of the recording asked for. */
  get unexpectedMessages(): readonly RecordedMessage[] {
    return this.#received;
  }

  end(): void {
    this.stdout.end();
  }

  async #stopAt(at: number, message: RecordedMessage): Promise<void> {
    await this.#options.whenSettled(this.#written);
    const asked = (one: number): boolean => {
      const line = this.#lines[one];
      const request = line && messageOf(line);
      return line?.dir === "a>c" && request?.method !== undefined && request.id === message.id;
    };
    const from = message.method === undefined ? [...this.#lines.keys()].slice(0, at).findLast(asked) : undefined;
    const asker = from === undefined ? undefined : this.#lines[from];
    const barrier: Barrier = {
      at,
      message,
      answer: answerTo(this.#lines, at),
      request: asker && messageOf(asker),
    };
    const standIn = await this.#options.onBarrier(barrier);
    const sent = await this.#matching(
      { ...message, ...(standIn && { method: standIn.method }) },
      standIn !== undefined,
    );
    if (message.method !== undefined && message.id !== undefined) {
      this.#ids.set(message.id, { id: sent.id, ...(standIn && { amend: standIn.amend }) });
    }
    this.#options.onLifted(barrier, sent);
  }

  /** The first message of the client that fits; waits for one. The order among them is the client's business. */
  async #matching(wanted: RecordedMessage, anySession: boolean): Promise<RecordedMessage> {
    const deadline = Date.now() + barrierTimeout;
    for (;;) {
      const at = this.#received.findIndex(message => fits(message, wanted, anySession));
      const [found] = at < 0 ? [] : this.#received.splice(at, 1);
      if (found) return found;
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`The client did not send what the recording waits for: ${brief(wanted)}`);
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #mapped(message: RecordedMessage): RecordedMessage {
    if (message.method !== undefined || message.id === undefined || message.id === null) return message;
    const known = this.#ids.get(message.id);
    if (!known) return message;
    const amended =
      known.amend && message.error === undefined
        ? { result: known.amend(isObject(message.result) ? message.result : {}) }
        : {};
    return { ...message, ...amended, id: known.id as number };
  }

  #write(line: string): Promise<void> {
    if (line.trim() !== "") this.#written++;
    return new Promise(resolve => {
      if (this.stdout.write(`${line}\n`)) resolve();
      else this.stdout.once("drain", resolve);
    });
  }
}

function fits(message: RecordedMessage, wanted: RecordedMessage, anySession: boolean): boolean {
  if (wanted.method === undefined) return message.method === undefined && message.id === wanted.id;
  if (message.method !== wanted.method || (message.id === undefined) !== (wanted.id === undefined)) return false;
  const session = wanted.params?.["sessionId"];
  return anySession || session === undefined || message.params?.["sessionId"] === session;
}

const brief = (message: RecordedMessage): string => JSON.stringify(message).slice(0, 300);
