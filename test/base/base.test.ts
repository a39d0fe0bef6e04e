// Lifetimes, events, errors and equality.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ProblemError, asError, asProblem, unreachable } from "../../src/base/errors.ts";
import { DisposableStore, Emitter, findLeaks, toDisposable, trackLeaks } from "../../src/base/lifecycle.ts";
import { systemClock } from "../../src/base/log.ts";
import { jsonEqual } from "../../src/base/jsonEqual.ts";

describe("disposables", () => {
  it("end once, in reverse order, and each although another failed", () => {
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

  it("added to a store that has ended end at once", () => {
    const store = new DisposableStore();
    store.dispose();
    let ended = 0;
    store.add(toDisposable(() => ended++));
    assert.equal(ended, 1);
  });

  it("taken out of a store end once", () => {
    const store = new DisposableStore();
    let ended = 0;
    const item = store.add(toDisposable(() => ended++));
    store.delete(item);
    store.dispose();
    assert.equal(ended, 1);
  });

  it("that are forgotten are found", () => {
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
  it("tells every listener, though one throws, and tells of that", () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const emitter = new Emitter<number>(error => errors.push(error));
    emitter.event(() => {
      throw new Error("no");
    });
    const link = emitter.event(value => heard.push(value));
    emitter.fire(1);
    link.dispose();
    emitter.fire(2);
    assert.deepEqual([heard, errors.length], [[1], 2]);
  });

  it("tells the same function as often as it subscribed, and one that unsubscribes meanwhile no harm is done", () => {
    let heard = 0;
    const emitter = new Emitter<void>();
    const listener = (): void => void heard++;
    const links = [emitter.event(listener), emitter.event(listener)];
    emitter.event(() => links[0]?.dispose());
    emitter.fire();
    emitter.fire();
    assert.equal(heard, 3);
    emitter.dispose();
    emitter.fire();
    assert.equal(heard, 3);
  });
});

describe("errors", () => {
  it("come of anything that was thrown", () => {
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
  it("is that of JSON", () => {
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

  it("takes an absent field for an undefined one", () => {
    assert.ok(jsonEqual({ a: 1, b: undefined }, { a: 1 }));
    assert.ok(jsonEqual({ a: 1 }, { a: 1, b: undefined }));
    assert.ok(!jsonEqual({ a: 1 }, { a: 1, b: null }));
    assert.ok(!jsonEqual([1], { 0: 1 }));
  });
});

describe("the system's clock", () => {
  it("calls once, unless it is called off", async () => {
    let late = 0;
    systemClock.after(0, () => late++).dispose();
    await new Promise<void>(resolve => systemClock.after(0, resolve));
    assert.equal(late, 0);
    assert.ok(systemClock.now() > 0);
  });
});
