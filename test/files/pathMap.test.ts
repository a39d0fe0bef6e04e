// Finding paths by a folder above them.
import assert from "node:assert/strict";
import { join, sep } from "node:path";
import fc from "fast-check";
import { isAtOrBelow } from "../../src/files/nodePaths.ts";
import { PathMap } from "../../src/files/pathMap.ts";

const top = join(sep, "w");
const anyPath = fc
  .array(fc.constantFrom("a", "ab", "b"), { minLength: 0, maxLength: 3 })
  .map(names => join(top, ...names));
const anyChange = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("set" as const), path: anyPath }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("delete" as const), path: anyPath }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("clear" as const), path: anyPath }) },
);

describe("a map by paths", () => {
  it("finds the paths at and below a path in the order in which they were added, as comparing all of them does", () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 30 }), anyPath, (changes, folder) => {
        const map = new PathMap<number>();
        const plain = new Map<string, number>();
        for (const [value, { type, path }] of changes.entries()) {
          for (const one of [map, plain]) {
            if (type === "set") one.set(path, value);
            else if (type === "delete") one.delete(path);
            else one.clear();
          }
          for (const at of [folder, top, sep])
            assert.deepEqual(
              map.atOrBelow(at),
              [...plain.keys()].filter(one => isAtOrBelow(one, at)),
            );
        }
        assert.deepEqual([...map], [...plain]);
      }),
    );
  });

  it("finds nothing in a folder whose name is only the beginning of another one", () => {
    const map = new PathMap<true>();
    map.set(join(top, "ab", "c"), true);
    assert.deepEqual(map.atOrBelow(join(top, "a")), []);
  });
});
