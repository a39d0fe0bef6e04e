// JSON objects that are cut at their end.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readJsonPrefix } from "../../src/base/jsonPrefix.ts";

describe("the members of a JSON object that may be cut", () => {
  it("are those that are complete", () => {
    const rows: readonly [string, unknown][] = [
      ["{", {}],
      ['{"a', {}],
      ['{"a": "b', {}],
      ['{"a": "b"', {}],
      ['{"a": "b",', { a: "b" }],
      [' {"a": "b", "c": {"d": [1, ', { a: "b" }],
      ['{"a": {"x": "}, ,"}, "c": "\\"', { a: { x: "}, ," } }],
      ['{"a": 1}\n', { a: 1 }],
      ["{}", {}],
    ];
    for (const [text, members] of rows) assert.deepEqual(readJsonPrefix(text), members, text);
  });

  it("are not found in other text", () => {
    const texts = ["", "a", "[1", '"a"', "{ return; }", '{"a":1} and more', "{a: 1", '{"a":1,b', "{'a'", '{"a" 1, "b'];
    for (const text of texts) assert.equal(readJsonPrefix(text), undefined, text);
  });

  it("are members of the whole object, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.boolean(), (whole, at, isPretty) => {
        const json = JSON.stringify(whole, null, isPretty ? 2 : 0);
        const text = json.slice(0, 1 + (at % json.length));
        const members = readJsonPrefix(text);
        assert.ok(members, text);
        const parsed = JSON.parse(json) as Record<string, unknown>;
        for (const name of Object.keys(members)) assert.deepEqual(members[name], parsed[name]);
        if (text === json) assert.deepEqual(members, parsed);
      }),
    );
  });

  it("are read from the beginning of a long text only", () => {
    const text = JSON.stringify({ path: "a", content: "x,{".repeat(10_000), mode: 1 });
    assert.deepEqual(readJsonPrefix(text), { path: "a" });
  });
});
