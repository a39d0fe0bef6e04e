// The content of a message in the inspector, cut to what a page can hold.
import assert from "node:assert/strict";
import { jsonTree } from "../../src/inspector/jsonTree.ts";
import { isInspectorIntent, type InspectorNode } from "../../src/panel/inspectorPage.ts";

const count = (node: InspectorNode): number => (node.children ?? []).reduce((sum, child) => sum + count(child), 1);
const texts = (node: InspectorNode): number =>
  (node.text?.length ?? 0) + (node.children ?? []).reduce((sum, child) => sum + texts(child), 0);

describe("the tree of a message", () => {
  it("has every field and item in order", () => {
    assert.deepEqual(jsonTree({ id: 1, params: { list: ["a", null, true], none: {} } }), {
      ...{ key: "", kind: "object", size: 2 },
      children: [
        { key: "id", kind: "literal", text: "1" },
        {
          ...{ key: "params", kind: "object", size: 2 },
          children: [
            {
              ...{ key: "list", kind: "array", size: 3 },
              children: [
                { key: "0", kind: "string", text: "a" },
                { key: "1", kind: "literal", text: "null" },
                { key: "2", kind: "literal", text: "true" },
              ],
            },
            { key: "none", kind: "object", size: 0, children: [] },
          ],
        },
      ],
    });
  });

  it("is cut to a number of fields, of items and of characters, and says how much is missing", () => {
    const list = jsonTree(Array.from({ length: 1000 }, () => "x".repeat(6000)));
    assert.deepEqual([list.children?.length, list.cut], [200, 800]);
    assert.deepEqual([list.children?.[0]?.text?.length, list.children?.[0]?.cut], [5000, 1000]);
    assert.equal(texts(list), 200_000);
    const wide = (levels: number): unknown =>
      levels === 0 ? 1 : Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, wide(levels - 1)]));
    assert.ok(count(jsonTree(wide(3))) <= 2001);
    assert.equal(jsonTree({ ["n".repeat(300)]: 1 }).children?.[0]?.key.length, 201);
  });
});

describe("an intent of the page of the inspector", () => {
  it("has exactly the fields of its type", () => {
    for (const intent of [
      { type: "ready" },
      { type: "filter" },
      { type: "filter", text: "a", only: "faults" },
      { type: "rows", list: 1, from: 0, count: 100 },
    ])
      assert.ok(isInspectorIntent(intent), JSON.stringify(intent));
    for (const intent of [
      { type: "filter", only: "all" },
      { type: "rows", list: 1, from: -1, count: 100 },
      { type: "rows", list: 1, from: 0, count: 1e300 },
      { type: "select", list: 1, position: 0, more: 1 },
      { type: "chooseAgent", agent: 7 },
      { type: "quit" },
    ])
      assert.ok(!isInspectorIntent(intent), JSON.stringify(intent));
  });
});
