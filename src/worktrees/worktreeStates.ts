// What git knows of worktrees that Parley has made: their branches, and how far they are from the main checkout and from
// their base. Git runs only on demand, once at a time, and starts no program that a repository configures.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { pathExists } from "../files/nodePaths.ts";
import { changedSince, commitsBetween, headOf, type WorkTreeHead } from "../git/workTreeChanges.ts";
import { GitError, type Git } from "../git/gitProgram.ts";
import type { ViewWorktree } from "../panel/protocol.ts";
import type { WorktreeRecord, WorktreeRecords } from "./worktreeRecords.ts";

/** The number of letters of a commit id that are shown. */
const idLength = 8;

/** Reads the state of a worktree. Rejects with a GitError, or with a sentence. */
export async function readWorktreeState(git: Git, record: WorktreeRecord, signal?: AbortSignal): Promise<ViewWorktree> {
  const { path, base } = record;
  if (!(await pathExists(path))) throw new Error(t("Its folder no longer exists."));
  const head = await headOf(git, path, signal);
  const other = await comparedWith(git, record, signal);
  const { ahead, behind } = await commitsBetween(git, path, head.commit, other.commit, signal);
  const changes = await changedSince(git, path, base, { signal });
  const sum = (side: "added" | "removed"): number => changes.reduce((all, { lines }) => all + (lines?.[side] ?? 0), 0);
  return {
    branch: nameOf(head),
    state: {
      ...{ comparedWith: nameOf(other), ahead, behind },
      ...{ files: changes.length, added: sum("added"), removed: sum("removed") },
    },
  };
}

/** The last commit of the checkout that the worktree was made from. The base, if that checkout is gone. */
async function comparedWith(
  git: Git,
  { origin, base }: WorktreeRecord,
  signal: AbortSignal | undefined,
): Promise<WorkTreeHead> {
  if (!(await pathExists(origin))) return { commit: base };
  try {
    return await headOf(git, origin, signal);
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    return { commit: base };
  }
}

const nameOf = ({ branch, commit }: WorkTreeHead): string => branch ?? commit.slice(0, idLength);

export interface WorktreeStatesOptions {
  readonly records: Pick<WorktreeRecords, "known">;
  /** Reads the state of a worktree. Rejects with a sentence. */
  readonly read: (record: WorktreeRecord, signal: AbortSignal) => Promise<ViewWorktree>;
  readonly log: Log;
}

export class WorktreeStates implements Disposable {
  readonly #options: WorktreeStatesOptions;
  readonly #states = new Map<string, ViewWorktree>();
  /** The worktrees that are about to be read, by their paths. */
  readonly #waiting = new Set<string>();
  readonly #reads = new Sequencer();
  readonly #ended = new AbortController();
  readonly #changed = new Emitter<void>();
  /** Fires when the state of a worktree has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: WorktreeStatesOptions) {
    this.#options = options;
  }

  /** What is known of the worktree. Stays the same object until it changes. */
  of(record: WorktreeRecord): ViewWorktree {
    const known = this.#states.get(record.path);
    if (known) return known;
    const unread: ViewWorktree = { branch: record.branch };
    this.#states.set(record.path, unread);
    return unread;
  }

  /** Whether the worktree was read, or is about to be. */
  isRead({ path }: WorktreeRecord): boolean {
    const known = this.#states.get(path);
    return this.#waiting.has(path) || known?.state !== undefined || known?.problem !== undefined;
  }

  /** Reads the worktree when git is idle. Resolves when that is done. Never rejects. */
  async refresh({ path }: WorktreeRecord): Promise<void> {
    if (this.#waiting.has(path)) return this.#reads.whenIdle();
    this.#waiting.add(path);
    await this.#reads.queue(() => this.#read(path));
  }

  async #read(path: string): Promise<void> {
    const { records, read, log } = this.#options;
    // A change from now on needs another read.
    this.#waiting.delete(path);
    const record = records.known.find(one => one.path === path);
    if (!record || this.#ended.signal.aborted) {
      this.#states.delete(path);
      return;
    }
    let state: ViewWorktree;
    try {
      state = await read(record, this.#ended.signal);
    } catch (thrown) {
      if (this.#ended.signal.aborted) return;
      const { message } = asError(thrown);
      log.warn("A worktree could not be read.", { path, reason: message });
      state = { branch: record.branch, problem: t("Git cannot read the worktree: {0}", message) };
    }
    if (jsonEqual(state, this.#states.get(path))) return;
    this.#states.set(path, state);
    this.#changed.fire();
  }

  dispose(): void {
    this.#ended.abort();
    this.#changed.dispose();
  }
}
