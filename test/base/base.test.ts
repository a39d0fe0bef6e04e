// Lifetimes, events, errors and equality.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ProblemError, asError, asProblem, unreachable } from "../../src/base/errors.ts";
import { DisposableStore, Emitter, findLeaks, toDisposable, trackLeaks } from "../../src/base/lifecycle.ts";
import { loggingClock, nullLog, systemClock } from "../../src/base/log.ts";
import { jsonEqual } from "../../src/base/jsonEqual.ts";

describe("disposables", () => {
  it("are disposed once, in reverse order, each although another failed", () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => ended.push("a")));
    store.add(
      toDisposable(() => {
        throw new Error("b");
      }),
    );
    store.add(toDisposable(() => ended.push("c")));
    assert.throws(() => store.dispose(), AggregateError);
    store.dispose();
    assert.deepEqual([ended, store.isDisposed], [["c", "a"], true]);
  });

  it("are disposed at once when their store is already disposed", () => {
    const store = new DisposableStore();
    store.dispose();
    let ended = 0;
    store.add(toDisposable(() => ended++));
    assert.equal(ended, 1);
  });

  it("are disposed once when they are removed from a store", () => {
    const store = new DisposableStore();
    let ended = 0;
    const item = store.add(toDisposable(() => ended++));
    store.delete(item);
    store.dispose();
    assert.equal(ended, 1);
  });

  it("are found when they were never disposed", () => {
    trackLeaks();
    const kept = toDisposable(() => {});
    toDisposable(() => {}).dispose();
    const leaks = findLeaks();
    kept.dispose();
    assert.equal(leaks.length, 1);
    assert.match(leaks[0] ?? "", /base\.test/);
  });
});

describe("an emitter", () => {
  it("notifies every listener although one throws, and reports that error", () => {
    const errors: unknown[] = [];
    const received: number[] = [];
    const emitter = new Emitter<number>(error => errors.push(error));
    emitter.event(() => {
      throw new Error("no");
    });
    const link = emitter.event(value => received.push(value));
    emitter.fire(1);
    link.dispose();
    emitter.fire(2);
    assert.deepEqual([received, errors.length], [[1], 2]);
  });

  it("calls a function as often as it subscribed, and tolerates an unsubscription while it fires", () => {
    let received = 0;
    const emitter = new Emitter<void>();
    const listener = (): void => void received++;
    const links = [emitter.event(listener), emitter.event(listener)];
    emitter.event(() => links[0]?.dispose());
    emitter.fire();
    emitter.fire();
    assert.equal(received, 3);
    emitter.dispose();
    emitter.fire();
    assert.equal(received, 3);
  });
});

describe("errors", () => {
  it("are created from any thrown value", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    for (const thrown of ["text", 3, undefined, null, {}, circular, 10n, Symbol("s"), () => {}, new Error("e")]) {
      assert.ok(asError(thrown) instanceof Error);
      assert.notEqual(asProblem(thrown).message, "");
    }
    const problem = { message: "m", next: [] };
    assert.equal(asProblem(new ProblemError(problem)), problem);
    assert.match(unreachable("x" as never).message, /x/);
  });
});

describe("equality", () => {
  it("is equality of JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        assert.ok(jsonEqual(a, structuredClone(a)));
        const text = (value: unknown): string =>
          JSON.stringify(value, (_, inner: unknown) =>
            typeof inner === "object" && inner !== null && !Array.isArray(inner)
              ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
              : inner,
          );
        assert.equal(jsonEqual(a, b), text(a) === text(b));
      }),
    );
  });

  it("treats an absent field as an undefined one", () => {
    assert.ok(jsonEqual({ a: 1, b: undefined }, { a: 1 }));
    assert.ok(jsonEqual({ a: 1 }, { a: 1, b: undefined }));
    assert.ok(!jsonEqual({ a: 1 }, { a: 1, b: null }));
    assert.ok(!jsonEqual([1], { 0: 1 }));
  });
});

describe("the system clock", () => {
  it("calls once, unless it is cancelled", async () => {
    let late = 0;
    systemClock.after(0, () => late++).dispose();
    await new Promise<void>(resolve => systemClock.after(0, resolve));
    assert.equal(late, 0);
    assert.ok(systemClock.now() > 0);
  });
});

describe("the clock of the extension", () => {
  it("logs what a timer throws, and runs no disposed timer", async () => {
    const errors: string[] = [];
    const clock = loggingClock({ ...nullLog, error: (_message, data) => errors.push(String(data)) });
    clock.after(0, () => assert.fail("disposed")).dispose();
    clock.after(0, () => {
      throw new Error("a bug");
    });
    await new Promise<void>(resolve => clock.after(1, resolve));
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? "", /a bug/);
  });
});
