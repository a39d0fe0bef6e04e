// Changes that Parley makes to files for a session outside of its turns: they wait for review like those of an agent.
import assert from "node:assert/strict";
import type { FileTextStep } from "../../src/files/ports.ts";
import type { AppliedChange } from "../../src/review/appliedChanges.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";

describe("changes that are applied for a session", () => {
  const path = "/folder/a.txt";
  let failed: Map<string, Error>;
  /** What the editor reports while the port applies the steps. */
  let during: (review: WindowReview, steps: readonly FileTextStep[]) => void;
  const created = (): WindowReview => {
    failed = new Map();
    during = () => {};
    const review: WindowReview = new WindowReview({
      port: {
        apply: steps => {
          during(review, steps);
          return Promise.resolve({ failed, replaced: new Map() });
        },
        move: () => Promise.resolve(undefined),
      },
      schedule: run => run(),
      slices: undividedWork,
    });
    review.nameTurn("back", "Brought back", { id: "s", title: "A session" });
    return review;
  };
  const apply = (review: WindowReview, change: Partial<AppliedChange>): Promise<unknown> =>
    review.applyChanges([{ path, before: "a\nb\nc\n", after: "a\nB\nc\n", what: "Another mode.", ...change }], "back");

  it("are hunks of their turn and its session", async () => {
    const review = created();
    await apply(review, {});
    const file = review.file(path);
    assert.deepEqual([file?.changes.base, file?.changes.text, file?.turns], ["a\nb\nc\n", "a\nB\nc\n", ["back"]]);
    assert.deepEqual(review.turns, [{ id: "back", title: "Brought back", session: { id: "s", title: "A session" } }]);
  });

  it("join the hunks of an agent that wait, and an undo in the editor brings those back alone", async () => {
    const review = created();
    review.turnBegan("t1", "Change it");
    await review.agentChanged(path, "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "t1");
    await apply(review, { before: "a\nb\nc\nd\nE\n", after: "A\nb\nc\nd\nE\n" });
    assert.deepEqual(
      review.file(path)?.changes.hunks.map(({ turns }) => turns),
      [["back"], ["t1"]],
    );
    await review.editorUndoRedo(path, "a\nb\nc\nd\nE\n");
    assert.deepEqual(
      review.file(path)?.changes.hunks.map(({ turns }) => turns),
      [["t1"]],
    );
  });

  it("end with an undo in the editor, and are back after a redo", async () => {
    const review = created();
    await apply(review, {});
    await review.editorUndoRedo(path, "a\nb\nc\n");
    assert.equal(review.file(path), undefined);
    await review.editorUndoRedo(path, "a\nB\nc\n");
    assert.deepEqual(review.file(path)?.turns, ["back"]);
  });

  it("keep what the user types while the files are written", async () => {
    const review = created();
    during = () => {
      assert.ok(review.acceptOwnChange(path, "a\nB\nc\n"));
      const end = { line: 3, character: 0 };
      void review.userChanged(path, [{ start: end, end, text: "typed\n" }], "a\nB\nc\ntyped\n");
    };
    await apply(review, {});
    const { base, text, hunks = [] } = review.file(path)?.changes ?? {};
    assert.deepEqual([base, text, hunks.length], ["a\nb\nc\ntyped\n", "a\nB\nc\ntyped\n", 1]);
  });

  it("are not under review if the file could not be changed", async () => {
    const review = created();
    failed.set(path, new Error("It changed."));
    await apply(review, {});
    assert.equal(review.file(path), undefined);
  });

  it("create and delete files", async () => {
    const review = created();
    await apply(review, { before: null, after: "new\n" });
    assert.equal(review.file(path)?.isCreated, true);
    await apply(review, { path: "/folder/b.txt", before: "b\n", after: null });
    assert.deepEqual(review.file("/folder/b.txt")?.changes.text, null);
    // The agent deleted what it created.
    await apply(review, { before: "new\n", after: null });
    assert.equal(review.file(path), undefined);
  });

  it("are decided on as a whole if they are no text, or only a mode", async () => {
    const review = created();
    await apply(review, { after: "a\nb\nc\n" });
    assert.equal(review.file(path)?.unknown, "Another mode.");
    await apply(review, { path: "/folder/x.bin", before: undefined, after: undefined, what: "Other bytes." });
    assert.equal(review.file("/folder/x.bin")?.unknown, "Other bytes.");
  });

  it("leave a change under review that is decided on as a whole", async () => {
    const review = created();
    review.agentChangedWithoutBase(path, "a\nb\nc\n", "t1", "There is no earlier text.");
    await apply(review, {});
    assert.equal(review.file(path)?.unknown, "There is no earlier text.");
  });

  it("come back with Undo Last Review Decision after an undo", async () => {
    const review = created();
    await apply(review, {});
    await review.undo({ kind: "turn", turn: "back" });
    assert.equal(review.file(path), undefined);
    await review.undoLast();
    assert.deepEqual(review.file(path)?.turns, ["back"]);
  });
});
