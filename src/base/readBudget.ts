// How much agents may say before what they said has been painted. Whoever floods is read as fast as people can be shown
// it; everybody else never notices.
import type { Clock } from "./log.ts";

export interface CreditOptions {
  readonly clock: Clock;
  /** Whether somebody is yet to paint what was said. */
  readonly isBehind: () => boolean;
  /** Whether somebody is painting what was sent to them. */
  readonly isPainting: () => boolean;
}

/** Bytes of messages: about what can be painted in a frame, in the chunks that agents write. */
const most = 180_000;
/** While something is being painted: reading more takes the processor from that. */
const mostMeanwhile = 50_000;
/** Nobody is waited for longer. Milliseconds. */
const patience = 250;

/** What agents may still say. Shared by all of a window. */
export class Credit {
  readonly #options: CreditOptions;
  #spent = 0;
  #spentAt: number | undefined;
  /** A painter was waited for in vain, one out of sight say: it is waited for no sooner than others until it has painted. */
  #isTired = false;

  constructor(options: CreditOptions) {
    this.#options = options;
  }

  /** An agent has said so many bytes. */
  spend(bytes: number): void {
    this.#spent += bytes;
  }

  /** What was said so far is on its way to be painted. */
  renew(): void {
    this.#spent = 0;
    this.#spentAt = undefined;
  }

  /** Whether an agent should be read later. */
  get isSpent(): boolean {
    if (this.#spent < mostMeanwhile) return this.#isLeft();
    const isPainting = this.#options.isPainting();
    if (!isPainting) this.#isTired = false;
    if (this.#spent < most && (!isPainting || this.#isTired)) return this.#isLeft();
    const now = this.#options.clock.now();
    this.#spentAt ??= now;
    // The system's clock may be set back.
    const waited = Math.abs(now - this.#spentAt);
    if (this.#options.isBehind() && waited < patience) return true;
    this.#isTired = isPainting;
    this.renew();
    return false;
  }

  #isLeft(): boolean {
    this.#spentAt = undefined;
    return false;
  }
}
