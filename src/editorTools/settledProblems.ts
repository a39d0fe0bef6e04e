// Waits until language servers have finished checking: until the problems have not changed for a moment.
import type { Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";

/** The problems count as settled if they have not changed for this long (ms). */
const problemsQuiet = 500;
/** The longest wait (ms). */
export const maxProblemsWait = 5000;

export interface SettleOptions {
  readonly onDidChange: Event<void>;
  /** Resolves when the language servers have the files. The moment without changes begins then. Must not reject. */
  readonly ready: Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Resolves with true once nothing has fired for 500 ms, or with false after 5 s. Rejects with the reason of the signal
 * if it aborts.
 */
export async function whenProblemsSettle({ onDidChange, ready, clock, signal }: SettleOptions): Promise<boolean> {
  signal.throwIfAborted();
  const ended = new AbortController();
  return new Promise<boolean>((resolve, reject) => {
    let isReady = false;
    let quiet: { dispose(): void } | undefined;
    const restart = (): void => {
      quiet?.dispose();
      if (isReady && !ended.signal.aborted) quiet = clock.after(problemsQuiet, () => end(true));
    };
    const limit = clock.after(maxProblemsWait, () => end(false));
    const listener = onDidChange(restart);
    const stop = (): void => {
      ended.abort();
      quiet?.dispose();
      limit.dispose();
      listener.dispose();
    };
    const end = (settled: boolean): void => {
      stop();
      resolve(settled);
    };
    const abort = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { signal: ended.signal });
    void ready.then(() => {
      isReady = true;
      restart();
    });
  });
}
