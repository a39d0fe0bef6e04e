// When prompts go out: to an agent that accepts a prompt and begins to work on it later, that holds it, that gives it
// back, and that accepts one while it works.
import assert from "node:assert/strict";
import { PromptReturnedError, SessionGoneError } from "../../src/session/agent.ts";
import { isBusy, openQuestions } from "../../src/session/state.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";

/** A session whose agent accepts prompts without beginning to work on them. */
async function accepting(): Promise<SessionBench> {
  const bench = await new SessionBench().openReady();
  bench.remote.acceptsOnly = true;
  return bench;
}
const run = (bench: SessionBench): void => bench.remote.report({ type: "activity", state: "running" });

describe("an agent that accepts a prompt before it begins to work on it", () => {
  it("gets the next prompt only after the turn of the one before", async () => {
    const bench = await accepting();
    for (const text of ["one", "two", "three"]) bench.send(text);
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [["one"], ["two", "three"]]);
    assert.ok(isBusy(bench.session.state));
    run(bench);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    // The agent repeats how the turn before ended.
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    // This turn begins and ends without being reported as running.
    bench.remote.end("max_tokens");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("gets the next prompt after each turn if it never reports that one begins", async () => {
    const bench = await accepting();
    for (const text of ["one", "two", "three"]) bench.send(text);
    await bench.flushPromises();
    for (const sent of [
      ["one", "two"],
      ["one", "two", "three"],
    ]) {
      bench.remote.end();
      await bench.flushPromises();
      assert.deepEqual(bench.remote.texts, sent);
    }
  });

  it("is no longer waited for some seconds after Stop, if it has nothing to stop", async () => {
    const bench = await accepting();
    bench.send("one");
    await bench.flushPromises();
    run(bench);
    bench.remote.end("cancelled");
    bench.send("two");
    await bench.flushPromises();
    bench.remote.end("cancelled");
    assert.ok(isBusy(bench.session.state));
    bench.session.stop();
    bench.clock.advance(4999);
    assert.ok(bench.session.state.cancelling);
    bench.clock.advance(1);
    const { cancelling, stopIgnored } = bench.session.state;
    assert.deepEqual([isBusy(bench.session.state), cancelling, stopIgnored], [false, false, false]);
    bench.send("three");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("may report the whole turn before it accepts the prompt", async () => {
    const bench = await accepting();
    bench.remote.onPrompt = () => {
      run(bench);
      bench.remote.end();
    };
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, isBusy(bench.session.state)], [["one", "two"], false]);
  });

  it("is stopped while it has not begun", async () => {
    const bench = await accepting();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.session.stop();
    assert.deepEqual([bench.remote.cancels, bench.session.state.cancelling], [1, true]);
    bench.remote.end("cancelled");
    await bench.flushPromises();
    const { cancelling, queuePaused } = bench.session.state;
    assert.deepEqual([cancelling, queuePaused, bench.queued, bench.remote.texts], [false, true, ["two"], ["one"]]);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("is no longer waited for when it is lost", async () => {
    const bench = await accepting();
    bench.send("one");
    await bench.flushPromises();
    bench.died.fire({ message: "Gone.", next: [] });
    assert.equal(isBusy(bench.session.state), false);
  });

  it("adds nothing to the conversation when it repeats that it is idle", async () => {
    const bench = await accepting();
    bench.send("one");
    await bench.flushPromises();
    run(bench);
    bench.remote.end("max_tokens");
    const { entries } = bench.session.state;
    for (const reason of ["max_tokens", "refusal", "end_turn"]) bench.remote.end(reason);
    assert.equal(bench.session.state.entries, entries);
  });

  it("is busy in a state that Parley does not know", async () => {
    const bench = await accepting();
    bench.remote.report({ type: "activity", state: "unknown" });
    bench.send("one");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [[], ["one"]]);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one"]);
  });

  it("may begin to work without a prompt, which the queue waits for", async () => {
    const bench = await accepting();
    run(bench);
    bench.send("one");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, []);
  });
});

describe("an agent that holds a prompt before it accepts it", () => {
  async function holding(texts: readonly string[] = ["one", "two"]): Promise<{
    readonly bench: SessionBench;
    readonly settle: (error?: Error) => Promise<void>;
  }> {
    const bench = await new SessionBench().openReady();
    let settle: (error?: Error) => void = () => {};
    bench.remote.holdsPrompts = true;
    bench.remote.acceptsOnly = true;
    bench.remote.onPrompt = () =>
      new Promise((resolve, reject) => (settle = error => (error ? reject(error) : resolve())));
    for (const text of texts) bench.send(text);
    await bench.flushPromises();
    return {
      bench,
      settle: async error => {
        settle(error);
        await bench.flushPromises();
      },
    };
  }

  it("can be stopped, and a prompt that it gives back returns to the paused queue", async () => {
    const { bench, settle } = await holding();
    assert.ok(isBusy(bench.session.state));
    bench.session.queue.edit("s1", "too late");
    assert.deepEqual(bench.queued, ["one", "two"]);
    bench.session.stop();
    assert.equal(bench.remote.cancels, 1);
    await settle(new PromptReturnedError());
    const { queuePaused, cancelling } = bench.session.state;
    assert.deepEqual(
      [bench.queued, queuePaused, cancelling, isBusy(bench.session.state)],
      [["one", "two"], true, false, false],
    );
    assert.deepEqual(bench.entryKinds, [], "nothing is shown as a failure");
    assert.equal(bench.clock.pendingTimers, 0);
    bench.session.queue.edit("s1", "one, changed");
    assert.deepEqual(bench.queued, ["one, changed", "two"]);
  });

  it("can be stopped when no other prompt waits, and does not get the prompt again", async () => {
    const { bench, settle } = await holding(["one"]);
    bench.session.stop();
    await settle(new PromptReturnedError());
    const { queuePaused, cancelling } = bench.session.state;
    assert.deepEqual(
      [bench.queued, queuePaused, cancelling, isBusy(bench.session.state), bench.remote.texts],
      [["one"], true, false, false, ["one"]],
    );
    bench.session.resumeQueue();
    assert.deepEqual(bench.remote.texts, ["one", "one"]);
  });

  it("is not taken as idle by a repeated report while it holds the prompt", async () => {
    const { bench, settle } = await holding();
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual([isBusy(bench.session.state), bench.remote.texts], [true, ["one"]]);
    await settle();
    assert.ok(isBusy(bench.session.state), "it has accepted the prompt and not begun");
  });

  it("gets a new session if it refuses the prompt because it no longer has the session", async () => {
    const { bench, settle } = await holding(["one"]);
    await settle(new SessionGoneError({ message: "Stub did not accept this message: Not found.", next: ["retry"] }));
    assert.equal(bench.agent.sessions.length, 2);
    assert.deepEqual(bench.entryKinds, ["message", "problem", "notice"]);
    assert.deepEqual([bench.queued, isBusy(bench.session.state)], [[], false]);
    assert.deepEqual(bench.remote.texts, [], "nothing is sent by itself");
  });

  it("may refuse the prompt, and the next one follows", async () => {
    const { bench, settle } = await holding();
    await settle(new Error("No."));
    assert.deepEqual(
      [bench.remote.texts, bench.entryKinds.slice(0, 2)],
      [
        ["one", "two"],
        ["message", "problem"],
      ],
    );
  });
});

describe("an agent that accepts prompts while it works", () => {
  async function working(): Promise<SessionBench> {
    const bench = new SessionBench();
    bench.acceptsPromptsWhileRunning();
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    bench.send("three");
    await bench.flushPromises();
    return bench;
  }

  it("gets the prompt that the user sends then, and the others wait", async () => {
    const bench = await working();
    assert.equal(bench.session.state.steers, true);
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Work", status: "in_progress" } });
    bench.session.sendWhileRunning("s3");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [["one", "three"], ["two"]]);
    bench.remote.end();
    await bench.flushPromises();
    const tool = bench.session.state.entries.get("t:t");
    assert.ok(tool?.kind === "tool");
    assert.equal(tool.closed, true, "a call before the inserted prompt ends with the turn too");
    assert.deepEqual(bench.remote.texts, ["one", "three", "two"]);
  });

  it("keeps the prompt for the next turn if this one is over", async () => {
    const bench = await working();
    bench.remote.sendWhileRunning = () => Promise.reject(new PromptReturnedError(true));
    bench.session.sendWhileRunning("s2");
    await bench.flushPromises();
    assert.deepEqual([bench.queued, bench.session.state.queuePaused], [["two", "three"], false]);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
  });

  it("does not get one that was sent already, nor one while it is idle", async () => {
    const bench = await working();
    bench.session.sendWhileRunning("s1");
    bench.remote.end();
    await bench.flushPromises();
    bench.remote.end();
    await bench.flushPromises();
    bench.remote.end();
    await bench.flushPromises();
    bench.session.sendWhileRunning("s9");
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });
});

describe("background work that the agent reports", () => {
  const work = [{ kind: "tool_call", toolCallId: "t" }];

  it("keeps its call open after the turn, is stopped on its own, and ends when the agent says so", async () => {
    const bench = await new SessionBench().openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.remote.report({
      type: "tool",
      toolCallId: "t",
      patch: { title: "Serve", status: "in_progress", canCancel: true },
    });
    bench.remote.report({ type: "activity", state: "idle", stopReason: "end_turn", background: work });
    const status = (): unknown => {
      const entry = bench.session.state.entries.get("t:t");
      return entry?.kind === "tool" && [entry.fields.status, entry.closed];
    };
    assert.deepEqual(status(), ["in_progress", undefined]);
    assert.deepEqual(bench.session.state.background?.reported, work);
    bench.session.stop();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.requests.slice(1), ["cancel t"]);
    assert.equal(bench.remote.cancels, 0, "a stop of the turn does not end background work");
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { status: "cancelled" } });
    bench.remote.report({ type: "activity", state: "idle", background: [] });
    assert.deepEqual([bench.session.state.background, status()], [null, ["cancelled", undefined]]);
  });

  it("stays while a turn is stopped", async () => {
    const bench = await new SessionBench().openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Serve", status: "in_progress" } });
    bench.remote.report({ type: "activity", state: "running", background: work });
    bench.session.stop();
    assert.equal(bench.remote.cancels, 1);
    bench.remote.end("cancelled");
    assert.deepEqual(bench.session.state.background?.reported, work);
  });

  const form = { message: "Which port?", fields: [] };
  const askForm = (bench: SessionBench, toolCallId?: string): Promise<unknown> =>
    bench.remote.client.askForm(
      { type: "form", form, ...(toolCallId !== undefined && { toolCallId }) },
      new AbortController().signal,
    );
  const askPermission = (bench: SessionBench, toolCallId?: string): Promise<unknown> =>
    bench.remote.client.requestPermission(
      { title: "May I?", options: [], ...(toolCallId !== undefined && { toolCallId }) },
      new AbortController().signal,
    );

  it("keeps its questions and forms while a turn is stopped, also those that it asks then", async () => {
    const bench = await new SessionBench().openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Serve", status: "in_progress" } });
    bench.remote.report({ type: "activity", state: "running", background: work });
    const ofTurn = [askPermission(bench), askForm(bench)];
    void askPermission(bench, "t");
    void askForm(bench, "t");
    await bench.flushPromises();
    bench.session.stop();
    assert.deepEqual(await Promise.all(ofTurn), ["cancelled", "cancelled"]);
    void askPermission(bench, "t");
    await bench.flushPromises();
    assert.equal(openQuestions(bench.session.state).length, 3);
    assert.equal(await askForm(bench), "cancelled");
    bench.remote.end("cancelled");
    await bench.flushPromises();
    assert.equal(openQuestions(bench.session.state).length, 3);
    bench.session.dispose();
  });

  it("loses its questions and forms when it is stopped itself", async () => {
    const bench = await new SessionBench().openReady();
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Serve", status: "in_progress" } });
    bench.remote.report({ type: "activity", state: "idle", background: work });
    const asked = [askPermission(bench, "t"), askForm(bench, "t")];
    await bench.flushPromises();
    bench.session.stop();
    assert.deepEqual(await Promise.all(asked), ["cancelled", "cancelled"]);
  });
});
