// The session of the surface that the user works with, for features that are created before sessions can be started.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Session } from "../session/session.ts";
import type { SessionState } from "../session/state.ts";
import type { OpenSession, OpenSessions } from "../sessions/openSessions.ts";

export class ActiveSession<S extends OpenSession = Session> implements Disposable {
  readonly #open: OpenSessions<S>;
  readonly #refreshed = new Emitter<void>();
  readonly #stateChanged = new Emitter<SessionState>();
  /** Fires when something that every panel shows has changed, such as the settings or the review. */
  readonly onDidRefresh: Event<void> = this.#refreshed.event;
  /** Fires when another session is active, after each change of its state but its content, and after a refresh. */
  readonly onDidChangeState: Event<SessionState> = this.#stateChanged.event;
  readonly #link: Disposable;
  #last: S | undefined;

  constructor(open: OpenSessions<S>) {
    this.#open = open;
    this.#link = open.onDidChange(change => {
      const session = open.active;
      const isOther = session !== this.#last;
      this.#last = session;
      // Content is shown in the chat only.
      if (isOther || (change.type === "changed" && change.session === session && !change.isContent))
        this.#stateChanged.fire(this.state);
    });
  }

  get session(): S | undefined {
    return this.#open.active;
  }
  get state(): SessionState {
    return this.#open.activeState;
  }

  /** Announces that something changed that every panel shows. */
  refresh(): void {
    this.#refreshed.fire();
    this.#stateChanged.fire(this.state);
  }

  dispose(): void {
    this.#link.dispose();
    this.#refreshed.dispose();
    this.#stateChanged.dispose();
  }
}
