// A file with a change of the agent but no known base. It stays listed until the user decides or a commit contains it.
import assert from "node:assert/strict";
import { WindowReview } from "../../src/review/windowReview.ts";

describe("a changed file without a known base", () => {
  const path = "/folder/made.bin";
  const waiting = (): WindowReview => {
    const port = { apply: () => Promise.reject(new Error("Nothing is applied.")) };
    const review = new WindowReview({ port, schedule: run => run() });
    review.turnBegan("t1", "Make it");
    review.agentChangedWithoutBase(path, "one\ntwo\n", "t1", "There is no earlier text.");
    return review;
  };
  const why = (review: WindowReview): string | undefined => review.file(path)?.unknown;

  it("stays listed when the user edits it, and when another tool replaces its text", () => {
    const review = waiting();
    const insertion = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "zero\n" };
    review.userChanged(path, [insertion], "zero\none\ntwo\n");
    assert.equal(why(review), "There is no earlier text.");
    review.replaced(path, "other\n");
    assert.equal(why(review), "There is no earlier text.");
    assert.deepEqual(review.file(path)?.changes.hunks, []);
    assert.equal(review.stored().files[0]?.unknown, "There is no earlier text.");
  });

  it("is removed when a commit contains its text, and stays when the commit contains another text", () => {
    const review = waiting();
    review.committed(path, "older\n");
    assert.equal(why(review), "There is no earlier text.");
    review.committed(path, "one\ntwo\n");
    assert.equal(review.file(path), undefined);
  });

  it("has hunks from the agent's next edit on, if the text before that edit is known", () => {
    const review = waiting();
    review.agentChanged(path, "one\ntwo\n", "one\n2\n", "t1");
    assert.equal(why(review), undefined);
    assert.equal(review.file(path)?.changes.hunks.length, 1);
  });
});
