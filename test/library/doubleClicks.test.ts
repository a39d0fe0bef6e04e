// Which clicks on the rows of a list are double clicks.
import assert from "node:assert/strict";
import { DoubleClicks, maxDoubleClickTime } from "../../src/library/doubleClicks.ts";

describe("clicks on rows of the Sessions view", () => {
  let time = 0;
  let clicks: DoubleClicks;
  /** Clicks the row so long after the click before, in milliseconds. */
  const click = (id: string, later: number): boolean => {
    time += later;
    return clicks.isSecond(id);
  };
  beforeEach(() => {
    time = 1_000_000;
    clicks = new DoubleClicks({ now: () => time });
  });

  it("are a double click until 500 ms after the first one", () => {
    assert.equal(maxDoubleClickTime, 500);
    assert.deepEqual([click("a", 0), click("a", 500)], [false, true]);
  });

  it("are two single clicks 501 ms after the first one, and the second one can begin a double click", () => {
    assert.deepEqual([click("a", 0), click("a", 501), click("a", 500)], [false, false, true]);
  });

  it("are single clicks on different rows", () => {
    assert.deepEqual([click("a", 0), click("b", 10), click("a", 10)], [false, false, false]);
  });

  it("begin a new double click after one", () => {
    assert.deepEqual([click("a", 0), click("a", 10), click("a", 10), click("a", 10)], [false, true, false, true]);
  });
});
