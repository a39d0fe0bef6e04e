// What the turns of a session have used: tokens and cost are counted once each, as far as the agent reports them.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { SessionEvent, TurnUsage } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type TurnSpending } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

const opened: SessionEvent = { type: "opened", agent: "a", agentName: "A", cwd: "/w" };
const running: SessionEvent = { type: "activity", state: "running" };
const answer: SessionEvent = {
  type: "message",
  author: "agent",
  messageId: "m",
  content: [{ type: "text", text: "Done" }],
};
const idle = (usage?: TurnUsage): SessionEvent => ({
  ...{ type: "activity", state: "idle", stopReason: "end_turn" },
  ...(usage && { usage }),
});
const cost = (amount: number, currency = "USD"): SessionEvent => ({
  ...{ type: "usage", used: 10, size: 100 },
  cost: { amount, currency },
});
const turn = (...events: readonly SessionEvent[]): readonly SessionEvent[] => [running, answer, ...events, idle()];
const turnsOf = (...events: readonly SessionEvent[]): readonly TurnSpending[] =>
  logged([opened, ...events]).reduce(reduce, emptySession).spending.turns;
const costsOf = (...events: readonly SessionEvent[]): readonly unknown[] =>
  turnsOf(...events).map(each => each.cost && [each.cost.amount, each.cost.currency]);

describe("what the turns of a session have used", () => {
  it("is the difference between costs of the whole session", () => {
    assert.deepEqual(costsOf(...turn(cost(0.1)), ...turn(cost(0.2), cost(0.3))), [
      [0.1, "USD"],
      [0.2, "USD"],
    ]);
  });

  it("begins again if the agent counts again from zero", () => {
    assert.deepEqual(costsOf(...turn(cost(2)), ...turn(cost(0.5)), ...turn(cost(0.75))), [
      [2, "USD"],
      [0.5, "USD"],
      [0.25, "USD"],
    ]);
  });

  it("does not contain the same cost twice when it is reported again, also between turns", () => {
    assert.deepEqual(costsOf(...turn(cost(1)), cost(1), ...turn(cost(1)), ...turn()), [[1, "USD"]]);
  });

  it("contains work between two turns once", () => {
    assert.deepEqual(costsOf(...turn(cost(1)), cost(1.5), ...turn(cost(2))), [
      [1, "USD"],
      [1, "USD"],
    ]);
  });

  it("is not counted again in a branch, whose first cost is left out", () => {
    const branched: SessionEvent = { type: "branched", session: "b", from: "s", after: "m" };
    assert.deepEqual(costsOf(...turn(cost(1)), branched, ...turn(cost(0.4)), ...turn(cost(1.5))), [[1.1, "USD"]]);
  });

  it("has the whole first turn of a branch, whose agent session is new, and nothing of the turns that it copied", () => {
    const branched: SessionEvent = { type: "branched", session: "b", from: "s", after: "m" };
    const session = (sessionId: string, continued?: true): SessionEvent => ({
      ...{ type: "agentSession", sessionId },
      ...(continued && { continued }),
    });
    // The conversation so far is attached, so the input is large.
    const first = [running, { ...answer, messageId: "m2" }, cost(3), idle({ input: 9000, output: 10 })];
    const branch = [session("1"), ...turn(cost(2)), branched, session("2"), ...first, ...turn(cost(3.5))];
    assert.deepEqual(
      turnsOf(...branch).map(({ at: _, ...rest }) => rest),
      [
        { input: 9000, output: 10, tokens: 9010, cost: { amount: 3, currency: "USD" } },
        { cost: { amount: 0.5, currency: "USD" } },
      ],
    );
    // The line of the turn says the same.
    const { entries } = logged([opened, ...branch.slice(0, -4)]).reduce(reduce, emptySession);
    assert.deepEqual(entries.at(entries.length - 1)?.turn?.cost, { amount: 3, currency: "USD" });
    const resumed = [session("2", true), ...turn(cost(4))];
    assert.deepEqual(costsOf(...branch, ...resumed).slice(2), [[0.5, "USD"]]);
  });

  it("has the whole first turn after the agent lost the conversation, also if it costs more than all before", () => {
    const lost: SessionEvent = { type: "agentSession", sessionId: "2" };
    assert.deepEqual(costsOf({ ...lost, sessionId: "1" }, ...turn(cost(1)), lost, ...turn(cost(3))), [
      [1, "USD"],
      [3, "USD"],
    ]);
    // A turn without a report is over all the same.
    assert.deepEqual(costsOf(...turn(cost(1)), lost, ...turn(), ...turn(cost(3)), ...turn(cost(4))), [
      [1, "USD"],
      [1, "USD"],
    ]);
  });

  it("leaves out a first cost that may be of work before", () => {
    const unused: SessionEvent = { type: "agentSession", sessionId: "1" };
    const kept: SessionEvent = { type: "agentSession", sessionId: "2", continued: true };
    assert.deepEqual(costsOf(unused, kept, answer, ...turn(cost(5)), ...turn(cost(6))), [[1, "USD"]]);
    assert.deepEqual(costsOf(answer, ...turn(cost(5)), ...turn(cost(6))), [[1, "USD"]]);
  });

  it("never takes the difference of two currencies", () => {
    assert.deepEqual(costsOf(...turn(cost(1)), ...turn(cost(3, "EUR")), ...turn(cost(4, "EUR"))), [
      [1, "USD"],
      [1, "EUR"],
    ]);
  });

  it("has the tokens of each turn with its models, once", () => {
    const usage = { input: 100, output: 20, models: [{ model: "large", input: 100, output: 20 }] };
    const turns = turnsOf(running, answer, idle(usage), idle(usage));
    assert.deepEqual(
      turns.map(({ at: _, ...rest }) => rest),
      [{ model: "large", input: 100, output: 20, tokens: 120 }],
    );
  });

  it("is nothing for an agent that reports nothing", () => {
    assert.deepEqual(turnsOf(...turn(), ...turn({ type: "usage", used: 10, size: 100 })), []);
  });

  it("adds up to every increase of the cost", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 3 }), { maxLength: 20 }), turns => {
        let total = 0;
        // From the first turn on, the agent reports a cost.
        const first = turn(cost(0));
        const events = turns.flatMap(steps => turn(...steps.map(step => cost((total += step) / 1000))));
        const sum = turnsOf(...first, ...events).reduce((all, each) => all + (each.cost?.amount ?? 0), 0);
        assert.equal(Math.round(sum * 1000), total);
      }),
    );
  });
});
