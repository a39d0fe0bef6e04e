// Records both directions of a connection: a bounded ring for "Show Protocol Traffic", and listeners for whoever records
// a transcript. A record is a line of the transcript format the tests replay: {t, dir, msg | text}.
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { announcesSecret, hiddenValue, maskedText } from "../base/mask.ts";

/** `c>a` client to agent, `a>c` agent to client, `err` the agent's stderr, `out` stdout that is no message. */
export interface TapRecord {
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly dir: "c>a" | "a>c" | "err" | "out" | "note";
  readonly msg?: unknown;
  readonly text?: string;
}

const maxRecords = 5000;
const maxBytes = 32 * 1024 * 1024;

/** The newest records of one agent process, by count and by bytes. */
export class Tap {
  readonly #records: { readonly record: TapRecord; readonly bytes: number }[] = [];
  #bytes = 0;
  #dropped = 0;
  #badLines = 0;
  readonly #began: number;
  readonly #clock: Clock;
  readonly #added = new Emitter<TapRecord>();
  readonly onDidRecord: Event<TapRecord> = this.#added.event;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  message(dir: "c>a" | "a>c", msg: unknown, bytes: number): void {
    this.#add({ t: this.#time(), dir, msg }, bytes);
  }
  text(dir: "err" | "out" | "note", text: string): void {
    if (dir === "out") this.#badLines++;
    this.#add({ t: this.#time(), dir, text }, text.length);
  }
  get records(): readonly TapRecord[] {
    return this.#records.map(entry => entry.record);
  }
  /** How many older records were dropped to stay within bounds. */
  get dropped(): number {
    return this.#dropped;
  }
  /** How many lines of stdout were no messages, dropped ones included. */
  get badLines(): number {
    return this.#badLines;
  }

  #time(): number {
    return Math.round((this.#clock.now() - this.#began) * 10) / 10;
  }
  #add(record: TapRecord, bytes: number): void {
    this.#records.push({ record, bytes });
    this.#bytes += bytes;
    while (this.#records.length > maxRecords || (this.#bytes > maxBytes && this.#records.length > 1)) {
      this.#bytes -= this.#records.shift()?.bytes ?? 0;
      this.#dropped++;
    }
    this.#added.fire(record);
  }
}

const secretKey = /(authorization|api[-_]?key|token|secret|password|passwd|credential|cookie)/i;

/** The records as newline-delimited JSON, masked. */
export function transcript(records: readonly TapRecord[]): string {
  return records.map(record => JSON.stringify(maskedRecord(record)) + "\n").join("");
}

/**
 * The record as it may be shown and saved: without values under names that look like credentials, without the values of
 * environment variables and headers handed to MCP servers, without credentials in command lines and printed text.
 */
export function maskedRecord(record: TapRecord): TapRecord {
  return {
    ...record,
    ...(record.msg !== undefined && { msg: masked(record.msg) }),
    ...(record.text !== undefined && { text: maskedText(record.text) }),
  };
}

/** A copy with credentials replaced by "•••", however deep below such a name. Numbers stay: token counts are no secret. */
export function masked(value: unknown, key = ""): unknown {
  if (secretKey.test(key) || key === "env" || key === "headers") return hidden(value);
  if (key === "command" && typeof value === "string") return maskedText(value);
  if ((key === "args" || key === "command") && Array.isArray(value)) return maskedArguments(value);
  return open(value);
}

function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  return isRecord(value) ? mapped(value, masked) : value;
}

/** All texts but names: `[{name, value}]` is how variables and headers are handed over. */
function hidden(value: unknown, key = ""): unknown {
  if (typeof value === "string") return value === "" || key === "name" ? value : hiddenValue;
  if (Array.isArray(value)) return value.map((item: unknown) => hidden(item));
  return isRecord(value) ? mapped(value, hidden) : value;
}

/** A command line in pieces: a telling flag hides the piece after it. */
function maskedArguments(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== "string") return open(arg);
    const before = args[index - 1];
    const named = typeof before === "string" && announcesSecret(before) && !arg.startsWith("-");
    return named ? hiddenValue : maskedText(arg);
  });
}

const mapped = (
  value: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
