// Silence of an agent, over the wire: turns that end without an update, and turns in which none arrives for a while.
import assert from "node:assert/strict";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { emptyHead } from "../support/fakes/heads.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

const text = (words: string): object => ({ type: "text", text: words });
const plan = { sessionUpdate: "plan_update", plan: { planId: "p", type: "items", entries: [{ content: "Step" }] } };

describe("a turn that ends without an update", () => {
  let wire: WireSession;
  beforeEach(async () => {
    wire = await new WireSession().opened();
  });
  afterEach(() => wire.dispose());

  /** A turn whose agent sends these updates between its begin and its end. */
  const turn = async (updates: readonly { readonly sessionUpdate: string }[], end?: object): Promise<void> => {
    const request = await wire.send("Hello");
    wire.agent.answer(request, { messageId: "u" });
    wire.message("user", "u", "Hello");
    wire.running();
    for (const { sessionUpdate, ...fields } of updates) wire.update(sessionUpdate, fields);
    wire.idle(end);
    await wire.processed();
  };
  const problems = (): readonly unknown[] =>
    [...wire.state.entries].flatMap(entry => (entry.kind === "problem" ? [entry.problem] : []));

  it("says so, and offers the log", async () => {
    await turn([]);
    const message = "Robo ended the turn without an answer. The log may say why.";
    assert.deepEqual(problems(), [{ message, next: ["showLog", "retry"] }]);
  });

  it("says so if all that arrived is usage, which nobody sees", async () => {
    await turn([{ sessionUpdate: "usage_update", used: 1, size: 2 } as { sessionUpdate: string }]);
    assert.equal(problems().length, 1);
  });

  it("says so after a message without text", async () => {
    await turn([{ sessionUpdate: "agent_message", messageId: "a", content: [text("")] } as { sessionUpdate: string }]);
    assert.equal(problems().length, 1);
  });

  for (const [what, update] of Object.entries({
    "a message": { sessionUpdate: "agent_message", messageId: "a", content: [text("Hi")] },
    "a thought": { sessionUpdate: "agent_thought", messageId: "a", content: [text("Hm")] },
    "a tool call": { sessionUpdate: "tool_call_update", toolCallId: "c", title: "Read" },
    "a plan": plan,
    "a notice": { sessionUpdate: "notice", severity: "info", title: "Limit" },
  }))
    it(`says nothing after ${what}`, async () => {
      await turn([update]);
      assert.deepEqual(problems(), []);
    });

  it("says nothing if it did not end by itself", async () => {
    await turn([], { stopReason: "refusal" });
    assert.deepEqual(problems(), []);
  });

  it("says nothing of a turn that the agent began", async () => {
    wire.running();
    wire.idle();
    await wire.processed();
    assert.deepEqual(problems(), []);
  });

  it("says so in each such turn, also after a turn with an answer", async () => {
    await wire.turn("One", "u1", "Fine");
    await turn([]);
    assert.equal(problems().length, 1);
  });
});

describe("an agent that is silent in its turn", () => {
  let bench: SessionBench;
  beforeEach(async () => {
    bench = await new SessionBench().openReady();
    bench.send("Work");
    await bench.flushPromises();
  });
  afterEach(() => bench.session.dispose());

  const activity = (): ViewHead["activity"] =>
    new WholeProjector().project(bench.session.state, emptyHead).head.activity;
  const say = (words: string): void =>
    bench.remote.report({
      type: "messageChunk",
      author: "agent",
      messageId: "m",
      content: { type: "text", text: words },
    });

  it("is awaited after 10 s without an update, since the last one", () => {
    bench.clock.advance(5000);
    say("a");
    const last = bench.clock.now();
    bench.clock.advance(9999);
    assert.equal(activity().silentSince, undefined);
    bench.clock.advance(1);
    assert.equal(activity().silentSince, last);
    assert.equal(activity().isRetrying, undefined);
    bench.clock.advance(60_000);
    assert.equal(activity().silentSince, last);
    say("b");
    assert.equal(activity().silentSince, undefined);
    bench.clock.advance(10_000);
    assert.equal(activity().silentSince, last + 70_000);
  });

  it("is awaited without further events, and no longer when the turn ends", () => {
    say("a");
    const events = bench.log.length;
    bench.clock.advance(600_000);
    assert.deepEqual(
      bench.log.slice(events).map(({ event }) => event.type),
      ["agentSilent"],
    );
    bench.remote.end();
    assert.equal(activity().silentSince, undefined);
    bench.clock.advance(600_000);
    assert.equal(activity().silentSince, undefined);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("is not silent with any report, also one that changes nothing", () => {
    for (let i = 0; i < 30; i++) {
      bench.clock.advance(1000);
      bench.remote.report({ type: "usage", used: 1, size: 2 });
    }
    assert.equal(activity().silentSince, undefined);
  });

  it("waits for its model if it has reported a retry", () => {
    bench.remote.report({ type: "notice", severity: "warning", title: "Retrying", retry: true });
    bench.clock.advance(10_000);
    assert.equal(activity().isRetrying, true);
    say("a");
    bench.clock.advance(10_000);
    assert.notEqual(activity().silentSince, undefined);
    assert.equal(activity().isRetrying, undefined);
  });

  it("is not awaited while a call runs or the user is asked", async () => {
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Build", status: "in_progress" } });
    bench.clock.advance(60_000);
    assert.equal(activity().silentSince, undefined);
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { status: "completed" } });
    const answer = bench.remote.client.requestPermission(
      { title: "May I?", options: [{ id: "y", name: "Yes", kind: "allow_once" }] },
      new AbortController().signal,
    );
    await bench.flushPromises();
    bench.clock.advance(60_000);
    assert.equal(activity().silentSince, undefined);
    const [question] = bench.session.state.questions;
    bench.session.answer(question?.id ?? "", "y");
    await answer;
    bench.clock.advance(9999);
    assert.equal(activity().silentSince, undefined);
    bench.clock.advance(1);
    assert.notEqual(activity().silentSince, undefined);
  });
});
