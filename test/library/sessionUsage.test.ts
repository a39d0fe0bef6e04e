// The sums of usage by day and model.
import assert from "node:assert/strict";
import fc from "fast-check";
import { groupUsage, sumUsage, usageRows } from "../../src/library/sessionUsage.ts";
import type { TurnSpending } from "../../src/session/state.ts";

const at = (day: number): number => new Date(2026, 0, day, 12).getTime();
const currency = fc.constantFrom("USD", "EUR", "credits");
const turn: fc.Arbitrary<TurnSpending> = fc.record(
  {
    at: fc.integer({ min: 1, max: 5 }).map(at),
    model: fc.constantFrom("large", "small"),
    input: fc.nat(1000),
    output: fc.nat(1000),
    tokens: fc.nat(2000),
    cost: fc.record({ amount: fc.nat(1000).map(cents => cents / 100), currency }),
  },
  { requiredKeys: ["at"] },
);

describe("the usage of a session", () => {
  it("has one row for each day and model, and one sum for each currency", () => {
    const turns: readonly TurnSpending[] = [
      { at: at(2), model: "large", tokens: 5, cost: { amount: 0.1, currency: "USD" } },
      { at: at(1), model: "large", tokens: 7 },
      { at: at(2), model: "large", tokens: 6, cost: { amount: 0.2, currency: "USD" } },
      { at: at(2), model: "large", cost: { amount: 1, currency: "EUR" } },
    ];
    const counts = { model: "large", input: 0, output: 0 };
    assert.deepEqual(usageRows(turns), [
      { ...counts, day: "2026-01-01", turns: 1, tokens: 7, costs: [] },
      {
        ...{ ...counts, day: "2026-01-02", turns: 3, tokens: 11 },
        costs: [
          { amount: 1, currency: "EUR" },
          { amount: 0.3, currency: "USD" },
        ],
      },
    ]);
  });

  it("is the same for any order of turns, and each grouping adds up to the parts", () => {
    fc.assert(
      fc.property(fc.array(turn), fc.nat(), (turns, cut) => {
        const rows = usageRows(turns);
        assert.deepEqual(usageRows(turns.toReversed()), rows);
        const all = sumUsage(rows);
        assert.equal(all.turns, turns.length);
        assert.equal(
          all.tokens,
          turns.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
        );
        for (const unit of ["USD", "EUR", "credits"]) {
          const cents = turns.map(({ cost }) => (cost?.currency === unit ? Math.round(cost.amount * 100) : 0));
          const sum = all.costs.find(cost => cost.currency === unit)?.amount ?? 0;
          assert.equal(
            Math.round(sum * 100),
            cents.reduce((total, each) => total + each, 0),
          );
        }
        const at = cut % (turns.length + 1);
        const parts = [...usageRows(turns.slice(0, at)), ...usageRows(turns.slice(at))];
        assert.deepEqual(sumUsage(parts), all);
        assert.deepEqual(sumUsage(groupUsage(rows, ({ day }) => day).map(([, , sum]) => sum)), all);
        assert.deepEqual(sumUsage(groupUsage(rows, ({ model }) => model).map(([, , sum]) => sum)), all);
      }),
    );
  });
});
