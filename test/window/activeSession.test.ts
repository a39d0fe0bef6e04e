// The events of the active session: which listener runs for which change, and in which order.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import type { Session } from "../../src/session/session.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { ActiveSession } from "../../src/window/activeSession.ts";

const after = (state: SessionState, event: SessionEvent): SessionState => reduce(state, { seq: 1, at: 1, event });
const chunk = (text: string): SessionEvent => ({
  type: "message",
  author: "agent",
  messageId: "m1",
  content: [{ type: "text", text }],
});

describe("the active session", () => {
  let active: ActiveSession;
  let fired: string[];
  beforeEach(() => {
    active = new ActiveSession();
    fired = [];
    active.onDidChangeState(state => fired.push(`state of ${state.entries.length} entries`));
    active.onDidChange(() => fired.push("change"));
  });
  afterEach(() => active.dispose());

  const show = (state: SessionState): { state: SessionState } => {
    const session = { state };
    active.set(session as Session);
    active.refresh();
    return session;
  };

  it("is empty without a session", () => {
    assert.equal(active.state, emptySession);
    active.refresh();
    assert.deepEqual(fired, ["change", "state of 0 entries"]);
  });

  it("does not announce appended text as a change of its state", () => {
    const session = show(after(emptySession, chunk("One")));
    assert.deepEqual(fired.splice(0), ["change", "state of 1 entries"]);
    session.state = after(session.state, chunk(" two"));
    active.refresh();
    assert.deepEqual(fired.splice(0), ["change"]);
    session.state = after(session.state, { type: "activity", state: "running" });
    active.refresh();
    assert.deepEqual(fired, ["change", "state of 1 entries"]);
  });

  it("announces another session, and a refresh without a change", () => {
    const { state } = show(after(emptySession, chunk("One")));
    show(after(state, chunk(" two")));
    active.refresh();
    assert.deepEqual(
      fired.filter(event => event !== "change"),
      ["state of 1 entries", "state of 1 entries", "state of 1 entries"],
    );
  });
});
