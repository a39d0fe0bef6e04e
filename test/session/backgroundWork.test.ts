// Work that an agent does outside of a turn.
import assert from "node:assert/strict";
import { isWorking } from "../../src/session/background/background.ts";
import { openQuestions, shownToolStatus, toolKey } from "../../src/session/state.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";

const options = [{ id: "y", name: "Yes", kind: "allow_once" }];

function statusOf({ session }: SessionBench, toolCallId: string): string {
  const entry = session.state.entries.get(toolKey(toolCallId));
  assert.ok(entry?.kind === "tool");
  return shownToolStatus(entry, false);
}

const say = (bench: SessionBench, text: string): void =>
  bench.remote.report({ type: "messageChunk", author: "agent", messageId: text, content: { type: "text", text } });
const call = (bench: SessionBench, toolCallId: string, status = "in_progress"): void =>
  bench.remote.report({ type: "tool", toolCallId, patch: { status } });
const ask = (bench: SessionBench, toolCallId?: string): Promise<unknown> =>
  bench.remote.client.requestPermission(
    { title: "May I?", options, ...(toolCallId !== undefined && { toolCallId }) },
    new AbortController().signal,
  );

async function turn(bench: SessionBench): Promise<void> {
  bench.send("go");
  await bench.flushPromises();
}

/** A session whose turn has ended, and whose agent works again six seconds later: a message, a call and a question. */
async function inBackground(): Promise<{ readonly bench: SessionBench; readonly answer: Promise<unknown> }> {
  const bench = await new SessionBench().openReady();
  await turn(bench);
  bench.remote.end();
  bench.clock.advance(6000);
  say(bench, "The server has started.");
  call(bench, "b");
  const answer = ask(bench, "b");
  await bench.flushPromises();
  return { bench, answer };
}

describe("work outside of a turn", () => {
  it("is background work from its first message on, until the agent is quiet", async () => {
    const bench = await new SessionBench().openReady();
    await turn(bench);
    bench.remote.end();
    bench.clock.advance(6000);
    assert.equal(bench.session.state.background, null);
    say(bench, "One");
    assert.equal(isWorking(bench.session.state), true);
    assert.equal(bench.session.state.activity.state, "idle");
    bench.clock.advance(2000);
    say(bench, "Two");
    bench.clock.advance(2000);
    assert.equal(isWorking(bench.session.state), true);
    bench.clock.advance(1000);
    assert.deepEqual([isWorking(bench.session.state), bench.clock.pendingTimers], [false, 0]);
  });

  it("lasts as long as its tool call and its question are open", async () => {
    const { bench, answer } = await inBackground();
    bench.clock.advance(60_000);
    assert.equal(isWorking(bench.session.state), true);
    const [open] = openQuestions(bench.session.state);
    bench.session.answer(open?.id ?? "", "y");
    assert.deepEqual(await answer, { option: "y" });
    bench.clock.advance(60_000);
    assert.equal(isWorking(bench.session.state), true);
    call(bench, "b", "completed");
    bench.clock.advance(3000);
    assert.equal(isWorking(bench.session.state), false);
    assert.equal(statusOf(bench, "b"), "done");
  });

  it("is stopped by Stop, which reaches the agent, the call and the question", async () => {
    const { bench, answer } = await inBackground();
    bench.session.stop();
    assert.equal(await answer, "cancelled");
    assert.deepEqual([bench.remote.cancels, statusOf(bench, "b")], [1, "cancelled"]);
    assert.deepEqual([isWorking(bench.session.state), bench.session.state.cancelling], [false, false]);
    bench.session.stop();
    assert.equal(bench.remote.cancels, 1);
  });

  it("keeps its question and its call while another turn begins and ends", async () => {
    const { bench, answer } = await inBackground();
    await turn(bench);
    const ofTurn = ask(bench);
    call(bench, "t");
    await bench.flushPromises();
    assert.equal(openQuestions(bench.session.state).length, 2);
    bench.remote.end();
    assert.equal(await ofTurn, "cancelled");
    assert.deepEqual(
      openQuestions(bench.session.state).map(({ toolCallId }) => toolCallId),
      ["b"],
    );
    assert.deepEqual([statusOf(bench, "t"), statusOf(bench, "b")], ["cancelled", "running"]);
    bench.session.stop();
    assert.equal(await answer, "cancelled");
  });

  it("includes the calls that its own calls make during a turn", async () => {
    const { bench } = await inBackground();
    await turn(bench);
    bench.remote.report({ type: "tool", toolCallId: "child", parent: "b", patch: { status: "in_progress" } });
    bench.remote.end();
    assert.equal(statusOf(bench, "child"), "running");
    bench.session.stop();
    assert.equal(statusOf(bench, "child"), "cancelled");
  });

  it("ends with the turn that begins if nothing of it is open", async () => {
    const bench = await new SessionBench().openReady();
    say(bench, "Hello");
    assert.equal(isWorking(bench.session.state), true);
    await turn(bench);
    // Only the silence of the turn is timed.
    assert.deepEqual([bench.session.state.background, bench.clock.pendingTimers], [null, 1]);
  });

  it("ends with the agent, with a restart, and with the window", async () => {
    const lost = await inBackground();
    lost.bench.died.fire({ message: "It exited.", next: [] });
    assert.deepEqual([await lost.answer, statusOf(lost.bench, "b")], ["cancelled", "cancelled"]);
    const restarted = await inBackground();
    await restarted.bench.session.restart();
    assert.deepEqual([await restarted.answer, statusOf(restarted.bench, "b")], ["cancelled", "cancelled"]);
    const reloaded = new SessionBench((await inBackground()).bench.log);
    assert.deepEqual([isWorking(reloaded.session.state), statusOf(reloaded, "b")], [false, "cancelled"]);
  });

  it("does not begin with the conversation that an agent repeats while it opens the session", async () => {
    const bench = new SessionBench();
    bench.agent.onOpen = session => {
      session.report({ type: "tool", toolCallId: "old", patch: { status: "in_progress" } });
    };
    await bench.openReady();
    assert.equal(isWorking(bench.session.state), false);
  });
});

describe("a tool call that never ends", () => {
  it("is closed with its own turn, also behind a message of the user that the agent reports", async () => {
    const bench = await new SessionBench().openReady();
    await turn(bench);
    call(bench, "t");
    const content = [{ type: "text" as const, text: "By the way" }];
    bench.remote.report({ type: "message", author: "user", messageId: "reported", content });
    bench.remote.end();
    assert.equal(statusOf(bench, "t"), "cancelled");
  });
});
