// Which sessions wait for the user: the one that has waited the longest, and the next one.
import assert from "node:assert/strict";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { WaitingOrder } from "../../src/library/waitingOrder.ts";
import { FakeAskedSessions } from "../support/fakes/fakeAskedSessions.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";

class AskingSession extends FakeOpenSession {
  ask(ask: string): void {
    this.dispatch({ type: "askOpened", ask, title: "Run it?", options: [] });
  }
  answer(ask: string): void {
    this.dispatch({ type: "askClosed", ask, answer: "cancelled" });
  }
}

describe("the sessions that wait", () => {
  let asked: FakeAskedSessions;
  let open: OpenSessions<AskingSession>;
  let a: AskingSession;
  let b: AskingSession;
  let order: WaitingOrder<AskingSession>;
  let changes: number;
  beforeEach(() => {
    asked = new FakeAskedSessions();
    open = new OpenSessions();
    [a, b] = [new AskingSession("a"), new AskingSession("b")];
    open.add(a);
    open.add(b);
    open.select("view", a);
    order = new WaitingOrder(open, asked);
    changes = 0;
    order.onDidChange(() => changes++);
  });

  it("begin with the one that asked first, whichever is shown, and the next one follows after its answer", () => {
    assert.equal(order.longest, undefined);
    b.ask("1");
    a.ask("2");
    assert.equal(order.longest, b);
    b.answer("1");
    assert.equal(order.longest, a);
    b.ask("3");
    assert.equal(order.longest, a);
    open.remove(a);
    assert.equal(order.longest, b);
    assert.equal(changes, 5);
  });

  it("keep their place while one of their questions is open", () => {
    b.ask("1");
    a.ask("2");
    b.ask("3");
    b.answer("1");
    assert.equal(order.longest, b);
    b.answer("3");
    assert.equal(order.longest, a);
    assert.equal(changes, 3);
  });

  it("can have asked before the order was observed", () => {
    b.ask("1");
    asked.ask("a");
    const later = new WaitingOrder(open, asked);
    assert.deepEqual([later.has(a), later.has(b)], [true, true]);
  });

  it("include those about which Parley asks, from the question until the answer", () => {
    asked.ask("b");
    assert.equal(order.longest, b);
    a.ask("1");
    assert.deepEqual([order.has(a), order.has(b), order.has(undefined)], [true, true, false]);
    asked.answer("b");
    assert.deepEqual([order.has(a), order.has(b), order.longest], [true, false, a]);
    asked.ask("stored");
    assert.equal(changes, 3, "a session that is not open cannot wait");
  });

  it("wait until both Parley and the agent have their answers", () => {
    asked.ask("a");
    a.ask("1");
    asked.answer("a");
    assert.ok(order.has(a));
    a.answer("1");
    assert.ok(!order.has(a));
    assert.equal(changes, 2);
  });

  it("follow each other in a circle", () => {
    const c = new AskingSession("c");
    open.add(c);
    assert.equal(order.next(a), undefined);
    asked.ask("c");
    assert.equal(order.next(a), c);
    assert.equal(order.next(c), c);
    b.ask("1");
    assert.equal(order.next(c), b);
    assert.equal(order.next(undefined), b);
  });
});
