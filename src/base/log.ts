// The log and the clock, as interfaces that all rooms may use.

/** Parley's log. `data` is appended as JSON. The caller must mask secrets. */
export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** The current time (ms since the epoch) and timers. */
export interface Clock {
  now(): number;
  /** Calls `run` once after `ms` milliseconds. Dispose the result to cancel. */
  after(ms: number, run: () => void): { dispose(): void };
}

export const nullLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** The system's clock. An error that a timer throws is logged, because nobody else would notice it. */
export function loggingClock(log: Log): Clock {
  return {
    now: systemClock.now,
    after: (ms, run) =>
      systemClock.after(ms, () => {
        try {
          run();
        } catch (error) {
          log.error("A timer failed.", error instanceof Error ? error.stack : String(error));
        }
      }),
  };
}
