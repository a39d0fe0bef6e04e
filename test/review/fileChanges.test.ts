import assert from "node:assert/strict";
import {
  applyAgentEdit,
  keepCommitted,
  isSettled,
  keepHunks,
  lineCounts,
  reanchor,
  track,
  undoHunks,
  applyUserEdits,
  applyReplacement,
  applyUndoRedo,
  type RangeEdit,
} from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { keepDecision, revertKeep } from "../../src/review/revertKeep.ts";
import { applyEdits } from "../../src/files/textEdits.ts";

const abc = "a\nb\nc\nd\ne\nf\ng\n";

/** Each hunk as "old lines → new lines". */
function shown({ base, text, hunks }: FileChanges): readonly string[] {
  const lines = (all: string | null, { from, to }: { from: number; to: number }): string =>
    ((all ?? "").match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(from, to).join("").replaceAll("\n", "|");
  return hunks.map(hunk => `${lines(base, hunk.base)} → ${lines(text, hunk.text)}`);
}

const insert = (line: number, character: number, text: string): RangeEdit => ({
  start: { line, character },
  end: { line, character },
  text,
});
const remove = (line: number, character: number, toLine: number, toCharacter: number): RangeEdit => ({
  start: { line, character },
  end: { line: toLine, character: toCharacter },
  text: "",
});
const ids = (changes: FileChanges): readonly string[] => changes.hunks.map(hunk => hunk.id);

describe("a file under review", () => {
  it("shows the agent's changes, in hunks with an unchanged line between them", () => {
    const changes = track(abc, "a\nB\nc\nx\nf\ng\ny\n", "t1");
    assert.deepEqual(shown(changes), ["b| → B|", "d|e| → x|", " → y|"]);
    assert.deepEqual(ids(changes), ["1", "2", "3"]);
    assert.deepEqual(lineCounts(changes), { added: 3, removed: 3 });
    assert.ok(!isSettled(changes));
  });

  it("keeps a hunk by copying its lines into the base", () => {
    const changes = keepHunks(track(abc, "a\nB\nc\nx\nf\ng\ny\n", "t1"), ["2"]);
    assert.equal(changes.base, "a\nb\nc\nx\nf\ng\n");
    assert.deepEqual(shown(changes), ["b| → B|", " → y|"]);
  });

  it("undoes hunks by restoring the base's lines with edits of the text", () => {
    const changes = track(abc, "a\nB\nc\nx\nf\ng\ny\n", "t1");
    const undone = undoHunks(changes, ["1", "2"]);
    assert.equal(undone.changes.text, "a\nb\nc\nd\ne\nf\ng\ny\n");
    assert.equal(applyEdits(changes.text ?? "", undone.edits), undone.changes.text);
    assert.deepEqual(shown(undone.changes), [" → y|"]);
  });

  it("adds the user's edits outside of hunks to the base", () => {
    const changes = applyUserEdits(track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1"), [
      insert(6, 0, "new\n"),
      insert(3, 1, "!"),
    ]);
    assert.equal(changes.text, "a\nB\nc\nd!\ne\nf\nnew\ng\n");
    assert.equal(changes.base, "a\nb\nc\nd!\ne\nf\nnew\ng\n");
    assert.deepEqual(shown(changes), ["b| → B|"]);
  });

  it("adds the user's edits in a hunk's lines to the hunk, and does not undo these lines", () => {
    const changes = applyUserEdits(track(abc, "a\nB\nC\nd\ne\nf\ng\n", "t1"), [insert(1, 1, "!")]);
    assert.deepEqual(shown(changes), ["b|c| → B!|C|"]);
    assert.deepEqual(changes.hunks[0]?.shared, [{ at: 0, agents: "B\n" }]);
    const undone = undoHunks(changes, ["1"]);
    assert.equal(undone.changes.text, "a\nB!\nc\nd\ne\nf\ng\n");
    assert.deepEqual(shown(undone.changes), ["b| → B!|"]);
    assert.deepEqual(undone.left, [{ from: 1, to: 2 }]);
    assert.deepEqual(undoHunks(undone.changes, ["1"]).changes, undone.changes);
  });

  it("undoes a line again that the user changed and changed back, or only indented", () => {
    const typed = applyUserEdits(track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1"), [insert(1, 1, "!")]);
    assert.equal(undoHunks(applyUserEdits(typed, [remove(1, 1, 1, 2)]), ["1"]).changes.text, abc);
    const indented = applyUserEdits(track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1"), [insert(1, 0, "  ")]);
    assert.equal(undoHunks(indented, ["1"]).changes.text, abc);
  });

  it("adds whole lines that the user inserts in a hunk to the base, so that they divide it", () => {
    const start = track(abc, "a\nB\nC\nD\ne\nf\ng\n", "t1");
    const changes = applyUserEdits(start, [insert(2, 0, "mine\n")]);
    assert.deepEqual(shown(changes), ["b| → B|", "c|d| → C|D|"]);
    assert.equal(undoHunks(changes, ids(changes)).changes.text, "a\nb\nmine\nc\nd\ne\nf\ng\n");
    const typed = applyUserEdits(applyUserEdits(start, [insert(2, 0, "mine")]), [insert(2, 4, "\n")]);
    assert.equal(undoHunks(typed, ids(typed)).changes.text, "a\nb\nmine\nc\nd\ne\nf\ng\n");
  });

  it("leaves the user's lines where a hunk has fewer lines than the base", () => {
    const changes = applyUserEdits(track(abc, "a\nB\nC\ng\n", "t1"), [insert(2, 1, "!")]);
    const undone = undoHunks(changes, ["1"]);
    assert.equal(undone.changes.text, "a\nb\nc\nd\ne\nf\nC!\ng\n");
    assert.deepEqual(shown(undone.changes), [" → C!|"]);
  });

  it("keeps the marks of shared lines when the agent edits other lines, and when the editor goes back", () => {
    const typed = applyUserEdits(track(abc, "a\nB\nC\nd\ne\nf\ng\n", "t1"), [insert(2, 1, "!")]);
    const more = applyAgentEdit(typed, "a\nnew\nB\nC!\nd\ne\nf\nG\n", "t2");
    assert.equal(undoHunks(more, ids(more)).changes.text?.includes("C!"), true);
    assert.deepEqual(applyUndoRedo(more, typed.text ?? "", [typed, more]).hunks, typed.hunks);
  });

  it("attributes lines that the user inserts directly after a hunk to the user", () => {
    const changes = applyUserEdits(track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1"), [insert(1, 1, "\nmine")]);
    assert.deepEqual(shown(changes), ["b| → B|"]);
    assert.equal(undoHunks(changes, ["1"]).changes.text, "a\nb\nmine\nc\nd\ne\nf\ng\n");
  });

  it("adds lines that the user inserts where the agent removed lines to the hunk", () => {
    const changes = applyUserEdits(track(abc, "a\nd\ne\nf\ng\n", "t1"), [insert(0, 1, "\nb\nc")]);
    assert.deepEqual(shown(changes), []);
    assert.ok(isSettled(changes));
  });

  it("keeps a line in its hunk while the user types in it", () => {
    const start = track("a\n}\n", "x\ny\nz\n", "t1");
    const typed = applyUserEdits(applyUserEdits(start, [{ ...remove(2, 0, 2, 1), text: "}" }]), [
      insert(2, 1, " else"),
    ]);
    assert.equal(typed.base, "a\n}\n");
    assert.deepEqual(shown(typed), ["a|}| → x|y|} else|"]);
  });

  it("gives a hunk that the agent edits again the same id, and the new turn", () => {
    const changes = applyAgentEdit(track(abc, "a\nB\nc\nx\nf\ng\n", "t1"), "a\nB\nc\nx2\nf\nG\n", "t2");
    assert.deepEqual(
      changes.hunks.map(({ id, turns }) => ({ id, turns })),
      [
        { id: "1", turns: ["t1"] },
        { id: "2", turns: ["t1", "t2"] },
        { id: "3", turns: ["t2"] },
      ],
    );
  });

  it("has no hunks after the agent reverts its change", () => {
    assert.ok(isSettled(applyAgentEdit(track(abc, "a\n", "t1"), abc, "t2")));
  });

  it("follows created and deleted files", () => {
    const created = track(null, "x\ny\n", "t1");
    assert.deepEqual(shown(created), [" → x|y|"]);
    assert.equal(undoHunks(created, ids(created)).changes.text, null);
    assert.equal(keepHunks(created, ids(created)).base, "x\ny\n");
    const empty = track(null, "", "t1");
    assert.equal(empty.hunks.length, 1);
    assert.equal(undoHunks(empty, ids(empty)).changes.text, null);
    const deleted = track(abc, null, "t1");
    assert.deepEqual(shown(deleted), ["a|b|c|d|e|f|g| → "]);
    const back = undoHunks(deleted, ids(deleted));
    assert.equal(back.changes.text, abc);
    assert.deepEqual(back.edits, [{ start: 0, end: 0, text: abc }]);
    assert.ok(isSettled(applyReplacement(created, null)));
    assert.ok(isSettled(applyReplacement(deleted, "something else\n")));
  });

  it("does not delete a created file in which the user wrote", () => {
    const created = applyUserEdits(track(null, "x\ny\n", "t1"), [insert(2, 0, "mine\n")]);
    assert.equal(undoHunks(created, ids(created)).changes.text, "mine\n");
    const joined = applyUserEdits(track(null, "x\ny\n", "t1"), [insert(1, 1, "mine")]);
    assert.equal(undoHunks(joined, ids(joined)).changes.text, "ymine\n");
  });

  it("restores the agent's hunks after undo and redo of its edit", () => {
    const edited = track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1");
    const back = applyUndoRedo(edited, abc, [edited]);
    assert.ok(isSettled(back));
    assert.deepEqual(applyUndoRedo(back, edited.text ?? "", [edited, back]), edited);
  });

  it("restores the agent's hunks after undo, although something else has changed since", () => {
    const edited = track(abc, "a\nB\nC\nd\ne\nf\ng\n", "t1");
    const undone = undoHunks(edited, ["1"]).changes;
    const more = applyAgentEdit(undone, "a\nb\nc\nd\ne\nf\nG\n", "t2");
    const back = applyUndoRedo(more, "a\nB\nC\nd\ne\nf\nG\n", [edited, undone, more]);
    assert.deepEqual(shown(back), ["b|c| → B|C|", "g| → G|"]);
    assert.deepEqual(back.hunks[0], edited.hunks[0]);
    const foreign = applyUndoRedo(more, "a\nb\nc\nmine\ne\nf\nG\n", [edited, undone, more]);
    assert.deepEqual(shown(foreign), ["g| → G|"]);
  });

  it("attributes neighboring lines, indented together with a hunk, to the user", () => {
    const changes = applyReplacement(track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1"), "  a\n  B\n  c\nd\ne\nf\ng\n");
    assert.equal(changes.base, "  a\nb\n  c\nd\ne\nf\ng\n");
    assert.deepEqual(shown(changes), ["b| →   B|"]);
  });

  it("distinguishes a last line with a line ending from one without", () => {
    const changes = track("a\nb", "a\nb\n", "t1");
    assert.deepEqual(shown(changes), ["b → b|"]);
    const typed = applyUserEdits(changes, [insert(2, 0, "c")]);
    assert.equal(
      undoHunks(typed, ids(typed)).changes.text,
      "a\nb\nc",
      "the user's line has no place without the agent's",
    );
    assert.deepEqual(shown(track("a\n", "a\r\n", "t1")), ["a| → a\r|"]);
  });

  it("does not show a kept hunk again, after undo of a later edit", () => {
    const edited = track(abc, "a\nB\nc\nX\ne\nf\ng\n", "t1");
    const typed = applyUserEdits(edited, [insert(6, 1, "!")]);
    const kept = keepHunks(typed, ["1"]);
    const back = applyUndoRedo(kept, edited.text ?? "", [edited, typed, kept]);
    assert.deepEqual(shown(back), ["d| → X|"]);
  });

  it("shows a hunk again whose keep was reverted, for any text that the editor restores", () => {
    const edited = track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1");
    const kept = keepHunks(edited, ["1"]);
    const typed = applyUserEdits(kept, [insert(6, 1, "!")]);
    const back = revertKeep(typed, keepDecision(edited, kept)) as FileChanges;
    assert.deepEqual(shown(applyUndoRedo(back, kept.text ?? "", [kept, typed, back])), ["b| → B|"]);
  });

  it("does not attribute kept lines to the agent when the editor restores them", () => {
    const edited = track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1");
    const kept = keepHunks(edited, ["1"]);
    const back = applyUndoRedo(kept, abc, [edited, kept]);
    assert.ok(isSettled(back));
    const more = applyAgentEdit(back, "a\nb\nc\nd\ne\nf\nG\n", "t2");
    const again = applyUndoRedo(more, "a\nB\nc\nd\ne\nf\nG\n", [edited, kept, back, more]);
    assert.deepEqual(shown(again), ["g| → G|"]);
  });

  it("never reuses an id", () => {
    const one = track(abc, "a\nB\nc\nd\ne\nf\ng\n", "t1");
    const two = applyAgentEdit(one, "a\nB\nc\nD\ne\nf\ng\n", "t2");
    const back = applyUndoRedo(two, one.text ?? "", [one, two]);
    assert.deepEqual(ids(applyAgentEdit(back, "a\nB\nc\nd\ne\nf\nG\n", "t3")), ["1", "3"]);
    const twice = track("a\nb\nc\nb\ne\n", "a\nB\nc\nb\ne\n", "t1");
    assert.deepEqual(ids(applyUndoRedo(twice, "a\nB\nc\nB\ne\n", [twice])), ["1", "2"]);
  });

  it("removes hunks whose lines equal the base again, if another tool wrote the text", () => {
    const changes = track(abc, "a\nB\nC\nD\ne\nf\nG\n", "t1");
    assert.deepEqual(shown(applyReplacement(changes, "a\nB\nc\nD\ne\nf\nG\n")), ["b| → B|", "d| → D|", "g| → G|"]);
    assert.ok(isSettled(applyReplacement(changes, abc)));
    const erased = applyUserEdits(track(abc, "a\nnew\nb\nc\nd\ne\nf\nG\n", "t1"), [remove(1, 0, 2, 0)]);
    assert.deepEqual(shown(erased), ["g| → G|"]);
  });

  it("has no hunks if the text equals the base, although the same lines could be attributed otherwise", () => {
    const added = applyAgentEdit(track("p\nx\nq\n", "p\ny\nx\nq\n", "t1"), "p\nx\nx\nq\n", "t2");
    assert.deepEqual(added.hunks[0]?.text, { from: 1, to: 2 });
    assert.equal(applyReplacement(added, "p\nx\nq\n").base, "p\nx\nq\n");
    const cut = applyAgentEdit(track("x\nx\n", "z\nx\n", "t1"), "x\n", "t2");
    assert.deepEqual(applyAgentEdit(cut, "x\nx\n", "t3").hunks, []);
  });

  it("removes hunks that together are not a difference", () => {
    const changes = track("a\nb\nc\nmoved\ne\nd\n", "a\nmoved\nb\nc\ne\nD\n", "t1");
    assert.deepEqual(shown(changes), [" → moved|", "moved| → ", "d| → D|"]);
    assert.deepEqual(shown(applyUserEdits(changes, [remove(2, 0, 4, 0)])), ["d| → D|"]);
  });

  it("shows an inserted function as one hunk that starts at its first line, also next to equal lines", () => {
    const [before, after] = ["f() {\n  1\n}\n", "h() {\n  3\n}\n"];
    const inserted = "g() {\n  2\n}\n\n";
    const changes = track(`${before}\n${after}`, `${before}\n${inserted}${after}`, "t1");
    assert.deepEqual(shown(changes), [` → ${inserted.replaceAll("\n", "|")}`]);
    assert.deepEqual(shown(track("a\nb\nc\nd\n", "a\na\nb\nb\nc\nD\n", "t1")), [" → a|b|", "d| → D|"]);
  });

  it("attributes lines that the user writes into an empty file of the agent to the user", () => {
    const changes = applyUserEdits(track(null, "", "t1"), [insert(0, 0, "mine")]);
    assert.deepEqual([changes.base, changes.hunks], ["mine", []]);
  });

  it("does not keep a deletion that git has not seen", () => {
    const changes = track(abc, "a\nc\nd\ne\nf\ng\n", "t1");
    assert.equal(keepCommitted(changes, abc), changes);
    assert.ok(isSettled(keepCommitted(changes, changes.text ?? "")));
  });

  it("keeps changes that were committed to git", () => {
    const changes = keepCommitted(track(abc, "a\nB\nc\nX\ne\nf\ng\n", "t1"), "a\nB\nc\nd\ne\nf\ng\n");
    assert.deepEqual(shown(changes), ["d| → X|"]);
  });

  it("is anchored again after a reload, or dropped", () => {
    const changes = track(abc, "a\nB\nc\nX\ne\nf\ng\n", "t1");
    assert.deepEqual(shown(reanchor(changes, "0\na\nB\nc\nX\ne\nf\ng\n") as FileChanges), ["b| → B|", "d| → X|"]);
    assert.equal(reanchor(changes, "quite\nanother\ntext\n"), undefined);
  });

  it("follows long files and long lines", () => {
    const file = (end: (i: number) => string): string =>
      Array.from({ length: 50_000 }, (_, i) => `line ${i}${end(i)}\n`).join("");
    const base = file(() => "");
    const some = track(
      base,
      file(i => (i % 50 === 0 ? "!" : "")),
      "t1",
    );
    assert.equal(some.hunks.length, 1000);
    const typed = applyUserEdits(some, [insert(49_999, 0, "mine\n")]);
    assert.equal(undoHunks(typed, ids(typed)).changes.text, base.replace("line 49999\n", "mine\nline 49999\n"));
    const other = track(
      base,
      file(i => ` ${i}`),
      "t1",
    );
    assert.equal(other.hunks.length, 1);
    assert.equal(undoHunks(other, ids(other)).changes.text, base);
    const long = "x ".repeat(1_000_000);
    const line = applyUserEdits(track(long, `${long}!`, "t1"), [insert(0, 1_000_000, "mine")]);
    assert.deepEqual(line.hunks[0]?.text, { from: 0, to: 1 });
    assert.ok(undoHunks(line, ids(line)).changes.text === line.text, "the line is the user's too");
  });
});
