// Which session has waited for the user the longest.
import assert from "node:assert/strict";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { WaitingOrder } from "../../src/library/waitingOrder.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";

class AskingSession extends FakeOpenSession {
  ask(ask: string): void {
    this.dispatch({ type: "askOpened", ask, title: "Run it?", options: [] });
  }
  answer(ask: string): void {
    this.dispatch({ type: "askClosed", ask, answer: "cancelled" });
  }
}

describe("the session that has waited the longest", () => {
  const sessions = (): readonly [OpenSessions<AskingSession>, AskingSession, AskingSession] => {
    const open = new OpenSessions<AskingSession>();
    const [a, b] = [new AskingSession("a"), new AskingSession("b")];
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
