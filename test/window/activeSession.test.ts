// The events of the active session: which change is announced.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { emptySession } from "../../src/session/state.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { ActiveSession } from "../../src/window/activeSession.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";

const chunk = (text: string): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId: "m1",
  content: { type: "text", text },
});

describe("the active session", () => {
  let open: OpenSessions<FakeOpenSession>;
  let active: ActiveSession<FakeOpenSession>;
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

  const show = (id: string, surface = "view"): FakeOpenSession => {
    const session = new FakeOpenSession(id);
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
