import assert from "node:assert/strict";
import {
  applyAgentEdit,
  keepHunks,
  track,
  applyUserEdits,
  applyReplacement,
  applyUndoRedo,
} from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { keepDecision, revertKeep } from "../../src/review/revertKeep.ts";

const abc = "a\nb\nc\nd\ne\nf\ng\n";
const two = track(abc, "a\nB\nc\nd\nE1\nE2\nf\ng\n", "t1");
const kept = keepHunks(two, ["2"]);
const decision = keepDecision(two, kept);

const insert = (changes: FileChanges, line: number, character: number, text: string): FileChanges =>
  applyUserEdits(changes, [{ start: { line, character }, end: { line, character }, text }]);
/** Everything except the number of the next hunk. */
const seen = (changes: FileChanges | undefined): unknown => changes && { ...changes, nextId: 0 };

describe("a reverted keep", () => {
  it("shows the hunk for review again, unchanged", () => {
    assert.deepEqual(seen(revertKeep(kept, decision)), seen(two));
  });

  it("is found after text that the user wrote since", () => {
    const back = revertKeep(insert(kept, 0, 0, "0\n"), decision);
    assert.equal(back?.base, "0\na\nb\nc\nd\ne\nf\ng\n");
    assert.deepEqual(
      back.hunks.map(({ id, base, text }) => [id, base.from, text.from]),
      [
        ["1", 2, 2],
        ["2", 5, 5],
      ],
    );
  });

  it("includes text that the user wrote among its lines", () => {
    const back = revertKeep(insert(kept, 4, 2, "\nmine"), decision);
    assert.equal(back?.base, abc);
    assert.deepEqual(back.hunks[1], { id: "2", base: { from: 4, to: 5 }, text: { from: 4, to: 7 }, turns: ["t1"] });
  });

  it("becomes one hunk with changes that the agent made next to it since", () => {
    const more = applyAgentEdit(kept, "a\nB\nc\nd\nE1\nE2\nF\ng\n", "t2");
    const back = revertKeep(more, decision);
    assert.equal(back?.base, abc);
    assert.deepEqual(back.hunks[1], {
      id: "3",
      base: { from: 4, to: 6 },
      text: { from: 4, to: 7 },
      turns: ["t1", "t2"],
    });
  });

  it("is not found if the user changed lines across its border", () => {
    const across = applyReplacement(kept, "a\nB\nc\nquite another line\ng\n");
    assert.equal(revertKeep(across, decision), undefined);
    assert.equal(revertKeep(applyReplacement(kept, null), decision), undefined);
  });

  it("restores the creation or deletion of a file", () => {
    const created = track(null, "x\ny\n", "t1");
    const taken = keepHunks(created, ["1"]);
    assert.deepEqual(revertKeep(taken, keepDecision(created, taken)), created);
    const written = insert(taken, 2, 0, "mine\n");
    assert.equal(revertKeep(written, keepDecision(created, taken))?.base, "mine\n");
    const deleted = track(abc, null, "t1");
    const gone = keepHunks(deleted, ["1"]);
    assert.deepEqual(revertKeep(gone, keepDecision(deleted, gone)), deleted);
    assert.equal(revertKeep(applyReplacement(gone, "new\n"), keepDecision(deleted, gone)), undefined);
  });

  it("restores a deletion, and a last line without a line ending", () => {
    const cut = track("a\nb\nm\nc", "a\nm\nc!", "t1");
    assert.equal(cut.hunks.length, 2);
    for (const ids of [["1"], ["2"], ["1", "2"]]) {
      const after = keepHunks(cut, ids);
      assert.deepEqual(seen(revertKeep(after, keepDecision(cut, after))), seen(cut));
    }
  });

  it("never places a line without a line ending before another line", () => {
    const last = track("a\nb", "a\n", "t1");
    const gone = keepHunks(last, ["1"]);
    assert.equal(revertKeep(insert(gone, 1, 0, "mine\n"), keepDecision(last, gone)), undefined);
    const line = track("a\nb\n", "a\n", "t1");
    const cut = keepHunks(line, ["1"]);
    assert.equal(revertKeep(applyReplacement(cut, "a"), keepDecision(line, cut)), undefined);
  });

  it("stays reverted when the editor restores an earlier text", () => {
    const typed = insert(kept, 0, 0, "0\n");
    const back = revertKeep(typed, decision) as FileChanges;
    assert.deepEqual(seen(applyUndoRedo(back, two.text ?? "", [two, kept, typed, back])), seen(two));
  });
});
