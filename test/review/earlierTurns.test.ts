import assert from "node:assert/strict";
import fc from "fast-check";
import { hunksOfSeveralTurns, undoOnlyTurn } from "../../src/review/earlierTurns.ts";
import { applyAgentEdit, applyUserEdits, keepHunks, track } from "../../src/review/fileChanges.ts";

const base = "a\nb\nc\nd\ne\nf\n";

describe("the undo of one of several turns", () => {
  const first = track(base, "a\nB\nc\nd\ne\nf\n", "t1");

  it("restores the text of the earlier turn in the same hunk", () => {
    const second = applyAgentEdit(first, "a\nB2\nC\nd\ne\nF\n", "t2");
    assert.deepEqual(
      hunksOfSeveralTurns(second, "t2").map(({ turns }) => turns),
      [["t1", "t2"]],
    );
    const undone = undoOnlyTurn(second, "t2", [first]);
    assert.equal(undone?.text, first.text);
    assert.equal(undone?.base, base);
    assert.deepEqual(
      undone?.hunks.map(({ turns }) => turns),
      [["t1"]],
    );
  });

  it("keeps the changes of a later turn elsewhere", () => {
    const second = applyAgentEdit(first, "a\nB2\nc\nd\ne\nf\n", "t2");
    const third = applyAgentEdit(second, "a\nB2\nc\nd\ne\nF\n", "t3");
    const undone = undoOnlyTurn(third, "t2", [first, second]);
    assert.equal(undone?.text, "a\nB\nc\nd\ne\nF\n");
  });

  it("is not known after a decision, and where the user wrote in the hunk", () => {
    const other = track(base, "a\nB\nc\nd\nE\nf\n", "t1");
    const second = applyAgentEdit(other, "a\nB2\nc\nd\nE\nf\n", "t2");
    assert.equal(undoOnlyTurn(keepHunks(second, ["2"]), "t2", [other, second]), undefined);
    const place = { line: 1, character: 0 };
    const typed = applyUserEdits(second, [{ start: place, end: place, text: "x" }]);
    assert.equal(undoOnlyTurn(typed, "t2", [other, second]), undefined);
    assert.equal(undoOnlyTurn(second, "t2", []), undefined);
  });

  it("leads back to the text before the turn, or is not known", () => {
    const line = fc.constantFrom("a\n", "b\n", "}\n", "\n", "long one\n");
    const text = fc.array(line, { maxLength: 10 }).map(lines => lines.join(""));
    let known = 0;
    fc.assert(
      fc.property(text, text, text, (start, one, two) => {
        const before = track(start, one, "t1");
        const after = applyAgentEdit(before, two, "t2");
        const undone = undoOnlyTurn(after, "t2", [before]);
        if (!undone) return;
        known++;
        assert.equal(undone.base, start);
        // A hunk of the first turn that the second one reverted is no hunk any more.
        const isThere = before.hunks.every(hunk =>
          after.hunks.some(({ base: { from, to } }) => from <= hunk.base.from && hunk.base.to <= to),
        );
        if (isThere && after.hunks.every(({ turns }) => turns.includes("t2"))) assert.equal(undone.text, one);
      }),
      { numRuns: 1000 },
    );
    assert.ok(known > 100);
  });
});
