// Ordering and limiting asynchronous work, modelled on VS Code's `base/common/async.ts`.
import { asError } from "./errors.ts";
import type { Disposable } from "./lifecycle.ts";
import type { Clock } from "./log.ts";

/**
 * Runs asynchronous tasks one at a time, in the order in which they are queued. A failure does not stop later tasks.
 */
export class Sequencer {
  /** Settles with the task queued last. Never rejects, and keeps no result alive. */
  #last: Promise<void> | undefined;

  /** Runs the task after all earlier ones. Settles as the task does, so the caller handles its failure. */
  async queue<T>(task: () => Promise<T>): Promise<T> {
    const earlier = this.#last;
    const { settled, settle } = createGate();
    this.#last = settled;
    await earlier;
    try {
      return await task();
    } finally {
      if (this.#last === settled) this.#last = undefined;
      settle();
    }
  }

  /** Resolves once no task is queued or running. */
  async whenIdle(): Promise<void> {
    while (this.#last) await this.#last;
  }
}

/** A {@link Sequencer} for each key: tasks with different keys run at the same time. Idle keys take no memory. */
export class SequencerByKey<K> {
  readonly #last = new Map<K, Promise<void>>();

  /** Runs the task after all earlier ones with the same key. */
  queue<T>(key: K, task: () => Promise<T>): Promise<T> {
    return this.queueAll([key], task);
  }

  /** Runs a task that needs several keys, after all earlier tasks with any of them. Must not be nested. */
  async queueAll<T>(keys: readonly K[], task: () => Promise<T>): Promise<T> {
    const earlier = keys.flatMap(key => this.#last.get(key) ?? []);
    const { settled, settle } = createGate();
    for (const key of keys) this.#last.set(key, settled);
    await Promise.all(earlier);
    try {
      return await task();
    } finally {
      for (const key of keys) if (this.#last.get(key) === settled) this.#last.delete(key);
      settle();
    }
  }

  /** Resolves once no task is queued or running for any key. */
  async whenIdle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

/**
 * Lets a number of tasks begin in each iteration of the event loop. Others begin in the next ones, in their order. The
 * steps of many tasks would otherwise come in one iteration, and block all other work.
 */
export class BeginLimit {
  readonly #max: number;
  #begun = 0;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when the task may begin. Undefined: it may begin now. */
  next(): Promise<void> | undefined {
    this.#schedule();
    if (this.#begun === this.#max) return new Promise(resolve => void this.#waiting.push(resolve));
    this.#begun++;
    return undefined;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#waiting.splice(0, this.#max);
      this.#begun = next.length;
      for (const begin of next) begin();
      if (next.length > 0) this.#schedule();
    });
  }
}

/** Runs the task for each item, at most `limit` at a time. Rejects with the first failure, when no task runs any more. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await task(item);
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, work));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** A promise that resolves when `settle` is called. */
export function createGate(): { readonly settled: Promise<void>; readonly settle: () => void } {
  let settle = (): void => {};
  const settled = new Promise<void>(resolve => (settle = resolve));
  return { settled, settle };
}

/** A timer that does not keep the process alive: a time limit alone is no reason to stay. */
const limitTimer: Pick<Clock, "after"> = {
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return { dispose: () => clearTimeout(timer) };
  },
};

/**
 * Settles as the promise does. If that takes longer than `ms` milliseconds, settles with what `onTimeout` returns or
 * throws instead, and ignores the promise from then on.
 */
export function withTimeout<T, U>(
  promise: Promise<T>,
  ms: number,
  onTimeout: () => U,
  clock: Pick<Clock, "after"> = limitTimer,
): Promise<T | U> {
  return race(promise, onTimeout, end => clock.after(ms, end));
}

/**
 * Settles as the promise does. If one of the signals is or becomes aborted first, settles with what `onAbort` returns
 * or throws instead, and ignores the promise from then on. Leaves no listener behind.
 */
export function untilAborted<T, U>(
  promise: Promise<T>,
  signals: readonly AbortSignal[],
  onAbort: () => U,
): Promise<T | U> {
  return race(promise, onAbort, end => {
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    if (signals.some(signal => signal.aborted)) end();
    return {
      dispose: () => {
        for (const signal of signals) signal.removeEventListener("abort", end);
      },
    };
  });
}

function race<T, U>(promise: Promise<T>, onEnd: () => U, subscribe: (end: () => void) => Disposable): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      subscription?.dispose();
      try {
        resolve(onEnd());
      } catch (error) {
        reject(asError(error));
      }
    };
    let subscription: Disposable | undefined = undefined;
    subscription = subscribe(end);
    promise.then(resolve, reject).finally(() => subscription.dispose());
  });
}
