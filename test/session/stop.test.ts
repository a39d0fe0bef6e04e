// Stop: agents that ignore it, and calls whose question it ends.
import assert from "node:assert/strict";
import { toolKey, shownToolStatus } from "../../src/session/state.ts";
import { permissionQuestion, SessionBench } from "../support/fakes/sessionBench.ts";

const ask = (bench: SessionBench): Promise<unknown> =>
  bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);

function reportedStatus(bench: SessionBench, status: string): string {
  bench.remote.report({ type: "tool", toolCallId: "t", patch: { status } });
  const entry = bench.session.state.entries.get(toolKey("t"));
  assert.ok(entry?.kind === "tool");
  return shownToolStatus(entry, false);
}

/** A session whose agent works on a prompt, and has announced a tool call. */
async function working(): Promise<SessionBench> {
  const bench = await new SessionBench().openReady();
  bench.send("go");
  await bench.flushPromises();
  bench.remote.report({ type: "tool", toolCallId: "t", patch: { title: "Edit", status: "pending" } });
  return bench;
}

describe("an agent that ignores Stop", () => {
  it("is reported after five seconds, and not if the turn ends before", async () => {
    const bench = await working();
    bench.session.stop();
    bench.clock.advance(4999);
    bench.session.stop();
    assert.equal(bench.session.state.stopIgnored, false);
    bench.clock.advance(1);
    assert.equal(bench.session.state.stopIgnored, true);
    bench.remote.end("cancelled");
    assert.equal(bench.session.state.stopIgnored, false);

    bench.send("again");
    await bench.flushPromises();
    bench.session.stop();
    bench.remote.end("cancelled");
    bench.clock.advance(10_000);
    assert.deepEqual([bench.session.state.stopIgnored, bench.clock.pendingTimers], [false, 0]);
  });

  it("is reported when the user sends a queued prompt now, which stops the turn too", async () => {
    const bench = await working();
    bench.send("next");
    bench.session.sendNow("s2");
    bench.clock.advance(5000);
    assert.equal(bench.session.state.stopIgnored, true);
  });

  it("ends its turn when it is restarted, and the queue stays paused", async () => {
    const bench = await working();
    bench.send("next");
    bench.session.stop();
    bench.clock.advance(5000);
    await bench.session.restart();
    const { stopIgnored, cancelling, queuePaused, activity } = bench.session.state;
    assert.deepEqual(
      { stopIgnored, cancelling, queuePaused, activity: activity.state },
      { stopIgnored: false, cancelling: false, queuePaused: true, activity: "idle" },
    );
    assert.deepEqual([bench.restarts, bench.remote.texts], [1, []]);
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["next"]);
  });

  it("leaves no timer when the session is disposed or the agent exits", async () => {
    const disposed = await working();
    disposed.session.stop();
    disposed.session.dispose();
    assert.equal(disposed.clock.pendingTimers, 0);
    const exited = await working();
    exited.session.stop();
    exited.died.fire({ message: "It exited.", next: [] });
    assert.deepEqual([exited.clock.pendingTimers, exited.session.state.stopIgnored], [0, false]);
  });
});

describe("an agent that ends its turn early after Stop", () => {
  const turnEnds = (bench: SessionBench): readonly (readonly unknown[])[] =>
    [...bench.session.state.entries].flatMap(entry =>
      entry.kind === "turnEnd" ? [[entry.stopReason, entry.unrequested ?? false]] : [],
    );

  it("and keeps reporting has stopped nothing of the next turn", async () => {
    const bench = await working();
    bench.session.stop();
    bench.remote.end("cancelled");
    bench.remote.report({ type: "tool", toolCallId: "late", patch: { title: "Late", status: "in_progress" } });
    bench.send("next");
    await bench.flushPromises();
    bench.remote.report({ type: "tool", toolCallId: "late", patch: { status: "in_progress" } });
    bench.remote.end("cancelled");
    assert.deepEqual(turnEnds(bench), [
      ["cancelled", false],
      ["cancelled", true],
    ]);
    const late = bench.session.state.entries.get(toolKey("late"));
    assert.ok(late?.kind === "tool");
    assert.equal(shownToolStatus(late, false), "running");
  });

  it("has its end marked as the user's only if it is, also after a restart and a reload", async () => {
    const restarted = await working();
    await restarted.session.restart();
    assert.deepEqual(turnEnds(restarted), [["cancelled", true]]);
    const reloaded = new SessionBench((await working()).log);
    assert.deepEqual(turnEnds(reloaded), [["cancelled", true]]);
    const stopped = await working();
    stopped.session.stop();
    await stopped.session.restart();
    assert.deepEqual(turnEnds(stopped), [["cancelled", false]]);
  });
});

describe("a call whose question Stop ended", () => {
  it("is cancelled, even if the agent reports it as failed", async () => {
    const bench = await working();
    const answer = ask(bench);
    bench.session.stop();
    assert.equal(await answer, "cancelled");
    assert.equal(reportedStatus(bench, "failed"), "cancelled");
    bench.remote.end("cancelled");
    assert.equal(reportedStatus(bench, "completed"), "done");
  });

  it("is cancelled if the agent asks only after Stop", async () => {
    const bench = await working();
    bench.session.stop();
    assert.equal(await ask(bench), "cancelled");
    assert.equal(reportedStatus(bench, "failed"), "cancelled");
  });

  it("can fail if it was asked about again, or if the user refused it", async () => {
    const bench = await working();
    const answer = ask(bench);
    bench.session.stop();
    await answer;
    bench.remote.end("cancelled");
    bench.send("again");
    await bench.flushPromises();
    const again = ask(bench);
    const open = bench.session.state.questions.at(-1);
    assert.ok(open);
    bench.session.answer(open.id, "y");
    await again;
    assert.equal(reportedStatus(bench, "failed"), "failed");
  });

  it("can fail if the agent exits while the question is open", async () => {
    const bench = await working();
    const answer = ask(bench);
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { status: "failed" } });
    bench.died.fire({ message: "It exited.", next: [] });
    await answer;
    const entry = bench.session.state.entries.get(toolKey("t"));
    assert.ok(entry?.kind === "tool");
    assert.equal(shownToolStatus(entry, false), "failed");
  });
});
