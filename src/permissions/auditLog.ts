// Who allowed what: a line for each answer to a permission question, and for each change that a rule denies and about
// which no one was asked. Kept on disk.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { Emitter } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { maskText } from "../base/mask.ts";
import type { TextStorage } from "../session/log/sessionStore.ts";
import { permissionTitle } from "../session/toolTitle.ts";
import type { AnsweredQuestion } from "./permissionBroker.ts";
import type { QuestionFacts } from "./rules.ts";

export interface AuditRecord {
  /** In ms since the epoch. */
  readonly at: number;
  readonly agent: string;
  readonly folder: string;
  /** The id of the session, and its title at that time. Absent in records of earlier versions of Parley. */
  readonly session?: string;
  readonly sessionTitle?: string;
  /** The title of the question. */
  readonly what: string;
  /** The command, files or addresses. */
  readonly subject: string;
  /** `notPrevented`: the agent did it by itself although the rule denies it. */
  readonly answer: "allowed" | "refused" | "cancelled" | "notPrevented";
  /** The name of the chosen option. */
  readonly option?: string;
  /** The rule that answered, or that denies what was done. Absent: the user answered, or it was `cancelled`. */
  readonly by?: string;
}

const answers: readonly AuditRecord["answer"][] = ["allowed", "refused", "cancelled", "notPrevented"];

const logFile = "permissions.ndjson";
/** In bytes. */
const maxBytes = 1_000_000;
const maxTextLength = 8_000;

/**
 * The log on disk: one JSON object per line, newest last, with secrets masked. If it grows beyond its size limit, the
 * older half is removed.
 */
export class AuditLog {
  readonly #storage: TextStorage;
  readonly #log: Log;
  readonly #recorded = new Emitter<void>();
  readonly #appends = new Sequencer();
  /** Of the file. Undefined: not looked at yet. */
  #bytes: number | undefined;

  /** Fires when a record was stored. */
  readonly onDidRecord = this.#recorded.event;

  constructor(storage: TextStorage, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** Stores a record after all earlier ones. A failure is logged, because no caller waits for this. */
  record(record: AuditRecord): void {
    void this.#appends.queue(async () => {
      try {
        await this.#append(`${JSON.stringify(maskedAuditRecord(record))}\n`);
        this.#recorded.fire();
      } catch (error) {
        this.#bytes = undefined;
        this.#log.error("An answer could not be added to the permission log.", asError(error).message);
      }
    });
  }

  /** All stored records, newest last, and the number of unreadable lines. Rejects if the file cannot be read. */
  async read(): Promise<{ readonly records: readonly AuditRecord[]; readonly broken: number }> {
    await this.#appends.whenIdle();
    const lines = ((await this.#storage.read(logFile)) ?? "").split("\n").filter(line => line !== "");
    const records = lines.map(parseRecord).filter(record => record !== undefined);
    return { records, broken: lines.length - records.length };
  }

  async #append(line: string): Promise<void> {
    const added = Buffer.byteLength(line);
    if (this.#bytes === undefined || this.#bytes + added > maxBytes) {
      const text = (await this.#storage.read(logFile)) ?? "";
      const bytes = Buffer.byteLength(text);
      // An earlier window may have been killed while it wrote a line.
      const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      if (whole !== text || bytes + added > maxBytes) {
        const kept = (bytes + added > maxBytes ? newerHalf(whole) : whole) + line;
        await this.#storage.write(logFile, kept);
        this.#bytes = Buffer.byteLength(kept);
        return;
      }
      this.#bytes = bytes;
    }
    await this.#storage.append(logFile, line);
    this.#bytes += added;
  }
}

/** The newer lines, up to half of the size limit. */
function newerHalf(text: string): string {
  const lines = text.split("\n").filter(line => line !== "");
  let bytes = 0;
  let first = lines.length;
  while (first > 0) {
    bytes += Buffer.byteLength(lines[first - 1] ?? "") + 1;
    if (bytes > maxBytes / 2) break;
    first--;
  }
  return lines
    .slice(first)
    .map(line => `${line}\n`)
    .join("");
}

function maskedAuditRecord(record: AuditRecord): AuditRecord {
  const { what, subject, by, sessionTitle } = record;
  return {
    ...record,
    what: maskedAndShortened(what),
    subject: maskedAndShortened(subject),
    ...(by !== undefined && { by: maskedAndShortened(by) }),
    ...(sessionTitle !== undefined && { sessionTitle: maskedAndShortened(sessionTitle) }),
  };
}

function maskedAndShortened(text: string): string {
  const shown = maskText(text);
  return shown.length <= maxTextLength ? shown : `${shown.slice(0, maxTextLength)}… (${shown.length} characters)`;
}

function parseRecord(line: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(line) as Partial<AuditRecord> | null;
    if (typeof value !== "object" || value === null) return undefined;
    const { at, agent, folder, what, subject, answer, option = "", by = "", session = "", sessionTitle = "" } = value;
    const isText = [agent, folder, what, subject, option, by, session, sessionTitle].every(
      text => typeof text === "string",
    );
    const isKnown = answers.some(known => known === answer);
    return isText && isKnown && Number.isFinite(at) ? (value as AuditRecord) : undefined;
  } catch {
    return undefined; // An incomplete line of a window that was killed.
  }
}

/** The record of an answer. */
export function auditRecord(
  answered: AnsweredQuestion,
  context: Pick<AuditRecord, "at" | "agent" | "folder" | "session" | "sessionTitle"> & {
    readonly facts: QuestionFacts;
  },
): AuditRecord {
  const { question, answer, by } = answered;
  const { at, agent, folder, session, sessionTitle, facts } = context;
  const option = answer === "cancelled" ? undefined : question.options.find(({ id }) => id === answer.option);
  const line = facts.command?.line ?? "";
  return {
    at,
    agent,
    folder,
    ...(session !== undefined && { session }),
    ...(sessionTitle !== undefined && { sessionTitle }),
    what: permissionTitle(question.title, question.tool, folder),
    subject: line === "" ? [...facts.paths, ...facts.urls].join(", ") : line,
    // An option of an unknown kind may have allowed something.
    answer: answer === "cancelled" ? answer : option?.kind.startsWith("reject") ? "refused" : "allowed",
    ...(option && { option: option.name }),
    ...(by !== undefined && { by }),
  };
}
