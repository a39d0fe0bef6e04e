// Which words of a changed line changed.
import assert from "node:assert/strict";
import fc from "fast-check";
import { diffHunks } from "../../src/panel/diff/diffHunks.ts";
import type { DiffLine, ColumnRanges } from "../../src/panel/protocol.ts";

const words = (line: string, marks: ColumnRanges): readonly string[] => marks.map(([from, to]) => line.slice(from, to));
const without = (line: string, marks: ColumnRanges): string => {
  let at = 0;
  const kept = marks.map(([from, to]) => line.slice(at, from) + line.slice((at = to), to));
  return kept.join("") + line.slice(at);
};
const marksOf = (before: string, after: string): readonly DiffLine[] =>
  diffHunks(before, after).hunks.flatMap(({ lines }) => lines);
/** The marks of a changed line; undefined if there are none. */
function wordMarks(
  before: string,
  after: string,
): { readonly old: ColumnRanges; readonly new: ColumnRanges } | undefined {
  const lines = marksOf(`${before}\n`, `${after}\n`);
  const [old, now] = (["del", "add"] as const).map(op => lines.find(line => line.op === op)?.marks);
  return old || now ? { old: old ?? [], new: now ?? [] } : undefined;
}

describe("the word marks of a changed line", () => {
  it("are set where the lines differ", () => {
    const [before, after] = ["  let total = 1; // sum", "  const total = 0; // sum"];
    const marks = wordMarks(before, after);
    assert.deepEqual(marks && [words(before, marks.old), words(after, marks.new)], [
      ["let", "1"],
      ["const", "0"],
    ]);
  });

  it("are absent if the line is unrelated", () => {
    assert.equal(wordMarks("return first;", "import { a } from 'b'"), undefined);
    const lines = marksOf("return first;\n", "import { a } from 'b'\n");
    assert.deepEqual(
      lines.map(line => line.marks),
      [undefined, undefined],
    );
  });

  it("never split a character", () => {
    for (const [before, after, old, now] of [
      ["these are the 👩‍👩‍👧 yes", "these are the 👩‍👩‍👦 yes", "👩‍👩‍👧", "👩‍👩‍👦"],
      ["name: e\u0301 yes", "name: e\u0300 yes", "e\u0301", "e\u0300"],
      ["this flag 🇩🇪 yes", "this flag 🇩🇰 yes", "🇩🇪", "🇩🇰"],
      ["ok 👍🏽 yes", "ok 👍🏿 yes", "👍🏽", "👍🏿"],
      ["a − \u0301b yes", "a −\u0301 b yes", undefined, undefined],
    ] as const) {
      const marks = wordMarks(before, after);
      assert.ok(marks, before);
      if (old !== undefined) assert.deepEqual([words(before, marks.old), words(after, marks.new)], [[old], [now]]);
    }
  });

  it("lie inside the line, in order, and the text outside of them is equal in both lines", () => {
    const line = fc
      .array(fc.constantFrom("one", " ", "two", "(", "😀", "e\u0301", "\u200d", "x1", "\t", "ż", "\ud83d"), {
        maxLength: 20,
      })
      .map(pieces => pieces.join(""));
    fc.assert(
      fc.property(line, line, (before, after) => {
        const marks = wordMarks(before, after);
        if (!marks) return;
        assert.equal(without(before, marks.old), without(after, marks.new));
        for (const [text, list] of [
          [before, marks.old],
          [after, marks.new],
        ] as const) {
          let end = -1;
          for (const [from, to] of list) {
            assert.ok(from > end && to > from && to <= text.length);
            for (const at of [from, to])
              assert.ok(!/^[\udc00-\udfff]/.test(text.slice(at)) || !/[\ud800-\udbff]$/.test(text.slice(0, at)));
            end = to;
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("belong to the most similar line if more lines are added than removed", () => {
    const lines = marksOf("a\nreturn total;\nb\n", "a\n// It is what it is.\nreturn total + tax;\nb\n");
    assert.deepEqual(
      lines.map(({ op, text, marks }) => [op, text, marks && words(text, marks)]),
      [
        ["same", "a", undefined],
        ["del", "return total;", undefined],
        ["add", "// It is what it is.", undefined],
        ["add", "return total + tax;", [" + tax"]],
        ["same", "b", undefined],
      ],
    );
  });

  it("are absent in very long lines", () => {
    const long = "word ".repeat(500);
    assert.deepEqual(
      marksOf(`${long}\n`, `${long}more\n`).map(line => line.marks),
      [undefined, undefined],
    );
  });
});
