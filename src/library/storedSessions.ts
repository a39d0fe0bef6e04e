// The sessions of a workspace on disk: their index entries, deletion and limits, and how they come back from the trash.
import { forEachLimited, SequencerByKey } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { maskKnownIn } from "../base/secrets/knownSecrets.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { countDamagedLines } from "../session/log/damagedLines.ts";
import { openLog } from "../session/log/openLog.ts";
import { readSpending } from "../session/log/readSpending.ts";
import { sessionFileName, sessionOfLogFile, type LogStorage, type LogFile } from "../session/log/sessionStore.ts";
import { snapshotFileName } from "../session/log/snapshot.ts";
import type { SessionState } from "../session/state.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { mergedEntry } from "./mergedEntry.ts";
import { expiredSessions, type ExpiredSession, type RemovalReason, type SessionLimits } from "./retention.ts";
import {
  closedEntry,
  entryFileName,
  entryOf,
  lastActivity,
  parseEntry,
  sessionOfEntryFile,
  type SessionEntry,
  type SessionMarks,
} from "./sessionEntry.ts";
import { usageRows } from "./sessionUsage.ts";
import { SessionTrash, type RemovedSession, type TrashStorage } from "./sessionTrash.ts";

export interface StoredSessionsOptions {
  readonly storage: LogStorage;
  readonly trash: TrashStorage;
  readonly clock: Clock;
  readonly log: Log;
  /** The version of Parley. */
  readonly version: string;
  /** Whether this window has the session open. */
  readonly isOpen: (id: string) => boolean;
  /** The ids of the sessions that other windows have open. Rejects if that cannot be read. */
  readonly openElsewhere: () => Promise<ReadonlySet<string>>;
}

/** An entry is written at most this long after a change (ms). */
const writeDelay = 1000;
/** The number of entries that are read at once. */
const maxReads = 16;

/** A log that is not empty and from which no session could be read. */
export interface UnreadableSession {
  readonly id: string;
  /** Why the file could not be read, as the system says it. Empty if its text is damaged. */
  readonly reason: string;
}

/** Keeps the index of the stored sessions. */
export class StoredSessions implements Disposable {
  readonly #options: StoredSessionsOptions;
  readonly #trash: SessionTrash;
  readonly #changed = new Emitter<void>();
  /** Fires when an entry has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  #entries = new Map<string, SessionEntry>();
  /** The entries as this window last read or wrote them. */
  readonly #known = new Map<string, SessionEntry>();
  #unreadable: readonly UnreadableSession[] = [];
  /** The sessions that other windows had open when that was read last. */
  #elsewhere: ReadonlySet<string> = new Set();
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  /** States of open sessions that arrived before the entries were read. They wait, so that no mark is lost. */
  readonly #early = new Map<string, { readonly state: SessionState; readonly isSeen: boolean }>();
  /** Sessions whose entries were changed here since reading began. */
  readonly #touched = new Set<string>();
  /** Sessions whose states this window has noted. */
  readonly #noted = new Set<string>();
  /** Entries that are not written yet, with their timers. */
  readonly #unwritten = new Map<string, Disposable>();
  readonly #writes = new SequencerByKey<string>();

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
    this.#trash = new SessionTrash(options);
  }

  /** The sessions that are neither deleted nor blank, the latest first. */
  get entries(): readonly SessionEntry[] {
    return [...this.#entries.values()]
      .filter(({ deleted, blank }) => deleted === undefined && !blank)
      .map(entry => this.#shown(entry))
      .sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));
  }

  /** The sessions that had no entry and could not be read when the entries were read last. */
  get unreadable(): readonly UnreadableSession[] {
    return this.#unreadable;
  }

  /** The session, also if it is deleted. */
  get(id: string): SessionEntry | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#shown(entry);
  }

  #shown(entry: SessionEntry): SessionEntry {
    return this.#isOpen(entry.id) ? entry : closedEntry(entry);
  }

  #isOpen(id: string): boolean {
    return this.#options.isOpen(id) || this.#elsewhere.has(id);
  }

  /** Reads the entries. An entry that is lost or damaged is created again from the log of its session. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.#elsewhere = await this.#options.openElsewhere();
    this.#touched.clear();
    const files = await this.#options.storage.list();
    const logs = new Set(files.map(({ name }) => sessionOfLogFile(name)).filter(id => id !== undefined));
    const read = new Map<string, SessionEntry>();
    const known = new Map(this.#known);
    const unreadable: UnreadableSession[] = [];
    await forEachLimited([...logs], maxReads, async id => {
      // The log of a session that began in this window can be behind its state.
      const entry = (await this.#read(id)) ?? (this.#early.has(id) ? undefined : await this.#rebuild(id, unreadable));
      if (entry) read.set(id, entry);
    });
    // What was read can be older than what was written since.
    const isLatest = (id: string): boolean => this.#known.get(id) === known.get(id);
    const stored = [...read].filter(([id]) => isLatest(id));
    // What changed here while the files were read is newer, and an open session may have no log yet.
    const open = [...this.#entries.keys()].filter(id => this.#options.isOpen(id));
    for (const id of new Set([...this.#touched, ...this.#unwritten.keys(), ...open])) {
      const entry = this.#entries.get(id);
      if (entry) read.set(id, isLatest(id) ? this.#merged(entry, read.get(id)) : entry);
      else read.delete(id);
    }
    for (const [id, entry] of stored) this.#known.set(id, entry);
    this.#entries = read;
    this.#unreadable = unreadable.filter(({ id }) => !read.has(id));
    this.#isLoaded = true;
    for (const [id, { state, isSeen }] of this.#early) this.update(id, state, isSeen);
    this.#early.clear();
    this.#changed.fire();
  }

  /** What changed here, and what other windows wrote into the stored entry since this window last read or wrote it. */
  #merged(entry: SessionEntry, stored: SessionEntry | undefined): SessionEntry {
    const known = this.#known.get(entry.id);
    if (!known || !stored) return entry;
    const merged = mergedEntry(known, entry, stored);
    // A session that is open here is not deleted by another window.
    const { deleted, ...rest } = merged;
    return deleted !== undefined && entry.deleted === undefined && this.#options.isOpen(entry.id) ? rest : merged;
  }

  async #read(id: string): Promise<SessionEntry | undefined> {
    try {
      const text = await this.#options.storage.read(entryFileName(id));
      return text === undefined ? undefined : parseEntry(text, id);
    } catch (error) {
      this.#options.log.warn("The entry of a session could not be read.", asError(error).message);
      return undefined;
    }
  }

  async #rebuild(id: string, unreadable: UnreadableSession[]): Promise<SessionEntry | undefined> {
    const { storage, version, log } = this.#options;
    try {
      const opened = await openLog({ storage, session: id, version, log });
      const entry = opened && entryOf(id, opened.state, opened.lastAt);
      if (entry) await this.#write(entry);
      const bytes = opened || this.#options.isOpen(id) ? 0 : ((await storage.size(sessionFileName(id))) ?? 0);
      if ((await countDamagedLines(storage, id, 0, bytes)) > 0) unreadable.push({ id, reason: "" });
      return entry;
    } catch (error) {
      unreadable.push({ id, reason: asError(error).message });
      log.warn("A stored session could not be read.", asError(error).message);
      return undefined;
    }
  }

  /**
   * Computes the usage of sessions whose entries an earlier version of Parley wrote, from their logs, one after the other.
   * Resolves with the number of logs that could not be read. A session that is open is left to its window.
   */
  async addMissingUsage(): Promise<number> {
    const { storage, log } = this.#options;
    let unread = 0;
    for (const { id } of this.entries.filter(({ usage }) => usage === undefined)) {
      if (this.#isOpen(id)) continue;
      // Other work of the extension host gets its turn between two logs.
      await new Promise(resolve => setImmediate(resolve));
      try {
        const spending = await readSpending({ storage, session: id, log });
        const entry = this.#entries.get(id);
        if (entry && entry.usage === undefined) this.#set({ ...entry, usage: usageRows(spending?.turns ?? []) });
      } catch (error) {
        unread++;
        log.warn("The usage of a stored session could not be read.", asError(error).message);
      }
    }
    return unread;
  }

  /** An open session is in this state. `isSeen`: the user sees it. */
  update(id: string, state: SessionState, isSeen: boolean): void {
    if (!this.#isLoaded) {
      this.#early.set(id, { state, isSeen: isSeen || this.#early.get(id)?.isSeen === true });
      return;
    }
    const stored = this.#entries.get(id);
    // What an earlier window worked on has ended with it.
    const was = stored && !this.#noted.has(id) ? closedEntry(stored) : stored;
    this.#noted.add(id);
    const current = entryOf(id, state, was?.updated ?? 0, was);
    if (!current) return;
    // A session stays interrupted until the agent works again.
    const next =
      was?.status === "interrupted" && current.status === "idle" ? { ...current, status: was.status } : current;
    const isChange = !was || !jsonEqual({ ...was, unread: undefined }, { ...next, unread: undefined });
    if (!isChange && was === stored && !(isSeen && was.unread)) return;
    const { unread: _, ...rest } = next;
    const isNews = was !== undefined && was.status !== next.status && next.status !== "working";
    const isUnread = !isSeen && (was?.unread === true || isNews);
    const updated = isChange ? Math.max(lastActivity(state) ?? this.#options.clock.now(), next.updated) : next.updated;
    this.#set({ ...rest, updated, ...(isUnread && { unread: true as const }) });
  }

  /** Sets or removes marks of a session. */
  mark(id: string, marks: { readonly [K in keyof SessionMarks]: SessionMarks[K] | null }): void {
    const was = this.#entries.get(id);
    if (!was) return;
    const merged = Object.entries({ ...was, ...marks }).filter(([, value]) => value !== null);
    this.#set(Object.fromEntries(merged) as unknown as SessionEntry);
  }

  /** Deletes the session. {@link restore} can bring it back for a week. */
  delete(id: string): void {
    this.mark(id, { deleted: this.#options.clock.now() });
  }

  /** The sessions that can be restored, the latest removal first. */
  async removed(): Promise<readonly RemovedSession[]> {
    const inTrash = await this.#trash.contents();
    const deleted = [...this.#entries.values()].flatMap((entry): readonly RemovedSession[] =>
      entry.deleted === undefined
        ? []
        : [{ id: entry.id, removed: entry.deleted, reason: "deleted", entry, isSeen: true }],
    );
    return [...deleted, ...inTrash].sort((a, b) => b.removed - a.removed);
  }

  /** Brings deleted and removed sessions back. Resolves with the ids of those that exist again. */
  async restore(ids: readonly string[]): Promise<readonly string[]> {
    const back: string[] = [];
    let isRead = true;
    for (const id of ids) {
      if (this.#entries.has(id)) this.mark(id, { deleted: null });
      else if (!this.#isOpen(id) && (await this.#trash.restore(id))) isRead = false;
      else continue;
      back.push(id);
    }
    if (!isRead) await this.#readAgain(back);
    return back;
  }

  /** Reads entries that are back from the trash. */
  async #readAgain(back: readonly string[]): Promise<void> {
    // A reading that began earlier may lack them.
    await this.#loading?.catch(() => undefined);
    await this.load();
    // An entry that was created again from its log lacks the mark.
    for (const id of back) if (this.#entries.get(id)?.kept === undefined) this.mark(id, { kept: true });
  }

  /** The user has seen the notice of these removals. */
  markSeen(ids: readonly string[]): Promise<void> {
    return this.#trash.markSeen(ids);
  }

  /**
   * Moves deleted sessions into the trash after a day, and the oldest sessions beyond the limits, and removes what was in the
   * trash for a week. Resolves with what it moved. Rejects without moving anything if it cannot be read what other windows
   * have open.
   */
  async prune(limits: SessionLimits): Promise<readonly ExpiredSession[]> {
    const { storage, clock, openElsewhere, log } = this.#options;
    this.#elsewhere = await openElsewhere();
    const files = await storage.list();
    const sizes = new Map<string, number>();
    for (const file of files) {
      const id = sessionOfFile(file);
      if (id !== undefined) sizes.set(id, (sizes.get(id) ?? 0) + file.bytes);
    }
    const sized = [...this.#entries.values()].map(entry => ({
      entry: this.#shown(entry),
      bytes: sizes.get(entry.id) ?? 0,
      isOpen: this.#isOpen(entry.id),
    }));
    const removed: ExpiredSession[] = [];
    for (const { id, reason } of expiredSessions(sized, limits, clock.now())) {
      try {
        // A session can be opened, and another window can change its entry, while others are removed.
        this.#elsewhere = await openElsewhere();
        if (this.#isOpen(id) || (await this.#isChangedElsewhere(id))) continue;
        if (await this.#remove(id, reason)) removed.push({ id, reason });
      } catch (error) {
        log.warn("A stored session could not be removed.", asError(error).message);
      }
    }
    if (removed.length > 0) this.#changed.fire();
    const back = await this.#trash.sweep(id => this.#isOpen(id));
    if (back.length > 0) await this.#readAgain(back);
    return removed;
  }

  /** Takes over what another window wrote in the entry. */
  async #isChangedElsewhere(id: string): Promise<boolean> {
    const stored = await this.#read(id);
    if (!stored || this.#unwritten.has(id) || jsonEqual(stored, this.#entries.get(id))) return false;
    this.#entries.set(id, stored);
    this.#changed.fire();
    return true;
  }

  /** False if there is nothing to move. */
  async #remove(id: string, reason: RemovalReason): Promise<boolean> {
    // The trash keeps the entry as it is on disk.
    if (this.#unwritten.has(id)) await this.#flush(id);
    const deleted = this.#entries.get(id)?.deleted;
    const isMoved = await this.#writes.queue(id, () => this.#trash.take(id, reason, deleted));
    this.#unwritten.get(id)?.dispose();
    this.#unwritten.delete(id);
    this.#entries.delete(id);
    this.#known.delete(id);
    this.#touched.add(id);
    return isMoved;
  }

  #set(entry: SessionEntry): void {
    this.#entries.set(entry.id, entry);
    this.#touched.add(entry.id);
    if (!this.#unwritten.has(entry.id))
      this.#unwritten.set(
        entry.id,
        this.#options.clock.after(writeDelay, () => void this.#flush(entry.id)),
      );
    this.#changed.fire();
  }

  async #flush(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#unwritten.get(id)?.dispose();
    this.#unwritten.delete(id);
    if (!entry) return;
    try {
      await this.#write(entry);
    } catch (error) {
      this.#options.log.warn("The entry of a session could not be saved.", asError(error).message);
    }
  }

  #write(entry: SessionEntry): Promise<void> {
    const { id } = entry;
    return this.#writes.queue(id, async () => {
      const written = this.#takeOver(entry, await this.#read(id));
      const masked = maskKnownIn(written);
      await this.#options.storage.write(entryFileName(id), JSON.stringify(masked));
      this.#known.set(id, masked);
    });
  }

  /** Takes over what another window wrote in the entry. */
  #takeOver(entry: SessionEntry, stored: SessionEntry | undefined): SessionEntry {
    const merged = this.#merged(entry, stored);
    if (jsonEqual(merged, entry)) return entry;
    const current = this.#entries.get(entry.id);
    if (current) this.#entries.set(entry.id, this.#merged(current, stored));
    this.#changed.fire();
    return merged;
  }

  /** Resolves when everything is written. Rejects if the entries could not be read. */
  async flush(): Promise<void> {
    if (this.#early.size > 0) await this.load();
    await Promise.all([...this.#unwritten.keys()].map(id => this.#flush(id)));
  }

  dispose(): void {
    for (const timer of this.#unwritten.values()) timer.dispose();
    this.#unwritten.clear();
    this.#changed.dispose();
  }
}

const snapshotSuffix = snapshotFileName("");

function sessionOfFile({ name }: LogFile): string | undefined {
  if (name.endsWith(snapshotSuffix)) return name.slice(0, -snapshotSuffix.length);
  return sessionOfLogFile(name) ?? sessionOfEntryFile(name);
}
