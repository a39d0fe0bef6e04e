// Untrusted texts in one line of a dialog.
import assert from "node:assert/strict";
import fc from "fast-check";
import { exactLine, visibleName } from "../../src/base/inertText.ts";

describe("a line of untrusted text", () => {
  it("shows line feeds, long runs of blanks and invisible characters", () => {
    assert.equal(exactLine("a\r\nb\tc"), "a⏎b c");
    assert.equal(exactLine(`sh${" ".repeat(400)}evil`), "sh[400 blanks]evil");
    assert.equal(exactLine(`x${"\u3000".repeat(9)}y`), "x[9 blanks]y");
    assert.equal(exactLine("a\r\u2028\u202eb\u0000\u200b"), "a⏎⏎[U+202E]b[U+0000][U+200B]");
  });

  it("is one line, and keeps every other character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), text => {
        const line = exactLine(text);
        assert.doesNotMatch(line, /[\n\r\t\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        for (const letter of text.match(/[a-zA-Z0-9]/g) ?? []) assert.ok(line.includes(letter));
      }),
    );
  });
});

describe("a name from a foreign source", () => {
  it("is one visible line of bounded length", () => {
    assert.equal(visibleName("  My\n  Agent\t", 20), "My Agent");
    assert.equal(visibleName("a\u202eb", 20), "a[U+202E]b");
    assert.equal(visibleName("x".repeat(100_000), 5), "xxxx…");
    assert.equal(visibleName(" \n", 5), "");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), (name, max) => {
        const shown = visibleName(name, max);
        assert.ok(Array.from(shown).length <= max);
        assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
