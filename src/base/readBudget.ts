// Limits how far reading the output of agents may be ahead of painting it. An agent that floods is read only as fast as
// the panel can show its output. Other agents are not slowed down.
import type { Clock } from "./log.ts";

export interface ReadBudgetOptions {
  readonly clock: Clock;
  /** Whether a panel has yet to paint output that was read. */
  readonly isBehind: () => boolean;
  /** Whether a panel is painting. */
  readonly isPainting: () => boolean;
}

/** The budget in bytes of messages: about what can be painted in a frame, in chunks of the size that agents write. */
const maxBytes = 180_000;
/** The budget while a panel is painting, because reading more takes processor time from painting. */
const maxBytesWhilePainting = 50_000;
/** A message of a tool call is larger than a chunk of text, but its folded card is not. Bytes, and their cost. */
const maxCardBytes = 1500;
const maxCardCost = 250;
/** Agents are held back for at most this long (ms). */
const maxWait = 250;

/** The bytes that agents may send before the next paint. Shared by all agents of a window. */
export class ReadBudget {
  readonly #options: ReadBudgetOptions;
  #spent = 0;
  #exhaustedAt: number | undefined;
  /** A panel did not paint in time, for example because it is hidden. Until it has painted, the full budget applies. */
  #hasPainterTimedOut = false;

  constructor(options: ReadBudgetOptions) {
    this.#options = options;
  }

  /** Call when a message of this size was read. */
  spend(bytes: number): void {
    this.#spent += Math.min(bytes, maxCardCost) + Math.max(0, bytes - maxCardBytes);
  }

  /** Call when all output so far is about to be painted. */
  reset(): void {
    this.#spent = 0;
    this.#exhaustedAt = undefined;
  }

  /** Whether reading should wait. */
  get isExhausted(): boolean {
    if (this.#spent < maxBytesWhilePainting) return this.#resetWait();
    const isPainting = this.#options.isPainting();
    if (!isPainting) this.#hasPainterTimedOut = false;
    if (this.#spent < maxBytes && (!isPainting || this.#hasPainterTimedOut)) return this.#resetWait();
    const now = this.#options.clock.now();
    this.#exhaustedAt ??= now;
    // The system clock may be set back.
    const waited = Math.abs(now - this.#exhaustedAt);
    if (this.#options.isBehind() && waited < maxWait) return true;
    this.#hasPainterTimedOut = isPainting;
    this.reset();
    return false;
  }

  #resetWait(): boolean {
    this.#exhaustedAt = undefined;
    return false;
  }
}
