// The mark of a file that the user has reviewed without a decision: it belongs to the text of the file, and goes with it.
import assert from "node:assert/strict";
import { changesView } from "../../src/panel/projection/changesView.ts";
import type { StoredReview } from "../../src/review/storedReview.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";

describe("the mark of a reviewed file", () => {
  const path = "/folder/a.txt";
  const base = "one\ntwo\nthree\nfour\nfive\n";
  const text = "ONE\ntwo\nthree\nfour\nFIVE\n";
  const open = (): WindowReview => {
    const port = {
      apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
      move: () => Promise.resolve(undefined),
    };
    return new WindowReview({ port, schedule: run => run(), slices: undividedWork });
  };
  const marked = async (): Promise<WindowReview> => {
    const review = open();
    review.turnBegan("t1", "Change it");
    await review.agentChanged(path, base, text, "t1");
    review.markReviewed(path, true);
    assert.equal(isReviewed(review), true);
    return review;
  };
  const isReviewed = (review: WindowReview): boolean => review.file(path)?.isReviewed ?? false;

  it("is set and taken away without a decision, and is reported", async () => {
    const review = await marked();
    let changes = 0;
    review.onDidChange(() => changes++);
    review.markReviewed(path, true);
    assert.equal(changes, 0);
    review.markReviewed(path, false);
    assert.deepEqual([changes, isReviewed(review), review.lastDecisionSize], [1, false, 0]);
    assert.equal(review.file(path)?.changes.hunks.length, 2);
  });

  it("goes when an agent, the user or another program changes the text, also back to what it was", async () => {
    const first = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 }, text: "2" };
    const ways: readonly ((review: WindowReview) => Promise<void>)[] = [
      review => review.agentChanged(path, text, text.replace("two", "2"), "t1"),
      review => review.userChanged(path, [first], text.replace("two", "2")),
      review => review.replaced(path, text.replace("two", "2")),
      review => review.editorUndoRedo(path, text.replace("two", "2")),
    ];
    for (const change of ways) {
      const review = await marked();
      await change(review);
      assert.equal(isReviewed(review), false);
      await review.replaced(path, text);
      assert.ok(review.file(path));
      assert.equal(isReviewed(review), false);
    }
  });

  it("stays when a part of the file is kept, because the text stays", async () => {
    const review = await marked();
    const [hunk] = review.file(path)?.changes.hunks ?? [];
    await review.keep({ kind: "hunks", path, ids: [hunk?.id ?? ""] });
    assert.equal(review.file(path)?.changes.hunks.length, 1);
    assert.equal(isReviewed(review), true);
  });

  it("is there in the next window if the text is the same, and is not if it changed meanwhile", async () => {
    const stored = JSON.parse(JSON.stringify((await marked()).stored())) as StoredReview;
    const same = open();
    await same.restore(stored, () => Promise.resolve(text));
    assert.equal(isReviewed(same), true);
    const changed = open();
    await changed.restore(stored, () => Promise.resolve(text.replace("two", "2")));
    assert.ok(changed.file(path));
    assert.equal(isReviewed(changed), false);
  });

  it("is not given to a file whose text is not known, because nothing would take it away", () => {
    const review = open();
    review.agentChangedWithoutBase(path, "?", "t1", "It is binary.");
    review.markReviewed(path, true);
    review.markReviewed("/folder/other.txt", true);
    assert.equal(isReviewed(review), false);
  });

  it("is counted by the bar of changes", async () => {
    const review = await marked();
    await review.agentChanged("/folder/b.txt", "b\n", "B\n", "t1");
    assert.equal(changesView(review.files, "/folder")?.reviewed, 1);
    review.markReviewed(path, false);
    assert.equal(changesView(review.files, "/folder")?.reviewed, undefined);
  });
});
