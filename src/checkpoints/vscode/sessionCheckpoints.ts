// The checkpoints of the sessions that the window has shown, and the removal of old ones.
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { parseIndex } from "../checkpointIndex.ts";
import { Checkpoints } from "../checkpoints.ts";
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
    const { clock, log, newId, limits } = this.#options;
    const checkpoints = new Checkpoints({
      store: this.#folder.session(session),
      ...this.#trees(session, this.#options.roots(workspaceFolder)),
      clock,
      log,
      newId,
      limits: () => {
        const { maxCount, maxAgeDays } = limits();
        return { count: maxCount, age: maxAgeDays * day };
      },
    });
    this.#open.set(session, this.#store.add(checkpoints));
    this.#store.add(checkpoints.onDidChange(() => this.#changed.fire()));
    return checkpoints;
  }

  /** The turns of a session that can be restored. Stays the same set until a checkpoint is added or removed. */
  turns(session: string, workspaceFolder: string): ReadonlySet<string> {
    return this.#store.isDisposed ? noTurns : this.forSession(session, workspaceFolder).turns;
  }

  /** Deletes checkpoints that are too old, in sessions that are not open. Never rejects. */
  async prune(): Promise<void> {
    const oldest = this.#options.clock.now() - this.#options.limits().maxAgeDays * day;
    try {
      for (const session of await this.#folder.sessions()) {
        if (this.#open.has(session)) continue;
        const store = this.#folder.session(session);
        const text = await store.readIndex();
        const isOld = text === undefined || parseIndex(text).every(({ at }) => at < oldest);
        if (isOld && !this.#open.has(session)) await store.clear();
      }
    } catch (error) {
      this.#options.log.warn("Old checkpoints could not be deleted.", asError(error).message);
    }
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
