// Sessions on disk: an append-only log of events, one JSON a line. A log cut anywhere still opens.
import { Sequencer } from "../base/async.ts";
import type { Disposable } from "../base/lifecycle.ts";
import { asError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import type { LoggedEvent } from "./events.ts";

/** Named texts that outlive the window. */
export interface TextStorage {
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
const maxTextLength = 256 * 1024;

const fileOf = (session: string): string => `${session}.jsonl`;

/** Writes one session's events, a batch at a time, in order. What the disk refuses is kept and tried again. */
export class SessionWriter implements Disposable {
  readonly #storage: TextStorage;
  readonly #session: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onFailed: (reason: string) => void;
  #batch: LoggedEvent[] = [];
  /** An earlier window may have been killed within a line: the first batch must not continue it. */
  #leadingLineFeed = "\n";
  /** Lines that are still to be stored. */
  #unsaved = "";
  #isFailing = false;
  #disposed = false;
  #timer: Disposable | undefined;
  readonly #saves = new Sequencer();

  /** `onRefused` hears why, the first time that nothing can be saved any more. */
  constructor(
    storage: TextStorage,
    session: string,
    clock: Clock,
    log: Log,
    onRefused: (reason: string) => void = () => {},
  ) {
    this.#storage = storage;
    this.#session = session;
    this.#clock = clock;
    this.#log = log;
    this.#onFailed = onRefused;
  }

  write(logged: LoggedEvent): void {
    this.#batch.push(logged);
    this.#flushAfter(flushTime);
  }

  /** Resolves when everything written so far is stored, or the log says why it is not. */
  flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#batch.length > 0) {
      this.#unsaved += this.#leadingLineFeed + this.#batch.map(serializeEvent).join("");
      this.#batch = [];
      this.#leadingLineFeed = "";
    }
    return this.#saves.queue(() => this.#save());
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
      this.#isFailing = false;
    } catch (error) {
      this.#unsaved = text + this.#unsaved;
      const { message } = asError(error);
      if (!this.#isFailing) {
        this.#log.error("The conversation could not be saved.", message);
        this.#onFailed(message);
      }
      this.#isFailing = true;
      if (!this.#disposed) this.#flushAfter(retryTime);
    }
  }
}

function serializeEvent(logged: LoggedEvent): string {
  const text = JSON.stringify(logged);
  // What is short as a whole holds no long text, and a replacer would be called for every value in it.
  return (text.length <= maxTextLength ? text : JSON.stringify(logged, truncateLongText)) + "\n";
}

function truncateLongText(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength)}\n[${value.length - maxTextLength} more characters were not kept]`;
}

/** The events of a stored session; undefined when there is no such session. Lines that cannot be read are passed over. */
export async function readSession(storage: TextStorage, session: string): Promise<readonly LoggedEvent[] | undefined> {
  const text = await storage.read(fileOf(session));
  if (text === undefined) return undefined;
  const events: LoggedEvent[] = [];
  for (const row of text.split("\n")) {
    if (row === "") continue;
    // A half-written line is where a window was killed; what a later window wrote stands behind it.
    const logged = parseEvent(row);
    if (logged) events.push(logged);
  }
  return events;
}

function parseEvent(row: string): LoggedEvent | undefined {
  try {
    const value = JSON.parse(row) as LoggedEvent;
    return typeof value?.seq === "number" && typeof value.at === "number" && typeof value.event?.type === "string"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
