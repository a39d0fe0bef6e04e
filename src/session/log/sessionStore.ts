// Sessions on disk: an append-only log of events, one JSON a line. A log cut anywhere still opens. Its first line is the
// version of its format; a log without that line has version 1.
import { Sequencer } from "../../base/async.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import { asError } from "../../base/errors.ts";
import { maskKnownIn } from "../../base/secrets/knownSecrets.ts";
import { maxJsonDepth, parseBoundedJson } from "../../base/jsonDepth.ts";
import type { Clock, Log } from "../../base/log.ts";
import type { LoggedEvent } from "../events.ts";
import { asLoggedEvent } from "./loggedEvent.ts";
import { maskStreams, unfinishedEvents } from "./maskStreams.ts";

/** Named texts that persist when the window is closed. */
export interface TextStorage {
  /** Appends the whole text, or rejects and appends nothing. */
  append(name: string, text: string): Promise<void>;
  /** Replaces the whole text, or rejects and changes nothing. */
  write(name: string, text: string): Promise<void>;
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
}

/** A file in the storage, with its size. */
export interface LogFile {
  readonly name: string;
  readonly bytes: number;
}

/** The storage of the logs of many sessions. */
export interface LogStorage extends TextStorage {
  /** At most `length` bytes from `from` on; empty at the end of the file. Undefined if there is no file. */
  readSlice(name: string, from: number, length: number): Promise<Buffer | undefined>;
  /** The size of the file in bytes. Undefined if there is no file. */
  size(name: string): Promise<number | undefined>;
  /** The files in the storage. */
  list(): Promise<readonly LogFile[]>;
  /** Renames the file. False if there is no such file. */
  rename(from: string, to: string): Promise<boolean>;
  /** Removes the file, if it exists. */
  remove(name: string): Promise<void>;
}

/** Events are written in batches, at this interval. Milliseconds. */
const flushTime = 250;
/** A failed write is tried again after this time. Milliseconds. */
const retryTime = 5000;
/** A longer text in an event is truncated when stored: losing its end is better than losing the session. */
const maxTextLength = 256 * 1024;
/** The text of a log that is parsed before other work of the extension host gets its turn, a few milliseconds. */
const charactersPerSlice = 256 * 1024;

const logSuffix = ".jsonl";

/** The name of a session's log in the storage. */
export const sessionFileName = (session: string): string => session + logSuffix;

/** The id of the session whose log the file is; undefined for any other file. */
export const sessionOfLogFile = (name: string): string | undefined =>
  name.endsWith(logSuffix) ? name.slice(0, -logSuffix.length) : undefined;

/**
 * The version of the format. In version 1, the log does not record the sessions of the agent, and starts of the agent
 * are counted instead.
 */
const logVersion = 2;

export interface SessionWriterOptions {
  readonly storage: TextStorage;
  readonly session: string;
  /** The session has no log yet. */
  readonly isNew: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Gets the reason when saving begins to fail. */
  readonly onFailed?: (reason: string) => void;
  /** Called for the first event that cannot be written. */
  readonly onLeftOut?: () => void;
}

/** Writes one session's events in batches, in order. A batch that cannot be written is kept and tried again. */
export class SessionWriter implements Disposable {
  readonly #options: SessionWriterOptions;
  #hasLeftOut = false;
  #batch: LoggedEvent[] = [];
  /** What the first batch begins with. */
  #head: string;
  /** Lines that are not stored yet. */
  #unsaved = "";
  #isFailing = false;
  #disposed = false;
  #timer: Disposable | undefined;
  /** The last event that was kept back, because it may contain the beginning of a secret. */
  #keptBack: LoggedEvent | undefined;
  readonly #saves = new Sequencer();

  constructor(options: SessionWriterOptions) {
    this.#options = options;
    // An earlier window may have been killed while writing a line. The first batch must not continue that line.
    this.#head = options.isNew ? `${JSON.stringify({ parley: logVersion })}\n` : "\n";
  }

  write(logged: LoggedEvent): void {
    this.#batch.push(logged);
    this.#flushAfter(flushTime);
  }

  /** Resolves when everything written so far is stored, or the failure is logged. */
  flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#take(this.#batch.length);
    return this.#saves.queue(() => this.#save());
  }

  /** Writes the batch, except for events at its end that may contain the beginning of a secret: they wait once. */
  #flushBatch(): void {
    this.#timer = undefined;
    const last = this.#batch.at(-1);
    const count = last === this.#keptBack ? 0 : unfinishedEvents(this.#batch);
    this.#keptBack = last;
    this.#take(this.#batch.length - count);
    if (count > 0) this.#flushAfter(flushTime);
    void this.#saves.queue(() => this.#save());
  }

  /** Turns the first events of the batch into lines, without the secrets that Parley knows. */
  #take(count: number): void {
    if (count === 0) return;
    const lines = maskStreams(this.#batch.splice(0, count)).map(logged => this.#lineOf(logged));
    this.#unsaved += this.#head + lines.join("");
    this.#head = "";
  }

  dispose(): void {
    this.#disposed = true;
    void this.flush();
  }

  /** The line of an event. Empty for an event that cannot be written, so that the others are not lost with it. */
  #lineOf(logged: LoggedEvent): string {
    try {
      return serializeEvent(maskKnownIn(logged));
    } catch (error) {
      const { type } = logged.event;
      this.#options.log.error(`The event ${type} could not be saved and is left out.`, asError(error).stack);
      if (!this.#hasLeftOut) this.#options.onLeftOut?.();
      this.#hasLeftOut = true;
      return "";
    }
  }

  #flushAfter(time: number): void {
    this.#timer ??= this.#options.clock.after(time, () => this.#flushBatch());
  }

  async #save(): Promise<void> {
    const text = this.#unsaved;
    if (text === "") return;
    this.#unsaved = "";
    try {
      await this.#options.storage.append(sessionFileName(this.#options.session), text);
      this.#isFailing = false;
    } catch (error) {
      this.#unsaved = text + this.#unsaved;
      const { message } = asError(error);
      if (!this.#isFailing) {
        this.#options.log.error("The conversation could not be saved.", message);
        this.#options.onFailed?.(message);
      }
      this.#isFailing = true;
      if (!this.#disposed) this.#flushAfter(retryTime);
    }
  }
}

function serializeEvent(logged: LoggedEvent): string {
  const text = JSON.stringify(logged);
  // A short event cannot contain a long text. Without a replacer, stringify does not call back for every value.
  return (text.length <= maxTextLength ? text : JSON.stringify(logged, truncateLongText)) + "\n";
}

function truncateLongText(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength)}\n[${value.length - maxTextLength} more characters were not kept]`;
}

/** The events of a stored session; undefined when there is no such session. Skips lines that cannot be parsed. */
export async function readSession(storage: TextStorage, session: string): Promise<readonly LoggedEvent[] | undefined> {
  const text = await storage.read(sessionFileName(session));
  if (text === undefined) return undefined;
  const events: LoggedEvent[] = [];
  let sliceEnd = charactersPerSlice;
  for (let from = 0, end = 0; from < text.length; from = end + 1) {
    end = text.indexOf("\n", from);
    if (end < 0) end = text.length;
    if (end > sliceEnd) {
      await new Promise(resolve => setImmediate(resolve));
      sliceEnd = end + charactersPerSlice;
    }
    const row = text.slice(from, end);
    if (row === "") continue;
    // A window that was killed left an incomplete line. The lines of later windows follow it.
    const logged = parseLogLine(row);
    if (logged) events.push(logged);
  }
  return events;
}

/** The event in a line of a log. Undefined for the line of the version, and for a damaged line. */
export function parseLogLine(row: string): LoggedEvent | undefined {
  try {
    return asLoggedEvent(parseBoundedJson(row, 2 * maxJsonDepth));
  } catch {
    return undefined;
  }
}
