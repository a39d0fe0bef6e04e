// An open session whose state changes only by the events that a test dispatches.
import { Emitter } from "../../../src/base/lifecycle.ts";
import type { OpenSession } from "../../../src/library/openSessions.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import { reduce } from "../../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../../src/session/state.ts";

export class FakeOpenSession implements OpenSession {
  readonly #changed = new Emitter<SessionState>();
  readonly onDidChange = this.#changed.event;
  readonly id: string;
  state = emptySession;
  constructor(id: string) {
    this.id = id;
  }
  dispatch(event: SessionEvent): void {
    this.state = reduce(this.state, { seq: 1, at: 1, event });
    this.#changed.fire(this.state);
  }
}
