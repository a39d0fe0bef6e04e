// How much agents may say before what they said has been painted. Whoever floods is read as fast as people can be shown
// it; everybody else never notices.
import type { Clock } from "./log.ts";

export interface ReadBudgetOptions {
  readonly clock: Clock;
  /** Whether somebody is yet to paint what was said. */
  readonly isBehind: () => boolean;
  /** Whether somebody is painting what was sent to them. */
  readonly isPainting: () => boolean;
}

/** Bytes of messages: about what can be painted in a frame, in the chunks that agents write. */
const maxBytes = 180_000;
/** While something is being painted: reading more takes the processor from that. */
const maxBytesWhilePainting = 50_000;
/** Nobody is waited for longer. Milliseconds. */
const maxWait = 250;

/** What agents may still say. Shared by all of a window. */
export class ReadBudget {
  readonly #options: ReadBudgetOptions;
  #spent = 0;
  #exhaustedAt: number | undefined;
  /** A painter was waited for in vain, one out of sight say: it is waited for no sooner than others until it has painted. */
  #hasPainterTimedOut = false;

  constructor(options: ReadBudgetOptions) {
    this.#options = options;
  }

  /** An agent has said so many bytes. */
  spend(bytes: number): void {
    this.#spent += bytes;
  }

  /** What was said so far is on its way to be painted. */
  reset(): void {
    this.#spent = 0;
    this.#exhaustedAt = undefined;
  }

  /** Whether an agent should be read later. */
  get isExhausted(): boolean {
    if (this.#spent < maxBytesWhilePainting) return this.#resetWait();
    const isPainting = this.#options.isPainting();
    if (!isPainting) this.#hasPainterTimedOut = false;
    if (this.#spent < maxBytes && (!isPainting || this.#hasPainterTimedOut)) return this.#resetWait();
    const now = this.#options.clock.now();
    this.#exhaustedAt ??= now;
    // The system's clock may be set back.
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
