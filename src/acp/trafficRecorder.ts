// Records both directions of a connection: the newest records for the protocol inspector, and an event for each
// record. A record is one line of the transcript format that the tests replay: {t, dir, msg | text}.
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { maskText } from "../base/mask.ts";
import { maskJson } from "../base/maskJson.ts";
import { isObject } from "./parse.ts";

/**
 * `c>a` is client to agent, `a>c` agent to client, `err` the agent's stderr, `out` a line of stdout that is not a
 * message.
 */
export interface TrafficRecord {
  /** Time since the start of the recording (ms). */
  readonly t: number;
  readonly dir: "c>a" | "a>c" | "err" | "out" | "note";
  readonly msg?: unknown;
  readonly text?: string;
}

/** A record with its size as it was sent, in bytes. Of a text, in characters. */
export interface SizedRecord {
  readonly record: TrafficRecord;
  readonly bytes: number;
}

const maxRecords = 50_000;
const maxBytes = 32 * 1024 * 1024;
/** How many places of dropped records stay unused. */
const maxUnused = 10_000;

/** Keeps the newest records of one agent process, limited by count and by bytes. */
export class TrafficRecorder {
  /** Those before `#first` were dropped. They are removed many at once, because each removal moves all others. */
  #records: (SizedRecord | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #dropped = 0;
  #badLines = 0;
  #isClosed = false;
  #protocolVersion: number | undefined;
  readonly #began: number;
  readonly #clock: Clock;
  readonly #added = new Emitter<TrafficRecord>();
  readonly onDidRecord: Event<TrafficRecord> = this.#added.event;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  recordMessage(dir: "c>a" | "a>c", msg: unknown, bytes: number): void {
    if (dir === "a>c") this.#protocolVersion = versionOf(msg) ?? this.#protocolVersion;
    this.#add({ t: this.#time(), dir, msg: dir === "c>a" ? withoutAnswers(msg) : withoutAccounts(msg) }, bytes);
  }
  recordText(dir: "err" | "out" | "note", text: string): void {
    if (dir === "out") this.#badLines++;
    this.#add({ t: this.#time(), dir, text }, text.length);
  }
  get records(): readonly TrafficRecord[] {
    return this.#records.slice(this.#first).flatMap(entry => (entry ? [entry.record] : []));
  }
  /** The record with this number, counted from the first of the connection. Undefined if it was dropped or is not there yet. */
  recordAt(number: number): SizedRecord | undefined {
    return number < this.#dropped ? undefined : this.#records[number - this.#dropped + this.#first];
  }
  /** The number of all records, including those that were dropped. */
  get count(): number {
    return this.#dropped + this.#records.length - this.#first;
  }
  /** Whether the connection has ended, so that nothing follows. */
  get isClosed(): boolean {
    return this.#isClosed;
  }
  /** The connection has ended. */
  close(): void {
    this.#isClosed = true;
  }
  /** The number of older records that were dropped to stay within the limits. */
  get dropped(): number {
    return this.#dropped;
  }
  /** The version of the protocol in the agent's latest answer that has one, which can be among those that were dropped. */
  get protocolVersion(): number | undefined {
    return this.#protocolVersion;
  }
  /** The number of lines of stdout that were not messages, including lines that were dropped. */
  get badLines(): number {
    return this.#badLines;
  }

  #time(): number {
    return Math.round((this.#clock.now() - this.#began) * 10) / 10;
  }
  #add(record: TrafficRecord, bytes: number): void {
    this.#records.push({ record, bytes });
    this.#bytes += bytes;
    for (;;) {
      const kept = this.#records.length - this.#first;
      if (kept <= maxRecords && (this.#bytes <= maxBytes || kept === 1)) break;
      this.#bytes -= this.#records[this.#first]?.bytes ?? 0;
      this.#records[this.#first++] = undefined;
      this.#dropped++;
    }
    if (this.#first > maxUnused) {
      this.#records = this.#records.slice(this.#first);
      this.#first = 0;
    }
    this.#added.fire(record);
  }
}

/** The version in an answer to `initialize`, which is recognised by its shape. */
function versionOf(msg: unknown): number | undefined {
  const version = isObject(msg) && isObject(msg["result"]) ? msg["result"]["protocolVersion"] : undefined;
  return typeof version === "number" ? version : undefined;
}

/**
 * The message without what the user entered in a form (the response to `elicitation/create`), which may be a secret. It is
 * recognised by its shape, because an agent may use the id of a request twice. No other response has an `action`.
 */
function withoutAnswers(msg: unknown): unknown {
  if (!isObject(msg) || !isObject(msg["result"])) return msg;
  const { result } = msg;
  if (typeof result["action"] !== "string" || !("content" in result)) return msg;
  return { ...msg, result: { ...result, content: "[not recorded]" } };
}

/** The message without the user's accounts (`auth/status` and `auth/status_update`), recognised by their shape. */
function withoutAccounts(msg: unknown): unknown {
  if (!isObject(msg)) return msg;
  const key = isObject(msg["result"]) ? "result" : "params";
  const body = msg[key];
  if (!isObject(body) || !Array.isArray(body["accounts"]) || typeof body["state"] !== "string") return msg;
  return { ...msg, [key]: { ...body, accounts: "[not recorded]" } };
}

/** The records as newline-delimited JSON, masked. */
export function transcriptText(records: readonly TrafficRecord[]): string {
  return records.map(record => JSON.stringify(maskRecord(record)) + "\n").join("");
}

/**
 * The record without secrets, so that it can be shown and saved. Masks values under names that look like credentials,
 * the values of environment variables and headers for MCP servers, and credentials in command lines and printed text.
 */
export function maskRecord(record: TrafficRecord): TrafficRecord {
  return {
    ...record,
    ...(record.msg !== undefined && { msg: maskJson(record.msg) }),
    ...(record.text !== undefined && { text: maskText(record.text) }),
  };
}
