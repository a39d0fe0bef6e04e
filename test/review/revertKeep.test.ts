import assert from "node:assert/strict";
import { agentEdited, keep, track, userEdited, userReplaced, wentTo } from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { decisionOf, takenBack } from "../../src/review/revertKeep.ts";

const abc = "a\nb\nc\nd\ne\nf\ng\n";
const two = track(abc, "a\nB\nc\nd\nE1\nE2\nf\ng\n", "t1");
const kept = keep(two, ["2"]);
const decision = decisionOf(two, kept);

const insert = (changes: FileChanges, line: number, character: number, text: string): FileChanges =>
  userEdited(changes, [{ start: { line, character }, end: { line, character }, text }]);
/** Everything but the number of the next hunk. */
const seen = (changes: FileChanges | undefined): unknown => changes && { ...changes, nextId: 0 };

describe("a keep that is taken back", () => {
  it("waits for review again, as it was", () => {
    assert.deepEqual(seen(takenBack(kept, decision)), seen(two));
  });

  it("is found behind what the user wrote since", () => {
    const back = takenBack(insert(kept, 0, 0, "0\n"), decision);
    assert.equal(back?.base, "0\na\nb\nc\nd\ne\nf\ng\n");
    assert.deepEqual(
      back.hunks.map(({ id, base, text }) => [id, base.from, text.from]),
      [
        ["1", 2, 2],
        ["2", 5, 5],
      ],
    );
  });

  it("takes what the user wrote among its lines with it", () => {
    const back = takenBack(insert(kept, 4, 2, "\nmine"), decision);
    assert.equal(back?.base, abc);
    assert.deepEqual(back.hunks[1], { id: "2", base: { from: 4, to: 5 }, text: { from: 4, to: 7 }, turns: ["t1"] });
  });

  it("is one hunk with what the agent did beside it since", () => {
    const more = agentEdited(kept, "a\nB\nc\nd\nE1\nE2\nF\ng\n", "t2");
    const back = takenBack(more, decision);
    assert.equal(back?.base, abc);
    assert.deepEqual(back.hunks[1], {
      id: "3",
      base: { from: 4, to: 6 },
      text: { from: 4, to: 7 },
      turns: ["t1", "t2"],
    });
  });

  it("cannot be found where the user changed lines across its border", () => {
    const across = userReplaced(kept, "a\nB\nc\nquite another line\ng\n");
    assert.equal(takenBack(across, decision), undefined);
    assert.equal(takenBack(userReplaced(kept, null), decision), undefined);
  });

  it("brings back that a file was created or deleted", () => {
    const created = track(null, "x\ny\n", "t1");
    const taken = keep(created, ["1"]);
    assert.deepEqual(takenBack(taken, decisionOf(created, taken)), created);
    const written = insert(taken, 2, 0, "mine\n");
    assert.equal(takenBack(written, decisionOf(created, taken))?.base, "mine\n");
    const deleted = track(abc, null, "t1");
    const gone = keep(deleted, ["1"]);
    assert.deepEqual(takenBack(gone, decisionOf(deleted, gone)), deleted);
    assert.equal(takenBack(userReplaced(gone, "new\n"), decisionOf(deleted, gone)), undefined);
  });

  it("finds a deletion again, and a last line without an end", () => {
    const cut = track("a\nb\nm\nc", "a\nm\nc!", "t1");
    assert.equal(cut.hunks.length, 2);
    for (const ids of [["1"], ["2"], ["1", "2"]]) {
      const after = keep(cut, ids);
      assert.deepEqual(seen(takenBack(after, decisionOf(cut, after))), seen(cut));
    }
  });

  it("never puts a line without an end before another", () => {
    const last = track("a\nb", "a\n", "t1");
    const gone = keep(last, ["1"]);
    assert.equal(takenBack(insert(gone, 1, 0, "mine\n"), decisionOf(last, gone)), undefined);
    const line = track("a\nb\n", "a\n", "t1");
    const cut = keep(line, ["1"]);
    assert.equal(takenBack(userReplaced(cut, "a"), decisionOf(line, cut)), undefined);
  });

  it("stays taken back when the editor goes back to an earlier text", () => {
    const typed = insert(kept, 0, 0, "0\n");
    const back = takenBack(typed, decision) as FileChanges;
    assert.deepEqual(seen(wentTo(back, two.text ?? "", [two, kept, typed, back])), seen(two));
  });
});
