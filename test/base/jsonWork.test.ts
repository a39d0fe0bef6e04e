// JSON in pieces is the same as in one piece.
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonWork } from "../../src/base/jsonWork.ts";
import { runToEnd } from "../../src/base/lineDiff.ts";

describe("JSON in pieces", () => {
  it("is the same as in one piece", () => {
    const plain = fc.oneof(fc.jsonValue(), fc.object({ values: [fc.string(), fc.double(), fc.constant(undefined)] }));
    fc.assert(
      fc.property(plain, value => {
        assert.equal(runToEnd(jsonWork(value)), JSON.stringify(value));
        assert.equal(runToEnd(jsonWork(value, 1)), JSON.stringify(value));
      }),
    );
  });

  it("divides long lists and the strings of an object", () => {
    const value = { files: [{ base: "a", text: "b", hunks: Array.from({ length: 1000 }, (_, id) => ({ id })) }] };
    const pieces = [...jsonWork(value)];
    assert.ok(pieces.length > 5, `${pieces.length} pieces`);
    assert.equal(runToEnd(jsonWork(value)), JSON.stringify(value));
  });
});
