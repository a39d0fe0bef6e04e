// The checkpoints of the sessions that the window has shown, and the removal of old ones.
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { parseIndex, serializeIndex, type TurnRecord } from "../checkpointIndex.ts";
import {
  applyLimits,
  areAllBeyond,
  removedTurns,
  restoredRecords,
  seenRecords,
  type CheckpointLimits,
} from "../checkpointRetention.ts";
import { Checkpoints } from "../checkpoints.ts";
import { copyCheckpoints } from "../copyCheckpoints.ts";
import { CheckpointFolder } from "../checkpointStore.ts";
import { GitTrees } from "../gitTrees.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";

export interface SessionCheckpointsOptions {
  /** The folder for all checkpoints. */
  readonly path: string;
  /** The folders of a session with that workspace folder. */
  readonly roots: (workspaceFolder: string) => readonly string[];
  /** The number of turns to keep for each session, and their maximum age in days. */
  readonly limits: () => { readonly maxCount: number; readonly maxAgeDays: number };
  /** The sessions that other windows have open, which handle their checkpoints themselves. Rejects if that is unknown. */
  readonly openElsewhere: () => Promise<ReadonlySet<string>>;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const day = 24 * 60 * 60 * 1000;
const noTurns: ReadonlySet<string> = new Set();

export class SessionCheckpoints implements Disposable {
  readonly #options: SessionCheckpointsOptions;
  readonly #folder: CheckpointFolder;
  readonly #changed = new Emitter<void>();
  /** Fires when a checkpoint is added or removed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #removed = new Emitter<void>();
  /** Fires when a limit has removed checkpoints. */
  readonly onDidRemove: Event<void> = this.#removed.event;
  /**
   * By session. Sessions that the window no longer shows stay, so that a restore can be undone from the next session.
   */
  readonly #open = new Map<string, Checkpoints>();
  readonly #store = new DisposableStore();
  readonly #loggedMessages = new Set<string>();

  constructor(options: SessionCheckpointsOptions) {
    this.#options = options;
    this.#folder = new CheckpointFolder(options.path);
  }

  /** The checkpoints of a session. */
  forSession(session: string, workspaceFolder: string): Checkpoints {
    const known = this.#open.get(session);
    if (known) return known;
    const { clock, log, newId } = this.#options;
    const checkpoints = new Checkpoints({
      store: this.#folder.session(session),
      ...this.#trees(session, this.#options.roots(workspaceFolder)),
      clock,
      log,
      newId,
      limits: () => this.#limits(),
    });
    this.#open.set(session, this.#store.add(checkpoints));
    this.#store.add(checkpoints.onDidChange(() => this.#changed.fire()));
    this.#store.add(checkpoints.onDidRemove(() => this.#removed.fire()));
    return checkpoints;
  }

  /** The turns of a session that can be restored. Stays the same set until a checkpoint is added or removed. */
  turns(session: string, workspaceFolder: string): ReadonlySet<string> {
    return this.#store.isDisposed ? noTurns : this.forSession(session, workspaceFolder).turns;
  }

  /** Copies the stored checkpoints of a session for a branch of it, which is not open yet. Rejects if that fails. */
  async copy(from: string, to: string): Promise<void> {
    await this.#open.get(from)?.flush();
    await copyCheckpoints(this.#folder, from, to);
  }

  #limits(): CheckpointLimits {
    const { maxCount, maxAgeDays } = this.#options.limits();
    return { count: maxCount, age: maxAgeDays * day };
  }

  /**
   * Removes the checkpoints of sessions that no window has open and whose checkpoints are all too old, and deletes them a week
   * later. Never rejects.
   */
  async prune(): Promise<void> {
    let hasRemoved = false;
    await this.#forClosed(async (session, records) => {
      const now = this.#options.clock.now();
      const kept = areAllBeyond(records, this.#limits(), now) ? applyLimits(records, this.#limits(), now) : records;
      if (kept.length === 0) await this.#folder.session(session).clear();
      hasRemoved ||= removedTurns(kept).length > removedTurns(records).length;
      return kept;
    });
    if (hasRemoved) this.#removed.fire();
  }

  /** The checkpoints that limits removed and that can be restored. */
  async removed(): Promise<readonly { readonly isSeen: boolean }[]> {
    const lists = await Promise.all([...this.#open.values()].map(checkpoints => checkpoints.removed()));
    await this.#forClosed(async (_, records) => {
      lists.push(removedTurns(records));
      return records;
    });
    return lists.flat();
  }

  /** Restores the removed checkpoints of all sessions. Resolves with their number. */
  async restoreRemoved(): Promise<number> {
    const counts = await Promise.all([...this.#open.values()].map(checkpoints => checkpoints.restoreRemoved()));
    await this.#forClosed(async (_, records) => {
      counts.push(removedTurns(records).length);
      return restoredRecords(records, this.#options.clock.now());
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The user has seen the notice of the removals. */
  async markSeen(): Promise<void> {
    await Promise.all([...this.#open.values()].map(checkpoints => checkpoints.markSeen()));
    await this.#forClosed(async (_, records) => seenRecords(records));
  }

  /** Changes the records of the sessions that no window has open. Never rejects. */
  async #forClosed(
    change: (session: string, records: readonly TurnRecord[]) => Promise<readonly TurnRecord[]>,
  ): Promise<void> {
    const { log } = this.#options;
    const failed = (error: unknown): void =>
      log.warn("Old checkpoints could not be deleted or restored.", asError(error).message);
    try {
      const elsewhere = await this.#options.openElsewhere();
      for (const session of await this.#folder.sessions()) {
        if (this.#open.has(session) || elsewhere.has(session)) continue;
        await this.#changeClosed(session, change).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  }

  async #changeClosed(
    session: string,
    change: (session: string, records: readonly TurnRecord[]) => Promise<readonly TurnRecord[]>,
  ): Promise<void> {
    const store = this.#folder.session(session);
    const text = await store.readIndex();
    const records = text === undefined ? [] : parseIndex(text);
    const changed = await change(session, records);
    // The session can have been opened meanwhile.
    if (changed !== records && changed.length > 0 && !this.#open.has(session))
      await store.writeIndex(serializeIndex(changed));
  }

  /** Deletes the checkpoints of all sessions. */
  async clear(): Promise<void> {
    await Promise.all([...this.#open.values()].map(checkpoints => checkpoints.clear()));
    await this.#folder.clear();
  }

  /** Resolves when everything is stored, or its loss was logged. */
  async flush(): Promise<void> {
    await Promise.all([...this.#open.values()].map(checkpoints => checkpoints.flush()));
  }

  dispose(): void {
    this.#store.dispose();
    this.#changed.dispose();
    this.#removed.dispose();
  }

  /** Trees, if git is available. */
  #trees(session: string, folders: readonly string[]): { readonly trees?: GitTrees } {
    const [first] = folders;
    const git = first === undefined ? undefined : gitOf(vscode.Uri.file(first));
    if (!git) {
      const words = "Git is not available, so checkpoints contain only files that agents were seen to change.";
      if (!this.#loggedMessages.has(words)) this.#options.log.info(words);
      this.#loggedMessages.add(words);
      return {};
    }
    const ownFolder = join(this.#folder.pathOf(session), "trees");
    return {
      trees: new GitTrees({
        git,
        folders,
        storageFolder: ownFolder,
        log: this.#options.log,
        loggedMessages: this.#loggedMessages,
      }),
    };
  }
}
