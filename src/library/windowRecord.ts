// What a window shows, for the next window on the same folder. Each window has a record of its own, so that two windows on
// one folder do not overwrite each other. A record belongs to the window whose process is in the name of its file. A new
// window takes over the newest record that no running window has.
import { asError } from "../base/errors.ts";
import { maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import type { Clock, Log } from "../base/log.ts";
import type { LogStorage } from "../session/log/sessionStore.ts";

export interface WindowRecordOptions {
  readonly storage: LogStorage;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** The id of this window's process, and whether a process runs. */
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

/** A running window writes its record at least this often, because process ids are reused (ms). */
const beatInterval = 30_000;
/** A record that was not written for this time belongs to no running window (ms). */
const maxSilence = 90_000;
/** The earlier window may still be closing, so a new window waits this long for its record (ms). */
const maxWait = 2000;
const retryInterval = 100;
/** Records that no window has. The oldest ones beyond this number are removed. */
const maxFreeRecords = 5;

interface RecordFile {
  readonly name: string;
  readonly id: string;
  readonly pid: number;
  readonly at: number;
  /** The text that the window remembered. */
  readonly text: string;
}

const fileName = (id: string, pid: number): string => `window-${id}.${pid}.json`;

/** The record of this window. */
export class WindowRecord {
  readonly #options: WindowRecordOptions;
  #id: string | undefined;
  #text = "";
  #beat: { dispose(): void } | undefined;

  constructor(options: WindowRecordOptions) {
    this.#options = options;
  }

  /** Takes over the record of an earlier window, and resolves with what it remembered. Undefined if there is none. */
  async claim(): Promise<string | undefined> {
    const { clock } = this.#options;
    const end = clock.now() + maxWait;
    for (;;) {
      const records = await this.#read();
      const free = records.filter(record => this.#isFree(record)).sort((a, b) => b.at - a.at);
      for (const record of free) if (await this.#take(record)) return record.text;
      if (records.length === 0 || clock.now() >= end) break;
      await new Promise<void>(resolve => clock.after(retryInterval, resolve));
    }
    this.#start(this.#options.newId(), "");
    return undefined;
  }

  /** What running windows other than this one remember. */
  async others(): Promise<readonly string[]> {
    const records = await this.#read();
    return records.filter(record => record.id !== this.#id && !this.#isFree(record)).map(({ text }) => text);
  }

  /** Remembers the text. Rejects if it cannot be stored. */
  async write(text: string): Promise<void> {
    this.#text = text;
    if (this.#id === undefined) this.#start(this.#options.newId(), text);
    await this.#store();
  }

  /** Lets the next window take over the record. Never rejects. */
  async release(): Promise<void> {
    const id = this.#id;
    this.#beat?.dispose();
    this.#id = undefined;
    if (id === undefined || this.#text === "") return;
    const { storage, pid, log } = this.#options;
    try {
      await storage.rename(fileName(id, pid), fileName(id, 0));
    } catch (error) {
      log.warn("The record of the window could not be released.", asError(error).message);
    }
  }

  #start(id: string, text: string): void {
    this.#id = id;
    this.#text = text;
    const beat = (): void => {
      this.#beat = this.#options.clock.after(beatInterval, () => {
        beat();
        if (this.#text === "") return;
        this.#store().catch((error: unknown) =>
          this.#options.log.warn("The record of the window could not be saved.", asError(error).message),
        );
      });
    };
    beat();
  }

  async #store(): Promise<void> {
    const { storage, clock, pid } = this.#options;
    if (this.#id === undefined) return;
    await storage.write(
      fileName(this.#id, pid),
      JSON.stringify({ at: clock.now(), text: maskKnownSecrets(this.#text) }),
    );
  }

  /** False if another window was faster. */
  async #take({ name, id, text }: RecordFile): Promise<boolean> {
    const { storage, pid } = this.#options;
    if (name !== fileName(id, pid) && !(await storage.rename(name, fileName(id, pid)))) return false;
    this.#start(id, text);
    await this.#store();
    await this.#removeOld();
    return true;
  }

  async #removeOld(): Promise<void> {
    const free = (await this.#read()).filter(record => record.id !== this.#id && this.#isFree(record));
    free.sort((a, b) => b.at - a.at);
    for (const { name } of free.slice(maxFreeRecords)) await this.#options.storage.remove(name);
  }

  #isFree(record: RecordFile): boolean {
    const { clock, isRunning } = this.#options;
    return record.pid === this.#options.pid || !isOfRunningWindow(record, clock.now(), isRunning);
  }

  #read(): Promise<readonly RecordFile[]> {
    return readRecords(this.#options.storage);
  }
}

const isOfRunningWindow = ({ pid, at }: RecordFile, now: number, isRunning: (pid: number) => boolean): boolean =>
  pid !== 0 && now - at <= maxSilence && isRunning(pid);

/**
 * What the running windows on a folder remember, in the storage of that folder. Only reads. Rejects if the storage cannot be
 * read.
 */
export async function runningWindows(
  storage: Pick<LogStorage, "list" | "read">,
  now: number,
  isRunning: (pid: number) => boolean,
): Promise<readonly string[]> {
  const records = await readRecords(storage);
  return records.filter(record => isOfRunningWindow(record, now, isRunning)).map(({ text }) => text);
}

async function readRecords(storage: Pick<LogStorage, "list" | "read">): Promise<readonly RecordFile[]> {
  const records: RecordFile[] = [];
  for (const { name } of await storage.list()) {
    const [, id, pid] = /^window-(.+)\.(\d+)\.json$/.exec(name) ?? [];
    if (id === undefined || pid === undefined) continue;
    const record = parseRecord(await storage.read(name));
    if (record) records.push({ name, id, pid: Number(pid), ...record });
  }
  return records;
}

function parseRecord(text: string | undefined): Pick<RecordFile, "at" | "text"> | undefined {
  try {
    const { at, text: remembered } = JSON.parse(text ?? "") as Record<string, unknown>;
    return typeof at === "number" && typeof remembered === "string" ? { at, text: remembered } : undefined;
  } catch {
    return undefined;
  }
}
