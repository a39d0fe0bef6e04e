// Sessions on disk: an append-only log of events, one JSON a line. A log cut anywhere still opens.
import type { Disposable } from "../base/lifecycle.ts";
import { asError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import type { Logged } from "./events.ts";

/** Named texts that outlive the window. */
export interface Storage {
  /** Adds to the end, all or nothing. */
  append(name: string, text: string): Promise<void>;
  /** Replaces the text, all or nothing. */
  write(name: string, text: string): Promise<void>;
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
}

const flushTime = 250;
/** What could not be saved is tried again after this time, in milliseconds. */
const retryTime = 5000;
/** A single text longer than this is cut when written: losing its tail is better than losing the session. */
const maxText = 256 * 1024;

const fileOf = (session: string): string => `${session}.jsonl`;

/** Writes one session's events, a batch at a time, in order. What the disk refuses is kept and tried again. */
export class SessionWriter implements Disposable {
  readonly #storage: Storage;
  readonly #session: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onRefused: (reason: string) => void;
  #batch: Logged[] = [];
  /** An earlier window may have been killed within a line: the first batch must not continue it. */
  #lead = "\n";
  /** Lines that are still to be stored. */
  #unsaved = "";
  #isRefused = false;
  #disposed = false;
  #timer: Disposable | undefined;
  #tail: Promise<void> = Promise.resolve();

  /** `onRefused` hears why, the first time that nothing can be saved any more. */
  constructor(
    storage: Storage,
    session: string,
    clock: Clock,
    log: Log,
    onRefused: (reason: string) => void = () => {},
  ) {
    this.#storage = storage;
    this.#session = session;
    this.#clock = clock;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  write(logged: Logged): void {
    this.#batch.push(logged);
    this.#flushAfter(flushTime);
  }

  /** Resolves when everything written so far is stored, or the log says why it is not. */
  flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#batch.length > 0) {
      this.#unsaved += this.#lead + this.#batch.map(line).join("");
      this.#batch = [];
      this.#lead = "";
    }
    this.#tail = this.#tail.then(() => this.#save());
    return this.#tail;
  }

  dispose(): void {
    this.#disposed = true;
    void this.flush();
  }

  #flushAfter(time: number): void {
    this.#timer ??= this.#clock.after(time, () => void this.flush());
  }

  async #save(): Promise<void> {
    const text = this.#unsaved;
    if (text === "") return;
    this.#unsaved = "";
    try {
      await this.#storage.append(fileOf(this.#session), text);
      this.#isRefused = false;
    } catch (error) {
      this.#unsaved = text + this.#unsaved;
      const { message } = asError(error);
      if (!this.#isRefused) {
        this.#log.error("The conversation could not be saved.", message);
        this.#onRefused(message);
      }
      this.#isRefused = true;
      if (!this.#disposed) this.#flushAfter(retryTime);
    }
  }
}

function line(logged: Logged): string {
  const text = JSON.stringify(logged);
  // What is short as a whole holds no long text, and a replacer would be called for every value in it.
  return (text.length <= maxText ? text : JSON.stringify(logged, cutText)) + "\n";
}

function cutText(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= maxText) return value;
  return `${value.slice(0, maxText)}\n[${value.length - maxText} more characters were not kept]`;
}

/** The events of a stored session; undefined when there is no such session. Lines that cannot be read are passed over. */
export async function readSession(storage: Storage, session: string): Promise<readonly Logged[] | undefined> {
  const text = await storage.read(fileOf(session));
  if (text === undefined) return undefined;
  const events: Logged[] = [];
  for (const row of text.split("\n")) {
    if (row === "") continue;
    // A half-written line is where a window was killed; what a later window wrote stands behind it.
    const logged = parse(row);
    if (logged) events.push(logged);
  }
  return events;
}

function parse(row: string): Logged | undefined {
  try {
    const value = JSON.parse(row) as Logged;
    return typeof value?.seq === "number" && typeof value.at === "number" && typeof value.event?.type === "string"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
