// The limits of what is kept in the state of the editor.
import assert from "node:assert/strict";
import fc from "fast-check";
import { itemsWithin, jsonBytes, newestEntries } from "../../src/base/newestEntries.ts";

describe("the newest entries", () => {
  it("are within all limits, in their order, and none is left out without a reason", () => {
    const limits = fc.record({
      count: fc.integer({ min: 1, max: 10 }),
      entryBytes: fc.integer({ min: 2, max: 60 }),
      totalBytes: fc.integer({ min: 2, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 40 })), limits, (entries, limit) => {
        const kept = newestEntries(entries, limit);
        const sizes = kept.map(jsonBytes);
        assert.ok(kept.length <= limit.count);
        assert.ok(sizes.every(size => size <= limit.entryBytes));
        const total = sizes.reduce((sum, size) => sum + size, 0);
        assert.ok(total <= limit.totalBytes);
        const small = entries.filter(entry => jsonBytes(entry) <= limit.entryBytes);
        assert.deepEqual(kept, kept.length === 0 ? [] : small.slice(-kept.length));
        const next = small.at(-kept.length - 1);
        if (next !== undefined && kept.length < limit.count) assert.ok(total + jsonBytes(next) > limit.totalBytes);
      }),
    );
  });

  it("can have exactly the size of each limit", () => {
    const entries = ["aa", "bb"];
    assert.deepEqual(newestEntries(entries, { count: 2, entryBytes: 4, totalBytes: 8 }), entries);
  });

  it("count bytes and not characters", () => {
    const limits = { count: 9, entryBytes: 9, totalBytes: 90 };
    assert.deepEqual(newestEntries(["aaaaa", "ääää"], limits), ["aaaaa"]);
  });
});

describe("the first items of a list", () => {
  it("have at most the bytes of the limit together", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 2, max: 500 }), (items, max) => {
        const kept = itemsWithin(items, max);
        assert.ok(jsonBytes(kept) <= max);
        assert.deepEqual(kept, items.slice(0, kept.length));
        if (kept.length < items.length) assert.ok(jsonBytes(items.slice(0, kept.length + 1)) + 1 > max);
      }),
    );
  });
});
