// Prompts on hold: they and the prompts behind them wait for the user, also in a session that opens again.
import assert from "node:assert/strict";
import fc from "fast-check";
import { PromptReturnedError } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { nextPrompt } from "../../src/session/promptQueue.ts";
import { reduce } from "../../src/session/reduce.ts";
import { contentText, emptySession, isBusy, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { exitedProblem, SessionBench } from "../support/fakes/sessionBench.ts";

/** A session whose agent works on "one" while the others wait, as s2, s3 and s4. */
async function working(...others: readonly string[]): Promise<SessionBench> {
  const bench = await new SessionBench().openReady();
  for (const text of ["one", ...others]) bench.send(text);
  await bench.flushPromises();
  return bench;
}

async function endTurn(bench: SessionBench, stopReason?: string): Promise<void> {
  bench.remote.end(stopReason);
  await bench.flushPromises();
}

const onHold = ({ pendingPrompts }: SessionState): readonly string[] =>
  pendingPrompts.filter(each => each.isOnHold).map(({ content }) => contentText(content));

describe("a prompt on hold in a session's state", () => {
  const sent = (submission: string): SessionEvent => ({
    type: "promptSent",
    submission,
    content: [{ type: "text", text: submission }],
  });
  const hold = (submission: string, is = true): SessionEvent => ({ type: "promptOnHold", submission, onHold: is });
  const fold = (...events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);

  it("keeps its state when it is edited and moved, and has none after it was released", () => {
    const edited: SessionEvent = { type: "promptEdited", submission: "a", text: "changed" };
    const moved: SessionEvent = { type: "promptMoved", submission: "a" };
    assert.deepEqual(onHold(fold(sent("a"), sent("b"), hold("a"), edited, moved)), ["changed"]);
    assert.deepEqual(fold(sent("a"), hold("a"), hold("a", false)), fold(sent("a")));
  });

  it("is a queued one: one that the agent has is not put on hold", () => {
    const submitted: SessionEvent = { type: "promptSubmitted", submission: "a" };
    const accepted: SessionEvent = { type: "promptAccepted", submission: "b", messageId: "u" };
    const state = fold(sent("a"), sent("b"), submitted, accepted, hold("a"), hold("b"), hold("c"));
    assert.deepEqual(onHold(state), []);
    assert.equal(reduce(state, { seq: 9, at: 9, event: hold("a") }), state);
  });

  it("leaves no next prompt while it is the first one", () => {
    const queued = [sent("a"), sent("b"), hold("a")];
    assert.equal(nextPrompt(fold(...queued)), undefined);
    assert.equal(nextPrompt(fold(...queued, { type: "promptMoved", submission: "b", before: "a" }))?.id, "b");
    assert.equal(nextPrompt(fold(...queued, hold("a", false)))?.id, "a");
    assert.equal(nextPrompt(fold(sent("a"), sent("b"), hold("b")))?.id, "a");
  });
});

describe("a prompt on hold", () => {
  it("is not sent when the turn ends, the prompts behind it wait, too, and both are sent after its release", async () => {
    const bench = await working("two", "three");
    bench.session.queue.hold("s2");
    await endTurn(bench);
    assert.deepEqual([bench.remote.texts, bench.queued], [["one"], ["two", "three"]]);
    bench.send("four");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [["one"], ["two", "three", "four"]]);
    bench.session.queue.release("s2");
    for (let turns = 0; turns < 3; turns++) {
      await bench.flushPromises();
      await endTurn(bench);
    }
    assert.deepEqual(bench.remote.texts, ["one", "two", "three", "four"]);
  });

  it("lets the prompts before it go out, and waits for the end of the turn if it is released earlier", async () => {
    const bench = await working("two", "three");
    bench.session.queue.hold("s3");
    await endTurn(bench);
    assert.deepEqual([bench.remote.texts, onHold(bench.session.state)], [["one", "two"], ["three"]]);
    bench.session.queue.release("s3");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    await endTurn(bench);
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("no longer holds up the others when it is removed, emptied or moved behind them", async () => {
    for (const change of [
      (bench: SessionBench) => bench.session.queue.withdraw("s2"),
      (bench: SessionBench) => bench.session.queue.edit("s2", " "),
      (bench: SessionBench) => bench.session.queue.move("s2"),
      (bench: SessionBench) => bench.session.queue.move("s3", "s2"),
    ]) {
      const bench = await working("two", "three");
      bench.session.queue.hold("s2");
      await endTurn(bench);
      change(bench);
      await bench.flushPromises();
      assert.deepEqual(bench.remote.texts, ["one", "three"]);
      await endTurn(bench);
      assert.deepEqual(bench.remote.texts, ["one", "three"]);
    }
  });

  it("is sent by Send Now, which stops the turn, and another prompt is sent before it by Send Now", async () => {
    const bench = await working("two", "three", "four");
    bench.session.queue.hold("s2");
    bench.session.queue.hold("s3");
    bench.session.sendNow("s3");
    assert.equal(bench.remote.cancels, 1);
    await endTurn(bench, "cancelled");
    assert.deepEqual([bench.remote.texts, onHold(bench.session.state)], [["one", "three"], ["two"]]);
    bench.session.sendNow("s4");
    await endTurn(bench, "cancelled");
    assert.deepEqual(bench.remote.texts, ["one", "three", "four"]);
    await endTurn(bench);
    assert.deepEqual([bench.remote.texts, bench.queued], [["one", "three", "four"], ["two"]]);
    bench.session.sendNow("s2");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "three", "four", "two"]);
  });

  it("goes into the running turn if the user sends it there", async () => {
    const bench = new SessionBench();
    bench.acceptsPromptsWhileRunning();
    await bench.openReady();
    for (const text of ["one", "two"]) bench.send(text);
    await bench.flushPromises();
    bench.session.queue.hold("s2");
    bench.session.sendWhileRunning("s2");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued, bench.remote.cancels], [["one", "two"], [], 0]);
    // If the agent gives it back for the next turn, it is not on hold any more.
    bench.remote.sendWhileRunning = () => Promise.reject(new PromptReturnedError(true));
    bench.send("three");
    bench.session.queue.hold("s3");
    bench.session.sendWhileRunning("s3");
    await bench.flushPromises();
    assert.deepEqual(bench.queued, ["three"]);
    await endTurn(bench);
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("is not sent when the user resumes a paused queue, and its release does not resume one", async () => {
    const bench = await working("two", "three");
    bench.session.queue.hold("s2");
    bench.session.stop();
    await endTurn(bench, "cancelled");
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.session.state.queuePaused], [["one"], false]);
    bench.session.sendNow("s3");
    await bench.flushPromises();
    bench.session.stop();
    await endTurn(bench, "cancelled");
    bench.session.queue.release("s2");
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.session.state.queuePaused], [["one", "three"], true]);
  });

  it("stays on hold in a session that opens again, and goes out when the user resumes the queue and releases it", async () => {
    const first = await working("two", "three");
    first.session.queue.hold("s2");
    await endTurn(first);
    const bench = await new SessionBench(first.log).openReady();
    assert.deepEqual([bench.queued, onHold(bench.session.state)], [["two", "three"], ["two"]]);
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, []);
    bench.session.queue.release("s2");
    await bench.flushPromises();
    await endTurn(bench);
    assert.deepEqual(bench.remote.texts, ["two", "three"]);
  });

  it("starts a lost agent again when it is released, and not before", async () => {
    const bench = await working("two");
    bench.session.queue.hold("s2");
    await endTurn(bench);
    bench.died.fire(exitedProblem);
    await bench.session.restart();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, []);
    bench.died.fire(exitedProblem);
    const { connects } = bench;
    bench.session.queue.edit("s2", "two, changed");
    await bench.flushPromises();
    assert.equal(bench.connects, connects);
    bench.session.queue.release("s2");
    await bench.flushPromises();
    assert.deepEqual([bench.connects, bench.remote.texts], [connects + 1, ["two, changed"]]);
  });

  it("never goes out unless the user sends it, holds up only what is behind it, and is never lost, for any steps", async () => {
    const steps = ["send", "hold", "release", "move", "first", "withdraw", "sendNow", "stop", "resume", "end"] as const;
    const step = fc.record({ name: fc.constantFrom(...steps), n: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async run => {
        const bench = await new SessionBench().openReady();
        const { session } = bench;
        const withdrawn: string[] = [];
        let sent = 0;
        for (const { name, n } of run) {
          const { pendingPrompts } = session.state;
          const { id = "none", content = [] } = pendingPrompts[n % Math.max(1, pendingPrompts.length)] ?? {};
          const held = onHold(session.state);
          if (name === "send") bench.send(`prompt ${++sent}`);
          else if (name === "hold") session.queue.hold(id);
          else if (name === "release") session.queue.release(id);
          else if (name === "move") session.queue.move(id);
          else if (name === "first") session.queue.move(id, pendingPrompts[0]?.id);
          else if (name === "sendNow") session.sendNow(id);
          else if (name === "stop") session.stop();
          else if (name === "resume") session.resumeQueue();
          else if (name === "end") bench.remote.end(session.state.cancelling ? "cancelled" : "end_turn");
          else {
            session.queue.withdraw(id);
            if (pendingPrompts.length > 0) withdrawn.push(contentText(content));
          }
          const chosen = name === "release" || name === "sendNow" || name === "withdraw" ? contentText(content) : "";
          await bench.flushPromises();
          // What was on hold still is, but for the prompt of this step.
          const now = onHold(session.state);
          for (const text of held) assert.ok(text === chosen || now.includes(text), `${text} is no longer on hold`);
          for (const text of now) assert.ok(!bench.remote.texts.includes(text), `${text} was sent`);
          const isFree = !isBusy(session.state) && !session.state.queuePaused;
          assert.ok(!isFree || nextPrompt(session.state) === undefined, "a prompt waits that is not on hold");
        }
        while (session.state.pendingPrompts.length > 0 || isBusy(session.state)) {
          for (const { id } of session.state.pendingPrompts) session.queue.release(id);
          session.resumeQueue();
          await bench.flushPromises();
          if (isBusy(session.state)) await endTurn(bench, session.state.cancelling ? "cancelled" : "end_turn");
        }
        const all = Array.from({ length: sent }, (_, at) => `prompt ${at + 1}`);
        assert.deepEqual([...bench.remote.texts, ...withdrawn].sort(), all.sort());
        session.dispose();
        bench.died.dispose();
      }),
      { numRuns: 100 },
    );
  });
});
