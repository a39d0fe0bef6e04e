// Updates that arrive before the answer that names their session.
import assert from "node:assert/strict";
import { EarlyUpdates } from "../../src/acp/earlyUpdates.ts";

/** The number of updates that are kept for all sessions together. */
const maxEarlyUpdates = 10_000;

describe("early updates", () => {
  let overflows: number;
  let updates: EarlyUpdates;
  beforeEach(() => {
    overflows = 0;
    updates = new EarlyUpdates(() => overflows++);
  });

  it("are kept in order by session while one is being opened, and taken once", async () => {
    const { promise, resolve } = openedByTest();
    const opened = updates.keepDuring(promise);
    assert.equal(updates.keep("a", { n: 1 }), true);
    assert.equal(updates.keep("b", { n: 2 }), true);
    assert.equal(updates.keep("a", { n: 3 }), true);
    assert.deepEqual(updates.take("a"), [{ n: 1 }, { n: 3 }]);
    assert.deepEqual(updates.take("a"), []);
    assert.deepEqual(updates.take("b"), [{ n: 2 }]);
    resolve();
    await opened;
  });

  it("are not kept when no session is being opened", async () => {
    assert.equal(updates.keep("a", {}), false);
    await updates.keepDuring(Promise.resolve());
    assert.equal(updates.keep("a", {}), false);
    assert.deepEqual(updates.take("a"), []);
  });

  it("are forgotten when the last session has opened or failed to open", async () => {
    const { promise, resolve } = openedByTest();
    const second = updates.keepDuring(promise);
    const first = updates.keepDuring(Promise.reject(new Error("failed")));
    updates.keep("a", {});
    await assert.rejects(first, { message: "failed" });
    assert.equal(updates.keep("a", {}), true);
    resolve();
    await second;
    assert.deepEqual(updates.take("a"), []);
  });

  it("are dropped beyond their bound, which is reported once", async () => {
    const { promise, resolve } = openedByTest();
    const opened = updates.keepDuring(promise);
    for (let n = 0; n < maxEarlyUpdates; n++) updates.keep(`${n % 2}`, { n });
    assert.equal(overflows, 0);
    for (let n = 0; n < 3; n++) assert.equal(updates.keep("0", { n }), true);
    assert.equal(overflows, 1);
    assert.equal(updates.take("0").length + updates.take("1").length, maxEarlyUpdates);
    resolve();
    await opened;
  });

  it("make a request wait until its session is open", async () => {
    const { promise, resolve } = openedByTest();
    const order: string[] = [];
    const opened = updates.keepDuring(promise).then(() => order.push("opened"));
    const waited = updates.whenOpened().then(() => order.push("waited"));
    resolve();
    await Promise.all([opened, waited]);
    assert.deepEqual(order, ["opened", "waited"]);
  });
});

function openedByTest(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>(onResolve => (resolve = onResolve));
  return { promise, resolve };
}
