// Which changes of a session, and of the questions of Parley about it, are worth a notification.
import assert from "node:assert/strict";
import { notificationOf, type NotifiedState } from "../../src/library/attention.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const titled: SessionState = { ...emptySession, title: "The walrus" };
const running = reduce(titled, { seq: 1, at: 1, event: { type: "activity", state: "running" } });
const idle = reduce(running, { seq: 2, at: 2, event: { type: "activity", state: "idle", stopReason: "end_turn" } });

describe("the notifications of a session about which Parley asks", () => {
  const waiting: NotifiedState = { state: titled, isAsked: true };
  const answered: NotifiedState = { state: titled, isAsked: false };

  it("include the question of Parley, once, and not its end", () => {
    assert.deepEqual(notificationOf(answered, waiting), { kind: "resumeQuestion", title: "The walrus" });
    assert.equal(notificationOf(waiting, { ...waiting, state: { ...titled, title: "Walrus" } }), undefined);
    assert.equal(notificationOf(waiting, answered), undefined);
  });

  it("include what the agent does, as without a question", () => {
    const isAsked = false;
    const ended = { kind: "turnEnd", title: "The walrus", outcome: "finished" };
    assert.deepEqual(notificationOf({ state: running, isAsked }, { state: idle, isAsked }), ended);
    assert.equal(notificationOf({ state: titled, isAsked }, { state: running, isAsked }), undefined);
  });
});
