// Compares the list of entries with a plain array, also if two lists grow from one.
import assert from "node:assert/strict";
import fc from "fast-check";
import { EntryList } from "../../src/session/entryList.ts";

interface Item {
  readonly id: string;
  readonly value: number;
}

const put = (array: readonly Item[], item: Item): readonly Item[] => {
  const at = array.findIndex(one => one.id === item.id);
  return at < 0 ? [...array, item] : array.with(at, item);
};

function check(list: EntryList<Item>, array: readonly Item[]): void {
  assert.deepEqual([...list], array);
  assert.equal(list.length, array.length);
  for (const [at, item] of array.entries()) {
    assert.equal(list.at(at), item);
    assert.equal(list.get(item.id), item);
    assert.equal(list.position(item.id), at);
  }
  assert.equal(list.at(-1), array.at(-1));
  assert.equal(list.at(array.length), undefined);
  assert.equal(list.at(-array.length - 1), undefined);
  assert.equal(
    list.findLast(item => item.value % 2 === 0),
    array.findLast(item => item.value % 2 === 0),
  );
  assert.deepEqual(JSON.parse(JSON.stringify(list)), array);
}

describe("the entry list", () => {
  const item = fc
    .tuple(fc.integer({ min: 0, max: 150 }), fc.nat())
    .map(([id, value]): Item => ({ id: String(id), value }));

  it("equals an array, in every version of the list", () => {
    // A step adds an item to any of the lists so far, so that lists branch.
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), item), { maxLength: 250 }), steps => {
        const lists: { readonly list: EntryList<Item>; readonly array: readonly Item[] }[] = [
          { list: EntryList.of<Item>(), array: [] },
        ];
        for (const [pick, one] of steps) {
          // Mostly the newest list, so that lists grow beyond a block.
          const from = lists[pick % 4 === 0 ? pick % lists.length : lists.length - 1];
          assert.ok(from);
          lists.push({ list: from.list.put(one), array: put(from.array, one) });
        }
        for (const { list, array } of lists.slice(-20)) check(list, array);
        const [first] = lists;
        if (first) check(first.list, first.array);
      }),
    );
  });

  it("does not find an id that only a list grown from it contains", () => {
    const short = EntryList.of([{ id: "a", value: 1 }]);
    const long = short.put({ id: "b", value: 2 });
    assert.equal(short.get("b"), undefined);
    assert.ok(Number.isNaN(short.position("b")));
    const other = short.put({ id: "c", value: 3 });
    assert.deepEqual([long.get("c"), other.get("b")], [undefined, undefined]);
    assert.equal(other.put({ id: "b", value: 4 }).get("b")?.value, 4);
    assert.equal(long.get("b")?.value, 2);
  });

  it("returns the same list if the entry is unchanged", () => {
    const entry = { id: "a", value: 1 };
    const list = EntryList.of([entry]);
    assert.equal(list.put(entry), list);
  });
});
