import assert from "node:assert/strict";
import type { PermissionQuestion } from "../../../src/session/agent.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import { PermissionBroker, type Decision } from "../../../src/workspace/permissions.ts";

const question: PermissionQuestion = {
  title: "Run npm test",
  toolCallId: "t1",
  options: [
    { id: "yes", name: "Allow", kind: "allow_once" },
    { id: "no", name: "Reject", kind: "reject_once" },
  ],
};

function broker(decide?: (question: PermissionQuestion) => Decision | undefined) {
  const events: SessionEvent[] = [];
  let count = 0;
  const made = new PermissionBroker({
    report: event => events.push(event),
    newId: () => `ask${++count}`,
    ...(decide && { decide }),
  });
  const closed = (): unknown[] => events.filter(event => event.type === "askClosed");
  const ask = (signal = new AbortController().signal) => made.requestPermission(question, signal);
  return { broker: made, events, closed, ask };
}

/** Counts the listeners on its signal. */
class WatchedAbort extends AbortController {
  listeners = 0;
  constructor() {
    super();
    const { addEventListener, removeEventListener } = this.signal;
    this.signal.addEventListener = (...args: Parameters<AbortSignal["addEventListener"]>) => {
      this.listeners++;
      addEventListener.apply(this.signal, args);
    };
    this.signal.removeEventListener = (...args: Parameters<AbortSignal["removeEventListener"]>) => {
      this.listeners--;
      removeEventListener.apply(this.signal, args);
    };
  }
}

describe("PermissionBroker", () => {
  it("reports the question as it was asked, and resolves with the answer", async () => {
    const { broker: it, events, ask } = broker();
    const answer = ask();
    assert.deepEqual(events, [{ type: "askOpened", ask: "ask1", ...question }]);
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
    assert.deepEqual(events[1], { type: "askClosed", ask: "ask1", answer: { option: "yes" } });
  });

  it("answers once, however often and from wherever it is answered", async () => {
    const { broker: it, closed, ask } = broker();
    const abort = new AbortController();
    const answer = ask(abort.signal);
    it.answer("ask1", "no");
    it.answer("ask1", "yes");
    abort.abort();
    it.cancel("ask1");
    it.cancelAll();
    it.dispose();
    assert.deepEqual(await answer, { option: "no" });
    assert.equal(closed().length, 1);
  });

  it("ignores options that were not offered and questions that are not open", async () => {
    const { broker: it, closed, ask } = broker();
    const answer = ask();
    it.answer("ask1", "maybe");
    it.answer("ask2", "yes");
    it.cancel("ask2");
    assert.equal(closed().length, 0);
    assert.deepEqual(it.openAsks, ["ask1"]);
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
  });

  it("cancels a question when its request is called back", async () => {
    const { events, ask } = broker();
    const abort = new AbortController();
    const answer = ask(abort.signal);
    abort.abort();
    assert.equal(await answer, "cancelled");
    assert.deepEqual(events[1], { type: "askClosed", ask: "ask1", answer: "cancelled" });
  });

  it("settles a question that was called back before it was asked, and shows nothing", async () => {
    const { events, ask } = broker();
    assert.equal(await ask(AbortSignal.abort()), "cancelled");
    assert.deepEqual(events, []);
  });

  it("leaves no listener on the signal", async () => {
    const { broker: it, ask } = broker();
    const abort = new WatchedAbort();
    const answer = ask(abort.signal);
    assert.equal(abort.listeners, 1);
    it.answer("ask1", "yes");
    await answer;
    assert.equal(abort.listeners, 0);
  });

  it("keeps several questions apart, oldest first", async () => {
    const { broker: it, ask } = broker();
    const answers = [ask(), ask(), ask()];
    assert.deepEqual(it.openAsks, ["ask1", "ask2", "ask3"]);
    it.answer("ask2", "yes");
    assert.deepEqual(it.openAsks, ["ask1", "ask3"]);
    it.cancelAll();
    assert.deepEqual(await Promise.all(answers), ["cancelled", { option: "yes" }, "cancelled"]);
    assert.deepEqual(it.openAsks, []);
  });

  it("still asks after everything was cancelled", async () => {
    const { broker: it, ask } = broker();
    it.cancelAll();
    const answer = ask();
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
  });

  it("settles every question when it is disposed, and later ones at once", async () => {
    const { broker: it, ask, events } = broker();
    const answers = [ask(), ask()];
    it.dispose();
    it.dispose();
    assert.deepEqual(await Promise.all(answers), ["cancelled", "cancelled"]);
    const reported = events.length;
    assert.equal(await ask(), "cancelled");
    assert.equal(events.length, reported);
  });

  it("can be answered by whoever hears of the question, at that moment", async () => {
    const events: SessionEvent[] = [];
    const it: PermissionBroker = new PermissionBroker({
      report: event => {
        events.push(event);
        if (event.type === "askOpened") it.answer(event.ask, "yes");
      },
    });
    assert.deepEqual(await it.requestPermission(question, new AbortController().signal), { option: "yes" });
    assert.deepEqual(
      events.map(event => event.type),
      ["askOpened", "askClosed"],
    );
  });

  it("records what a policy answered, and in whose name", async () => {
    const { events, ask } = broker(() => ({ option: "yes", by: "the rule “npm test”" }));
    assert.deepEqual(await ask(), { option: "yes" });
    assert.deepEqual(events, [
      { type: "askOpened", ask: "ask1", ...question },
      { type: "askClosed", ask: "ask1", answer: { option: "yes" }, by: "the rule “npm test”" },
    ]);
  });

  it("asks the user where a policy decides nothing, or what is not offered", async () => {
    for (const decision of [undefined, { option: "always", by: "x" }]) {
      const { broker: it, ask } = broker(() => decision);
      const answer = ask();
      assert.deepEqual(it.openAsks, ["ask1"]);
      it.answer("ask1", "no");
      assert.deepEqual(await answer, { option: "no" });
    }
  });

  it("fails the request and leaves no question when a policy throws", async () => {
    const {
      broker: it,
      ask,
      events,
    } = broker(() => {
      throw new Error("bad rule");
    });
    await assert.rejects(ask(), /bad rule/);
    assert.deepEqual([it.openAsks, events], [[], []]);
  });
});
