// The events for which a user who is looking elsewhere gets a notification.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { notificationBetween, type TurnOutcome } from "../../src/session/notifications.ts";
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

  it("name a question without a title by its tool call, as its card does", () => {
    const call: SessionEvent = { type: "tool", toolCallId: "t", patch: { title: "Publish the package" } };
    const asked = after(running, call, { ...question, title: "", toolCallId: "t" });
    assert.deepEqual(notificationBetween(running, asked), { kind: "question", title: "Publish the package" });
    const untitled: SessionEvent = {
      type: "tool",
      toolCallId: "t",
      patch: { kind: "edit", locations: [{ path: "/w/src/a.ts" }] },
    };
    const untitledAsked = after(running, untitled, { ...question, title: "", toolCallId: "t" });
    assert.deepEqual(notificationBetween(running, untitledAsked), { kind: "question", title: "Edit src/a.ts" });
    const unknown = after(running, { ...question, title: " " });
    assert.deepEqual(notificationBetween(running, unknown), { kind: "question", title: "Permission requested" });
  });

  it("exclude a question that a rule has answered", () => {
    const answered = after(running, { ...question, answer: { option: "yes" }, by: "a rule" });
    assert.equal(notificationBetween(running, answered), undefined);
  });

  it("include the end of a turn, and how it ended", () => {
    const outcomes: readonly (readonly [string | undefined, TurnOutcome])[] = [
      [undefined, "finished"],
      ["end_turn", "finished"],
      ["max_tokens", "stopped"],
      ["max_turn_requests", "stopped"],
      ["refusal", "stopped"],
      ["bored", "stopped"],
      ["error", "failed"],
    ];
    for (const [stopReason, outcome] of outcomes) {
      const ended = after(running, {
        type: "activity",
        state: "idle",
        ...(stopReason !== undefined && { stopReason }),
      });
      assert.deepEqual(notificationBetween(running, ended), { kind: "turnEnd", title: "Fix it", outcome });
    }
  });

  it("include the loss of the agent in a turn, which is not a normal end, also if prompts are queued", () => {
    const lost: SessionEvent = { type: "agentLost", problem: { message: "It was killed.", next: [] } };
    const notification = { kind: "turnEnd", title: "Fix it", outcome: "lost" };
    assert.deepEqual(notificationBetween(running, after(running, lost)), notification);
    const queued = after(running, { type: "promptSent", submission: "s2", content: [{ type: "text", text: "More" }] });
    assert.deepEqual(notificationBetween(queued, after(queued, lost)), notification);
    const idle = after(running, { type: "activity", state: "idle", stopReason: "end_turn" });
    assert.equal(notificationBetween(idle, after(idle, lost)), undefined);
  });

  it("exclude actions of the user, and the end of a turn that is followed by a queued one", () => {
    const stopping = after(running, { type: "cancelRequested" });
    const stopped = after(stopping, { type: "activity", state: "idle", stopReason: "cancelled" });
    assert.equal(notificationBetween(stopping, stopped), undefined);
    const queued = after(running, { type: "promptSent", submission: "s2", content: [{ type: "text", text: "More" }] });
    const next = after(queued, { type: "activity", state: "idle", stopReason: "end_turn" });
    assert.equal(notificationBetween(queued, next), undefined);
  });

  it("include the end of a turn that is followed by no queued one, because the next one is on hold", () => {
    const queued = after(
      running,
      { type: "promptSent", submission: "s2", content: [{ type: "text", text: "More" }] },
      { type: "promptSent", submission: "s3", content: [{ type: "text", text: "Even more" }] },
    );
    const end: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
    const held = after(queued, { type: "promptOnHold", submission: "s2", onHold: true });
    const notification = { kind: "turnEnd", title: "Fix it", outcome: "finished" };
    assert.deepEqual(notificationBetween(held, after(held, end)), notification);
    const heldLater = after(queued, { type: "promptOnHold", submission: "s3", onHold: true });
    assert.equal(notificationBetween(heldLater, after(heldLater, end)), undefined);
    // The agent has a prompt that was sent into the turn, and begins another turn with it.
    const steered = after(held, { type: "promptSubmitted", submission: "s3" });
    assert.equal(notificationBetween(steered, after(steered, end)), undefined);
  });

  it("exclude chunks", () => {
    const content = { type: "text", text: "Hello" } as const;
    const chunk = after(running, { type: "messageChunk", author: "agent", messageId: "m2", content });
    assert.equal(notificationBetween(running, chunk), undefined);
  });
});
