// Who allowed what: a line for each answer to a permission question, kept on disk.
import { asError } from "../base/errors.ts";
import { Emitter } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { maskedText } from "../base/mask.ts";
import type { Storage } from "../session/sessionStore.ts";
import type { Decided } from "./permissionBroker.ts";
import type { QuestionFacts } from "./rules.ts";

export interface AuditRecord {
  /** Ms since the epoch. */
  readonly at: number;
  readonly agent: string;
  readonly folder: string;
  /** The question's title. */
  readonly what: string;
  /** Command, files or addresses. */
  readonly subject: string;
  readonly answer: "allowed" | "refused" | "cancelled";
  /** The name of the option that was chosen. */
  readonly option?: string;
  /** The rule that answered. Absent: the user, or nobody when `cancelled`. */
  readonly by?: string;
}

const file = "permissions.ndjson";
/** Bytes. */
const mostBytes = 1_000_000;
const longestText = 8_000;

/** The log on disk: one JSON a line, newest last, secrets masked. Beyond its size the older half goes. */
export class AuditLog {
  readonly #storage: Storage;
  readonly #log: Log;
  readonly #recorded = new Emitter<void>();
  #tail: Promise<void> = Promise.resolve();
  /** Of the file. Undefined: not looked at yet. */
  #bytes: number | undefined;

  /** Fires when a record was kept. */
  readonly onDidRecord = this.#recorded.event;

  constructor(storage: Storage, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** Keeps a record, after all earlier ones. A failure goes to the log: nobody waits for this. */
  record(record: AuditRecord): void {
    this.#tail = this.#tail
      .then(() => this.#append(`${JSON.stringify(masked(record))}\n`))
      .then(() => this.#recorded.fire())
      .catch((error: unknown) => {
        this.#bytes = undefined;
        this.#log.error("An answer could not be added to the permission log.", asError(error).message);
      });
  }

  /** Everything that was kept, newest last, and how many lines could not be read. Rejects when the file cannot be. */
  async read(): Promise<{ readonly records: readonly AuditRecord[]; readonly broken: number }> {
    await this.#tail;
    const lines = ((await this.#storage.read(file)) ?? "").split("\n").filter(line => line !== "");
    const records = lines.map(parsed).filter(record => record !== undefined);
    return { records, broken: lines.length - records.length };
  }

  async #append(line: string): Promise<void> {
    const added = Buffer.byteLength(line);
    if (this.#bytes === undefined || this.#bytes + added > mostBytes) {
      const text = (await this.#storage.read(file)) ?? "";
      const bytes = Buffer.byteLength(text);
      // An earlier window may have been killed within a line.
      const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      if (whole !== text || bytes + added > mostBytes) {
        const kept = (bytes + added > mostBytes ? newest(whole) : whole) + line;
        await this.#storage.write(file, kept);
        this.#bytes = Buffer.byteLength(kept);
        return;
      }
      this.#bytes = bytes;
    }
    await this.#storage.append(file, line);
    this.#bytes += added;
  }
}

/** The newer lines: half of what there may be. */
function newest(text: string): string {
  const lines = text.split("\n").filter(line => line !== "");
  let bytes = 0;
  let first = lines.length;
  while (first > 0) {
    bytes += Buffer.byteLength(lines[first - 1] ?? "") + 1;
    if (bytes > mostBytes / 2) break;
    first--;
  }
  return lines
    .slice(first)
    .map(line => `${line}\n`)
    .join("");
}

function masked(record: AuditRecord): AuditRecord {
  const { what, subject, by } = record;
  return { ...record, what: safe(what), subject: safe(subject), ...(by !== undefined && { by: safe(by) }) };
}

function safe(text: string): string {
  const shown = maskedText(text);
  return shown.length <= longestText ? shown : `${shown.slice(0, longestText)}… (${shown.length} characters)`;
}

function parsed(line: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(line) as Partial<AuditRecord> | null;
    if (typeof value !== "object" || value === null) return undefined;
    const { at, agent, folder, what, subject, answer, option = "", by = "" } = value;
    const isText = [agent, folder, what, subject, option, by].every(text => typeof text === "string");
    const isKnown = answer === "allowed" || answer === "refused" || answer === "cancelled";
    return isText && isKnown && Number.isFinite(at) ? (value as AuditRecord) : undefined;
  } catch {
    return undefined; // Half a line, where a window was killed.
  }
}

/** The record of an answer. */
export function auditRecord(
  decided: Decided,
  around: { readonly at: number; readonly agent: string; readonly folder: string; readonly facts: QuestionFacts },
): AuditRecord {
  const { question, answer, by } = decided;
  const { at, agent, folder, facts } = around;
  const option = answer === "cancelled" ? undefined : question.options.find(({ id }) => id === answer.option);
  const line = facts.command?.line ?? "";
  return {
    at,
    agent,
    folder,
    what: question.title,
    subject: line === "" ? [...facts.paths, ...facts.urls].join(", ") : line,
    // An option of a kind that is not known may have allowed something.
    answer: answer === "cancelled" ? answer : option?.kind.startsWith("reject") ? "refused" : "allowed",
    ...(option && { option: option.name }),
    ...(by !== undefined && { by }),
  };
}
