// Which files that are gone and which new files are the same ones.
import assert from "node:assert/strict";
import { pairMoves, type MovePart } from "../../src/review/turns/pairMoves.ts";

const part = (path: string, text?: string, id?: string): MovePart => ({ path, text, id });
const pairs = (gone: readonly MovePart[], added: readonly MovePart[]): readonly string[] =>
  pairMoves(gone, added).map(({ from, to }) => `${from} → ${to}`);

describe("pairing files that are gone with new ones", () => {
  it("pairs files with the same identity, whatever they contain", () => {
    assert.deepEqual(pairs([part("/a", undefined, "1")], [part("/b", undefined, "2"), part("/c", undefined, "1")]), [
      "/a → /c",
    ]);
    assert.deepEqual(pairs([part("/a", undefined)], [part("/b", undefined)]), []);
  });

  it("pairs files with the same text, first those with the same names", () => {
    const gone = [part("/p/x/init", "same\n"), part("/p/y/init", "same\n")];
    const added = [part("/q/y/init", "same\n"), part("/q/x/init", "same\n")];
    assert.deepEqual([...pairs(gone, added)].sort(), ["/p/x/init → /q/x/init", "/p/y/init → /q/y/init"]);
  });

  it("pairs empty files only if they have the same name", () => {
    assert.deepEqual(pairs([part("/a", "", "e")], [part("/b", "", "e")]), []);
    assert.deepEqual(pairs([part("/p/a", "", "e")], [part("/q/a", "", "e")]), ["/p/a → /q/a"]);
  });

  it("pairs files of which at least half is the same", () => {
    const [one, two, three] = ["one\n".repeat(5), "two\n".repeat(5), "three\n".repeat(10)];
    assert.deepEqual(pairs([part("/a", one + two)], [part("/b", one + three), part("/c", two + one + "x\n")]), [
      "/a → /c",
    ]);
    assert.deepEqual(pairs([part("/a", one)], [part("/b", three)]), []);
  });

  it("puts each file into one pair at most", () => {
    const same = [part("/a", "same\n"), part("/b", "same\n")];
    assert.equal(pairs(same, [part("/c", "same\n")]).length, 1);
    assert.equal(pairs([part("/c", "same\n")], same).length, 1);
  });

  it("takes less than a second for thousands of files with the same content", () => {
    const all = (folder: string): readonly MovePart[] =>
      Array.from({ length: 3000 }, (_, i) => part(`/${folder}/${i}`, "same\n", "1"));
    assert.equal(pairs(all("a"), all("b")).length, 3000);
  });
});
