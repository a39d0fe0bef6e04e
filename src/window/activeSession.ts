// The session of the surface that the user works with, for features that are created before sessions can be started.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Session } from "../session/session.ts";
import type { SessionState } from "../session/state.ts";
import type { OpenSession, OpenSessions } from "../library/openSessions.ts";

export class ActiveSession<S extends OpenSession = Session> implements Disposable {
  readonly #open: OpenSessions<S>;
  readonly #stateChanged = new Emitter<SessionState>();
  /** Fires when another session is active, and after each change of its state but its content. */
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

  dispose(): void {
    this.#link.dispose();
    this.#stateChanged.dispose();
  }
}
