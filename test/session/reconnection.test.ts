// A session whose agent was out of reach: when it connects again by itself, and what ends that.
import assert from "node:assert/strict";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { exitedProblem, SessionBench } from "../support/fakes/sessionBench.ts";
import { until } from "../support/fakes/until.ts";

const lost: Problem = { message: "The connection was lost.", next: ["retry"], reconnects: true };
const seconds = [1, 2, 4, 8, 15, 30, 60, 60, 60, 60];

describe("a session whose agent was out of reach", () => {
  let bench: SessionBench;
  beforeEach(async () => {
    bench = new SessionBench();
    await bench.session.open();
  });
  afterEach(() => bench.session.dispose());
  /** Whether the session connects after this time, and not before. */
  async function connectsAfter(second: number): Promise<void> {
    const { connects } = bench;
    bench.clock.advance(second * 1000 - 1);
    assert.equal(bench.connects, connects);
    bench.clock.advance(1);
    await until(() => bench.connects > connects);
  }

  it("connects again after growing pauses, and shows one problem for all attempts", async () => {
    bench.died.fire(lost);
    assert.equal(bench.session.state.lost?.message, "The connection was lost. Parley connects again by itself.");
    bench.refuse = new ProblemError(lost);
    for (const second of seconds.slice(0, 5)) await connectsAfter(second);
    assert.equal(bench.log.filter(({ event }) => event.type === "agentLost").length, 1);
    await until(() => bench.clock.pendingTimers > 0);
    bench.refuse = undefined;
    bench.clock.advance(30_000);
    await until(() => bench.session.state.connection?.state === "ready");
    assert.equal(bench.session.state.lost, null);
    bench.clock.advance(60_000);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("does not promise attempts after the window was reloaded", () => {
    bench.died.fire(lost);
    const reloaded = new SessionBench(bench.log);
    assert.deepEqual(reloaded.session.state.lost, {
      message: "The connection to Stub was lost. Retry, or send a message, to continue.",
      next: ["retry", "showLog"],
    });
    assert.equal(reloaded.clock.pendingTimers, 0);
    reloaded.session.dispose();
  });

  it("keeps the reason why it was given up after the window was reloaded", async () => {
    const fresh = new SessionBench();
    fresh.refuse = new ProblemError(lost);
    await fresh.session.open();
    const reloaded = new SessionBench(fresh.log);
    assert.equal(reloaded.session.state.lost?.message, "The connection was lost.");
    for (const { session } of [fresh, reloaded]) session.dispose();
  });

  it("begins with the shortest pause when it is lost after a turn", async () => {
    for (let times = 0; times < 2; times++) {
      bench.died.fire(lost);
      await connectsAfter(1);
      await until(() => bench.session.state.connection?.state === "ready");
      bench.send("hello");
      bench.session.resumeQueue();
      await until(() => bench.remote.prompts.length > 0);
      bench.remote.report({ type: "activity", state: "idle", stopReason: "end_turn" });
    }
  });

  it("begins with the shortest pause when it is lost once more after a minute", async () => {
    for (let times = 0; times < 2; times++) {
      bench.died.fire(lost);
      await connectsAfter(1);
      await until(() => bench.session.state.connection?.state === "ready");
      bench.clock.advance(60_000);
    }
  });

  it("gives up an agent whose connection breaks off each time soon after it is open", async () => {
    for (const second of seconds) {
      bench.died.fire(lost);
      await connectsAfter(second);
      await until(() => bench.session.state.connection?.state === "ready");
    }
    bench.died.fire(lost);
    assert.deepEqual([bench.session.state.lost?.message, bench.clock.pendingTimers], ["The connection was lost.", 0]);
  });

  it("gives up after ten attempts, with the last reason", async () => {
    bench.died.fire(lost);
    bench.refuse = new ProblemError({ ...lost, message: "Nothing answers." });
    for (const second of seconds) {
      await connectsAfter(second);
      await until(() => bench.clock.pendingTimers > 0 || bench.session.state.lost?.message === "Nothing answers.");
    }
    await until(() => bench.session.state.lost?.message === "Nothing answers.");
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("gives up at once for a reason that does not pass", async () => {
    bench.died.fire(lost);
    bench.refuse = new ProblemError({ message: "Sign in first.", next: ["setAgentHeader"] });
    await connectsAfter(1);
    await until(() => bench.session.state.lost?.message === "Sign in first.");
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("does not start a program again that has ended", () => {
    bench.died.fire(exitedProblem);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("does not try again if it has never been open", async () => {
    const fresh = new SessionBench();
    fresh.refuse = new ProblemError(lost);
    await fresh.session.open();
    assert.equal(fresh.session.state.lost?.message, "The connection was lost.");
    assert.equal(fresh.clock.pendingTimers, 0);
    fresh.session.dispose();
  });

  it("leaves the attempts to the user who connects, restarts or closes it", async () => {
    bench.died.fire(lost);
    await bench.session.open();
    assert.deepEqual([bench.session.state.connection?.state, bench.session.state.lost], ["ready", null]);
    bench.died.fire(lost);
    bench.refuse = new ProblemError(lost);
    await bench.session.restart();
    assert.deepEqual([bench.session.state.lost?.message, bench.clock.pendingTimers], ["The connection was lost.", 0]);
    bench.refuse = undefined;
    await bench.session.open();
    bench.died.fire(lost);
    assert.equal(bench.clock.pendingTimers, 1);
    bench.session.dispose();
    assert.equal(bench.clock.pendingTimers, 0);
  });
});
