// The registry of open sessions: what each surface shows, which session is active, and who is told what.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { OpenSessions, type OpenSession } from "../../src/library/openSessions.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

class FakeSession implements OpenSession {
  readonly #changed = new Emitter<SessionState>();
  readonly onDidChange = this.#changed.event;
  state = emptySession;
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
  dispatch(event: SessionEvent): void {
    this.state = reduce(this.state, { seq: 0, at: 0, event });
    this.#changed.fire(this.state);
  }
}

const ask: SessionEvent = { type: "askOpened", ask: "q", title: "May I?", options: [] };
const textOf = (text: string): ContentBlock => ({ type: "text", text });
const text = (words: string): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId: "m",
  content: textOf(words),
});

describe("the open sessions", () => {
  let open: OpenSessions<FakeSession>;
  let fired: string[];
  const [a, b, c] = ["a", "b", "c"].map(id => new FakeSession(id)) as [FakeSession, FakeSession, FakeSession];
  beforeEach(() => {
    open = new OpenSessions();
    fired = [];
    open.onDidChange(change =>
      fired.push(
        "session" in change
          ? `${change.type} ${change.session.id}${change.type === "changed" && change.isContent ? " content" : ""}`
          : `${change.type} ${change.surface}`,
      ),
    );
    for (const session of [a, b, c]) {
      session.state = emptySession;
      open.add(session);
    }
    fired = [];
  });
  afterEach(() => open.dispose());

  it("keep the sessions of other surfaces when one surface shows another session", () => {
    open.select("view", a);
    open.select("tab", b);
    open.select("view", c);
    open.select("view", c);
    assert.deepEqual([open.selected("view"), open.selected("tab"), open.active], [c, b, c]);
    assert.deepEqual(open.sessions, [a, b, c]);
    assert.deepEqual(fired, ["selected view", "selected tab", "selected view"]);
  });

  it("have the session of the surface that the user works with as the active one", () => {
    open.select("view", a);
    open.select("tab", b);
    open.activate("tab");
    assert.equal(open.active, b);
    open.removeSurface("tab");
    assert.deepEqual([open.active, open.sessions.length], [a, 3]);
    assert.deepEqual(fired.slice(2), ["activated tab", "activated view"]);
  });

  it("show the session that was selected last before one that is closed", () => {
    open.select("view", a);
    open.select("view", b);
    open.select("view", c);
    open.select("view", a);
    open.remove(a);
    assert.equal(open.selected("view"), c);
    open.remove(c);
    open.remove(b);
    assert.deepEqual([open.selected("view"), open.activeState], [undefined, emptySession]);
    open.select("view", a);
    assert.equal(open.selected("view"), undefined, "it is not open");
  });

  it("announce which session changed, and whether only the agent's messages and tool calls did", () => {
    const prompt: SessionEvent = { type: "messageChunk", author: "user", messageId: "p", content: textOf("Do it") };
    const call: SessionEvent = { type: "tool", toolCallId: "1", patch: { title: "Edit", status: "pending" } };
    a.dispatch(prompt);
    a.dispatch(text("One"));
    a.dispatch(text(" two"));
    a.dispatch(call);
    a.dispatch({ ...call, patch: { status: "completed" } });
    b.dispatch(ask);
    const content = "changed a content";
    assert.deepEqual(fired, ["changed a", content, content, content, content, "changed b"]);
    open.remove(b);
    b.dispatch(text("late"));
    assert.deepEqual(fired.slice(6), ["closed b"]);
  });

  it("announce each change of the user's messages, because the title comes from it", () => {
    const prompt: SessionEvent = { type: "messageChunk", author: "user", messageId: "p", content: textOf("Do") };
    a.dispatch(prompt);
    a.dispatch({ ...prompt, content: textOf(" it") });
    a.dispatch(text("One"));
    a.dispatch({ ...prompt, messageId: "p2" });
    a.dispatch({ ...prompt, content: textOf(" now") });
    a.dispatch({ ...prompt, messageId: "p2", content: textOf(" now") });
    assert.deepEqual(fired, ["changed a", "changed a", "changed a content", "changed a", "changed a", "changed a"]);
  });
});
