// What became of the prompt of an extension, and what its session does, step by step with a stub agent.
import assert from "node:assert/strict";
import { currentId, promptOutcome, type PromptOutcome } from "../../src/api/promptOutcome.ts";
import { isHeldByUser, sessionPhase, type SessionPhase } from "../../src/api/sessionPhase.ts";
import { permissionQuestion, SessionBench } from "../support/fakes/sessionBench.ts";

describe("the prompt of an extension", () => {
  let bench: SessionBench;
  beforeEach(() => (bench = new SessionBench()));
  afterEach(() => bench.session.dispose());

  const send = (text = "go"): string => bench.session.send([{ type: "text", text }]) ?? "";
  const say = (text: string): void =>
    bench.remote.report({ type: "message", author: "agent", messageId: "a", content: [{ type: "text", text }] });
  const outcome = (id: string): PromptOutcome => promptOutcome(bench.session.state, id);
  const phase = (): SessionPhase => sessionPhase(bench.session.state);
  const started = async (text = "go"): Promise<string> => {
    await bench.openReady();
    const id = send(text);
    await bench.flushPromises();
    return id;
  };

  it("is open until its turn ends, and has the text of the agent then", async () => {
    const seen = new Set<string>();
    const id = send();
    bench.session.onDidChange(() => seen.add(outcome(id).type));
    assert.equal(phase(), "starting");
    await bench.openReady();
    await bench.flushPromises();
    say("Done.");
    assert.equal(phase(), "working");
    assert.deepEqual([...seen], ["open"]);
    bench.remote.end();
    assert.deepEqual(outcome(id), { type: "ended", stopReason: "end_turn", text: "Done." });
    assert.equal(phase(), "idle");
  });

  it("is open while the agent has accepted it and not begun", async () => {
    bench.agent.onOpen = session => (session.acceptsOnly = true);
    const id = await started();
    assert.deepEqual([outcome(id).type, phase()], ["open", "working"]);
    bench.remote.report({ type: "activity", state: "running" });
    bench.remote.end("max_tokens");
    assert.deepEqual(outcome(id), { type: "ended", stopReason: "max_tokens", text: "" });
  });

  it("keeps its outcome while the next turn runs", async () => {
    const first = await started();
    say("One.");
    const second = send("more");
    assert.deepEqual([outcome(first).type, outcome(second).type], ["open", "open"]);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(outcome(first), { type: "ended", stopReason: "end_turn", text: "One." });
    assert.equal(outcome(second).type, "open");
  });

  it("waits while the agent asks the user, and ends as cancelled when the user stops it", async () => {
    const id = await started();
    void bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    assert.deepEqual([outcome(id).type, phase()], ["open", "waiting"]);
    bench.session.stop();
    bench.remote.end("cancelled");
    assert.deepEqual(outcome(id), { type: "ended", stopReason: "cancelled", text: "" });
  });

  it("is withdrawn if the user takes it out of the queue", async () => {
    await started();
    const id = send("next");
    bench.session.queue.withdraw(id);
    assert.deepEqual(outcome(id), { type: "withdrawn" });
  });

  it("fails with the reason of an agent that refuses it, and of one that is lost", async () => {
    bench.agent.onOpen = session => (session.promptError = new Error("Not today."));
    const refused = await started();
    assert.deepEqual(outcome(refused), { type: "failed", reason: "Not today." });
    bench.remote.promptError = undefined;
    const lost = send();
    await bench.flushPromises();
    const waiting = send("next");
    bench.died.fire({ message: "Stub ended with code 1.", next: [] });
    assert.deepEqual(outcome(lost), { type: "failed", reason: "Stub ended with code 1." });
    assert.deepEqual(outcome(waiting), { type: "failed", reason: "Stub ended with code 1." });
    assert.equal(phase(), "failed");
  });

  it("waits for a sign-in, and for a connection that is made again", async () => {
    const id = send();
    const { state } = bench.session;
    const problem = { message: "Sign in first.", next: [] as const };
    const needsSignIn = { ...state, lost: { ...problem, signIn: [] } };
    assert.deepEqual([promptOutcome(needsSignIn, id).type, sessionPhase(needsSignIn)], ["open", "waiting"]);
    const reconnects = { ...state, lost: { ...problem, reconnects: true as const } };
    assert.deepEqual([promptOutcome(reconnects, id).type, sessionPhase(reconnects)], ["open", "starting"]);
  });

  it("has another id while it waits for a sign-in, also if an equal one waits behind it", async () => {
    const id = await started();
    const equal = send();
    const problem = { message: "Sign in first.", next: [], signIn: [] } as const;
    bench.remote.report({ type: "activity", state: "idle", stopReason: "error", problem, unsent: true });
    const now = currentId(bench.session.state, id);
    assert.deepEqual(
      bench.session.state.pendingPrompts.map(one => one.id),
      [now, equal],
    );
    assert.notEqual(now, id);
    assert.equal(currentId(bench.session.state, equal), equal);
    assert.deepEqual([outcome(now).type, outcome(equal).type], ["open", "open"]);
    bench.session.queue.withdraw(now);
    assert.deepEqual([outcome(now).type, outcome(id).type, outcome(equal).type], ["withdrawn", "withdrawn", "open"]);
    assert.equal(currentId(bench.session.state, id), id);
  });

  it("has no answer of an equal one if the agent refused it", async () => {
    const id = await started();
    const equal = send();
    bench.remote.end("refusal");
    assert.deepEqual(outcome(id), { type: "ended", stopReason: "refusal", text: "" });
    assert.equal(outcome(equal).type, "open");
  });

  it("has the end of its turn and all of its text, although the user sends a message into the turn", async () => {
    bench.acceptsPromptsWhileRunning();
    const id = await started();
    say("One.");
    const steered = send("Rather that.");
    bench.session.sendWhileRunning(steered);
    await bench.flushPromises();
    bench.remote.report({
      type: "message",
      author: "agent",
      messageId: "b",
      content: [{ type: "text", text: "Two." }],
    });
    assert.equal(outcome(id).type, "open");
    bench.remote.end("cancelled");
    assert.deepEqual(outcome(id), { type: "ended", stopReason: "cancelled", text: "One.\n\nTwo." });
    assert.deepEqual(outcome(steered), { type: "ended", stopReason: "cancelled", text: "Two." });
  });

  it("fails with its turn, and not with a message that the agent does not accept in the turn", async () => {
    bench.agent.onOpen = session => (session.sendWhileRunning = () => Promise.reject(new Error("Not now.")));
    const id = await started();
    bench.session.sendWhileRunning(send("Rather that."));
    await bench.flushPromises();
    say("One.");
    const problem = { message: "It broke.", next: [] } as const;
    const { state } = bench.session;
    assert.ok([...state.entries].some(entry => entry.kind === "problem"));
    bench.remote.report({ type: "activity", state: "idle", stopReason: "error", problem });
    assert.deepEqual(outcome(id), { type: "failed", reason: "It broke." });
  });

  it("would release messages that the user has put on hold", async () => {
    await started();
    assert.equal(isHeldByUser(bench.session.state), false);
    const id = send("later");
    assert.equal(isHeldByUser(bench.session.state), false);
    bench.session.queue.hold(id);
    assert.equal(isHeldByUser(bench.session.state), true);
    bench.remote.end();
    assert.equal(phase(), "waiting");
  });
});
