// Which documents can have comments, and which of them show that beside their line numbers.
import assert from "node:assert/strict";
import { isCommentable, showsGutter, type DocumentUri } from "../../src/comments/commentableDocuments.ts";
import type { ReviewedFile } from "../../src/review/review.ts";

const uri = (scheme: string, fsPath: string, query = ""): DocumentUri => ({
  ...{ scheme, fsPath, query },
  toString: () => `${scheme}:${fsPath}`,
});
const review = {
  files: [],
  turns: [],
  file: (path: string) => (path.endsWith("/changed.js") ? ({} as ReviewedFile) : undefined),
  onDidChange: () => ({ dispose() {} }),
};
const comments = { uris: new Set(["file:/w/commented.js"]) };

describe("documents with comments", () => {
  it("are files of the workspace and under review, the texts before changes, and plans", () => {
    const can = (one: DocumentUri, roots = ["/w"]): boolean => isCommentable(one, roots, review);
    assert.ok(can(uri("file", "/w/a.js")));
    assert.ok(can(uri("file", "/other/changed.js")));
    assert.ok(can(uri("parley-base", "/other/a.js")));
    assert.ok(can(uri("parley-base", "/other/a.js", "turn=t1")));
    assert.ok(!can(uri("parley-base", "/w/a.js", "none")), "the empty side of a diff");
    assert.ok(!can(uri("parley-base", "/w/a.js", "peek")), "no diff shows it");
    assert.ok(can(uri("parley-plan", "/Plan.md")));
    assert.ok(can(uri("file", "/a.js"), ["/"]), "the root folder");
    assert.ok(!can(uri("file", "/web/a.js")), "a folder with a longer name");
    assert.ok(!can(uri("git", "/w/a.js")));
  });

  it("offer comments at their line numbers as the setting says", () => {
    const offered = (gutter: "changes" | "always" | "never"): readonly string[] =>
      [
        uri("file", "/w/a.js"),
        uri("file", "/w/changed.js"),
        uri("file", "/w/commented.js"),
        uri("parley-base", "/w/a.js"),
      ]
        .filter(one => showsGutter(one, gutter, { review, comments }))
        .map(String);
    assert.deepEqual(offered("changes"), ["file:/w/changed.js", "file:/w/commented.js", "parley-base:/w/a.js"]);
    assert.equal(offered("always").length, 4);
    assert.deepEqual(offered("never"), []);
  });
});
