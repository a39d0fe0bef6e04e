// The events for which a user who is looking elsewhere gets a notification.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { notificationBetween } from "../../src/session/notifications.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const after = (state: SessionState, ...events: readonly SessionEvent[]): SessionState =>
  events.reduce((from, event, i) => reduce(from, { seq: 1000 + i, at: 1, event }), state);

const running = after(
  emptySession,
  { type: "opened", agent: "demo", agentName: "Demo", cwd: "/w" },
  { type: "promptSent", submission: "s1", content: [{ type: "text", text: "Fix it" }] },
  { type: "activity", state: "running" },
  { type: "promptAccepted", submission: "s1", messageId: "m1" },
  { type: "message", author: "user", messageId: "m1", content: [{ type: "text", text: "Fix it" }] },
);
const question: SessionEvent = { type: "askOpened", ask: "a1", title: "Run npm test", options: [] };

describe("the notifications of a session", () => {
  it("include a new question, once", () => {
    const asked = after(running, question);
    assert.deepEqual(notificationBetween(running, asked), { kind: "question", title: "Run npm test" });
    assert.equal(notificationBetween(asked, after(asked, { type: "info", title: "Other" })), undefined);
  });

  it("exclude a question that a rule has answered", () => {
    const answered = after(running, { ...question, answer: { option: "yes" }, by: "a rule" });
    assert.equal(notificationBetween(running, answered), undefined);
  });

  it("include the end of a turn, and whether it failed", () => {
    const ended = after(running, { type: "activity", state: "idle", stopReason: "end_turn" });
    assert.deepEqual(notificationBetween(running, ended), { kind: "turnEnd", title: "Fix it", failed: false });
    const broken = after(running, { type: "activity", state: "idle", stopReason: "error" });
    assert.deepEqual(notificationBetween(running, broken), { kind: "turnEnd", title: "Fix it", failed: true });
  });

  it("exclude actions of the user, and the end of a turn that is followed by a queued one", () => {
    const stopping = after(running, { type: "cancelRequested" });
    const stopped = after(stopping, { type: "activity", state: "idle", stopReason: "cancelled" });
    assert.equal(notificationBetween(stopping, stopped), undefined);
    const queued = after(running, { type: "promptSent", submission: "s2", content: [{ type: "text", text: "More" }] });
    const next = after(queued, { type: "activity", state: "idle", stopReason: "end_turn" });
    assert.equal(notificationBetween(queued, next), undefined);
  });

  it("exclude chunks", () => {
    const content = { type: "text", text: "Hello" } as const;
    const chunk = after(running, { type: "messageChunk", author: "agent", messageId: "m2", content });
    assert.equal(notificationBetween(running, chunk), undefined);
  });
});
