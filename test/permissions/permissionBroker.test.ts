import assert from "node:assert/strict";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { until } from "../support/fakes/until.ts";
import {
  PermissionBroker,
  type AnsweredQuestion,
  type PolicyDecision,
} from "../../src/permissions/permissionBroker.ts";

const question: PermissionQuestion = {
  title: "Run npm test",
  toolCallId: "t1",
  options: [
    { id: "yes", name: "Allow", kind: "allow_once" },
    { id: "no", name: "Reject", kind: "reject_once" },
  ],
};

function broker(decide?: (question: PermissionQuestion) => Promise<PolicyDecision>) {
  const events: SessionEvent[] = [];
  const decided: AnsweredQuestion[] = [];
  let count = 0;
  const made = new PermissionBroker({
    report: event => events.push(event),
    newId: () => `ask${++count}`,
    ...(decide && { decide }),
    onAnswered: one => decided.push(one),
  });
  const closed = (): unknown[] => events.filter(event => event.type === "askClosed");
  const ask = (signal = new AbortController().signal) => made.requestPermission(question, signal);
  return { broker: made, events, decided, closed, ask };
}

/** A promise that the test settles. */
function held<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(done => (resolve = done));
  return { promise, resolve: value => resolve(value) };
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
  it("reports the question unchanged, and resolves with the answer", async () => {
    const { broker: it, events, ask } = broker();
    const answer = ask();
    assert.deepEqual(events, [{ type: "askOpened", ask: "ask1", ...question }]);
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
    assert.deepEqual(events[1], { type: "askClosed", ask: "ask1", answer: { option: "yes" } });
  });

  it("accepts one answer, from any source", async () => {
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
    assert.deepEqual(it.openQuestionIds, ["ask1"]);
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
  });

  it("cancels a question when its request is withdrawn", async () => {
    const { events, ask } = broker();
    const abort = new AbortController();
    const answer = ask(abort.signal);
    abort.abort();
    assert.equal(await answer, "cancelled");
    assert.deepEqual(events[1], { type: "askClosed", ask: "ask1", answer: "cancelled" });
  });

  it("settles a question that was withdrawn before it was opened, and shows nothing", async () => {
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
    assert.deepEqual(it.openQuestionIds, ["ask1", "ask2", "ask3"]);
    it.answer("ask2", "yes");
    assert.deepEqual(it.openQuestionIds, ["ask1", "ask3"]);
    it.cancelAll();
    assert.deepEqual(await Promise.all(answers), ["cancelled", { option: "yes" }, "cancelled"]);
    assert.deepEqual(it.openQuestionIds, []);
  });

  it("opens questions again after everything was cancelled", async () => {
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

  it("can be answered by a listener of its event at once", async () => {
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

  it("records the answer of a policy and its source, and never shows the question as open", async () => {
    const { events, ask } = broker(async () => ({ decision: { option: "yes", by: "the rule “npm test”" } }));
    assert.deepEqual(await ask(), { option: "yes" });
    assert.deepEqual(events, [
      { type: "askOpened", ask: "ask1", ...question, answer: { option: "yes" }, by: "the rule “npm test”" },
    ]);
  });

  it("asks the user if a policy makes no decision, or chooses an option that is not offered", async () => {
    for (const standing of [{}, { decision: { option: "always", by: "x" } }]) {
      const { broker: it, ask } = broker(async () => standing);
      const answer = ask();
      await until(() => it.openQuestionIds.length > 0);
      assert.deepEqual(it.openQuestionIds, ["ask1"]);
      it.answer("ask1", "no");
      assert.deepEqual(await answer, { option: "no" });
    }
  });

  it("reports why the user is asked anyway, and whether a rule can be created from the answer", async () => {
    const { broker: it, events, ask } = broker(async () => ({ reason: "A rule asks about this.", always: true }));
    const answer = ask();
    await until(() => it.openQuestionIds.length > 0);
    it.cancelAll();
    assert.equal(await answer, "cancelled");
    const [opened] = events;
    assert.ok(opened?.type === "askOpened");
    assert.deepEqual([opened.reason, opened.always], ["A rule asks about this.", true]);
  });

  it("asks the user if a policy fails, and logs that", async () => {
    const { broker: it, ask, events } = broker(() => Promise.reject(new Error("bad rule")));
    const answer = ask();
    await until(() => it.openQuestionIds.length > 0);
    const [opened] = events;
    assert.ok(opened?.type === "askOpened");
    assert.match(opened.reason ?? "", /could not be applied: bad rule/);
    it.answer("ask1", "yes");
    assert.deepEqual(await answer, { option: "yes" });
  });

  it('answers "cancelled" if a question is cancelled while the policy decides, and never opens it', async () => {
    for (const end of ["cancelAll", "dispose", "abort"] as const) {
      const gate = held<PolicyDecision>();
      const { broker: it, ask, events } = broker(() => gate.promise);
      const abort = new AbortController();
      const answer = ask(abort.signal);
      if (end === "abort") abort.abort();
      else it[end]();
      gate.resolve({ decision: { option: "yes", by: "x" } });
      assert.equal(await answer, "cancelled", end);
      // Stop ended the question, which the card of its call shows.
      const stopped = { type: "askOpened", ask: "ask1", ...question, answer: "cancelled" };
      assert.deepEqual(events, end === "cancelAll" ? [stopped] : [], end);
    }
  });

  it("settles a cancelled question whose policy never answers", async () => {
    const { broker: it, ask, events } = broker(() => new Promise(() => {}));
    const abort = new AbortController();
    const answers = [ask(abort.signal), ask(), ask()];
    abort.abort();
    assert.equal(await answers[0], "cancelled");
    it.cancelAll();
    assert.deepEqual(await Promise.all(answers), ["cancelled", "cancelled", "cancelled"]);
    const late = ask();
    it.dispose();
    assert.equal(await late, "cancelled");
    assert.deepEqual(
      events.map(event => event.type === "askOpened" && event.answer),
      ["cancelled", "cancelled"],
    );
  });

  it("keeps the order of questions, however long the policy takes for one", async () => {
    const first = held<PolicyDecision>();
    let calls = 0;
    const { broker: it, ask, events } = broker(() => (calls++ === 0 ? first.promise : Promise.resolve({})));
    const answers = [ask(), ask()];
    first.resolve({ reason: "first" });
    await until(() => it.openQuestionIds.length === 2);
    const reasons = events.map(event => event.type === "askOpened" && event.reason);
    assert.deepEqual(reasons, ["first", undefined]);
    it.cancelAll();
    assert.deepEqual(await Promise.all(answers), ["cancelled", "cancelled"]);
  });

  it("records the refusal of a rule that answered before the user was asked", () => {
    const { broker: it, events, decided } = broker();
    it.record(question, { option: "no", by: "deny command “npm”" });
    assert.deepEqual(events, [
      { type: "askOpened", ask: "ask1", ...question, answer: { option: "no" }, by: "deny command “npm”" },
    ]);
    assert.equal(decided.length, 1);
    it.dispose();
    it.record(question, { option: "no", by: "deny command “npm”" });
    assert.equal(events.length, 1);
  });

  it("reports who answered, once for each question", async () => {
    const { broker: it, ask, decided } = broker();
    const answers = [ask(), ask()];
    it.answer("ask1", "yes");
    it.answer("ask1", "no");
    it.cancelAll();
    await Promise.all(answers);
    assert.deepEqual(decided, [
      { question, answer: { option: "yes" } },
      { question, answer: "cancelled" },
    ]);
  });
});
