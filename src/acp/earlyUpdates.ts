// Updates of sessions whose id is not known yet: an agent may send them before its answer to the request that opens the
// session.
import type { JsonObject } from "./parse.ts";

/** At most this many updates are kept, so that an agent cannot fill the memory before it names its session. */
const maxEarlyUpdates = 10_000;

/** Keeps updates by session id while sessions are being opened. */
export class EarlyUpdates {
  readonly #opening = new Set<Promise<unknown>>();
  readonly #updates = new Map<string, JsonObject[]>();
  readonly #onOverflow: () => void;
  #count = 0;

  /** `onOverflow` is called when the first update is dropped because too many are kept. */
  constructor(onOverflow: () => void) {
    this.#onOverflow = onOverflow;
  }

  /** Keeps updates until the session is open or failed to open. Settles as `opening` does. */
  keepDuring<T>(opening: Promise<T>): Promise<T> {
    const settled: Promise<T> = opening.finally(() => {
      this.#opening.delete(settled);
      if (this.#opening.size > 0) return;
      this.#updates.clear();
      this.#count = 0;
    });
    this.#opening.add(settled);
    return settled;
  }

  /** Keeps the update. Returns false if no session is being opened, so that it belongs to none. */
  keep(sessionId: string, update: JsonObject): boolean {
    if (this.#opening.size === 0) return false;
    if (++this.#count > maxEarlyUpdates) {
      if (this.#count === maxEarlyUpdates + 1) this.#onOverflow();
      return true;
    }
    const kept = this.#updates.get(sessionId);
    if (kept) kept.push(update);
    else this.#updates.set(sessionId, [update]);
    return true;
  }

  /** Removes and returns the updates of a session, oldest first. */
  take(sessionId: string): readonly JsonObject[] {
    const updates = this.#updates.get(sessionId) ?? [];
    this.#updates.delete(sessionId);
    return updates;
  }

  /** Resolves when every session that is being opened now is open or failed to open. */
  async whenOpened(): Promise<void> {
    await Promise.allSettled(this.#opening);
  }
}
