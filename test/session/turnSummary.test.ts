// What a finished turn comes to, from the events of a session.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { interruptedEvents } from "../../src/session/log/interruptedEvents.ts";
import { turnLineEntry } from "../../src/session/turnSummary.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState, type TurnSummary } from "../../src/session/state.ts";

const running: SessionEvent = { type: "activity", state: "running" };
const ended: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
const say = (messageId: string): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId,
  content: { type: "text", text: "Hello" },
});
const edit = (toolCallId: string, path: string, status = "completed"): SessionEvent => ({
  type: "tool",
  toolCallId,
  patch: { title: "Edit", status, content: [{ type: "diff", path, newText: "new" }] },
});
const cost = (amount: number, currency = "USD"): SessionEvent => ({
  type: "usage",
  used: 1,
  size: 2,
  cost: { amount, currency },
});

/** The state after the events, one second apart. */
const fold = (events: readonly SessionEvent[], from: SessionState = emptySession): SessionState =>
  events.reduce((state, event, i) => reduce(state, { seq: i + 1, at: i * 1000, event }), from);
const summaries = ({ entries }: SessionState): readonly (TurnSummary | undefined)[] =>
  [...entries].map(({ turn }) => turn);

describe("the summary of a turn", () => {
  it("has the duration, the calls, the files that they changed, and the tokens and the cost of the turn", () => {
    const first = fold([
      running,
      edit("a", "/a"),
      edit("b", "/a"),
      edit("c", "/c", "failed"),
      say("m"),
      cost(0.1),
      ended,
    ]);
    assert.deepEqual(summaries(first), [
      undefined,
      undefined,
      undefined,
      { duration: 6000, calls: 3, files: 1, cost: { amount: 0.1, currency: "USD" } },
    ]);
    const usage = { input: 5, output: 7 };
    const second = fold([running, say("n"), cost(0.3), { ...ended, usage }], first);
    assert.deepEqual(summaries(second).at(-1), { duration: 3000, tokens: 12, cost: { amount: 0.2, currency: "USD" } });
  });

  it("has no cost that the agent had not named before the turn, or names in another currency", () => {
    const first = fold([running, say("m"), ended]);
    const second = fold([running, say("n"), cost(1), ended], first);
    const third = fold([running, say("o"), cost(2, "EUR"), ended], second);
    assert.deepEqual(summaries(third), [{ duration: 2000 }, { duration: 3000 }, { duration: 3000 }]);
    const text = fold([running, say("m"), cost(1, "any text"), ended]);
    assert.deepEqual(summaries(text), [{ duration: 3000 }]);
  });

  it("has no tokens of a turn of which the agent reports only a part", () => {
    assert.deepEqual(summaries(fold([running, say("m"), { ...ended, usage: { output: 7 } }])), [{ duration: 2000 }]);
  });

  it("counts from the begin of the turn, not from its last question", () => {
    const asked: SessionEvent = { type: "activity", state: "requires_action" };
    assert.deepEqual(summaries(fold([running, say("m"), asked, running, ended])), [{ duration: 4000 }]);
  });

  it("stands at the end of a stopped turn, and below the card of a sub-agent", () => {
    const stopped = fold([running, say("m"), { ...ended, stopReason: "cancelled" }]);
    assert.deepEqual(summaries(stopped), [undefined, { duration: 2000 }]);
    const child: SessionEvent = { type: "tool", toolCallId: "c", parent: "p", patch: { title: "Step" } };
    const delegated = fold([running, { type: "tool", toolCallId: "p", patch: { title: "Task" } }, child, ended]);
    assert.deepEqual(summaries(delegated), [{ duration: 3000, calls: 2 }, undefined]);
  });

  it("is absent from messages that the agent repeats, which have no time either", () => {
    const loaded = fold([{ type: "connection", state: "opening" }, say("m"), { type: "connection", state: "ready" }]);
    const [entry] = loaded.entries;
    assert.ok(entry?.kind === "message" && entry.isRepeated && entry.turn === undefined);
  });

  it("gets how the problems changed, which a later event replaces, and keeps the first new problems beside it", () => {
    const ran = fold([running, edit("a", "/a"), say("m"), ended]);
    const entry = turnLineEntry(ran) ?? "";
    const problems = [{ path: "/a", line: 1, column: 2, severity: "error", message: "Wrong." }] as const;
    const pending = fold([{ type: "turnProblems", entry, state: "pending" }], ran);
    assert.deepEqual(summaries(pending).at(-1)?.problems, { state: "pending" });
    const known: SessionEvent = { type: "turnProblems", entry, state: "known", added: 1, fixed: 2, problems };
    const after = fold([known], pending);
    const line = after.entries.get(entry);
    assert.deepEqual(line?.turn?.problems, { state: "known", added: 1, fixed: 2 });
    assert.deepEqual([line.turn.duration, line.newProblems], [3000, problems]);
    assert.equal(fold([known], after), after);
    const fixed = fold([{ type: "turnProblems", entry, state: "known", added: 0, fixed: 2 }], after);
    assert.equal(fixed.entries.get(entry)?.newProblems, undefined);
    assert.equal(fold([{ ...known, entry: "m:agent:none" }], after), after);
  });

  it("does not wait for problems any more after a reload of the window", () => {
    const ran = fold([running, edit("a", "/a"), say("m"), ended]);
    const entry = turnLineEntry(ran) ?? "";
    const pending = fold([{ type: "turnProblems", entry, state: "pending" }], ran);
    const reloaded = fold(interruptedEvents(pending, "Agent"), pending);
    assert.deepEqual(reloaded.entries.get(entry)?.turn?.problems, { state: "unknown" });
    assert.ok(!interruptedEvents(reloaded, "Agent").some(({ type }) => type === "turnProblems"));
  });
});
