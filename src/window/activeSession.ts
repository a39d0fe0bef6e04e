// The session that the window shows, for features that are created before sessions can be started.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { isOnlyTextAppended } from "../session/notifications.ts";
import type { Session } from "../session/session.ts";
import { emptySession, type SessionState } from "../session/state.ts";

export class ActiveSession implements Disposable {
  readonly #changed = new Emitter<void>();
  readonly #stateChanged = new Emitter<SessionState>();
  /** Fires when anything that a panel shows has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** Fires after `onDidChange`, except when only text was appended to a message. */
  readonly onDidChangeState: Event<SessionState> = this.#stateChanged.event;
  #session: Session | undefined;
  #lastUpdate: { readonly session: Session | undefined; readonly state: SessionState } | undefined;

  get session(): Session | undefined {
    return this.#session;
  }
  get state(): SessionState {
    return this.#session?.state ?? emptySession;
  }

  /** Replaces the session. The caller announces the change with `refresh`. */
  set(session: Session | undefined): void {
    this.#session = session;
  }

  /** Announces that the session changed, or something else that a panel shows. */
  refresh(): void {
    this.#changed.fire();
    const { session, state } = this;
    const before = this.#lastUpdate;
    this.#lastUpdate = { session, state };
    // Appended text is shown in the chat only.
    if (before && before.session === session && isOnlyTextAppended(before.state, state)) return;
    this.#stateChanged.fire(state);
  }

  dispose(): void {
    this.#changed.dispose();
    this.#stateChanged.dispose();
  }
}
