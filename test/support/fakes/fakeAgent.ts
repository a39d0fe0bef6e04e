// Replays a recorded agent process on its streams, as bytes. A cursor moves through the recording. Each line of the
// client is a barrier that only the code under test can lift, by sending a matching message.
import { PassThrough } from "node:stream";
import { answerTo, isObject, messageOf, type RecordedMessage, type Recording, type JsonObject } from "./transcript.ts";

/** A line of the client in the recording, at which the replay waits. */
export interface Barrier {
  readonly at: number;
  readonly message: RecordedMessage;
  /** The agent's later response to it; undefined if it is a response itself. */
  readonly answer: RecordedMessage | undefined;
  /** The agent's request, if this is a response of the client. */
  readonly request: RecordedMessage | undefined;
}

/** How to lift a barrier by another method than the recorded one. */
export interface StandIn {
  readonly method: string;
  /** Adjusts the agent's response to the other method. */
  readonly amend: (result: JsonObject) => JsonObject;
}

export interface FakeAgentOptions {
  /** The cursor is at a line of the client: makes the code under test send it. */
  readonly onBarrier: (barrier: Barrier) => Promise<StandIn | undefined> | StandIn | undefined;
  /** This message has lifted the barrier. */
  readonly onLifted: (barrier: Barrier, sent: RecordedMessage) => void;
  readonly onStderr: (line: string) => void;
  /** Resolves when the client has processed this many lines. */
  readonly whenSettled: (lines: number) => Promise<void>;
  /** The index of a line to leave out. */
  readonly without?: number | undefined;
}

/** The time after which a barrier that was not lifted fails the test (ms). */
const barrierTimeout = 15_000;

export class FakeAgent {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly #lines: Recording;
  readonly #options: FakeAgentOptions;
  readonly #received: RecordedMessage[] = [];
  #wake: () => void = () => {};
  /** Maps ids of the recorded client to ids of the client under test, with the changes to their responses. */
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

  /** Messages of the client that have no line in the recording. */
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

  /** The first matching message of the client; waits for one. The client may send its messages in any order. */
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
