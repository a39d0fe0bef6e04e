// Compares the texts of files in slices of a few milliseconds, so that keys are handled in between. The changes of one
// file take effect in the order in which they arrive.
import type { Work } from "../base/lineDiff.ts";
import { asError } from "../base/errors.ts";
import type { FileChanges } from "./hunk.ts";

/** How work is divided into slices. */
export interface Slices {
  /**
   * The time of one slice (ms). A piece of work takes about a millisecond, and the last one may begin just before the end.
   * The first slice of a comparison and the second one can run in the same turn of the event loop.
   */
  readonly time: number;
  /** Resolves when other work has had its turn. */
  pause(): Promise<void>;
}

/** Short enough for a key to be handled within a frame. */
export const defaultSlices: Slices = { time: 4, pause: () => new Promise(resolve => setImmediate(resolve)) };

/** Where the states of files are kept. `State` objects are immutable, so that a changed file has another one. */
export interface ComparedFiles<State> {
  get(path: string): State | undefined;
  /** Sets the result of a comparison. `state` is the one that it began with. */
  put(path: string, state: State | undefined, changes: FileChanges): void;
}

/** Makes the work for a state. Undefined: there is nothing to change. */
export type ComparisonOf<State> = (state: State | undefined) => Work<FileChanges> | undefined;

export class FileComparisons<State> {
  readonly #files: ComparedFiles<State>;
  readonly #slices: Slices;
  /** The last change of each file that is being compared. Never rejects. */
  readonly #last = new Map<string, Promise<void>>();
  #disposed = false;

  constructor(files: ComparedFiles<State>, slices = defaultSlices) {
    this.#files = files;
    this.#slices = slices;
  }

  /** Changes a file by the result of a comparison, after all earlier changes of the file. */
  compare(path: string, make: ComparisonOf<State>): Promise<void> {
    return this.inOrder(path, () => this.compareNow(path, make));
  }

  /**
   * Runs after all earlier changes of the file. If none of them is being compared, it runs immediately, and a short
   * comparison is complete when this returns.
   */
  inOrder(path: string, run: () => Promise<void> | undefined): Promise<void> {
    const before = this.#last.get(path);
    let done: Promise<void> | undefined;
    try {
      done = before ? before.then(run) : run();
    } catch (thrown) {
      return Promise.reject(asError(thrown));
    }
    if (!done) return Promise.resolve();
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(path) === settled) this.#last.delete(path);
      });
    this.#last.set(path, settled);
    return done;
  }

  /** Like {@link compare}, within {@link inOrder}. Returns a promise if one slice is not enough. */
  compareNow(path: string, make: ComparisonOf<State>): Promise<void> | undefined {
    const state = this.#files.get(path);
    const work = make(state);
    const result = work && oneSlice(work, this.#slices.time);
    if (work && !result) return this.#continue(path, make, { state, work });
    if (result) this.#files.put(path, state, result.value);
    return undefined;
  }

  /** If the user decides meanwhile, the comparison begins again with the new state, so that no decision is lost. */
  async #continue(
    path: string,
    make: ComparisonOf<State>,
    begun: { readonly state: State | undefined; readonly work: Work<FileChanges> },
  ): Promise<void> {
    const isWanted = (): boolean => !this.#disposed && this.#files.get(path) === begun.state;
    const result = await furtherSlices(begun.work, this.#slices, isWanted);
    if (result) this.#files.put(path, begun.state, result.value);
    else if (!this.#disposed) await this.compareNow(path, make);
  }

  /** The result of work that no state depends on, in slices. */
  async complete<T>(work: Work<T>): Promise<T | undefined> {
    const result = await inSlices(work, this.#slices, () => !this.#disposed);
    return result?.value;
  }

  dispose(): void {
    this.#disposed = true;
  }
}

/**
 * Does work in slices, the first one immediately. The result is undefined if the work is not wanted any more after a
 * slice.
 */
export async function inSlices<T>(
  work: Work<T>,
  slices: Slices,
  isWanted: () => boolean,
): Promise<{ readonly value: T } | undefined> {
  return oneSlice(work, slices.time) ?? furtherSlices(work, slices, isWanted);
}

/** Like {@link inSlices}, after a pause. */
export async function furtherSlices<T>(
  work: Work<T>,
  slices: Slices,
  isWanted: () => boolean,
): Promise<{ readonly value: T } | undefined> {
  for (;;) {
    await slices.pause();
    if (!isWanted()) return undefined;
    const result = oneSlice(work, slices.time);
    if (result) return result;
  }
}

function oneSlice<T>(work: Work<T>, time: number): { readonly value: T } | undefined {
  const end = performance.now() + time;
  do {
    const next = work.next();
    if (next.done) return { value: next.value };
  } while (performance.now() < end);
  return undefined;
}
