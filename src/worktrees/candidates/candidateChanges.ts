// Knows what candidates have changed of their base. Git compares one worktree at a time, and again only after a while,
// because agents change files all the time.
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import { maskText } from "../../base/mask.ts";
import type { WorkTreeChange } from "../../git/workTreeChanges.ts";
import type { Candidate } from "./candidateGroups.ts";

/** What is known of a worktree. */
export interface ComparedWorktree {
  /** Whether its folder exists. */
  readonly exists: boolean;
  /** Its changes, or why git could not compare them. Absent: its folder is gone. */
  readonly changes?: readonly WorkTreeChange[] | string;
}

export interface CandidateChangesOptions {
  /** Compares a worktree with the base. Undefined: its folder is gone. Rejects with a sentence. */
  readonly compare: (
    candidate: Candidate,
    base: string,
    signal: AbortSignal,
  ) => Promise<readonly WorkTreeChange[] | undefined>;
  readonly clock: Clock;
}

/** A worktree is compared again at most this often. Milliseconds. */
const compareInterval = 2000;

interface Comparison {
  known?: ComparedWorktree;
  /** Runs, waits for its turn, or ended a moment ago. */
  isBusy: boolean;
  /** The files may have changed since it began. */
  isOld: boolean;
}

export class CandidateChanges implements Disposable {
  readonly #options: CandidateChangesOptions;
  readonly #comparisons = new Map<string, Comparison>();
  readonly #reads = new Sequencer();
  readonly #timers = new Set<Disposable>();
  readonly #ended = new AbortController();
  readonly #changed = new Emitter<void>();
  /** Fires when more is known. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: CandidateChangesOptions) {
    this.#options = options;
  }

  /** What is known of the worktree of a candidate. Undefined: nothing yet. */
  of({ session }: Candidate): ComparedWorktree | undefined {
    return this.#comparisons.get(session)?.known;
  }

  /** The files of the candidate may have changed. */
  refresh(candidate: Candidate, base: string): void {
    const comparison = this.#comparisons.get(candidate.session) ?? { isBusy: false, isOld: true };
    this.#comparisons.set(candidate.session, comparison);
    comparison.isOld = true;
    if (comparison.isBusy || this.#ended.signal.aborted) return;
    comparison.isBusy = true;
    // Never rejects.
    void this.#reads.queue(() => this.#compare(candidate, base, comparison));
  }

  dispose(): void {
    this.#ended.abort();
    for (const timer of this.#timers) timer.dispose();
    this.#changed.dispose();
  }

  async #compare(candidate: Candidate, base: string, comparison: Comparison): Promise<void> {
    const { compare, clock } = this.#options;
    const { signal } = this.#ended;
    if (signal.aborted) return;
    comparison.isOld = false;
    try {
      const changes = await compare(candidate, base, signal);
      comparison.known = { exists: changes !== undefined, ...(changes && { changes }) };
    } catch (thrown) {
      if (signal.aborted) return;
      comparison.known = { exists: true, changes: maskText(asError(thrown).message) };
    }
    if (signal.aborted) return;
    this.#changed.fire();
    const timer = clock.after(compareInterval, () => {
      this.#timers.delete(timer);
      comparison.isBusy = false;
      if (comparison.isOld) this.refresh(candidate, base);
    });
    this.#timers.add(timer);
  }
}
