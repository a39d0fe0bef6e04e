// The regular expressions that agents set for the texts of a form.
import assert from "node:assert/strict";
import { patternMatch } from "../../src/panel/form/patternMatch.ts";

describe("the pattern of a field", () => {
  const rows: readonly (readonly [what: string, pattern: string, text: string, match: string])[] = [
    ["matches anywhere in the text", "b+", "abbc", "matches"],
    ["may be anchored", "^b+$", "abbc", "differs"],
    ["counts code points", "^.$", "😀", "matches"],
    ["knows Unicode classes", "^\\p{L}+$", "é", "matches"],
    ["is not checked if it is no regular expression", "(", "a", "unknown"],
    ["may be long", "(?:a{1000}){1000}".repeat(100), "a", "differs"],
    ["is stopped if it is long and so is the text", "(?:a{1000}){1000}".repeat(100), "a".repeat(100_000), "unknown"],
    ["is stopped if it backtracks for ever", "^(a+)+$", `${"a".repeat(100)}!`, "unknown"],
    ["is stopped if it backtracks for ever in another way", "^(\\w|\\w\\w)*$", `${"a".repeat(5000)}!`, "unknown"],
  ];
  for (const [what, pattern, text, match] of rows) {
    it(what, () => assert.equal(patternMatch(pattern, text), match));
  }

  it("is checked again after one was stopped", () => {
    assert.equal(patternMatch("^(a+)+$", `${"a".repeat(100)}!`), "unknown");
    assert.equal(patternMatch("^a+$", "aaa"), "matches");
  });
});
