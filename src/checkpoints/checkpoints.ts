// One session's checkpoints: what the files held when each turn began, as far as it is known, and what going back there
// would change. Files that an agent touched are known by their text before; all others by a tree of git's, if there is one.
import { Sequencer } from "../base/async.ts";
import { asError, Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import {
  applyLimits,
  isRemoved,
  removedTurns,
  restoredRecords,
  seenRecords,
  type CheckpointLimits,
} from "./checkpointRetention.ts";
import {
  isInTree,
  parseIndex,
  serializeIndex,
  type TurnFileRecord,
  type TreeRecord,
  type TurnRecord,
} from "./checkpointIndex.ts";
import type { CheckpointTrees } from "./checkpointTrees.ts";
import type { TurnStart } from "../review/turns/turnStart.ts";
import { startFromTrees } from "./startFromTrees.ts";
import { contentKey, type CheckpointStore } from "./checkpointStore.ts";
import { lastKnownKeys, stateKey, textKey } from "./fileHistory.ts";
import { RestorePlanner, type CurrentFiles, type FileRestore, type RestorePlan } from "./restorePlanner.ts";
import { decodeUtf8, normalizeText } from "../base/text.ts";
import type { FileState } from "../files/fileState.ts";

/**
 * A file that the agent of a turn is about to change, or has changed. Texts have "\n" line endings and no byte-order
 * mark.
 */
export interface TouchedFile {
  /** The turn, by the id of its prompt. */
  readonly turn: string;
  /** The absolute path with links resolved. */
  readonly path: string;
  /** The text at the first touch in the turn. Null: the file did not exist. Undefined: unknown. */
  readonly before: string | null | undefined;
}

export interface CheckpointOptions {
  readonly store: CheckpointStore;
  readonly trees?: CheckpointTrees;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly limits: () => CheckpointLimits;
  /** The maximum time that a tree may delay a prompt, in milliseconds. Default: {@link maxTreeTime}. */
  readonly treeTime?: number;
}

/** The maximum time that a tree may delay a prompt, in milliseconds. */
export const maxTreeTime = 1800;

export class Checkpoints implements Disposable {
  readonly #options: CheckpointOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when a checkpoint is added or removed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #removed = new Emitter<void>();
  /** Fires when a limit has removed a checkpoint. */
  readonly onDidRemove: Event<void> = this.#removed.event;
  readonly #ended = new AbortController();
  #records: readonly TurnRecord[] = [];
  /** The files of records that no plan reads. They are changed in place, because a turn can touch thousands of files. */
  #ownFiles = new WeakSet<TurnRecord["files"]>();
  #turns: ReadonlySet<string> = new Set();
  /** Resolve when the trees of turns that are about to start are taken, by turn. */
  readonly #starts = new Map<string, Promise<void>>();
  readonly #loaded: Promise<void>;
  #isLoaded = false;
  /** Reads of trees that find out whether others changed a file. */
  readonly #checks = new Set<Promise<void>>();
  /** Contents that are being written to disk, by key. */
  readonly #contents = new Map<string, Uint8Array>();
  readonly #saves = new Sequencer();
  readonly #planner: RestorePlanner;
  #dirty = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#planner = new RestorePlanner({ ...options, content: key => this.#content(key) });
    this.#loaded = this.#load();
  }

  /** The turns that can be restored. Stays the same set until a checkpoint is added or removed. */
  get turns(): ReadonlySet<string> {
    return this.#turns;
  }

  /** The last restore that was not undone. */
  get lastRestore(): string | undefined {
    return this.#records.findLast(record => record.kind === "restore" && !record.undone && !isRemoved(record))?.id;
  }

  /** A turn is about to start: takes the trees, within a time limit. Never rejects. */
  async beginTurn(turn: string): Promise<void> {
    const start = this.#recordStart(turn);
    this.#starts.set(turn, start);
    await start;
    this.#starts.delete(turn);
    if (this.#ended.signal.aborted) return;
    const pruned = this.#prune();
    await this.flush();
    if (pruned) await this.#clean();
  }

  async #recordStart(turn: string): Promise<void> {
    await this.#loaded;
    if (this.#ended.signal.aborted) return;
    const others = this.#records.filter(record => record.id !== turn);
    const files = this.#records.find(record => record.id === turn)?.files ?? {};
    this.#set([...others, { id: turn, kind: "turn", at: this.#options.clock.now(), trees: [], files }]);
    const trees = await this.#takeTrees();
    this.#change(turn, record => ({ ...record, trees }));
  }

  /** An agent touches a file in a turn. Later touches in the same turn only detect changes by others. */
  touched(file: TouchedFile): void {
    this.#whenLoaded(() => {
      const { turn, path, before } = file;
      const known = this.#records.find(record => record.id === turn);
      if (known && Object.hasOwn(known.files, path)) {
        const were = lastKnownKeys(known.files[path] ?? {});
        if (before === undefined || were.length === 0 || were.includes(textKey(before))) return;
        this.#changedByOthers(known, path, before);
        return;
      }
      if (!known) {
        // The start of this turn was not announced. The text is recorded although there is no tree.
        this.#set([...this.#records, { id: turn, kind: "turn", at: this.#options.clock.now(), trees: [], files: {} }]);
      }
      this.#setFile(turn, path, this.#fileRecord(before));
    });
  }

  /**
   * Marks a file as changed by others between two touches in a turn. `before`: its text before the later touch. That can be
   * its text at the start of the turn, which only the trees may have. It is no change.
   */
  #changedByOthers({ id, trees, files }: TurnRecord, path: string, before: string | null): void {
    const mark = (): void => {
      const file = this.#records.find(record => record.id === id)?.files[path];
      if (file) this.#setFile(id, path, { ...file, others: true });
    };
    if (files[path]?.before !== undefined || trees.length === 0) return mark();
    const check = this.textAt(id, path).then(text => {
      if (text === undefined || textKey(text) !== textKey(before)) mark();
    });
    this.#checks.add(check);
    void check.finally(() => this.#checks.delete(check));
  }

  /** The exact state of a touched file at the start of the turn. It is stored if no tree has it. */
  stateBefore(turn: string, path: string, state: FileState): void {
    this.#whenLoaded(() => {
      const record = this.#records.find(one => one.id === turn);
      const file = record?.files[path];
      if (!record || !file) return;
      // A tree has no empty folders.
      if (state.kind !== "missing" && isInTree(record.trees, path)) return;
      const text = state.kind === "file" ? decodeUtf8(state.bytes) : undefined;
      // The file may have changed between the start of the turn and the first touch.
      const isOther = typeof file.before === "string" && text !== undefined && textKey(text) !== file.before;
      const isKnown = file.before !== undefined;
      if (isOther || (isKnown && (file.before === null) !== (state.kind === "missing"))) return;
      this.#setFile(turn, path, { ...file, ...this.#fileRecord(state.kind === "missing" ? null : text, state) });
    });
  }

  /** The agent left a file that is no text in this state. */
  writtenState(path: string, state: FileState): void {
    this.#changeLast(path, file => ({ ...file, afterState: stateKey(state) }));
  }

  /** The text that an agent left in a file. Null: the agent deleted the file. */
  written(path: string, after: string | null): void {
    // The text is only compared and never restored, so its key is enough.
    this.#changeLast(path, ({ afterState: _, ...file }) => ({ ...file, after: textKey(after) }));
  }

  /** Changes the record of the file in the turn that touched it last. */
  #changeLast(path: string, change: (file: TurnFileRecord) => TurnFileRecord): void {
    this.#whenLoaded(() => {
      const last = this.#records.findLast(record => record.kind === "turn" && Object.hasOwn(record.files, path));
      const file = last?.files[path];
      if (last && file) this.#setFile(last.id, path, change(file));
    });
  }

  /** The text of a file at the start of the turn, from the trees. Null: the file did not exist. Undefined: unknown. */
  async textAt(turn: string, path: string): Promise<string | null | undefined> {
    await this.#loaded;
    await this.#starts.get(turn);
    const { trees } = this.#options;
    const record = this.#records.find(one => one.id === turn);
    if (!trees || !record || record.trees.length === 0) return undefined;
    try {
      return await trees.textAt(record.trees, path);
    } catch (error) {
      this.#options.log.warn("A file could not be read from a checkpoint.", asError(error).message);
      return undefined;
    }
  }

  /** The files at the start of the turn. Waits until they are known. Undefined if there are no trees. */
  async startOf(turn: string): Promise<TurnStart | undefined> {
    await this.#loaded;
    await this.#starts.get(turn);
    const { trees } = this.#options;
    const records = this.#records.find(one => one.id === turn)?.trees ?? [];
    return trees && records.length > 0 ? startFromTrees(trees, records) : undefined;
  }

  /**
   * The changes that restoring the start of a turn would make. Rejects with a Refusal if there is no such checkpoint.
   */
  async planRestore(turn: string, now: CurrentFiles): Promise<RestorePlan> {
    await this.#loaded;
    await Promise.all(this.#checks);
    const from = this.#records.findIndex(record => record.id === turn && !isRemoved(record));
    if (from < 0) throw new Refusal("notFound", t("This checkpoint is no longer kept."));
    // The plan is of this moment, also if a turn runs on.
    this.#ownFiles = new WeakSet();
    return this.#planner.plan(this.#records.slice(from), now, this.#ended.signal);
  }

  /** The changes that undoing a restore would make. */
  async planUndo(restore: string, now: CurrentFiles): Promise<RestorePlan> {
    await this.#loaded;
    const record = this.#records.find(one => one.id === restore);
    if (!record || isRemoved(record)) throw new Refusal("notFound", t("This restore can no longer be undone."));
    return this.#planner.planRecord(record, now);
  }

  /** The review at the start of a turn or before a restore, as {@link reviewBefore} received it. */
  async reviewAt(id: string): Promise<string | undefined> {
    await this.#loaded;
    const key = this.#records.find(record => record.id === id)?.review;
    const bytes = key === undefined ? undefined : await this.#content(key);
    return bytes && Buffer.from(bytes).toString("utf8");
  }

  /** The review as it is before the turn. */
  reviewBefore(turn: string, review: string): void {
    this.#whenLoaded(() => {
      if (!this.#records.some(record => record.id === turn)) return;
      this.#change(turn, record => ({ ...record, review: this.#keep(Buffer.from(review)) }));
      void this.flush();
    });
  }

  /**
   * Records the changes of a restore before they are made, so that it can be undone. `states`: the exact states of the
   * files now. `review`: the review now. Resolves with its id as soon as the record is stored.
   */
  async recordRestore(
    plan: RestorePlan,
    files: readonly FileRestore[],
    states: ReadonlyMap<string, FileState> = new Map(),
    review?: string,
  ): Promise<string> {
    const id = `restore-${this.#options.newId()}`;
    const undone = this.#records.find(record => record.id === plan.checkpoint)?.kind === "restore";
    const records = files.map(({ path, now, to, state }): [string, TurnFileRecord] => {
      const after = to === undefined && state ? stateKey(state) : textKey(to ?? null);
      return [path, { ...this.#fileRecord(now, states.get(path)), after }];
    });
    const { clock } = this.#options;
    const record: TurnRecord = {
      id,
      kind: "restore",
      at: clock.now(),
      trees: [],
      files: Object.fromEntries(records),
      ...(review !== undefined && { review: this.#keep(Buffer.from(review)) }),
      ...(undone && { undone }),
    };
    this.#set([...this.#records, record]);
    await this.#save();
    return id;
  }

  /** A restore was completed. Undoing a restore uses it up. */
  completeRestore(plan: RestorePlan): void {
    this.#change(plan.checkpoint, record => (record.kind === "restore" ? { ...record, undone: true } : record));
    void this.flush();
  }

  /** A recorded restore did not take place. */
  discardRestore(restore: string): void {
    this.#set(this.#records.filter(record => record.id !== restore));
    void this.flush();
  }

  /** The checkpoints that a limit removed and that can be restored, with what the user has seen of it. */
  async removed(): Promise<readonly { readonly isSeen: boolean }[]> {
    await this.#loaded;
    return removedTurns(this.#records);
  }

  /** Restores the removed checkpoints. Resolves with their number. */
  async restoreRemoved(): Promise<number> {
    await this.#loaded;
    const { length } = removedTurns(this.#records);
    this.#set(restoredRecords(this.#records, this.#options.clock.now()));
    await this.#save();
    return length;
  }

  /** The user has seen the notice of the removals. */
  async markSeen(): Promise<void> {
    await this.#loaded;
    const seen = seenRecords(this.#records);
    if (seen === this.#records) return;
    this.#set(seen);
    await this.#save();
  }

  /** Deletes all checkpoints of the session. */
  async clear(): Promise<void> {
    await this.#loaded;
    await this.#saves.whenIdle();
    this.#set([]);
    this.#dirty = false;
    this.#contents.clear();
    await this.#options.store.clear();
  }

  /** Resolves when everything known is stored, or its loss was logged. */
  async flush(): Promise<void> {
    try {
      await this.#loaded;
      await this.#save();
    } catch (error) {
      this.#options.log.error("A checkpoint could not be stored.", asError(error).message);
    }
  }

  /** Ends work in progress. Recorded data is still stored. */
  dispose(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    if (this.#isLoaded) void this.flush();
    this.#changed.dispose();
    this.#removed.dispose();
  }

  async #load(): Promise<void> {
    const { store, log } = this.#options;
    try {
      const text = await store.readIndex();
      if (text !== undefined) this.#records = parseIndex(text);
    } catch (error) {
      log.error("The checkpoints of this session could not be read.", asError(error).message);
    }
    this.#isLoaded = true;
    const pruned = this.#prune();
    this.#set(this.#records, pruned);
    if (pruned) void this.flush().then(() => this.#clean());
  }

  #whenLoaded(run: () => void): void {
    if (this.#isLoaded) run();
    else void this.#loaded.then(run);
  }

  #set(records: readonly TurnRecord[], dirty = true): void {
    this.#records = records;
    this.#dirty ||= dirty;
    const turns = records.filter(record => record.kind === "turn" && !isRemoved(record)).map(record => record.id);
    if (turns.length === this.#turns.size && turns.every(turn => this.#turns.has(turn))) return;
    this.#turns = new Set(turns);
    this.#changed.fire();
  }

  #change(id: string, change: (record: TurnRecord) => TurnRecord): void {
    this.#set(this.#records.map(record => (record.id === id ? change(record) : record)));
  }

  #setFile(turn: string, path: string, file: TurnFileRecord): void {
    const files = this.#records.find(record => record.id === turn)?.files;
    if (files && this.#ownFiles.has(files)) (files as Record<string, TurnFileRecord>)[path] = file;
    else this.#replaceFiles(turn, { ...files, [path]: file });
    this.#dirty = true;
    void this.flush();
  }

  #replaceFiles(turn: string, files: TurnRecord["files"]): void {
    this.#ownFiles.add(files);
    this.#change(turn, record => ({ ...record, files }));
  }

  /** Records a text and its exact state, and schedules their contents for writing. */
  #fileRecord(before: string | null | undefined, state?: FileState): TurnFileRecord {
    if (before === null) {
      const newFolders = state?.kind === "missing" ? (state.newFolders ?? []) : [];
      return { before, ...(newFolders.length > 0 && { newFolders }) };
    }
    if (state?.kind === "link") return { link: state.target };
    const file = state?.kind === "file" ? state : undefined;
    const executable = file?.executable === true && { executable: true as const };
    if (before === undefined) return file ? { raw: this.#keep(file.bytes), ...executable } : {};
    const text = Buffer.from(normalizeText(before));
    if (!file) return { before: this.#keep(text) };
    const isPlain = text.equals(file.bytes);
    const exact = isPlain ? { plain: true as const } : { raw: this.#keep(file.bytes) };
    return { before: this.#keep(text), ...exact, ...executable };
  }

  #keep(bytes: Uint8Array): string {
    const key = contentKey(bytes);
    this.#contents.set(key, bytes);
    return key;
  }

  async #content(key: string): Promise<Uint8Array | undefined> {
    return this.#contents.get(key) ?? (await this.#options.store.get(key));
  }

  /** Contents first, then the index that names them. One write at a time, of the newest. */
  #save(): Promise<void> {
    return this.#saves.queue(async () => {
      if (this.#dirty) await this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#dirty = false;
    const { store } = this.#options;
    const contents = [...this.#contents];
    const text = serializeIndex(this.#records);
    try {
      for (const [key, bytes] of contents) await store.put(key, bytes);
      await store.writeIndex(text);
    } catch (error) {
      this.#dirty = true; // Retried with the next change.
      throw error;
    }
    for (const [key] of contents) this.#contents.delete(key);
  }

  async #takeTrees(): Promise<readonly TreeRecord[]> {
    const { trees, clock, log, treeTime = maxTreeTime } = this.#options;
    if (!trees) return [];
    const limit = new AbortController();
    const end = (): void => limit.abort();
    const timer = clock.after(treeTime, end);
    this.#ended.signal.addEventListener("abort", end);
    try {
      return await trees.take(limit.signal);
    } catch (error) {
      if (this.#ended.signal.aborted) return [];
      const timedOut = "A checkpoint has no tree of the workspace because taking it took too long.";
      if (limit.signal.aborted) log.warn(timedOut);
      else log.warn("A checkpoint has no tree of the workspace.", asError(error).message);
      return [];
    } finally {
      timer.dispose();
      this.#ended.signal.removeEventListener("abort", end);
    }
  }

  /** Applies the limits. Returns whether the index has changed. */
  #prune(): boolean {
    const { limits, clock } = this.#options;
    const records = applyLimits(this.#records, limits(), clock.now());
    if (records === this.#records) return false;
    const before = removedTurns(this.#records).length;
    this.#set(records);
    if (removedTurns(records).length > before) this.#removed.fire();
    return true;
  }

  /** Frees the space of removed checkpoints. */
  async #clean(): Promise<void> {
    const { store, trees, log } = this.#options;
    try {
      const named = this.#records.flatMap(record => [
        record.review,
        ...Object.values(record.files).flatMap(file => [file.before, file.raw]),
      ]);
      await store.keepOnly(new Set([...named.filter(key => typeof key === "string"), ...this.#contents.keys()]));
      await trees?.keepOnly(this.#records.flatMap(record => record.trees));
    } catch (error) {
      log.warn("Old checkpoints could not be deleted.", asError(error).message);
    }
  }
}
