// Where a fragment of a file begins, and the whole texts around its change.
import assert from "node:assert/strict";
import { FragmentFinder, fragmentLine, wholeTexts } from "../../src/files/fragmentLines.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const lineOf = (text: string, fragment: string): number | undefined => new FragmentFinder(text).lineOf(fragment);

describe("the line of a fragment", () => {
  const text = "one\ntwo\n  three\nfour\ntwo\nfive";

  it("is found with or without the last line feed, at the end of the file too", () => {
    for (const fragment of ["  three\nfour", "  three\nfour\n"]) assert.equal(lineOf(text, fragment), 3);
    for (const fragment of ["five", "five\n", "two\nfive\n"])
      assert.equal(lineOf(text, fragment), text.split("\n").indexOf("five") + (fragment.startsWith("two") ? 0 : 1));
    assert.equal(lineOf(`${text}\n`, "five"), 6);
  });

  it("is 1 for a whole file, whatever its line feeds", () => {
    for (const whole of [text, `${text}\n`, text.replaceAll("\n", "\r\n")]) assert.equal(lineOf(text, whole), 1);
    assert.equal(lineOf("x\nx\n", "x\nx"), 1);
    assert.equal(lineOf("\uFEFFone\r\ntwo\r\n", "one\ntwo\n"), 1);
  });

  it("is unknown for a text that is not there or is there twice", () => {
    for (const fragment of ["six", "two", "two\n", "one\nthree", "two\ntwo", "", "\n", "five\nsix"])
      assert.equal(lineOf(text, fragment), undefined, JSON.stringify(fragment));
    assert.equal(lineOf("", "a"), undefined);
    assert.equal(lineOf("a\na\na\n", "a\na\n"), undefined, "overlapping");
  });

  it("is found for a fragment that begins or ends within a line, once there is no run of whole lines", () => {
    assert.equal(lineOf(text, "three\nfour"), 3);
    assert.equal(lineOf(text, "two\n  thr"), 2);
    assert.equal(lineOf(text, "hree\nfour\nt"), 3);
    assert.equal(lineOf(text, "ou"), 4);
    assert.equal(lineOf(text, "ve\n"), 6, "a line feed ends a line");
    assert.equal(lineOf("a b\nb\nb c\n", "b"), 2, "a whole line counts more");
    assert.equal(lineOf("xa\nya\n", "a\n"), undefined);
    assert.equal(lineOf("line 1\nline 10\nline 11\n", "line 1"), 1);
  });

  it("is found in any text within a short time", () => {
    const hostile = "a".repeat(1_000_000);
    const many = "a\n".repeat(400_000);
    const used = processorTime();
    assert.equal(lineOf(hostile, `${"a".repeat(250_000)}b${"a".repeat(250_000)}`), undefined);
    assert.equal(lineOf(many, `${"a\n".repeat(200_000)}b`), undefined);
    assert.equal(lineOf(many, `${"a\n".repeat(200_000)}aa`), undefined);
    assert.equal(lineOf(many, "a\n".repeat(200_000)), undefined);
    assert.ok(used() < 5000, `${used()} ms`);
  });
});

describe("the line of a change", () => {
  const at = (text: string, oldText: string, newText: string, done = false): number | undefined =>
    fragmentLine(new FragmentFinder(text), { oldText, newText }, done);

  it("is that of the old text before the edit, and that of the new text after it", () => {
    assert.equal(at("a\nb\nc\n", "b\n", "x\ny\n"), 2);
    assert.equal(at("a\nx\ny\nc\n", "b\n", "x\ny\n"), undefined, "the edit may be someone else's");
    assert.equal(at("a\nx\ny\nc\n", "b\n", "x\ny\n", true), 2);
    assert.equal(at("a\nb\nc\nb\n", "b\n", "c\n", true), 3, "the old text elsewhere doesn't matter");
    assert.equal(at("a\nc\n", "b\n", "", true), undefined, "nothing is left to find");
  });

  it("is that of the new text if an edit that adds to the old text was made before it was reported", () => {
    assert.equal(at("a\nnew\nb\nc\n", "b\n", "new\nb\n"), 2);
    assert.equal(at("a\nb\nc\n", "b\n", "new\nb\n"), 2);
  });
});

describe("the whole texts of a change", () => {
  const before = "a\nb\nc\nd\n";
  const rows: readonly (readonly [string, string, number, string])[] = [
    ["c\n", "x\ny\n", 3, "a\nb\nx\ny\nd\n"],
    ["c", "x", 3, "a\nb\nx\nd\n"],
    ["b\nc\n", "b\n", 2, "a\nb\nd\n"],
    ["b\n", "b\nnew\n", 2, "a\nb\nnew\nc\nd\n"],
    ["b\n", "new\nb\n", 2, "a\nnew\nb\nc\nd\n"],
    ["b\n", "", 2, "a\nc\nd\n"],
  ];

  it("are the same before and after the edit was made", () => {
    for (const [oldText, newText, line, after] of rows) {
      for (const now of [before, after]) {
        assert.deepEqual(
          wholeTexts(now, { oldText, newText }, line),
          { before, after },
          JSON.stringify([oldText, newText, now]),
        );
      }
    }
  });

  it("end as the file does", () => {
    const change = { oldText: "b\n", newText: "x\n" };
    for (const now of ["a\nb", "a\nx"]) assert.deepEqual(wholeTexts(now, change, 2), { before: "a\nb", after: "a\nx" });
  });

  it("are unknown if the fragment is not at its line", () => {
    const change = { oldText: "b\n", newText: "x\n" };
    for (const [now, line] of [
      ["a\nq\n", 2],
      ["q\na\nb\n", 2],
      ["a\n", 9],
      ["", 2],
    ] as const)
      assert.equal(wholeTexts(now, change, line), undefined, JSON.stringify(now));
  });
});
