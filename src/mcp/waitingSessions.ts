// Which session waits for an answer of which server. What a server asks the user belongs to the session that waits.

interface Waiting {
  readonly session: string;
  /** Aborts when the session no longer waits. */
  readonly signal: AbortSignal;
  /** The user has cancelled a form of the server, so further forms are cancelled without asking. */
  isCancelled: boolean;
}

/** The sessions that wait for each server, the latest last. */
export class WaitingSessions {
  readonly #waiting = new Map<string, Waiting[]>();

  /** Runs a request to the server for the session. */
  async whileWaiting<T>(server: string, session: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const end = new AbortController();
    const waiting: Waiting = { session, signal: AbortSignal.any([signal, end.signal]), isCancelled: false };
    this.#waiting.set(server, [...(this.#waiting.get(server) ?? []), waiting]);
    try {
      return await request();
    } finally {
      const others = (this.#waiting.get(server) ?? []).filter(each => each !== waiting);
      if (others.length > 0) this.#waiting.set(server, others);
      else this.#waiting.delete(server);
      // A form of the server that is still open has no purpose any more.
      end.abort(new Error("The request has ended."));
    }
  }

  /**
   * Asks in the session that waits for the server. Resolves with `cancelled` if none waits, or if the user has already
   * cancelled a form of this request, because a server could ask again without end.
   */
  async ask<T>(server: string, cancelled: T, ask: (session: string, signal: AbortSignal) => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(server)?.at(-1);
    if (!waiting || waiting.isCancelled) return cancelled;
    const answer = await ask(waiting.session, waiting.signal);
    if (answer === cancelled) waiting.isCancelled = true;
    return answer;
  }
}
