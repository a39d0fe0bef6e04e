// Properties of a format that moves lines: what the agent wrote stays under review.
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyReplacement, applyUserEdits, track, type RangeEdit } from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { positionFinder, smallestEdits } from "../../src/files/textEdits.ts";

const linesOf = (text: string | null): readonly string[] => (text ?? "").match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Lines of the user. They repeat. */
const usersLine = fc.constantFrom("a\n", "b\n", "}\n", "\n", "long one\n");
/** Lines of the agent. The first ones occur nowhere else. */
const agentsLine = fc.constantFrom("A1\n", "A2\n", "A3\n", "A4\n", "}\n", "\n", "b\n");

/** A base, and the text after the agent replaced some of its lines. */
const change = fc
  .tuple(
    fc.array(usersLine, { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.nat(8), fc.nat(2), fc.array(agentsLine, { maxLength: 3 })), { minLength: 1, maxLength: 3 }),
  )
  .map(([base, edits]) => {
    const text: string[] = [...base];
    for (const [at, remove, insert] of edits) text.splice(at % (text.length + 1), remove, ...insert);
    return { base: base.join(""), text };
  });

/** A format: a new order, lines left out, and an indentation. */
const format = fc.record({
  moves: fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.nat(3)), { minLength: 1, maxLength: 3 }),
  drop: fc.option(fc.nat(20), { freq: 3 }),
  indent: fc.constantFrom("", "", "  "),
});

function formatted(
  lines: readonly string[],
  {
    moves,
    drop,
    indent,
  }: { moves: readonly (readonly [number, number, number])[]; drop: number | null; indent: string },
): string {
  const out = [...lines];
  for (const [from, to, count] of moves) {
    const moved = out.splice(from % (out.length + 1), count + 1);
    out.splice(to % (out.length + 1), 0, ...moved);
  }
  if (drop !== null) out.splice(drop % (out.length + 1), 1);
  return out.map(line => (line === "\n" ? line : indent + line)).join("");
}

/** Fails if one of the agent's lines is in the base. */
function checkBase({ base }: FileChanges): void {
  const marks = linesOf(base).filter(line => /A\d/.test(line));
  assert.deepEqual(marks, [], "the base has no line of the agent");
}

describe("a format that moves lines", () => {
  it("puts no line of the agent into the base, as several edits at once", () => {
    fc.assert(
      fc.property(change, format, ({ base, text }, how) => {
        const before = track(base, text.join(""), "t");
        const after = formatted(text, how);
        const place = positionFinder(text.join(""));
        const edits: RangeEdit[] = smallestEdits(text.join(""), after).map(edit => {
          const start = place(edit.start);
          return { start, end: place(edit.end), text: edit.text };
        });
        const result = applyUserEdits(before, edits);
        assert.equal(result.text, after);
        checkBase(result);
      }),
      { numRuns: 3000 },
    );
  });

  it("puts no line of the agent into the base, as a replacement of the whole text", () => {
    fc.assert(
      fc.property(change, format, ({ base, text }, how) => {
        const before = track(base, text.join(""), "t");
        const result = applyReplacement(before, formatted(text, how));
        checkBase(result);
      }),
      { numRuns: 3000 },
    );
  });

  it("keeps a line under review that the agent repeated", () => {
    // The agent added the second "}", and the format moves it to the front.
    const before = track("a\nb\n}\n", "a\nb\n}\nA1\n}\n", "t");
    const after = applyReplacement(before, "}\na\n}\nA1\nb\n");
    assert.equal(after.text, "}\na\n}\nA1\nb\n");
    assert.equal(linesOf(after.base).filter(line => line === "}\n").length, 1);
  });

  it("keeps the user's lines in the base, in their order, however an editor describes that the agent's lines move", () => {
    const [base, agents] = ["mine\nb\n}\nc\n}\n", "A1\n}\nA2\n}\n"];
    const before = track(base, base + agents, "t");
    const text = base + agents;
    const end = text.length;
    const descriptions: readonly (readonly (readonly [start: number, end: number, text: string])[])[] = [
      [[0, end, agents + base]],
      [
        [0, 0, agents],
        [base.length, end, ""],
      ],
      [
        [0, base.length, ""],
        [end, end, base],
      ],
      // VS Code compares characters, so a line that it inserts can be the agent's.
      [
        [0, base.length, ""],
        [end - 3, end - 3, "\n}\nmine\nb\n}\nc"],
      ],
    ];
    for (const edits of descriptions) {
      const find = positionFinder(text);
      const made = edits.map(([from, to, inserted]) => ({ start: find(from), end: find(to), text: inserted }));
      const after = applyUserEdits(before, made);
      assert.deepEqual([after.base, after.text], [base, agents + base], JSON.stringify(edits));
      assert.deepEqual(
        after.hunks.map(({ base, text }) => ({ base, text })),
        [{ base: { from: 0, to: 0 }, text: { from: 0, to: 4 } }],
      );
    }
  });

  it("gives a moved line the turn of the hunk that it comes from", () => {
    const before = track("a\nb\nc\nd\n", "a\nb\nc\nA1\nd\n", "t1");
    const [start, from, to] = [0, 3, 4].map(line => ({ line, character: 0 }));
    if (!start || !from || !to) throw new Error("There are three positions.");
    const after = applyUserEdits(before, [
      { start, end: start, text: "A1\n" },
      { start: from, end: to, text: "" },
    ]);
    assert.deepEqual([after.base, after.text], ["a\nb\nc\nd\n", "A1\na\nb\nc\nd\n"]);
    assert.deepEqual(
      after.hunks.map(({ base, text, turns }) => ({ base, text, turns })),
      [{ base: { from: 0, to: 0 }, text: { from: 0, to: 1 }, turns: ["t1"] }],
    );
  });
});
