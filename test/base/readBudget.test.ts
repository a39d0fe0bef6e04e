// How much agents may send before it has been painted.
import assert from "node:assert/strict";
import { ReadBudget } from "../../src/base/readBudget.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

const much = 1_000_000;

describe("the read budget of agents", () => {
  let clock: FakeClock;
  let behind: boolean;
  let painting: boolean;
  let credit: ReadBudget;
  beforeEach(() => {
    clock = new FakeClock();
    behind = true;
    painting = false;
    credit = new ReadBudget({ clock, isBehind: () => behind, isPainting: () => painting });
  });

  it("is enough for the output of a typical answer between two frames", () => {
    credit.spend(50_000);
    assert.equal(credit.isExhausted, false);
  });

  it("is exhausted by a flood until the output is sent to be painted", () => {
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
    credit.reset();
    assert.equal(credit.isExhausted, false);
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
  });

  it("is never exhausted while nothing waits to be painted", () => {
    behind = false;
    credit.spend(much);
    assert.equal(credit.isExhausted, false);
    behind = true;
    assert.equal(credit.isExhausted, false, "what was read before does not count");
  });

  it("is enough for as many tool calls with small diffs as chunks of text, but not for large diffs", () => {
    painting = true;
    for (let i = 0; i < 190; i++) credit.spend(900);
    assert.equal(credit.isExhausted, false);
    for (let i = 0; i < 10; i++) credit.spend(900);
    assert.equal(credit.isExhausted, true);
    credit.reset();
    credit.spend(100_000);
    assert.equal(credit.isExhausted, true);
  });

  it("is exhausted earlier while the panel paints", () => {
    painting = true;
    credit.spend(22_000);
    assert.equal(credit.isExhausted, false);
    credit.spend(32_000);
    assert.equal(credit.isExhausted, true);
    clock.advance(100);
    painting = false;
    assert.equal(credit.isExhausted, false);
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
    clock.advance(200);
    assert.equal(credit.isExhausted, true, "the wait while it was being painted is over, and does not count");
  });

  it("is not exhausted earlier for a panel that did not acknowledge in time, until it has painted", () => {
    painting = true;
    credit.spend(60_000);
    assert.equal(credit.isExhausted, true);
    clock.advance(250);
    assert.equal(credit.isExhausted, false);
    credit.spend(60_000);
    assert.equal(credit.isExhausted, false);
    painting = false;
    assert.equal(credit.isExhausted, false);
    painting = true;
    assert.equal(credit.isExhausted, true);
  });

  for (const [what, pass] of [
    ["that paints nothing", 250],
    ["whose clock was set back", -1000],
  ] as const) {
    it(`is not exhausted forever by a panel ${what}`, () => {
      clock.advance(10_000);
      credit.spend(much);
      assert.equal(credit.isExhausted, true);
      clock.advance(pass);
      assert.equal(credit.isExhausted, false);
    });
  }
});
