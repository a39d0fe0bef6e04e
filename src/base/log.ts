// The two ports that every layer may ask for: a log and a clock.

/** Where Parley's own messages go. `data` is appended as JSON; secrets must be masked by the caller. */
export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** Milliseconds since the epoch, and a timer that ends with its disposable. */
export interface Clock {
  now(): number;
  /** Calls `run` once after `ms` milliseconds. Dispose to call it off. */
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
