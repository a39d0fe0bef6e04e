import assert from "node:assert/strict";
import { isFormatted, looksTyped } from "../../src/files/typedEdits.ts";

const inserted = (...texts: readonly string[]) => texts.map(text => ({ text, rangeLength: 0 }));

describe("edits while a write of the agent is being saved", () => {
  const typed: readonly (readonly [string, Parameters<typeof looksTyped>[0]])[] = [
    ["a letter", inserted("a")],
    ["a letter at two cursors", inserted("a", "a")],
    ["fast typing, one edit for each letter", inserted(" ", "w", "o", "r", "d")],
    ["a space", inserted(" ")],
    ["a bracket with its closing bracket", inserted("()")],
    ["pasted words", inserted("some words\n")],
  ];
  for (const [what, edits] of typed) it(`are typed: ${what}`, () => assert.ok(looksTyped(edits)));

  const formatted: readonly (readonly [string, Parameters<typeof looksTyped>[0]])[] = [
    ["a final line break", inserted("\n")],
    ["an indentation", inserted("    ")],
    ["white space removed", [{ text: "", rangeLength: 3 }]],
    ["a word replaced", [{ text: "LINE", rangeLength: 4 }]],
    ["different punctuation at several places", inserted(";", ",")],
    ["nothing", []],
  ];
  for (const [what, edits] of formatted) it(`are a formatter's: ${what}`, () => assert.ok(!looksTyped(edits)));

  it("are a formatter's if they move, change or remove words, but add none", () => {
    assert.ok(isFormatted("import b\nimport a, c\n", "import a\nimport b\n"));
    assert.ok(isFormatted("foo( 'x' )", 'foo("x");\n'));
    assert.ok(!isFormatted("foo(x)\n", "foo(x) mine\n"));
    assert.ok(!isFormatted("one two\n", "one one\n"));
  });
});
