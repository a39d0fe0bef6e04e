// A git patch as the diffs of its files.
import assert from "node:assert/strict";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { runToEnd } from "../../src/base/lineDiff.ts";
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import { diffHunks } from "../../src/panel/diff/diffHunks.ts";
import { filesPart } from "../../src/panel/diff/filesPart.ts";
import { parsePatchWork } from "../../src/panel/diff/patchText.ts";
import type { ToolContent } from "../../src/session/events.ts";

type Changes = Extract<ToolContent, { type: "changes" }>;
const filesOf = (text: string): ReturnType<typeof parsePatchWork> extends Generator<number, infer T> ? T : never =>
  runToEnd(parsePatchWork(text));
const partOf = (changes: Changes["changes"], patch: string): ReturnType<typeof filesPart> => {
  const item: Changes = { type: "changes", changes, patch };
  return filesPart(item, new DiffStore().files(item), path => path.replace(/^\/w\//, ""));
};

const git = `diff --git a/w/src/a.ts b/w/src/a.ts
index 83db48f..bf269f4 100644
--- a/w/src/a.ts
+++ b/w/src/a.ts
@@ -1,3 +1,3 @@
 one
-two words
+two more words
 three
\\ No newline at end of file
diff --git a/w/new.ts b/w/new.ts
new file mode 100644
index 0000000..bf269f4
--- /dev/null
+++ b/w/new.ts
@@ -0,0 +1 @@
+hello
diff --git a/w/gone.ts b/w/gone.ts
deleted file mode 100644
index bf269f4..0000000
--- a/w/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/w/old name.ts b/w/to/name.ts
similarity index 100%
rename from w/old name.ts
rename to w/to/name.ts
diff --git a/w/run.sh b/w/run.sh
old mode 100644
new mode 100755
diff --git a/w/a.png b/w/a.png
index 83db48f..bf269f4 100644
GIT binary patch
literal 13
UcmWIYfB*%@@@@@@@@@@@@@@@@@@

literal 0
HcmV?d00001

`;

describe("a git patch", () => {
  it("is shown in its files: changed, new, deleted, moved, binary, with a new mode", () => {
    const part = partOf(
      [
        { operation: "modify", path: "/w/src/a.ts" },
        { operation: "add", path: "/w/new.ts" },
        { operation: "delete", path: "/w/gone.ts" },
        { operation: "move", path: "/w/to/name.ts", oldPath: "/w/old name.ts" },
        { operation: "modify", path: "/w/run.sh" },
        { operation: "modify", path: "/w/a.png" },
        { operation: "modify", path: "/w/not-in-the-patch.ts" },
      ],
      git,
    );
    const [a, added, gone, moved, script, image, other] = part.files;
    assert.deepEqual(a?.diff?.hunks, [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { op: "same", text: "one" },
          { op: "del", text: "two words" },
          { op: "add", text: "two more words", marks: [[4, 9]] },
          { op: "same", text: "three", noEnd: true },
        ],
      },
    ]);
    assert.deepEqual([a.diff.added, a.diff.removed, added?.diff?.added, gone?.diff?.removed], [1, 1, 1, 1]);
    assert.deepEqual([added?.diff?.hunks[0]?.newStart, gone?.diff?.hunks[0]?.oldStart], [1, 1]);
    assert.deepEqual(moved, { operation: "move", path: "/w/to/name.ts", label: "to/name.ts", from: "old name.ts" });
    assert.deepEqual(
      [script?.mode, script?.diff, image?.binary, image?.diff],
      [["100644", "100755"], undefined, true, undefined],
    );
    assert.deepEqual(other, { operation: "modify", path: "/w/not-in-the-patch.ts", label: "not-in-the-patch.ts" });
    assert.equal(part.patch, undefined);
  });

  it("also matches paths relative to the session's folder", () => {
    const patch = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n";
    assert.equal(partOf([{ operation: "modify", path: "/w/src/a.ts" }], patch).files[0]?.diff?.added, 1);
  });

  it("stays text if one of its files is not among the changes, or if it is not valid", () => {
    const changes: Changes["changes"] = [{ operation: "modify", path: "/w/src/a.ts" }];
    assert.equal(partOf(changes, git).patch, git);
    for (const patch of [
      "no patch at all",
      "",
      "--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n-a\n",
      "--- a/x\n@@ -1 +1 @@\n",
      "@@ here\n+a\n",
      "--- a/x\n+++ b/x\n@@ here\n+a\n",
    ]) {
      const part = partOf(changes, patch);
      assert.deepEqual([part.patch, part.files[0]?.diff], [patch, undefined]);
    }
    const huge = partOf(changes, "x".repeat(1_000_001));
    assert.deepEqual([huge.patch?.length, huge.cut], [200_000, 800_001]);
  });

  it("of two texts shows the same lines as the texts themselves", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", "-d", "+e", "--- f"), { minLength: 1, maxLength: 30 })
      .map(rows => `${rows.join("\n")}\n`);
    fc.assert(
      fc.property(text, text, fc.boolean(), (before, after, ends) => {
        fc.pre(before !== after);
        const now = ends ? after : after.slice(0, -1);
        fc.pre(now !== before && now !== "");
        const [file] =
          filesOf(createTwoFilesPatch("a/x", "b/x", before, now, undefined, undefined, { context: 3 })) ?? [];
        assert.equal(file?.path, "x");
        const own = diffHunks(before, now);
        const side = (body: typeof own, gone: "add" | "del"): readonly string[] =>
          body.hunks.flatMap(hunk =>
            hunk.lines.filter(line => line.op !== gone).map(line => `${line.text}${line.noEnd ?? ""}`),
          );
        // There may be several shortest diffs. If each hunk stands for the whole text, both sides must agree.
        if (own.hunks.length !== 1 || file.diff.hunks.length !== 1) return;
        if (side(own, "add").length !== side(file.diff, "add").length) return;
        assert.deepEqual(side(file.diff, "add"), side(own, "add"));
        assert.deepEqual(side(file.diff, "del"), side(own, "del"));
        assert.equal(file.diff.added - file.diff.removed, own.added - own.removed);
      }),
    );
  });
});
