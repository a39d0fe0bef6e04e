// The text before an agent's edit, computed from the agent's report of the edit.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createTwoFilesPatch } from "diff";
import type { ToolContent } from "../../src/session/events.ts";
import { baseFromReports, containsEdit, editReportsOf, type EditReport } from "../../src/history/baseFromReports.ts";

const diff = (oldText: string | undefined, newText: string): EditReport =>
  oldText === undefined ? { kind: "diff", newText } : { kind: "diff", oldText, newText };
const patched = (before: string, after: string, name = "/w/a.txt"): string =>
  `diff --git a${name} b${name}\n${createTwoFilesPatch(`a${name}`, `b${name}`, before, after).replace(/^=+\n/, "")}`;

describe("the base of a reported edit", () => {
  it("is the whole old text, if the file equals the whole new text", () => {
    assert.equal(baseFromReports("new\n", [diff("old\n", "new\n")]), "old\n");
  });

  it("restores a fragment that occurs once", () => {
    assert.equal(baseFromReports("a\nB\nc\n", [diff("b", "B")]), "a\nb\nc\n");
  });

  it("is unknown if a fragment occurs twice, not at all, or is empty", () => {
    assert.equal(baseFromReports("B\nB\n", [diff("b", "B")]), undefined);
    assert.equal(baseFromReports("x\n", [diff("b", "B")]), undefined);
    assert.equal(baseFromReports("x\n", [diff("b", "")]), undefined);
    assert.equal(baseFromReports("x\n", []), undefined);
  });

  it("counts overlapping occurrences of a fragment as two", () => {
    assert.equal(baseFromReports("aaa", [diff("b", "aa")]), undefined);
  });

  it("is a missing file if the new text was reported without an old one, and the file contains nothing else", () => {
    assert.equal(baseFromReports("hello\n", [diff(undefined, "hello\n")]), null);
    assert.equal(baseFromReports("hello\nmore\n", [diff(undefined, "hello\n")]), undefined);
  });

  it("is the old text of a deleted file", () => {
    assert.equal(baseFromReports(null, [{ kind: "diff", oldText: "was\n", newText: "", deleted: true }]), "was\n");
    assert.equal(
      baseFromReports("still here\n", [{ kind: "diff", oldText: "was\n", newText: "", deleted: true }]),
      undefined,
    );
  });

  it("reverts several edits, the last one first", () => {
    assert.equal(baseFromReports("c\n", [diff("a", "b"), diff("b", "c")]), "a\n");
    assert.equal(baseFromReports("c\n", [diff("b", "c"), diff("a", "b")]), undefined);
  });

  it("reverts a git patch that applies cleanly", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n";
    const after = "1\n2\n3\nfour\n5\n6\n7\n";
    const report: EditReport = { kind: "patch", patch: patched(before, after), operation: "modify" };
    assert.equal(baseFromReports(after, [report]), before);
    assert.equal(baseFromReports(after.replace("5", "five"), [report]), undefined);
  });

  it("is a missing file for an added file, whatever the patch contains", () => {
    assert.equal(baseFromReports("x\n", [{ kind: "patch", patch: "", operation: "add" }]), null);
  });

  it("is unknown for an invalid patch", () => {
    for (const patch of ["", "no patch", "@@ -1 +1 @@", "--- a\n+++ b\n@@ -x +y @@\n"]) {
      assert.equal(baseFromReports("x\n", [{ kind: "patch", patch, operation: "modify" }]), undefined, patch);
    }
  });

  it("is either the text before or unknown, for any edit of a text", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "x"), { maxLength: 12 })
      .map(parts => parts.join(""));
    fc.assert(
      fc.property(text, text, text, text, (head, old, now, tail) => {
        const base = baseFromReports(head + now + tail, [diff(old, now)]);
        assert.ok(base === undefined || base === head + old + tail);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(text, text, (before, after) => {
        const report: EditReport = { kind: "patch", patch: patched(before, after), operation: "modify" };
        const base = baseFromReports(after, [report]);
        assert.ok(base === undefined || base === before);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a snapshot that was taken too late", () => {
  it("contains the new fragment and not the old one", () => {
    assert.equal(containsEdit("a\nB\n", diff("b", "B")), true);
    assert.equal(containsEdit("a\nb\n", diff("b", "B")), false);
    assert.equal(containsEdit("b\nB\n", diff("b", "B")), false);
  });

  it("contains a new fragment that includes the old one", () => {
    assert.equal(containsEdit("call(a, b)\n", diff("call(a", "call(a, b")), true);
    assert.equal(containsEdit("call(a)\n", diff("call(a", "call(a, b")), false);
  });

  it("already contains a patch", () => {
    const patch = patched("1\n2\n3\n", "1\ntwo\n3\n");
    assert.equal(containsEdit("1\ntwo\n3\n", { kind: "patch", patch, operation: "modify" }), true);
    assert.equal(containsEdit("1\n2\n3\n", { kind: "patch", patch, operation: "modify" }), false);
  });
});

describe("a tool call's report of files", () => {
  it("is split by file, each with its own part of the patch", () => {
    const patch = patched("1\n", "one\n", "/w/a.txt") + patched("2\n", "two\n", "/w/b.txt");
    const content: ToolContent = {
      type: "changes",
      changes: [
        { operation: "modify", path: "/w/b.txt" },
        { operation: "modify", path: "/w/a.txt" },
      ],
      patch,
    };
    const [b, a] = editReportsOf(content);
    assert.equal(b?.[0], "/w/b.txt");
    assert.equal(b && baseFromReports("two\n", [b[1]]), "2\n");
    assert.equal(a && baseFromReports("one\n", [a[1]]), "1\n");
  });

  it("includes both paths of a moved file", () => {
    const content: ToolContent = {
      type: "changes",
      changes: [{ operation: "move", path: "/w/b.txt", oldPath: "/w/a.txt" }],
    };
    assert.deepEqual(
      editReportsOf(content).map(([path]) => path),
      ["/w/b.txt", "/w/a.txt"],
    );
  });

  it('has "\\n" line endings', () => {
    const [report] = editReportsOf({ type: "diff", path: "/w/a", oldText: "a\r\n", newText: "b\r\n" });
    assert.deepEqual(report?.[1], { kind: "diff", oldText: "a\n", newText: "b\n" });
  });
});
