// How the lines of a comment move with edits, and how they are found again.
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits } from "../../src/files/textEdits.ts";
import { textLinesOf } from "../../src/review/textLines.ts";
import type { RangeEdit } from "../../src/review/fileChanges.ts";
import { editsOfLines, findLines, moveLines, moveLinesBy, textOfLines } from "../../src/comments/movedLines.ts";

const lines = { from: 3, to: 5 };

describe("the lines of a comment", () => {
  const cases: readonly (readonly [string, Parameters<typeof moveLines>[1], ReturnType<typeof moveLines>])[] = [
    [
      "move down if lines are inserted before them",
      { from: 3, to: 3, count: 2 },
      { lines: { from: 5, to: 7 }, isTouched: false },
    ],
    [
      "move up if lines before them are removed",
      { from: 0, to: 2, count: 0 },
      { lines: { from: 1, to: 3 }, isTouched: false },
    ],
    ["stay if lines after them change", { from: 5, to: 8, count: 1 }, { lines, isTouched: false }],
    [
      "grow if lines are inserted between them",
      { from: 4, to: 4, count: 3 },
      { lines: { from: 3, to: 8 }, isTouched: true },
    ],
    ["are those that replace them", { from: 3, to: 5, count: 1 }, { lines: { from: 3, to: 4 }, isTouched: true }],
    [
      "are gone if all of them are removed",
      { from: 2, to: 6, count: 0 },
      { lines: { from: 2, to: 2 }, isTouched: true },
    ],
    [
      "shrink if the first one is removed",
      { from: 2, to: 4, count: 0 },
      { lines: { from: 2, to: 3 }, isTouched: true },
    ],
    ["shrink if the last one is removed", { from: 4, to: 6, count: 0 }, { lines: { from: 3, to: 4 }, isTouched: true }],
    [
      "are at the same place in a larger replacement",
      { from: 1, to: 9, count: 8 },
      { lines: { from: 3, to: 5 }, isTouched: true },
    ],
    [
      "are the last line of a shorter replacement",
      { from: 1, to: 9, count: 1 },
      { lines: { from: 1, to: 2 }, isTouched: true },
    ],
  ];
  for (const [title, edit, expected] of cases) it(title, () => assert.deepEqual(moveLines(lines, edit), expected));

  it("stay gone, at their place", () => {
    const gone = { from: 4, to: 4 };
    assert.deepEqual(moveLines(gone, { from: 0, to: 1, count: 3 }).lines, { from: 6, to: 6 });
    assert.deepEqual(moveLines(gone, { from: 2, to: 8, count: 0 }).lines, { from: 2, to: 2 });
  });

  it("are not touched by a line feed at the end of the line before them", () => {
    const edits = editsOfLines("a\nb\nc\n", [{ ...at(0, 1), text: "\nnew" }]);
    assert.deepEqual(edits, [{ from: 1, to: 1, count: 1 }]);
    assert.deepEqual(moveLinesBy({ from: 1, to: 2 }, edits), { lines: { from: 2, to: 3 }, isTouched: false });
  });

  it("are not touched if the line before them is removed with its line feed", () => {
    const edits = editsOfLines("a\nb\nc\n", [
      { start: { line: 0, character: 0 }, end: { line: 1, character: 0 }, text: "" },
    ]);
    assert.deepEqual(moveLinesBy({ from: 1, to: 2 }, edits), { lines: { from: 0, to: 1 }, isTouched: false });
  });

  it("are touched by a letter in them", () => {
    const edits = editsOfLines("a\nb\nc\n", [{ ...at(1, 0), text: "x" }]);
    assert.deepEqual(moveLinesBy({ from: 1, to: 2 }, edits), { lines: { from: 1, to: 2 }, isTouched: true });
  });

  it("move with two cursors in one line", () => {
    const edits = editsOfLines("ab\nc\n", [
      { ...at(0, 2), text: "\n" },
      { ...at(0, 1), text: "\n" },
    ]);
    assert.deepEqual(moveLinesBy({ from: 1, to: 2 }, edits).lines, { from: 3, to: 4 });
  });

  it("keep their text under any edits that do not touch them, wherever these are", () => {
    const position = (text: string) =>
      fc.nat({ max: text.length }).map(offset => {
        const before = text.slice(0, offset).split("\n");
        return { line: before.length - 1, character: (before.at(-1) ?? "").length };
      });
    const texts = fc.array(fc.constantFrom("a", "b", "cc", "", "same"), { minLength: 2, maxLength: 12 });
    const scenes = texts.chain(all => {
      const text = `${all.join("\n")}\n`;
      const edit = fc.tuple(
        position(text),
        position(text),
        fc.constantFrom("", "x", "\n", "x\n", "\nx", "new\nlines\n"),
      );
      return fc.record({
        text: fc.constant(text),
        from: fc.nat({ max: all.length - 1 }),
        edits: fc.array(edit, { maxLength: 3 }),
      });
    });
    fc.assert(
      fc.property(scenes, ({ text, from, edits: given }) => {
        const edits = apart(
          given.map(([a, b, added]) => sorted(a, b, added)),
          text,
        );
        const after = textAfter(text, edits);
        const before = { from, to: from + 1 };
        const { lines: now, isTouched } = moveLinesBy(before, editsOfLines(text, edits));
        const { count } = textLinesOf(after);
        if (now.to > now.from)
          assert.ok(now.from >= 0 && now.to <= Math.max(count, now.from + 1), "inside of the text");
        if (!isTouched) assert.equal(textOfLines(after, now), textOfLines(text, before));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("lines that are searched", () => {
  it("are found nearest to where they were", () => {
    assert.deepEqual(findLines("x\na\ny\na\nz\n", "a", 4), { from: 3, to: 4 });
    assert.deepEqual(findLines("x\na\ny\na\nz\n", "a", 0), { from: 1, to: 2 });
  });
  it("are whole lines", () => {
    assert.equal(findLines("xa\nab\n", "a", 0), undefined);
    assert.deepEqual(findLines("xa\na\nb", "a\nb", 0), { from: 1, to: 3 });
  });
  it("are not found if they are blank", () => assert.equal(findLines("\n\n", "", 0), undefined));
});

const at = (line: number, character: number) => ({ start: { line, character }, end: { line, character } });
const isBefore = (a: RangeEdit["start"], b: RangeEdit["start"]): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);
const sorted = (a: RangeEdit["start"], b: RangeEdit["start"], text: string): RangeEdit =>
  isBefore(b, a) ? { start: b, end: a, text } : { start: a, end: b, text };

/** The edits that do not overlap or touch an earlier one. */
function apart(edits: readonly RangeEdit[], text: string): readonly RangeEdit[] {
  const offset = ({ line, character }: RangeEdit["start"]): number => textLinesOf(text).start(line) + character;
  const kept: RangeEdit[] = [];
  for (const edit of edits)
    if (kept.every(one => offset(edit.end) < offset(one.start) || offset(one.end) < offset(edit.start)))
      kept.push(edit);
  return kept;
}

function textAfter(text: string, edits: readonly RangeEdit[]): string {
  const offset = ({ line, character }: RangeEdit["start"]): number => textLinesOf(text).start(line) + character;
  const offsets = edits.map(({ start, end, text: added }) => ({ start: offset(start), end: offset(end), text: added }));
  return applyEdits(
    text,
    offsets.toSorted((a, b) => a.start - b.start),
  );
}
