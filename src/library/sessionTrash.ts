// Sessions that were removed stay in a folder of their own for a week, so that they can be restored. The log is the session:
// a session is in the trash exactly while its log is there. Every move of a session is therefore one rename of its log, and
// the other files are moved so that a window that is killed at any moment loses none of them.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import { isFiniteNumber, isOneOf, isRecordWith, isString, isTrue, optional } from "../base/validators.ts";
import { sessionFileName, sessionOfLogFile, type LogStorage } from "../session/log/sessionStore.ts";
import { joinedTextFileName } from "../session/log/joinedTextFile.ts";
import { snapshotFileName } from "../session/log/snapshot.ts";
import type { RemovalReason } from "./retention.ts";
import { entryFileName, parseEntry, type SessionEntry } from "./sessionEntry.ts";

/** The files in the trash. A move replaces a file with the same name. */
export interface TrashStorage extends Pick<LogStorage, "list" | "read" | "write" | "remove" | "size"> {
  /** Moves a file of the stored sessions into the trash. False if there is no such file. */
  moveIn(name: string): Promise<boolean>;
  /** Moves a file back. False if there is no such file. */
  moveOut(name: string): Promise<boolean>;
  /** Moves a file back, before the bytes of the stored file with the same name. False if either is missing. */
  moveOutBefore(name: string): Promise<boolean>;
}

/** A session in the trash. */
export interface RemovedSession {
  readonly id: string;
  /** When it was removed, ms since the epoch. */
  readonly removed: number;
  readonly reason: RemovalReason;
  /** Its index entry. Absent if that was lost or damaged. */
  readonly entry?: SessionEntry;
  /** The user has seen the notice of the removal. */
  readonly isSeen: boolean;
}

export interface SessionTrashOptions {
  /** The stored sessions. */
  readonly storage: LogStorage;
  readonly trash: TrashStorage;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removed sessions can be restored for this time (ms). */
export const trashTime = 7 * 24 * 60 * 60 * 1000;

/** What is known of a session in the trash, beside its log. */
interface TrashRecord {
  readonly removed: number;
  readonly reason: RemovalReason;
  /** The text of the session's index entry. */
  readonly entry?: string;
  readonly seen?: true;
}

const isTrashRecord = isRecordWith({
  removed: isFiniteNumber,
  reason: isOneOf("limit", "deleted", "blank"),
  entry: optional(isString),
  seen: optional(isTrue),
});

const recordSuffix = ".removed.json";
const recordFileName = (id: string): string => id + recordSuffix;
const snapshotSuffix = snapshotFileName("");

export class SessionTrash {
  readonly #options: SessionTrashOptions;
  readonly #moves = new Sequencer();

  constructor(options: SessionTrashOptions) {
    this.#options = options;
  }

  /** The sessions in the trash, the latest first. */
  async contents(): Promise<readonly RemovedSession[]> {
    const removed: RemovedSession[] = [];
    for (const id of await this.#logs()) {
      const { entry: text, seen, ...record } = (await this.#read(id)) ?? this.#unknown();
      const entry = text === undefined ? undefined : parseEntry(text, id);
      removed.push({ id, ...record, ...(entry && { entry }), isSeen: seen === true });
    }
    return removed.sort((a, b) => b.removed - a.removed || (a.id < b.id ? -1 : 1));
  }

  /**
   * Moves a session into the trash. `removed`: the time from which its week counts. False if it has no log, or if the trash
   * has an older part of it.
   */
  take(id: string, reason: RemovalReason, removed = this.#options.clock.now()): Promise<boolean> {
    return this.#moves.queue(async () => {
      const { storage, trash } = this.#options;
      const log = sessionFileName(id);
      const entry = await storage.read(entryFileName(id));
      // Another window removes the entry only after it has moved the log, so an entry that is missing now never existed.
      if ((await storage.size(log)) === undefined || (await trash.size(log)) !== undefined) return false;
      await this.#write(id, { removed, reason, ...(entry !== undefined && { entry }) });
      if (!(await trash.moveIn(log))) return false;
      await this.#attempt(async () => {
        await trash.moveIn(snapshotFileName(id));
        await storage.remove(entryFileName(id));
        await storage.remove(joinedTextFileName(id));
      });
      return true;
    });
  }

  /** Moves a session back. It is kept from now on, so that the same limit does not remove it again. False if it is gone. */
  restore(id: string): Promise<boolean> {
    return this.#moves.queue(() => this.#restore(id));
  }

  async #restore(id: string): Promise<boolean> {
    const { storage, trash } = this.#options;
    const log = sessionFileName(id);
    const hasLog = async (): Promise<boolean> => (await storage.size(log)) !== undefined;
    if ((await trash.size(log)) === undefined) return hasLog();
    const text = (await this.#read(id))?.entry;
    const entry = text === undefined ? undefined : parseEntry(text, id);
    if (entry) {
      const { deleted: _, ...rest } = entry;
      await storage.write(entryFileName(id), JSON.stringify({ ...rest, kept: true }));
    }
    // A window that did not notice the removal may have written on. Its events follow those in the trash, and the snapshot
    // in the trash does not have them.
    const isContinued = await hasLog();
    if (!isContinued) await trash.moveOut(snapshotFileName(id));
    const isBack = isContinued ? await trash.moveOutBefore(log) : await trash.moveOut(log);
    // If another window was faster, the session is back, or its week was over.
    if (isBack || (await hasLog())) {
      await this.#attempt(async () => {
        for (const name of [snapshotFileName(id), recordFileName(id)]) await trash.remove(name);
      });
      return true;
    }
    for (const name of [snapshotFileName(id), entryFileName(id)]) await storage.remove(name);
    return false;
  }

  /** The user has seen the notice of these removals. */
  markSeen(ids: readonly string[]): Promise<void> {
    return this.#moves.queue(async () => {
      for (const id of ids) {
        const record = await this.#read(id);
        if (record && !record.seen) await this.#write(id, { ...record, seen: true });
      }
    });
  }

  /**
   * Removes what is older than a week for good, and brings back sessions that another window has written on. Resolves with
   * the ids of the latter.
   */
  sweep(isOpen: (id: string) => boolean): Promise<readonly string[]> {
    return this.#moves.queue(async () => {
      const back: string[] = [];
      const logs = new Set(await this.#logs());
      for (const id of await this.#ids()) {
        await this.#attempt(async () => {
          if (await this.#sweepOne(id, logs.has(id), isOpen(id))) back.push(id);
        });
      }
      return back;
    });
  }

  /** True if the session is back. */
  async #sweepOne(id: string, hasLog: boolean, isOpen: boolean): Promise<boolean> {
    const { storage, trash, clock } = this.#options;
    const now = clock.now();
    const record = await this.#read(id);
    if (hasLog && (await storage.size(sessionFileName(id))) !== undefined) return !isOpen && this.#restore(id);
    // The clock can have been wrong, and a record can be lost. Then the week begins now.
    if (hasLog && (!record || record.removed > now)) {
      await this.#write(id, { ...(record ?? this.#unknown()), removed: now });
      return false;
    }
    if (record && record.removed <= now && now - record.removed < trashTime) return false;
    // The log comes first: without it, the rest is no session. The record comes last, so that another sweep can continue.
    for (const name of [sessionFileName(id), snapshotFileName(id)]) await trash.remove(name);
    if ((await storage.size(sessionFileName(id))) === undefined)
      for (const name of [snapshotFileName(id), entryFileName(id)]) await storage.remove(name);
    await trash.remove(recordFileName(id));
    return false;
  }

  #unknown(): TrashRecord {
    return { removed: this.#options.clock.now(), reason: "limit" };
  }

  async #logs(): Promise<readonly string[]> {
    const files = await this.#options.trash.list();
    return files.map(({ name }) => sessionOfLogFile(name)).filter(id => id !== undefined);
  }

  async #ids(): Promise<readonly string[]> {
    const files = await this.#options.trash.list();
    return [...new Set(files.map(({ name }) => sessionOfTrashFile(name)).filter(id => id !== undefined))];
  }

  async #read(id: string): Promise<TrashRecord | undefined> {
    const text = await this.#options.trash.read(recordFileName(id));
    try {
      const value: unknown = JSON.parse(text ?? "");
      return isTrashRecord(value) ? (value as TrashRecord) : undefined;
    } catch {
      return undefined;
    }
  }

  #write(id: string, record: TrashRecord): Promise<void> {
    return this.#options.trash.write(recordFileName(id), JSON.stringify(record));
  }

  /** For steps after which the next sweep can continue. */
  async #attempt(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#options.log.warn("Files of a removed session could not be moved.", asError(error).message);
    }
  }
}

function sessionOfTrashFile(name: string): string | undefined {
  for (const suffix of [snapshotSuffix, recordSuffix]) if (name.endsWith(suffix)) return name.slice(0, -suffix.length);
  return sessionOfLogFile(name);
}
