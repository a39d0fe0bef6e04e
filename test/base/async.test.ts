// Queues, time limits and cancellation of asynchronous work.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { BeginLimit, Sequencer, SequencerByKey, untilAborted, withTimeout } from "../../src/base/async.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

/** A promise that the test settles. */
function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Lets every promise that is ready run. */
const flushPromises = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const never = new Promise<never>(() => {});

describe("Sequencer", () => {
  it("starts a task only when the one before has settled", async () => {
    const sequencer = new Sequencer();
    const first = deferred<string>();
    const started: string[] = [];
    const results = [
      sequencer.queue(() => {
        started.push("first");
        return first.promise;
      }),
      sequencer.queue(() => {
        started.push("second");
        return Promise.resolve("2");
      }),
    ];
    await flushPromises();
    assert.deepEqual(started, ["first"]);
    first.resolve("1");
    assert.deepEqual(await Promise.all(results), ["1", "2"]);
    assert.deepEqual(started, ["first", "second"]);
  });

  it("reports a failure to the caller only and goes on with the next task", async () => {
    const sequencer = new Sequencer();
    const rejected = sequencer.queue(() => Promise.reject(new Error("rejected")));
    const thrown = sequencer.queue(() => {
      throw new Error("thrown");
    });
    const next = sequencer.queue(() => Promise.resolve("next"));
    await assert.rejects(rejected, { message: "rejected" });
    await assert.rejects(thrown, { message: "thrown" });
    assert.equal(await next, "next");
  });

  it("is idle when tasks queued while it was waited for have settled too", async () => {
    const sequencer = new Sequencer();
    await sequencer.whenIdle();
    const [first, second] = [deferred<void>(), deferred<void>()];
    let isIdle = false;
    void sequencer.queue(() => first.promise);
    const idle = sequencer.whenIdle().then(() => (isIdle = true));
    void sequencer.queue(() => second.promise);
    first.resolve();
    await flushPromises();
    assert.equal(isIdle, false);
    second.resolve();
    await idle;
  });
});

describe("SequencerByKey", () => {
  it("runs tasks with one key in order and tasks with different keys at the same time", async () => {
    const sequencer = new SequencerByKey<string>();
    const first = deferred<void>();
    const started: string[] = [];
    const run = (key: string, name: string, until: Promise<void>): Promise<void> =>
      sequencer.queue(key, () => {
        started.push(name);
        return until;
      });
    const all = [run("a", "a1", first.promise), run("a", "a2", Promise.resolve()), run("b", "b1", Promise.resolve())];
    await flushPromises();
    assert.deepEqual(started, ["a1", "b1"]);
    first.resolve();
    await Promise.all(all);
    assert.deepEqual(started, ["a1", "b1", "a2"]);
  });

  it("runs a task with several keys after the earlier tasks of each, and before the later ones", async () => {
    const sequencer = new SequencerByKey<string>();
    const [a, b, both] = [deferred<void>(), deferred<void>(), deferred<void>()];
    const started: string[] = [];
    const failing = sequencer.queue("a", () => a.promise);
    void sequencer.queue("b", () => b.promise);
    void sequencer.queueAll(["a", "b"], () => {
      started.push("both");
      return both.promise;
    });
    const last = sequencer.queue("b", () => {
      started.push("last");
      return Promise.resolve();
    });
    a.reject(new Error("failed"));
    await assert.rejects(failing);
    await flushPromises();
    assert.deepEqual(started, []);
    b.resolve();
    await flushPromises();
    assert.deepEqual(started, ["both"]);
    both.resolve();
    await last;
    assert.deepEqual(started, ["both", "last"]);
  });

  it("runs a task that names a key twice", async () => {
    assert.equal(await new SequencerByKey<string>().queueAll(["a", "a"], () => Promise.resolve(1)), 1);
  });

  it("is idle when no key has a task left", async () => {
    const sequencer = new SequencerByKey<string>();
    await sequencer.whenIdle();
    const [a, b] = [deferred<void>(), deferred<void>()];
    let isIdle = false;
    void sequencer.queue("a", () => a.promise);
    const idle = sequencer.whenIdle().then(() => (isIdle = true));
    void sequencer.queue("b", () => b.promise);
    a.resolve();
    await flushPromises();
    assert.equal(isIdle, false);
    b.resolve();
    await idle;
  });
});

describe("BeginLimit", () => {
  it("lets tasks begin at once up to its limit, and the others in their order in the next iterations", async () => {
    const limit = new BeginLimit(2);
    const begun: number[] = [];
    for (let task = 0; task < 5; task++) {
      const next = limit.next();
      if (next) void next.then(() => begun.push(task));
      else begun.push(task);
    }
    assert.deepEqual(begun, [0, 1]);
    await flushPromises();
    assert.deepEqual(begun, [0, 1, 2, 3]);
    await flushPromises();
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  });

  it("lets no task begin before one that waits", async () => {
    const limit = new BeginLimit(1);
    assert.equal(limit.next(), undefined);
    const begun: string[] = [];
    void limit.next()?.then(() => begun.push("first"));
    await flushPromises();
    const later = limit.next();
    assert.ok(later, "the first task took the place in this iteration");
    void later.then(() => begun.push("second"));
    await flushPromises();
    assert.deepEqual(begun, ["first", "second"]);
  });

  it("lets tasks begin at once again when no other has begun in the iteration", async () => {
    const limit = new BeginLimit(1);
    assert.equal(limit.next(), undefined);
    await flushPromises();
    assert.equal(limit.next(), undefined);
  });
});

describe("withTimeout", () => {
  it("settles as the promise does and stops its timer", async () => {
    const clock = new FakeClock();
    const late = (): never => assert.fail("The time limit was reached.");
    const result = withTimeout(Promise.resolve("value"), 100, late, clock);
    assert.equal(await result, "value");
    await assert.rejects(withTimeout(Promise.reject(new Error("own")), 100, late, clock), { message: "own" });
    await flushPromises();
    assert.equal(clock.pendingTimers, 0);
  });

  it("settles with what the caller returns or throws when time is up", async () => {
    const clock = new FakeClock();
    const value = withTimeout(never, 100, () => "late", clock);
    const error = withTimeout(
      never,
      100,
      () => {
        throw new Error("too late");
      },
      clock,
    );
    clock.advance(99);
    assert.equal(clock.pendingTimers, 2);
    clock.advance(1);
    assert.equal(await value, "late");
    await assert.rejects(error, { message: "too late" });
  });

  it("ignores a promise that fails after the time limit", async () => {
    const clock = new FakeClock();
    const { promise, reject } = deferred<string>();
    const result = withTimeout(promise, 100, () => "late", clock);
    clock.advance(100);
    reject(new Error("afterwards"));
    assert.equal(await result, "late");
  });

  it("uses a timer of its own when it is given no clock", async () => {
    assert.equal(await withTimeout(never, 1, () => "late"), "late");
  });
});

describe("untilAborted", () => {
  const aborted = (): string => "aborted";

  it("settles as the promise does and leaves no listener behind", async () => {
    const { signal } = new AbortController();
    const value = untilAborted(Promise.resolve("value"), [signal], aborted);
    const error = untilAborted(Promise.reject(new Error("own")), [signal], aborted);
    assert.equal(getEventListeners(signal, "abort").length, 2);
    assert.equal(await value, "value");
    await assert.rejects(error, { message: "own" });
    await flushPromises();
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("settles with what the caller returns or throws when one of the signals aborts", async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signals = [first.signal, second.signal];
    const value = untilAborted(never, signals, aborted);
    const error = untilAborted(never, signals, () => {
      throw new Error("cancelled");
    });
    second.abort();
    assert.equal(await value, "aborted");
    await assert.rejects(error, { message: "cancelled" });
  });

  it("settles at once when a signal is already aborted, and ignores a promise that fails afterwards", async () => {
    const { promise, reject } = deferred<string>();
    const result = untilAborted(promise, [AbortSignal.abort()], aborted);
    reject(new Error("afterwards"));
    assert.equal(await result, "aborted");
  });
});
