// How much agents may say before it has been painted.
import assert from "node:assert/strict";
import { ReadBudget } from "../../src/base/readBudget.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

const much = 1_000_000;

describe("the credit of agents", () => {
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

  it("lasts for what a usual answer says between two frames", () => {
    credit.spend(50_000);
    assert.equal(credit.isExhausted, false);
  });

  it("is spent by a flood until what was said goes out to be painted", () => {
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
    credit.reset();
    assert.equal(credit.isExhausted, false);
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
  });

  it("is never spent while nobody has anything to paint", () => {
    behind = false;
    credit.spend(much);
    assert.equal(credit.isExhausted, false);
    behind = true;
    assert.equal(credit.isExhausted, false, "what was said before is forgotten");
  });

  it("is spent earlier while what was sent is being painted", () => {
    painting = true;
    credit.spend(20_000);
    assert.equal(credit.isExhausted, false);
    credit.spend(30_000);
    assert.equal(credit.isExhausted, true);
    clock.advance(100);
    painting = false;
    assert.equal(credit.isExhausted, false);
    credit.spend(much);
    assert.equal(credit.isExhausted, true);
    clock.advance(200);
    assert.equal(credit.isExhausted, true, "the wait while it was being painted is over, and does not count");
  });

  it("is not spent earlier for a panel that was waited for in vain, until it has painted", () => {
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
    it(`is not spent for ever by a panel ${what}`, () => {
      clock.advance(10_000);
      credit.spend(much);
      assert.equal(credit.isExhausted, true);
      clock.advance(pass);
      assert.equal(credit.isExhausted, false);
    });
  }
});
