// Reverting a review decision, and rebasing edits over other edits.
import assert from "node:assert/strict";
import fc from "fast-check";
import { keepHunks, track, undoHunks, applyUserEdits } from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { applyEdits, smallestEdits } from "../../src/files/textEdits.ts";
import { rebaseEdits, revertDecision } from "../../src/review/revertDecision.ts";

const base = "1\n2\n3\n4\n5\n6\n7\n8\n";
const text = "1\ntwo\n3\n4\n5\n6\nseven\n8\n";
const ids = (changes: FileChanges): readonly string[] => changes.hunks.map(hunk => hunk.id);
const typed = (changes: FileChanges, line: number, words: string): FileChanges => {
  const at = { line, character: 0 };
  return applyUserEdits(changes, [{ start: at, end: at, text: words }]);
};

describe("a reverted decision", () => {
  const before = track(base, text, "t");

  it("restores the previous state if nothing happened since", () => {
    const kept = keepHunks(before, ids(before));
    assert.equal(revertDecision("keep", { path: "", before, after: kept }, kept), before);
    const undone = undoHunks(before, ids(before)).changes;
    assert.equal(revertDecision("undo", { path: "", before, after: undone }, undone), before);
  });

  it("restores the hunk next to text that the user has typed since", () => {
    for (const kind of ["keep", "undo"] as const) {
      const [first = ""] = ids(before);
      const after = kind === "keep" ? keepHunks(before, [first]) : undoHunks(before, [first]).changes;
      const now = typed(after, 4, "mine ");
      const back = revertDecision(kind, { path: "", before, after }, now);
      assert.equal(back?.base, base.replace("5", "mine 5"), kind);
      assert.equal(back?.text, text.replace("5", "mine 5"), kind);
      assert.equal(back?.hunks.length, 2, kind);
    }
  });

  it("is impossible if the user has changed the same lines since", () => {
    const [first = ""] = ids(before);
    const undone = undoHunks(before, [first]).changes;
    assert.equal(revertDecision("undo", { path: "", before, after: undone }, typed(undone, 1, "mine ")), undefined);
  });

  it("includes text that the user wrote into kept lines since", () => {
    const [first = ""] = ids(before);
    const kept = keepHunks(before, [first]);
    const back = revertDecision("keep", { path: "", before, after: kept }, typed(kept, 1, "mine "));
    assert.deepEqual([back?.base, back?.text], [base, text.replace("two", "mine two")]);
  });

  it("does nothing if the editor's own undo has already reverted it", () => {
    const after = undoHunks(before, ids(before)).changes;
    const now = track(base, text, "t");
    assert.equal(revertDecision("undo", { path: "", before, after }, now), now);
  });

  it("is impossible if the file is no longer followed", () => {
    assert.equal(revertDecision("keep", { path: "", before, after: before }, undefined), undefined);
  });
});

describe("edits rebased over other edits", () => {
  const words = fc.stringMatching(/^[a-e\n]{0,30}$/);

  it("have the same effect in the other text, or conflict", () => {
    fc.assert(
      fc.property(words, words, words, (head, middle, tail) => {
        // Both sides change different places, with an unchanged line between them.
        const from = `${head}\n====\n${tail}`;
        const mine = `${middle}\n====\n${tail}`;
        const theirs = `${head}\n====\n${middle}`;
        const moved = rebaseEdits(smallestEdits(from, mine), smallestEdits(from, theirs));
        if (moved) assert.equal(applyEdits(theirs, moved), `${middle}\n====\n${middle}`);
      }),
      { numRuns: 1000 },
    );
  });

  it("are refused if they conflict", () => {
    const at = (start: number, end: number, text = "x"): { start: number; end: number; text: string } => ({
      start,
      end,
      text,
    });
    assert.equal(rebaseEdits([at(2, 4)], [at(3, 5)]), undefined);
    assert.equal(rebaseEdits([at(2, 4)], [at(0, 9)]), undefined);
    assert.equal(rebaseEdits([at(2, 2)], [at(2, 2)]), undefined);
    assert.deepEqual(rebaseEdits([at(5, 6)], [at(0, 0, "ab")]), [at(7, 8)]);
    assert.deepEqual(rebaseEdits([at(0, 1)], [at(5, 6, "")]), [at(0, 1)]);
  });
});
