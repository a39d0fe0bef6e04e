import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits, positionFinder, smallestEdits } from "../../src/files/textEdits.ts";
import { withLineFeeds } from "../../src/base/text.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "ab", "\n", "😀", "😁", "\u{1fa00}", "x y"), { maxLength: 40 })
  .map(parts => parts.join(""));

describe("smallestEdits", () => {
  it("turns one text into the other", () => {
    fc.assert(
      fc.property(text, text, (before, after) => assert.equal(applyEdits(before, smallestEdits(before, after)), after)),
      {
        numRuns: 1000,
      },
    );
  });

  it("returns edits in order, apart from each other, and never empty", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        let last = -1;
        for (const edit of smallestEdits(before, after)) {
          assert.ok(edit.start > last, "overlaps or touches");
          assert.ok(edit.end >= edit.start);
          assert.ok(edit.end > edit.start || edit.text !== "");
          last = edit.end;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("never splits a character", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const edit of smallestEdits(before, after)) {
          const pieces = [
            before.slice(0, edit.start),
            before.slice(edit.start, edit.end),
            before.slice(edit.end),
            edit.text,
          ];
          for (const piece of pieces) assert.ok(!/\p{Surrogate}/u.test(piece), JSON.stringify(piece));
        }
      }),
    );
  });

  it("keeps the lines between two changes", () => {
    const before = "one\ntwo\nthree\nfour\nfive\n";
    const after = "0\none\ntwo\nthree\nfour\n5\n";
    assert.deepEqual(smallestEdits(before, after), [
      { start: 0, end: 0, text: "0\n" },
      { start: before.length - 5, end: before.length - 1, text: "5" },
    ]);
  });

  it("replaces one character by one character", () => {
    assert.deepEqual(smallestEdits("one two\n", "one too\n"), [{ start: 5, end: 6, text: "o" }]);
  });

  it("returns nothing for equal texts", () => {
    assert.deepEqual(smallestEdits("same", "same"), []);
  });

  it("stays fast when everything changed", () => {
    const before = Array.from({ length: 50_000 }, (_, index) => `old ${index}\n`).join("");
    const after = Array.from({ length: 50_000 }, (_, index) => `new ${index * 7}\n`).join("");
    const used = processorTime();
    const edits = smallestEdits(before, after);
    assert.ok(used() < 3000);
    assert.equal(applyEdits(before, edits), after);
  });
});

describe("positionFinder", () => {
  it("returns line and character of every offset", () => {
    const lines = "ab\n\nc";
    const place = positionFinder(lines);
    const places = Array.from({ length: lines.length + 1 }, (_, offset) => place(offset));
    assert.deepEqual(
      places.map(({ line, character }) => `${line}:${character}`),
      ["0:0", "0:1", "0:2", "1:0", "2:0", "2:1"],
    );
  });
});

describe("withLineFeeds", () => {
  it("converts every line ending to a line feed", () => {
    assert.equal(withLineFeeds("a\r\nb\rc\nd\r\r\n"), "a\nb\nc\nd\n\n");
  });
});
