// How much agents may say before it has been painted.
import assert from "node:assert/strict";
import { Credit } from "../../src/base/readBudget.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

const much = 1_000_000;

describe("the credit of agents", () => {
  let clock: FakeClock;
  let behind: boolean;
  let painting: boolean;
  let credit: Credit;
  beforeEach(() => {
    clock = new FakeClock();
    behind = true;
    painting = false;
    credit = new Credit({ clock, isBehind: () => behind, isPainting: () => painting });
  });

  it("lasts for what a usual answer says between two frames", () => {
    credit.spend(50_000);
    assert.equal(credit.isSpent, false);
  });

  it("is spent by a flood until what was said goes out to be painted", () => {
    credit.spend(much);
    assert.equal(credit.isSpent, true);
    credit.renew();
    assert.equal(credit.isSpent, false);
    credit.spend(much);
    assert.equal(credit.isSpent, true);
  });

  it("is never spent while nobody has anything to paint", () => {
    behind = false;
    credit.spend(much);
    assert.equal(credit.isSpent, false);
    behind = true;
    assert.equal(credit.isSpent, false, "what was said before is forgotten");
  });

  it("is spent earlier while what was sent is being painted", () => {
    painting = true;
    credit.spend(20_000);
    assert.equal(credit.isSpent, false);
    credit.spend(30_000);
    assert.equal(credit.isSpent, true);
    clock.pass(100);
    painting = false;
    assert.equal(credit.isSpent, false);
    credit.spend(much);
    assert.equal(credit.isSpent, true);
    clock.pass(200);
    assert.equal(credit.isSpent, true, "the wait while it was being painted is over, and does not count");
  });

  it("is not spent earlier for a panel that was waited for in vain, until it has painted", () => {
    painting = true;
    credit.spend(60_000);
    assert.equal(credit.isSpent, true);
    clock.pass(250);
    assert.equal(credit.isSpent, false);
    credit.spend(60_000);
    assert.equal(credit.isSpent, false);
    painting = false;
    assert.equal(credit.isSpent, false);
    painting = true;
    assert.equal(credit.isSpent, true);
  });

  for (const [what, pass] of [
    ["that paints nothing", 250],
    ["whose clock was set back", -1000],
  ] as const) {
    it(`is not spent for ever by a panel ${what}`, () => {
      clock.pass(10_000);
      credit.spend(much);
      assert.equal(credit.isSpent, true);
      clock.pass(pass);
      assert.equal(credit.isSpent, false);
    });
  }
});
