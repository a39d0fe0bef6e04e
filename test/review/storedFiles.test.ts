// Whether stored changes are recognized without restoring them.
import assert from "node:assert/strict";
import { hasStoredChanges } from "../../src/review/storedFiles.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";
import { WindowReview } from "../../src/review/windowReview.ts";

describe("the text of a stored review", () => {
  let review: WindowReview;
  beforeEach(() => {
    const never = (): Promise<never> => Promise.reject(new Error("Nothing is applied."));
    review = new WindowReview({
      port: { apply: never, move: never },
      schedule: run => run(),
      slices: undividedWork,
    });
  });
  afterEach(() => review.dispose());
  const stored = (): string => JSON.stringify(review.stored(true));

  it("has no changes if nothing waits for review", () => {
    assert.equal(hasStoredChanges(stored()), false);
  });

  it("has changes if a file waits for review", () => {
    void review.agentChanged("/w/a.ts", "one\n", "two\n", "t1");
    assert.equal(hasStoredChanges(stored()), true);
  });

  it("has changes if files come back to the review with their earlier texts, or if it cannot be read", () => {
    assert.equal(hasStoredChanges('{"files":[],"titles":{},"replaced":[{"path":"/w/a.ts"}]}'), true);
    assert.equal(hasStoredChanges("["), true);
  });
});
