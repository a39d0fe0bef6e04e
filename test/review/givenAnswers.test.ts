// When VS Code must be asked to compute inline diffs again, which closes the open one.
import assert from "node:assert/strict";
import { GivenAnswers } from "../../src/review/givenAnswers.ts";

describe("the answers about texts before changes", () => {
  it("are outdated when a document comes under review or leaves it, and not when another one is opened", () => {
    const answers = new GivenAnswers();
    const reviewed = new Set(["file:///a"]);
    const has = (uri: string): boolean => reviewed.has(uri);
    answers.given("file:///a", true);
    answers.given("file:///b", false);
    assert.ok(!answers.isOutdated(has));
    // Opened, but VS Code has not asked about it: it will.
    reviewed.add("file:///c");
    assert.ok(!answers.isOutdated(has));
    reviewed.add("file:///b");
    assert.ok(answers.isOutdated(has));
    answers.given("file:///b", true);
    assert.ok(!answers.isOutdated(has));
    reviewed.delete("file:///a");
    assert.ok(answers.isOutdated(has));
    answers.forget("file:///a");
    assert.ok(!answers.isOutdated(has));
    reviewed.clear();
    answers.clear();
    assert.ok(!answers.isOutdated(has));
  });
});
