// What another program replaces, as `git stash` does, and brings back, as `git stash pop` does, in the review of a window.
import assert from "node:assert/strict";
import { ReplacedStates } from "../../src/review/turns/replacedStates.ts";
import { track } from "../../src/review/fileChanges.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";

const path = "/folder/a.txt";
const base = "1\n2\n3\n4\n5\n";
const agents = "1\ntwo\n3\n4\nfive\n";

/** The files that wait for review, with the paths from which the agent moved them. */
const rows = (review: WindowReview): readonly unknown[] => review.files.map(one => [one.path, one.movedFrom]);

function emptyReview(): WindowReview {
  const port = {
    apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
    move: () => Promise.resolve(undefined),
  };
  return new WindowReview({ port, schedule: run => run(), slices: undividedWork });
}

function reviewed(before: string | null = base, after: string | null = agents): WindowReview {
  const review = emptyReview();
  review.turnBegan("t1", "Change it");
  void review.agentChanged(path, before, after, "t1");
  return review;
}

describe("a text that another program replaces and brings back", () => {
  for (const nextTurn of [false, true]) {
    const when = nextTurn ? ", after the next turn began" : "";
    const between = (review: WindowReview): void => (nextTurn ? review.turnBegan("t2", "Go on") : undefined);

    it(`waits for review again, with its base and hunks${when}`, () => {
      const review = reviewed();
      const before = review.file(path);
      void review.replaced(path, base);
      assert.deepEqual(rows(review), []);
      assert.deepEqual(review.replacedFiles.paths, [path]);
      between(review);
      void review.replaced(path, agents);
      assert.deepEqual(review.file(path)?.changes, before?.changes);
      assert.deepEqual(review.file(path)?.turns, ["t1"]);
      assert.deepEqual(review.replacedFiles.paths, []);
    });

    it(`waits for review again if the file was created or deleted${when}`, () => {
      for (const [was, is] of [
        [null, agents],
        [base, null],
      ] as const) {
        const review = reviewed(was, is);
        void review.replaced(path, was);
        assert.deepEqual(rows(review), []);
        between(review);
        void review.replaced(path, is);
        assert.deepEqual([review.file(path)?.changes.base, review.file(path)?.changes.text], [was, is]);
        assert.equal(review.file(path)?.changes.hunks.length, 1);
      }
    });

    it(`waits for review again if the agent moved the file${when}`, async () => {
      const review = reviewed(null, agents);
      const from = "/folder/old.txt";
      void review.agentChanged(from, base, null, "t1");
      await review.agentMoved({ from, to: path, turn: "t1", before: base, why: "" });
      assert.equal(review.file(path)?.movedFrom, from);
      void review.replaced(path, null);
      void review.replaced(from, base);
      assert.deepEqual(rows(review), []);
      between(review);
      void review.replaced(path, agents);
      void review.replaced(from, null);
      assert.deepEqual(rows(review), [[path, from]]);
      assert.deepEqual([review.file(path)?.changes.base, review.isMovedAway(from)], [base, true]);
    });
  }

  it("does not wait for review if the text is another one", () => {
    const review = reviewed();
    void review.replaced(path, base);
    void review.replaced(path, `${agents}6\n`);
    assert.deepEqual(rows(review), []);
  });

  it("waits for review again if only some of its hunks were replaced", () => {
    const review = reviewed();
    void review.replaced(path, "1\n2\n3\n4\nfive\n");
    assert.equal(review.file(path)?.changes.hunks.length, 1);
    void review.replaced(path, agents);
    assert.equal(review.file(path)?.changes.hunks.length, 2);
    assert.equal(review.file(path)?.changes.base, base);
  });

  it("does not wait for review again if the user has kept the file since, or a commit contains the text", async () => {
    const kept = reviewed();
    void kept.replaced(path, base);
    void kept.agentChanged(path, base, agents, "t2");
    await kept.keep({ kind: "all" });
    void kept.replaced(path, base);
    void kept.replaced(path, agents);
    assert.deepEqual(rows(kept), []);
    const committed = reviewed();
    void committed.replaced(path, base);
    void committed.committed(path, agents);
    void committed.replaced(path, agents);
    assert.deepEqual(rows(committed), []);
  });

  it("waits for review again in the next window", async () => {
    const review = reviewed();
    const waiting = review.file(path)?.changes;
    void review.replaced(path, base);
    const stored = JSON.parse(JSON.stringify(review.stored(true))) as ReturnType<WindowReview["stored"]>;
    const [same, popped] = [emptyReview(), emptyReview()];
    assert.deepEqual(await same.restore(stored, () => Promise.resolve(base)), []);
    assert.deepEqual(rows(same), []);
    void same.replaced(path, agents);
    assert.deepEqual(same.file(path)?.changes, waiting);
    assert.deepEqual(await popped.restore(stored, () => Promise.resolve(agents)), []);
    assert.deepEqual(popped.file(path)?.changes, waiting);
  });

  it("waits for review again if it was replaced while the window was closed", async () => {
    const before = reviewed();
    const waiting = before.file(path)?.changes;
    const stored = before.stored(true);
    const review = emptyReview();
    await review.restore(stored, () => Promise.resolve(base));
    assert.deepEqual(rows(review), []);
    void review.replaced(path, agents);
    assert.deepEqual(review.file(path)?.changes, waiting);
  });
});

describe("the states of replaced files", () => {
  const state = (name: string, text: string) => ({
    path: name,
    changes: track("", text, "t1"),
    history: [],
    mixed: false,
  });

  it("are remembered up to a limit, the latest ones", () => {
    const states = new ReplacedStates();
    for (let i = 0; i < 30; i++) states.remember(state(`/${i}`, `${i}`.repeat(1024 * 1024)));
    assert.ok(states.paths.length > 0 && states.paths.length < 30);
    assert.ok(states.has("/29"));
    states.remember(state("/large", "x".repeat(40 * 1024 * 1024)));
    assert.deepEqual(states.paths, []);
    for (let i = 0; i < 3000; i++) states.remember(state(`/${i}`, "text"));
    assert.equal(states.paths.length, 1000);
    assert.ok(states.has("/2999"));
  });

  it("are found by their texts, the latest one first", () => {
    const states = new ReplacedStates();
    states.remember(state("/a", "1"));
    states.remember(state("/a", "2"));
    assert.equal(states.take("/a", "3"), undefined);
    assert.equal(states.take("/a", "1")?.changes.text, "1");
    assert.equal(states.take("/a", "1"), undefined);
    assert.equal(states.take("/a", "2")?.changes.text, "2");
  });
});
