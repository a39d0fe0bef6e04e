// A prompt that the agent refused until the user signs in: it goes on by itself after the sign-in, exactly once.
import assert from "node:assert/strict";
import type { Problem } from "../../src/base/errors.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";

const refusal: Problem = {
  message: "Stub needs you to sign in.",
  detail: "Your login has expired",
  next: ["retry"],
  signIn: [{ id: "login", name: "Log in" }],
};

/** The agent has refused the prompt of its turn. */
function refuse(bench: SessionBench): void {
  bench.remote.report({ type: "activity", state: "idle", stopReason: "error", problem: refusal, unsent: true });
}

/** A session whose agent has refused the first of these prompts. */
async function refused(...texts: readonly string[]): Promise<SessionBench> {
  const bench = await new SessionBench().openReady();
  for (const text of texts) bench.send(text);
  await bench.flushPromises();
  refuse(bench);
  await bench.flushPromises();
  assert.deepEqual([bench.remote.texts, bench.queued], [texts.slice(0, 1), texts]);
  return bench;
}

const idOf = (bench: SessionBench, at: number): string => bench.session.state.pendingPrompts[at]?.id ?? "";
const signIn = async (bench: SessionBench, restarts = false): Promise<void> => {
  await bench.session.signedIn(restarts);
  await bench.flushPromises();
};

describe("a prompt that the agent refused until the user signs in", () => {
  it("is sent again after the sign-in, once, and the prompts behind it follow", async () => {
    const bench = await refused("first", "second");
    await signIn(bench);
    assert.deepEqual([bench.remote.texts, bench.queued], [["first", "first"], ["second"]]);
    await signIn(bench);
    bench.remote.end("end_turn");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [["first", "first", "second"], []]);
  });

  it("is sent again when the agent has started again for the sign-in", async () => {
    const bench = await refused("first");
    await signIn(bench, true);
    assert.deepEqual([bench.restarts, bench.remote.texts, bench.queued], [1, ["first"], []]);
  });

  it("waits if the agent does not start again, also once it does", async () => {
    const bench = await refused("first");
    bench.refuse = new Error("It does not start.");
    await signIn(bench, true);
    assert.deepEqual([bench.queued, bench.session.state.queuePaused], [["first"], true]);
    bench.refuse = undefined;
    await bench.session.open();
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [[], ["first"]]);
  });

  it("waits without a sign-in, and after one that the agent asked for at another time", async () => {
    const bench = await refused("first");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.session.state.queuePaused], [["first"], true]);
    const stopped = await new SessionBench().openReady();
    stopped.send("first");
    stopped.send("second");
    await stopped.flushPromises();
    stopped.session.stop();
    stopped.remote.end("cancelled");
    await stopped.flushPromises();
    stopped.remote.report({ type: "signInNeeded", problem: refusal });
    await signIn(stopped);
    assert.deepEqual([stopped.remote.texts, stopped.queued], [["first"], ["second"]]);
  });

  it("waits if the user has edited, withdrawn or moved it", async () => {
    const edited = await refused("first", "second");
    edited.session.queue.edit(idOf(edited, 0), "first, please");
    await signIn(edited);
    assert.deepEqual([edited.remote.texts, edited.queued], [["first"], ["first, please", "second"]]);
    const withdrawn = await refused("first", "second");
    withdrawn.session.queue.withdraw(idOf(withdrawn, 0));
    await signIn(withdrawn);
    assert.deepEqual([withdrawn.remote.texts, withdrawn.queued], [["first"], ["second"]]);
    const moved = await refused("first", "second");
    moved.session.queue.move(idOf(moved, 0));
    await signIn(moved);
    assert.deepEqual([moved.remote.texts, moved.queued], [["first"], ["second", "first"]]);
  });

  it("is not sent again after a second sign-in if the user has sent it meanwhile", async () => {
    const bench = await refused("first");
    bench.session.resumeQueue();
    await bench.flushPromises();
    bench.remote.end("end_turn");
    await signIn(bench);
    assert.deepEqual(bench.remote.texts, ["first", "first"]);
  });

  it("is an error if the agent still refuses, and is not sent again", async () => {
    const bench = await refused("first", "second");
    await signIn(bench);
    refuse(bench);
    await bench.flushPromises();
    const last = bench.session.state.entries.at(-1);
    assert.match((last?.kind === "problem" && last.problem.message) || "", /still refuses after you signed in/);
    assert.deepEqual([bench.remote.texts, bench.queued], [["first", "first"], ["second"]]);
    await signIn(bench);
    assert.deepEqual([bench.remote.texts, bench.queued], [["first", "first"], ["second"]]);
  });

  it("is marked as not answered, and not as a part that the agent has left out", async () => {
    const bench = await refused("first");
    const [prompt] = [...bench.session.state.entries];
    assert.deepEqual([prompt?.kind, prompt?.excluded, prompt?.unsent], ["message", true, true]);
  });
});
