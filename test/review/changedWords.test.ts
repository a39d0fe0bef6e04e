import assert from "node:assert/strict";
import fc from "fast-check";
import { changedWords, type WordRange } from "../../src/review/changedWords.ts";
import { track } from "../../src/review/fileChanges.ts";
import { type FileChanges, type Hunk } from "../../src/review/hunk.ts";

const words = (changes: FileChanges): readonly [readonly string[], readonly string[]] => {
  const found = changedWords(changes, changes.hunks[0] as Hunk);
  const cut = (text: string | null, spans: readonly WordRange[]): readonly string[] =>
    spans.map(({ line, from, to }) => (text ?? "").split("\n")[line]?.slice(from, to) ?? "");
  return [cut(changes.base, found.base), cut(changes.text, found.text)];
};

describe("changed words", () => {
  it("are found in similar lines", () => {
    const changes = track("first\nlet one = two + 3;\n", "first\nlet one = three + 3;\n", "t");
    assert.deepEqual(words(changes), [["two"], ["three"]]);
    const hunk = changes.hunks[0] as Hunk;
    assert.deepEqual(changedWords(changes, hunk).text, [{ line: 1, from: 10, to: 15 }]);
  });

  it("are found in the most similar line if lines were inserted before it", () => {
    assert.deepEqual(words(track("call(one, two);\n", "// why\ncall(one, three);\n", "t")), [["two"], ["three"]]);
  });

  it("are absent in lines with little in common, and in long lines", () => {
    assert.deepEqual(words(track("one two three\n", "four five six\n", "t")), [[], []]);
    const long = "x y ".repeat(100_000);
    assert.deepEqual(words(track(`${long}\n`, `${long}!\n`, "t")), [[], []]);
  });

  it("are absent if there are too many", () => {
    const lines = (end: string): string => Array.from({ length: 600 }, (_, i) => `line ${i} is ${end}\n`).join("");
    assert.deepEqual(words(track(lines("old"), lines("new"), "t")), [[], []]);
  });

  it("are inside the hunk's lines, in order", () => {
    const line = fc
      .array(fc.constantFrom("one ", "two ", "a", "😀", "(", ")", "\r"), { maxLength: 8 })
      .map(all => all.join(""));
    const text = fc.array(line, { maxLength: 6 }).map(lines => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (base, now) => {
        const changes = track(base, now, "t");
        for (const hunk of changes.hunks) {
          const found = changedWords(changes, hunk);
          for (const side of ["base", "text"] as const) {
            const lines = (changes[side] ?? "").split("\n");
            for (const [i, { line, from, to }] of found[side].entries()) {
              assert.ok(line >= hunk[side].from && line < hunk[side].to);
              assert.ok(from < to && to <= (lines[line]?.length ?? 0));
              const before = found[side][i - 1];
              assert.ok(!before || before.line < line || (before.line === line && before.to < from));
            }
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
