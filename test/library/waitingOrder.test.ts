// Which session has waited for the user the longest.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { OpenSessions, type OpenSession } from "../../src/library/openSessions.ts";
import { WaitingOrder } from "../../src/library/waitingOrder.ts";

class FakeSession implements OpenSession {
  readonly #changed = new Emitter<SessionState>();
  readonly onDidChange = this.#changed.event;
  readonly id: string;
  state = emptySession;
  constructor(id: string) {
    this.id = id;
  }
  dispatch(event: SessionEvent): void {
    this.state = reduce(this.state, { seq: 1, at: 1, event });
    this.#changed.fire(this.state);
  }
  ask(ask: string): void {
    this.dispatch({ type: "askOpened", ask, title: "Run it?", options: [] });
  }
  answer(ask: string): void {
    this.dispatch({ type: "askClosed", ask, answer: "cancelled" });
  }
}

describe("the session that has waited the longest", () => {
  const sessions = (): readonly [OpenSessions<FakeSession>, FakeSession, FakeSession] => {
    const open = new OpenSessions<FakeSession>();
    const [a, b] = [new FakeSession("a"), new FakeSession("b")];
    open.add(a);
    open.add(b);
    open.select("view", a);
    return [open, a, b];
  };

  it("is the one that asked first, whichever is shown, and the next one after its answer", () => {
    const [open, a, b] = sessions();
    const order = new WaitingOrder(open);
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
  });

  it("keeps its place while one of its questions is open", () => {
    const [open, a, b] = sessions();
    const order = new WaitingOrder(open);
    b.ask("1");
    a.ask("2");
    b.ask("3");
    b.answer("1");
    assert.equal(order.longest, b);
    b.answer("3");
    assert.equal(order.longest, a);
  });

  it("can have asked before the order was observed", () => {
    const [open, , b] = sessions();
    b.ask("1");
    assert.equal(new WaitingOrder(open).longest, b);
  });
});
