// Connecting to an agent, which the user can cancel at every step.
import assert from "node:assert/strict";
import { ProblemError } from "../../src/base/errors.ts";
import { setUpCallId } from "../../src/session/state.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { until } from "../support/fakes/until.ts";

/** A promise that a test settles. */
function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = (): void => {};
  return { promise: new Promise<void>(resolve => (release = resolve)), release: () => release() };
}

describe("connecting", () => {
  it("has the time at which it began, through all its steps, until the agent is ready", async () => {
    const bench = new SessionBench();
    const gate = held();
    const opening = held();
    bench.gate = gate.promise;
    bench.agent.ready = opening.promise;
    bench.clock.advance(1000);
    const opened = bench.session.open();
    const connection = (): unknown => bench.session.state.connection;
    assert.deepEqual(connection(), { state: "starting", since: 1000 });
    bench.clock.advance(1000);
    gate.release();
    await bench.flushPromises();
    assert.deepEqual(connection(), { state: "opening", since: 1000 });
    opening.release();
    await opened;
    assert.deepEqual(connection(), { state: "ready" });
    bench.clock.advance(1000);
    await bench.session.restart();
    assert.deepEqual(connection(), { state: "ready" });
  });

  for (const step of ["starting", "opening"] as const) {
    it(`is cancelled while ${step}: the process ends, and the next start is independent of it`, async () => {
      const bench = new SessionBench();
      const hanging = held();
      if (step === "starting") bench.gate = hanging.promise;
      else bench.agent.ready = hanging.promise;
      bench.send("first");
      await until(() => bench.session.state.connection?.state === step);
      await bench.session.cancelConnecting();
      const { lost, connection } = bench.session.state;
      assert.match(lost?.message ?? "", /Connecting to Stub was cancelled/);
      assert.ok(lost?.next.includes("retry"));
      assert.deepEqual([connection, bench.restarts, bench.queued], [{ state: "closed" }, 1, ["first"]]);

      bench.gate = Promise.resolve();
      bench.send("second");
      await until(() => bench.session.state.connection?.state === "ready");
      await bench.flushPromises();
      // The cancelled start must not disturb the new one.
      hanging.release();
      await bench.flushPromises();
      assert.equal(bench.session.state.connection?.state, "ready");
      assert.deepEqual([bench.connects, bench.remote.texts, bench.queued], [2, ["first"], ["second"]]);
      assert.equal(bench.session.state.lost, null);
    });
  }

  it("begins when the folder is prepared, and not if that fails", async () => {
    const bench = new SessionBench();
    const setUp = held();
    bench.prepareFolder = () => setUp.promise;
    const opened = bench.session.open();
    await bench.flushPromises();
    assert.deepEqual([bench.connects, bench.session.state.connection?.state], [0, "starting"]);
    setUp.release();
    await opened;
    assert.equal(bench.session.state.connection?.state, "ready");

    const failing = new SessionBench();
    const problem = { message: "It failed.", next: ["retry", "startAnyway"] } as const;
    failing.prepareFolder = () => Promise.reject(new ProblemError(problem));
    await failing.session.open();
    assert.deepEqual([failing.connects, failing.session.state.lost], [0, problem]);
    failing.prepareFolder = undefined;
    await failing.openReady();
  });

  it("is cancelled while the folder is prepared, which ends", async () => {
    const bench = new SessionBench();
    let ended = 0;
    bench.prepareFolder = signal =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error(`ended ${++ended}`)));
      });
    void bench.session.open();
    await bench.flushPromises();
    await bench.session.cancelConnecting();
    await bench.flushPromises();
    assert.deepEqual([ended, bench.connects], [1, 0]);
    assert.match(bench.session.state.lost?.message ?? "", /was cancelled/);
  });

  it("attaches nothing to the first prompt because of the calls that prepared the folder", async () => {
    const bench = new SessionBench();
    bench.prepareFolder = async (_, dispatch) => {
      const patch = { title: "Set up", kind: "execute", status: "completed" };
      dispatch({ type: "tool", toolCallId: setUpCallId("1"), patch });
    };
    await bench.openReady();
    bench.send("first");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.prompts, [[{ type: "text", text: "first" }]]);
    assert.ok(!bench.entryKinds.includes("notice"));
    assert.equal(bench.session.state.needsConversation, false);
  });

  it("is cancelled while an agent is being restarted, which then starts nothing", async () => {
    const bench = await new SessionBench().openReady();
    const restarting = bench.session.restart();
    await bench.session.cancelConnecting();
    await restarting;
    assert.deepEqual([bench.connects, bench.session.state.connection?.state], [1, "closed"]);
    await bench.session.open();
    assert.deepEqual([bench.connects, bench.session.state.connection?.state], [2, "ready"]);
  });

  it("cannot be cancelled once the agent is ready, or after it was cancelled", async () => {
    const bench = await new SessionBench().openReady();
    await bench.session.cancelConnecting();
    assert.deepEqual([bench.restarts, bench.session.state.connection?.state], [0, "ready"]);
  });
});
