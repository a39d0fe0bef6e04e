// The events of the active session: which change is announced.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { OpenSessions, type OpenSession } from "../../src/library/openSessions.ts";
import { ActiveSession } from "../../src/window/activeSession.ts";

const chunk = (text: string): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId: "m1",
  content: { type: "text", text },
});

class FakeSession implements OpenSession {
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

describe("the active session", () => {
  let open: OpenSessions<FakeSession>;
  let active: ActiveSession<FakeSession>;
  let fired: string[];
  beforeEach(() => {
    open = new OpenSessions();
    active = new ActiveSession(open);
    fired = [];
    active.onDidChangeState(state => fired.push(`state of ${state.entries.length} entries`));
  });
  afterEach(() => {
    active.dispose();
    open.dispose();
  });

  const show = (id: string, surface = "view"): FakeSession => {
    const session = new FakeSession(id);
    open.add(session);
    open.select(surface, session);
    return session;
  };

  it("is empty without a session", () => {
    assert.equal(active.state, emptySession);
    assert.deepEqual(fired, []);
  });

  it("does not announce appended text as a change of its state", () => {
    const session = show("a");
    session.dispatch(chunk("One"));
    assert.deepEqual(fired.splice(0), ["state of 0 entries", "state of 1 entries"]);
    session.dispatch(chunk(" two"));
    assert.deepEqual(fired.splice(0), []);
    session.dispatch({ type: "activity", state: "running" });
    assert.deepEqual(fired, ["state of 1 entries"]);
  });

  it("announces another session, by selection or by another surface, and no change of a session that is not active", () => {
    const first = show("a");
    const second = show("b", "tab");
    fired = [];
    second.dispatch(chunk("One"));
    assert.deepEqual(fired, []);
    open.activate("tab");
    assert.deepEqual([active.session, fired.splice(0)], [second, ["state of 1 entries"]]);
    first.dispatch(chunk("One"));
    assert.deepEqual(fired, []);
    open.remove(second);
    assert.deepEqual([active.session, fired], [first, ["state of 1 entries"]]);
  });
});
