// The open sessions that wait for the user, in the order in which they began to wait.
import { DisposableStore, Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Session } from "../session/session.ts";
import { attentionOf, type AskedSessions } from "./attention.ts";
import type { OpenSession, OpenSessions } from "./openSessions.ts";

export class WaitingOrder<S extends OpenSession = Session> implements Disposable {
  readonly #open: OpenSessions<S>;
  readonly #asked: AskedSessions;
  /** A session keeps its place until none of its questions is open. */
  readonly #waiting = new Set<S>();
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  /** Fires when a session begins or ceases to wait. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(open: OpenSessions<S>, asked: AskedSessions) {
    this.#open = open;
    this.#asked = asked;
    this.#noteAll();
    this.#store.add(
      open.onDidChange(change => {
        if (change.type === "closed") this.#note(change.session, false);
        else if (change.type === "opened" || (change.type === "changed" && !change.isContent))
          this.#note(change.session);
      }),
    );
    this.#store.add(asked.onDidChange(() => this.#noteAll()));
  }

  /** The session that has waited for the user the longest. Undefined if none waits. */
  get longest(): S | undefined {
    return this.#waiting.values().next().value;
  }

  /** Whether the session waits for the user. */
  has(session: S | undefined): boolean {
    return session !== undefined && this.#waiting.has(session);
  }

  /**
   * The next session that waits for the user, after this one in the circle of open sessions. It is this one if no other
   * waits. Undefined if none waits.
   */
  next(after: S | undefined): S | undefined {
    const { sessions } = this.#open;
    const from = after ? sessions.indexOf(after) + 1 : 0;
    return [...sessions.slice(from), ...sessions.slice(0, from)].find(session => this.has(session));
  }

  #noteAll(): void {
    for (const session of this.#open.sessions) this.#note(session);
  }

  #note(session: S, isWaiting = attentionOf(session, this.#asked) === "waiting"): void {
    if (this.#waiting.has(session) === isWaiting) return;
    if (isWaiting) this.#waiting.add(session);
    else this.#waiting.delete(session);
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
    this.#waiting.clear();
  }
}
