import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseBoundedJson, tooDeepMarker } from "../../src/base/jsonDepth.ts";

/** The number of levels of objects and arrays, counted without recursion. */
function depthOf(value: unknown): number {
  let depth = 0;
  let level: readonly unknown[] = [value];
  for (;;) {
    const nested = level.filter(one => typeof one === "object" && one !== null);
    if (nested.length === 0) return depth;
    depth++;
    level = nested.flatMap(one => Object.values(one as object) as unknown[]);
  }
}

describe("parsing JSON of bounded depth", () => {
  it("changes nothing up to the limit, whatever the JSON is", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), text => {
        assert.deepEqual(parseBoundedJson(text), JSON.parse(text));
      }),
    );
    const deep = "[".repeat(200) + "]".repeat(200);
    assert.equal(depthOf(parseBoundedJson(deep)), 200);
    assert.equal(JSON.stringify(parseBoundedJson(deep)), deep);
  });

  it("replaces what is deeper by a marker, in arrays and objects, and keeps everything else", () => {
    const arrays = parseBoundedJson("[".repeat(100_000) + "]".repeat(100_000));
    assert.equal(depthOf(arrays), 200);
    assert.ok(JSON.stringify(arrays).includes(tooDeepMarker));
    const objects = parseBoundedJson(
      `{"id":7,"a":${'{"__proto__":'.repeat(5000)}1${"}".repeat(5000)},"b":[1,{"c":2}]}`,
    );
    assert.equal(depthOf(objects), 200);
    const { id, b } = objects as { readonly id: unknown; readonly b: unknown };
    assert.deepEqual([id, b], [7, [1, { c: 2 }]]);
    assert.equal(Object.getPrototypeOf((objects as { readonly a: object }).a), Object.prototype);
  });

  it("has at most the given levels and the same value above them, for random nesting", () => {
    const nested = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 12, depthSize: "max" },
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(nested, fc.integer({ min: 1, max: 6 }), (value, levels) => {
        // Brackets in texts do not count.
        const text = JSON.stringify({ value, text: "[{]}".repeat(3) }) + " ".repeat(20);
        const cut = parseBoundedJson(text, levels);
        assert.ok(depthOf(cut) <= levels);
        if (depthOf(value) < levels) assert.deepEqual(cut, JSON.parse(text));
      }),
    );
  });
});
