// One session's checkpoints: what the files held when each turn began, as far as it is known, and what going back there
// would change. Files that an agent touched are known by their text before; all others by a tree of git's, if there is one.
import { Sequencer } from "../base/async.ts";
import { asError, Refusal } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { parseIndex, serializeIndex, type FileRecord, type TreeRecord, type TurnRecord } from "./checkpointIndex.ts";
import type { CheckpointTrees } from "./checkpointTrees.ts";
import { contentKey, type CheckpointStore } from "./checkpointStore.ts";
import { normalizeText } from "../base/text.ts";

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
  /** The bytes on disk at that moment, if known. A restore that creates the file again writes them. */
  readonly raw?: Uint8Array;
}

export interface CheckpointOptions {
  readonly store: CheckpointStore;
  readonly trees?: CheckpointTrees;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** The number of checkpoints to keep, and their maximum age in milliseconds. */
  readonly limits: () => { readonly count: number; readonly age: number };
}

/** A file that a restore would change. */
export interface FileRestore {
  readonly path: string;
  /** The text after the restore. Null: the file would be deleted. */
  readonly to: string | null;
  /** The bytes to write if the file has to be created. */
  readonly raw?: Uint8Array;
  /** The current text, including unsaved changes. Null: the file does not exist. */
  readonly now: string | null;
  /** The user or another program changed the file since, so it is kept unless the user selects it. */
  readonly changedSince: boolean;
}

/** The effects of restoring a checkpoint. */
export interface RestorePlan {
  /** The turn or the restore whose start is restored. */
  readonly checkpoint: string;
  readonly files: readonly FileRestore[];
  /** Changed files whose earlier text is unknown. */
  readonly unknown: readonly string[];
  /** The number of further files that differ, and that no agent is known to have touched. */
  readonly more: number;
}

/** Reads the text of a file as the user sees it. Null: the file does not exist. Rejects if the file is not a text. */
export type ReadCurrentText = (path: string) => Promise<string | null>;

/** The maximum time that a tree may delay a prompt, in milliseconds. */
export const maxTreeTime = 1800;

/** The maximum number of changes without a known author in a plan. */
const maxOtherFiles = 200;

export class Checkpoints implements Disposable {
  readonly #options: CheckpointOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when a checkpoint is added or removed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #ended = new AbortController();
  #records: readonly TurnRecord[] = [];
  #turns: ReadonlySet<string> = new Set();
  readonly #loaded: Promise<void>;
  #isLoaded = false;
  /** Contents that are being written to disk, by key. */
  readonly #contents = new Map<string, Uint8Array>();
  readonly #saves = new Sequencer();
  #dirty = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#loaded = this.#load();
  }

  /** The turns that can be restored. Stays the same set until a checkpoint is added or removed. */
  get turns(): ReadonlySet<string> {
    return this.#turns;
  }

  /** The last restore that was not undone. */
  get lastRestore(): string | undefined {
    return this.#records.findLast(record => record.kind === "restore" && !record.undone)?.id;
  }

  /** A turn is about to start: takes the trees, within a time limit. Never rejects. */
  async beginTurn(turn: string): Promise<void> {
    await this.#loaded;
    if (this.#ended.signal.aborted) return;
    const others = this.#records.filter(record => record.id !== turn);
    const files = this.#records.find(record => record.id === turn)?.files ?? {};
    this.#set([...others, { id: turn, kind: "turn", at: this.#options.clock.now(), trees: [], files }]);
    const trees = await this.#takeTrees();
    this.#change(turn, record => ({ ...record, trees }));
    const pruned = this.#prune();
    await this.flush();
    if (pruned) await this.#clean();
  }

  /** An agent touches a file in a turn. Later touches in the same turn only detect changes by others. */
  touched(file: TouchedFile): void {
    this.#whenLoaded(() => {
      const { turn, path, before } = file;
      const known = this.#records.find(record => record.id === turn);
      if (known && Object.hasOwn(known.files, path)) {
        const was = lastKnownKey(known.files[path] ?? {});
        if (before === undefined || was === undefined || was === textKey(before)) return;
        this.#setFile(turn, path, { ...known.files[path], others: true });
        return;
      }
      if (!known) {
        // The start of this turn was not announced. The text is recorded although there is no tree.
        this.#set([...this.#records, { id: turn, kind: "turn", at: this.#options.clock.now(), trees: [], files: {} }]);
      }
      this.#setFile(turn, path, this.#fileRecord(before, file.raw));
    });
  }

  /** The text that an agent left in a file. Null: the agent deleted the file. */
  written(path: string, after: string | null): void {
    this.#whenLoaded(() => {
      const last = this.#records.findLast(record => record.kind === "turn" && Object.hasOwn(record.files, path));
      const file = last?.files[path];
      if (!last || !file) return;
      // The text is only compared and never restored, so its key is enough.
      this.#setFile(last.id, path, { ...file, after: textKey(after) });
    });
  }

  /** The text of a file at the start of the turn, from the trees. Null: the file did not exist. Undefined: unknown. */
  async textAt(turn: string, path: string): Promise<string | null | undefined> {
    await this.#loaded;
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

  /** Whether a tree of the whole folder was taken at the start of the turn. */
  hasTree(turn: string, folder: string): boolean {
    return this.#records.some(one => one.id === turn && one.trees.some(tree => tree.folder === folder));
  }

  /**
   * The changes that restoring the start of a turn would make. Rejects with a Refusal if there is no such checkpoint.
   */
  async planRestore(turn: string, now: ReadCurrentText): Promise<RestorePlan> {
    await this.#loaded;
    const from = this.#records.findIndex(record => record.id === turn);
    if (from < 0) throw new Refusal("notFound", "This checkpoint is no longer kept.");
    const records = this.#records.slice(from);
    const known = await this.#touchedFiles(records, now);
    const others = await this.#otherFiles(records, now);
    return {
      checkpoint: turn,
      files: [...known.files, ...others.files].sort(byPath),
      unknown: [...known.unknown, ...others.unknown].sort(),
      more: others.more,
    };
  }

  /** The changes that undoing a restore would make. */
  async planUndo(restore: string, now: ReadCurrentText): Promise<RestorePlan> {
    await this.#loaded;
    const record = this.#records.find(one => one.id === restore);
    if (!record) throw new Refusal("notFound", "This restore can no longer be undone.");
    const { files, unknown } = await this.#touchedFiles([record], now);
    return { checkpoint: restore, files: [...files].sort(byPath), unknown, more: 0 };
  }

  /**
   * Records the changes of a restore before they are made, so that it can be undone. `raw`: bytes of files that will be
   * deleted. Resolves with its id as soon as the record is stored.
   */
  async recordRestore(
    plan: RestorePlan,
    files: readonly FileRestore[],
    raw: ReadonlyMap<string, Uint8Array> = new Map(),
  ): Promise<string> {
    const id = `restore-${this.#options.newId()}`;
    const undone = this.#records.find(record => record.id === plan.checkpoint)?.kind === "restore";
    const records = files.map(({ path, now, to }): [string, FileRecord] => [
      path,
      { ...this.#fileRecord(now, raw.get(path)), after: textKey(to) },
    ]);
    const { clock } = this.#options;
    const record: TurnRecord = {
      id,
      kind: "restore",
      at: clock.now(),
      trees: [],
      files: Object.fromEntries(records),
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
    const turns = records.filter(record => record.kind === "turn").map(record => record.id);
    if (turns.length === this.#turns.size && turns.every(turn => this.#turns.has(turn))) return;
    this.#turns = new Set(turns);
    this.#changed.fire();
  }

  #change(id: string, change: (record: TurnRecord) => TurnRecord): void {
    this.#set(this.#records.map(record => (record.id === id ? change(record) : record)));
  }

  #setFile(turn: string, path: string, file: FileRecord): void {
    this.#change(turn, record => ({ ...record, files: { ...record.files, [path]: file } }));
    void this.flush();
  }

  /** Records a text, and schedules its content for writing. */
  #fileRecord(before: string | null | undefined, raw?: Uint8Array): FileRecord {
    if (before === undefined) return {};
    if (before === null) return { before: null };
    const text = Buffer.from(normalizeText(before));
    const key = this.#keep(text);
    return { before: key, ...(raw && !text.equals(raw) && { raw: this.#keep(raw) }) };
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
    const { trees, clock, log } = this.#options;
    if (!trees) return [];
    const limit = new AbortController();
    const end = (): void => limit.abort();
    const timer = clock.after(maxTreeTime, end);
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

  async #touchedFiles(
    records: readonly TurnRecord[],
    now: ReadCurrentText,
  ): Promise<Omit<RestorePlan, "more" | "checkpoint">> {
    const paths = new Set(records.flatMap(record => Object.keys(record.files)));
    const files: FileRestore[] = [];
    const unknown: string[] = [];
    for (const path of paths) {
      const history = records.flatMap(record => {
        const file = record.files[path];
        return file ? [{ id: record.id, file }] : [];
      });
      const [first] = history;
      if (!first) continue;
      const target = await this.#target(first.id, path, first.file);
      const text = await readNormalized(path, now);
      if (target === undefined || text === undefined) {
        const changed =
          text === undefined ||
          !isUntouched(
            history.map(one => one.file),
            textKey(text),
          );
        if (changed) unknown.push(path);
        continue;
      }
      if (target.text === text) continue;
      const changedSince = wasChangedBetween(
        history.map(({ file }) => file),
        textKey(text),
      );
      files.push({ path, to: target.text, now: text, changedSince, ...(target.raw && { raw: target.raw }) });
    }
    return { files, unknown };
  }

  /** The text to restore. Undefined: unknown. */
  async #target(
    turn: string,
    path: string,
    file: FileRecord,
  ): Promise<{ readonly text: string | null; readonly raw?: Uint8Array } | undefined> {
    if (file.before === null) return { text: null };
    if (file.before === undefined) {
      const text = await this.textAt(turn, path);
      return text === undefined ? undefined : { text };
    }
    const bytes = await this.#content(file.before);
    const raw = file.raw === undefined ? undefined : await this.#content(file.raw);
    return bytes && { text: Buffer.from(bytes).toString("utf8"), ...(raw && { raw }) };
  }

  /** The files that differ from the tree and that no agent is known to have touched. */
  async #otherFiles(records: readonly TurnRecord[], now: ReadCurrentText): Promise<Omit<RestorePlan, "checkpoint">> {
    const none = { files: [], unknown: [], more: 0 };
    const { trees, log } = this.#options;
    const then = records[0]?.trees ?? [];
    if (!trees || then.length === 0) return none;
    try {
      const changes = await trees.changed(then, await trees.take(this.#ended.signal), maxOtherFiles);
      const touched = new Set(records.flatMap(record => Object.keys(record.files)));
      const files: FileRestore[] = [];
      const unknown: string[] = [];
      for (const { path, text: to } of changes.files) {
        if (touched.has(path)) continue;
        const text = await readNormalized(path, now);
        if (to === undefined || text === undefined) unknown.push(path);
        else if (to !== text) files.push({ path, to, now: text, changedSince: true });
      }
      return { files, unknown, more: changes.more };
    } catch (error) {
      log.warn("Other changes since the checkpoint could not be determined.", asError(error).message);
      return none;
    }
  }

  /** Removes the oldest checkpoints. Returns whether any were removed. */
  #prune(): boolean {
    const { limits, clock } = this.#options;
    const { count, age } = limits();
    const young = this.#records.filter(record => clock.now() - record.at <= age);
    const kept = young.slice(Math.max(0, young.length - Math.max(1, count)));
    if (kept.length === this.#records.length) return false;
    this.#set(kept);
    return true;
  }

  /** Frees the space of removed checkpoints. */
  async #clean(): Promise<void> {
    const { store, trees, log } = this.#options;
    try {
      const named = this.#records.flatMap(record =>
        Object.values(record.files).flatMap(file => [file.before, file.raw]),
      );
      await store.keepOnly(new Set([...named.filter(key => typeof key === "string"), ...this.#contents.keys()]));
      await trees?.keepOnly(this.#records.flatMap(record => record.trees));
    } catch (error) {
      log.warn("Old checkpoints could not be deleted.", asError(error).message);
    }
  }
}

const textKey = (text: string | null): string | null => (text === null ? null : contentKey(normalizeText(text)));
const byPath = (a: FileRestore, b: FileRestore): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The last known content after the agent: a touch without a write left the file as it was. */
const lastKnownKey = (file: FileRecord): string | null | undefined =>
  file.after === undefined ? file.before : file.after;

/** Whether the user or another program changed the file between two touches or after the last one. */
function wasChangedBetween(history: readonly FileRecord[], now: string | null): boolean {
  return history.some((file, i) => {
    if (file.others) return true;
    const after = lastKnownKey(file);
    const next = history[i + 1];
    if (after === undefined) return next === undefined;
    const found = next ? next.before : now;
    return found !== undefined && found !== after;
  });
}

/** Whether the file is as it was before the first touch. */
function isUntouched(history: readonly FileRecord[], now: string | null): boolean {
  return history.every(file => file.before === now && lastKnownKey(file) === now);
}

/** The current text, normalised like the stored texts. Undefined: not a text. */
async function readNormalized(path: string, now: ReadCurrentText): Promise<string | null | undefined> {
  try {
    const text = await now(path);
    return text === null ? null : normalizeText(text);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
