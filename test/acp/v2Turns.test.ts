// A session with an agent of version 2: which prompt a turn belongs to, what Stop and Withdraw send, and what a refusal
// changes.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { isBusy, openQuestions } from "../../src/session/state.ts";
import { until } from "../support/fakes/until.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

describe("a turn of version 2", () => {
  let wire: WireSession;
  beforeEach(async () => {
    trackLeaks();
    wire = await new WireSession().opened();
  });
  afterEach(() => {
    wire.dispose();
    assert.deepEqual(findLeaks(), []);
  });
  const signInError = { stopReason: "error", error: { code: -32000, message: "Sign in." } };
  const ends = () => [...wire.state.entries].filter(({ kind }) => kind === "turnEnd").length;
  /** The agent works on the turn of this prompt. */
  async function begun(text: string): Promise<void> {
    wire.agent.answer(await wire.send(text), { messageId: "u1" });
    wire.running();
    await wire.processed();
  }
  /** The user stopped a turn, which the agent ended, and the agent has accepted the next prompt. */
  async function acceptedAfterStop(): Promise<void> {
    await begun("one");
    wire.session.stop();
    wire.idle({ stopReason: "cancelled" });
    await wire.processed();
    wire.agent.answer(await wire.send("two"), { messageId: "u2" });
    await wire.processed();
  }

  it("that the agent began by itself and that needs a sign-in gives back no prompt", async () => {
    await wire.turn("deploy it", "u1", "Deployed.");
    wire.running();
    wire.idle(signInError);
    await wire.processed();
    assert.ok(wire.state.signIn);
    assert.deepEqual(wire.messages, ["user: deploy it", "agent: Deployed."]);
    assert.deepEqual(wire.queued, []);
  });

  it("of a prompt that needs a sign-in gives back this prompt", async () => {
    await wire.turn("deploy it", "u1", "Deployed.");
    const request = await wire.send("again");
    wire.agent.answer(request, { messageId: "u2" });
    wire.message("user", "u2", "again");
    wire.running();
    wire.idle(signInError);
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: deploy it", "agent: Deployed.", "user: again (excluded)"]);
    assert.deepEqual(wire.queued, ["again"]);
  });

  it("of a prompt that the agent inserts while it says that it works gives back this prompt", async () => {
    const request = await wire.send("again");
    wire.running();
    wire.message("user", "u1", "again");
    wire.agent.answer(request, { messageId: "u1" });
    await wire.processed();
    wire.idle(signInError);
    await wire.processed();
    assert.deepEqual([wire.messages, wire.queued], [["user: again (excluded)"], ["again"]]);
  });

  for (const [title, begin] of [
    ["the agent began by itself", () => undefined],
    ["another client began", () => wire.message("user", "o1", "of another client")],
  ] as const)
    it(`that ${title} and that the agent refuses excludes nothing of the user's`, async () => {
      await wire.turn("one", "u1", "First.");
      begin();
      wire.running();
      wire.idle({ stopReason: "refusal" });
      await wire.processed();
      assert.deepEqual(wire.messages.slice(0, 2), ["user: one", "agent: First."]);
    });

  it("does not end before it has begun when the agent reports its background work again", async () => {
    await wire.turn("one", "u1", "First.");
    const request = await wire.send("second");
    wire.agent.answer(request, { messageId: "u2" });
    wire.session.send([{ type: "text", text: "third" }]);
    await wire.processed();
    wire.idle({ background: [] });
    await wire.processed();
    assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state), ends()], [["third"], [], true, 0]);
    wire.running();
    wire.idle();
    await wire.agent.request("session/prompt");
  });

  it("does not end before it has begun when the agent repeats how the last one ended", async () => {
    const request = await wire.send("one");
    wire.agent.answer(request, { messageId: "u1" });
    wire.running();
    wire.idle({ stopReason: "refusal" });
    await wire.processed();
    wire.agent.answer(await wire.send("second"), { messageId: "u2" });
    wire.session.send([{ type: "text", text: "third" }]);
    wire.idle({ stopReason: "refusal" });
    await wire.processed();
    assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state), ends()], [["third"], [], true, 1]);
    assert.deepEqual(wire.messages, ["user: one (excluded)", "user: second"]);
    wire.running();
    wire.idle();
    await wire.agent.request("session/prompt");
  });

  it("is awaited although the user withdraws another prompt that the agent holds", async () => {
    await wire.turn("zero", "u0", "Zero.");
    const held = await wire.send("held");
    wire.session.send([{ type: "text", text: "B" }]);
    wire.session.sendWhileRunning(wire.state.pendingPrompts[1]?.id ?? "");
    wire.agent.answer(await wire.agent.request("session/prompt"), { messageId: "u2" });
    wire.session.queue.withdraw(wire.state.pendingPrompts[0]?.id ?? "");
    await wire.agent.request("$/cancel_request");
    wire.agent.fail(held, -32800, "Cancelled.");
    wire.session.send([{ type: "text", text: "next" }]);
    await wire.processed();
    assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state)], [["next"], [], true]);
    wire.running();
    wire.idle();
    await wire.agent.request("session/prompt");
  });

  it("is not stopped by a Stop that the user pressed before its prompt went out", async () => {
    await begun("one");
    wire.session.stop();
    await wire.agent.request("session/cancel");
    wire.session.send([{ type: "text", text: "B" }]);
    wire.session.sendWhileRunning(wire.state.pendingPrompts[0]?.id ?? "");
    const steered = await wire.agent.request("session/prompt");
    wire.idle({ stopReason: "cancelled" });
    await wire.processed();
    assert.deepEqual([isBusy(wire.state), wire.state.cancelling], [true, false]);
    wire.agent.answer(steered, { messageId: "u2" });
    wire.running();
    await wire.processed();
    assert.ok(!wire.state.cancelling);
  });

  it("that is still to come is awaited if that of an earlier prompt was running meanwhile", async () => {
    const request = await wire.send("one");
    wire.agent.answer(request, { messageId: "u1" });
    await wire.processed();
    wire.session.send([{ type: "text", text: "B" }]);
    wire.session.sendWhileRunning(wire.state.pendingPrompts[0]?.id ?? "");
    const steered = await wire.agent.request("session/prompt");
    wire.running();
    wire.idle();
    wire.agent.answer(steered, { messageId: "u2" });
    wire.session.send([{ type: "text", text: "next" }]);
    await wire.processed();
    assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state)], [["next"], [], true]);
  });

  it("shows its prompt whole once the agent has accepted it, although the agent still repeats it", async () => {
    const request = await wire.send("one two");
    const piece = (text: string): void =>
      wire.update("user_message_chunk", { messageId: "u1", content: { type: "text", text } });
    piece("one");
    wire.agent.answer(request, { messageId: "u1" });
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: one two"]);
    piece(" t");
    piece("wo");
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: one two"]);
    piece(", changed");
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: one two, changed"]);
  });

  it("that never begins ends some seconds after Stop", async () => {
    await wire.turn("one", "u1", "First.");
    const request = await wire.send("two");
    // The agent does not repeat this prompt, so its turn can be this one or still to come.
    wire.running();
    wire.idle();
    wire.agent.answer(request, { messageId: "u2" });
    await wire.processed();
    assert.ok(isBusy(wire.state));
    wire.session.stop();
    await wire.agent.request("session/cancel");
    assert.ok(wire.state.cancelling);
    wire.clock.advance(5000);
    assert.deepEqual([isBusy(wire.state), wire.state.cancelling, wire.state.stopIgnored], [false, false, false]);
    wire.agent.answer(await wire.send("three"), { messageId: "u3" });
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: one", "agent: First.", "user: two", "user: three"]);
  });

  it("is over at the end that the agent reports in a new session, although it reported no begin", async () => {
    await wire.turn("one", "u1", "First.");
    wire.loseAgent();
    const opening = wire.session.open();
    wire.agent.fail(await wire.agent.request("session/resume"), -32002, "There is no such session.");
    wire.agent.answer(await wire.agent.request("session/new"), { sessionId: "s" });
    await opening;
    const request = await wire.send("/clear");
    wire.agent.answer(request, { messageId: "u2" });
    wire.message("user", "u2", "/clear");
    await wire.processed();
    assert.ok(isBusy(wire.state));
    wire.idle();
    await wire.processed();
    assert.ok(!isBusy(wire.state));
  });

  it("of another client leaves the prompt awaited that the agent holds meanwhile, and Stop ends it", async () => {
    await wire.turn("one", "u1", "First.");
    const held = await wire.send("held");
    wire.session.send([{ type: "text", text: "next" }]);
    wire.message("user", "o1", "of another client");
    wire.running();
    wire.idle();
    await wire.processed();
    assert.ok(isBusy(wire.state), "the prompt is held");
    wire.agent.answer(held, { messageId: "u2" });
    await wire.processed();
    assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state)], [["next"], [], true]);
    wire.session.stop();
    await wire.agent.request("session/cancel");
    wire.running();
    wire.idle({ stopReason: "cancelled" });
    await wire.processed();
    assert.deepEqual([wire.queued, isBusy(wire.state), wire.state.cancelling], [["next"], false, false]);
  });

  it("may be over before the agent accepts its prompt", async () => {
    await wire.turn("one", "u1", "First.");
    const request = await wire.send("two");
    wire.message("user", "u2", "two");
    wire.running();
    wire.idle();
    wire.agent.answer(request, { messageId: "u2" });
    await wire.processed();
    assert.ok(!isBusy(wire.state));
  });

  it("gives a prompt back that the agent refuses until the user signs in, and no other one follows", async () => {
    const request = await wire.send("one");
    wire.session.send([{ type: "text", text: "two" }]);
    wire.agent.fail(request, -32000, "Sign in.");
    await until(() => wire.state.signIn !== null);
    await wire.processed();
    assert.deepEqual([wire.queued, wire.state.queuePaused, wire.sent], [["one", "two"], true, []]);
    assert.deepEqual([wire.messages, isBusy(wire.state)], [[], false]);
  });

  it("goes on by itself after the sign-in, once, however the agent refused its prompt", async () => {
    const first = await wire.send("one");
    wire.agent.fail(first, -32000, "Sign in.");
    await until(() => wire.state.signIn !== null);
    await wire.session.signedIn(false);
    const again = await wire.agent.request("session/prompt");
    wire.agent.answer(again, { messageId: "u1" });
    wire.message("user", "u1", "one");
    wire.running();
    wire.idle();
    await wire.processed();
    const second = await wire.send("two");
    wire.agent.answer(second, { messageId: "u2" });
    wire.message("user", "u2", "two");
    wire.running();
    wire.idle(signInError);
    await wire.processed();
    await wire.session.signedIn(false);
    const third = await wire.agent.request("session/prompt");
    wire.agent.answer(third, { messageId: "u3" });
    wire.message("user", "u3", "two");
    wire.running();
    wire.idle();
    await wire.processed();
    assert.deepEqual(
      [wire.messages, wire.queued, wire.sent],
      [["user: one", "user: two (excluded)", "user: two"], [], []],
    );
  });

  it("that the agent ended early after Stop leaves the next one when it ends once more", async () => {
    await acceptedAfterStop();
    wire.update("tool_call_update", { toolCallId: "late", title: "Late", status: "in_progress" });
    wire.idle({ stopReason: "cancelled" });
    await wire.processed();
    assert.deepEqual([ends(), isBusy(wire.state)], [1, true]);
    wire.running();
    wire.message("agent", "a2", "Two.");
    await wire.processed();
    assert.notEqual(wire.state.turnPrompt, null);
    wire.idle();
    await wire.processed();
    assert.deepEqual([ends(), isBusy(wire.state)], [1, false]);
  });

  it("that did not begin can be stopped after a stopped one", async () => {
    await acceptedAfterStop();
    wire.session.stop();
    // This can be the same end once more, so it does not count.
    wire.idle({ stopReason: "cancelled" });
    await wire.processed();
    assert.deepEqual([ends(), isBusy(wire.state)], [1, true]);
    wire.clock.advance(5000);
    await wire.processed();
    assert.deepEqual([ends(), isBusy(wire.state)], [2, false]);
  });

  describe("with a prompt that the user sent into it and that the agent holds", () => {
    beforeEach(async () => {
      await begun("one");
      wire.session.send([{ type: "text", text: "B" }]);
      const [prompt] = wire.state.pendingPrompts;
      wire.session.sendWhileRunning(prompt?.id ?? "");
    });

    it("can be stopped after its end, too", async () => {
      const steered = await wire.agent.request("session/prompt");
      wire.idle();
      await wire.processed();
      assert.ok(isBusy(wire.state));
      wire.session.stop();
      await wire.agent.request("session/cancel");
      wire.agent.fail(steered, -32800, "Cancelled.");
      await wire.processed();
      assert.deepEqual([wire.queued, isBusy(wire.state), wire.state.cancelling], [["B"], false, false]);
      assert.equal(wire.clock.pendingTimers, 0);
    });

    it("lets the user withdraw that prompt, and the next one follows", async () => {
      const steered = await wire.agent.request("session/prompt");
      wire.session.send([{ type: "text", text: "C" }]);
      wire.idle();
      await wire.processed();
      const [held] = wire.state.pendingPrompts;
      wire.session.queue.withdraw(held?.id ?? "");
      const { params } = await wire.agent.request("$/cancel_request");
      assert.deepEqual(params, { requestId: steered.id });
      wire.agent.fail(steered, -32800, "Cancelled.");
      const next = await wire.agent.request("session/prompt");
      assert.deepEqual(next.params?.["prompt"], [{ type: "text", text: "C" }]);
      assert.deepEqual(wire.messages, ["user: one"]);
    });

    it("keeps a prompt that the agent accepts although the user withdrew it", async () => {
      const steered = await wire.agent.request("session/prompt");
      const [held] = wire.state.pendingPrompts;
      wire.session.queue.withdraw(held?.id ?? "");
      await wire.agent.request("$/cancel_request");
      wire.agent.answer(steered, { messageId: "u2" });
      await wire.processed();
      assert.deepEqual(wire.messages, ["user: one", "user: B"]);
    });

    it("is not refused with the prompt that began it if only that one was sent before", async () => {
      const steered = await wire.agent.request("session/prompt");
      wire.agent.answer(steered, { messageId: "u2" });
      wire.message("user", "u2", "B");
      wire.idle({ stopReason: "refusal" });
      await wire.processed();
      assert.deepEqual(wire.messages, ["user: one (excluded)", "user: B (excluded)"]);
    });
  });

  it("goes on after a reload of the window as the turn of its prompt", async () => {
    await wire.turn("one", "u1", "First.");
    const request = await wire.send("two");
    wire.agent.answer(request, { messageId: "u2" });
    wire.running();
    await wire.processed();
    const earlier = wire;
    wire = new WireSession(earlier.log);
    earlier.dispose();
    const opening = wire.session.open();
    const resume = await wire.agent.request("session/resume");
    wire.message("user", "u2", "two");
    wire.message("agent", "m", "Half");
    wire.running();
    wire.agent.answer(resume, {});
    await opening;
    assert.ok(isBusy(wire.state));
    wire.idle(signInError);
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: one", "agent: First.", "user: two (excluded)", "agent: Half (excluded)"]);
    assert.deepEqual(wire.queued, ["two"]);
  });

  it("leaves background work, of which Stop ends only what offers it", async () => {
    wire.update("tool_call_update", { toolCallId: "t", title: "Serve", status: "in_progress" });
    wire.update("tool_call_update", {
      toolCallId: "c",
      title: "Watch",
      status: "in_progress",
      capabilities: { cancel: {} },
    });
    const cancel = { capabilities: { cancel: {} } };
    wire.update("terminal_update", { terminalId: "x", command: "serve" });
    wire.update("terminal_update", { terminalId: "y", command: "watch", ...cancel });
    wire.update("subagent_update", { sessionId: "quiet", title: "Quiet" });
    wire.update("subagent_update", { sessionId: "child", title: "Helper", ...cancel });
    const background = [
      { type: "tool_call", toolCallId: "t" },
      { type: "tool_call", toolCallId: "c" },
      { type: "terminal", terminalId: "x" },
      { type: "terminal", terminalId: "y" },
      { type: "subagent", sessionId: "quiet" },
      { type: "subagent", sessionId: "child" },
      { type: "_task" },
    ];
    wire.idle({ background });
    await wire.processed();
    wire.session.stop();
    const requests = [
      await wire.agent.request("tool_call/cancel"),
      await wire.agent.request("terminal/cancel"),
      await wire.agent.request("session/cancel"),
    ];
    assert.deepEqual(
      requests.map(({ params }) => params),
      [{ sessionId: "s", toolCallId: "c" }, { sessionId: "s", terminalId: "y" }, { sessionId: "child" }],
    );
    await wire.processed();
    assert.deepEqual(wire.sent, []);
    const titles = [...wire.state.entries].flatMap(entry => (entry.kind === "notice" ? entry.title : []));
    assert.ok(titles.includes("Robo does not let Parley stop 4 background tasks."), titles.join("\n"));
    assert.deepEqual(openQuestions(wire.state), []);
  });
});
