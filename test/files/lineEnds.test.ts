// Line endings of an earlier text, put back into a text with "\n".
import assert from "node:assert/strict";
import fc from "fast-check";
import { withLineEndsOf } from "../../src/files/lineEnds.ts";
import { withLineFeeds } from "../../src/base/text.ts";

describe("line endings", () => {
  it("come back exactly if the text has not changed", () => {
    const anyEnds = fc
      .array(
        fc.tuple(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 2 }), fc.constantFrom("\n", "\r\n", "\r")),
      )
      .map(rows =>
        rows.map(([text, end], i) => (end === "\r" && rows[i + 1]?.[0] === "" ? `${text}.\r` : text + end)).join(""),
      );
    fc.assert(
      fc.property(anyEnds, fc.constantFrom("", "last"), (raw, last) => {
        // "\r" before an empty line with "\n" would be one line ending.
        fc.pre(withLineFeeds(raw + last) === (raw + last).replace(/\r\n|\r|\n/g, "\n"));
        assert.equal(withLineEndsOf(withLineFeeds(raw + last), raw + last), raw + last);
      }),
    );
  });

  it("stay with their lines, and a new line gets the ending of the line before it", () => {
    assert.equal(withLineEndsOf("a\nnew\nb\nc\n", "a\r\nb\nc\n"), "a\r\nnew\r\nb\nc\n");
    assert.equal(withLineEndsOf("b\nc", "a\r\nb\rc\n"), "b\rc");
    assert.equal(withLineEndsOf("first\na\nb\n", "a\r\nb\n"), "first\r\na\r\nb\n");
  });

  it("are the most frequent ones if the texts have little in common", () => {
    const like = `${Array.from({ length: 3000 }, (_, i) => `old ${i}\r\n`).join("")}one\n`;
    const text = Array.from({ length: 3000 }, (_, i) => `new ${i}\n`).join("");
    assert.equal(withLineEndsOf(text, like), text.replaceAll("\n", "\r\n"));
  });

  it("are all the same if those of the earlier text are", () => {
    assert.equal(withLineEndsOf("a\nb", "x\r\ny\r\n"), "a\r\nb");
    assert.equal(withLineEndsOf("a\nb", "one line"), "a\nb");
  });
});
