// Days in local time.
import assert from "node:assert/strict";
import { localDay } from "../../src/base/localDay.ts";

describe("a day in local time", () => {
  it("has four digits for the year and two for the month and the day", () => {
    assert.equal(localDay(new Date(2026, 0, 5, 23, 59).getTime()), "2026-01-05");
  });

  it("is some days earlier, also across months, years and days with 23 or 25 hours", () => {
    const day = new Date(2026, 0, 1, 0, 0).getTime();
    assert.deepEqual(
      [0, 1, 29].map(days => localDay(day, days)),
      ["2026-01-01", "2025-12-31", "2025-12-03"],
    );
    let last = localDay(day);
    for (let days = 1; days < 400; days++) {
      const next = localDay(day, days);
      assert.ok(next < last, `${next} is before ${last}`);
      last = next;
    }
    assert.equal(last, "2024-11-28");
  });
});
