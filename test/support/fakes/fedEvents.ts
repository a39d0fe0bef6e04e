// Feeds events to a session's participant as a session does: through the reducer, during a turn.
import type { SessionEvent } from "../../../src/session/events.ts";
import { reduce } from "../../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../../src/session/state.ts";

/** A state in which the agent works. */
export const runningState: SessionState = { ...emptySession, activity: { state: "running", since: 0 } };

export interface EventObserver<T> {
  stateChanged?(before: SessionState, after: SessionState): void;
  observe(event: SessionEvent, before: SessionState, after: SessionState): T;
}

/** The state that events have led to, from one in which the agent works. */
export class FedEvents<T> {
  readonly #observer: () => EventObserver<T>;
  #state = runningState;
  #seq = 0;

  constructor(observer: () => EventObserver<T>) {
    this.#observer = observer;
  }

  /** The agent reports the event. */
  feed(event: SessionEvent): T {
    const observer = this.#observer();
    const before = this.#state;
    const after = reduce(before, { seq: this.#seq++, at: this.#seq, event });
    this.#state = after;
    if (after !== before) observer.stateChanged?.(before, after);
    return observer.observe(event, before, after);
  }
}
