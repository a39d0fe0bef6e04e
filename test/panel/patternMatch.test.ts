// The regular expressions that agents set for the texts of a form.
import assert from "node:assert/strict";
import { PatternChecker } from "../../src/panel/form/patternMatch.ts";
import { patientPatterns } from "../support/fakes/patientPatterns.ts";

const stoppedMatch = (pattern: string, text: string): string => new PatternChecker().match(pattern, text);
const patternMatch = (pattern: string, text: string): string => patientPatterns().match(pattern, text);

describe("the pattern of a field", () => {
  const rows: readonly (readonly [what: string, pattern: string, text: string, match: string])[] = [
    ["matches anywhere in the text", "b+", "abbc", "matches"],
    ["may be anchored", "^b+$", "abbc", "differs"],
    ["counts code points", "^.$", "😀", "matches"],
    ["knows Unicode classes", "^\\p{L}+$", "é", "matches"],
    ["is not checked if it is no regular expression", "(", "a", "unknown"],
    ["may be long", "(?:a{1000}){1000}".repeat(58), "a", "differs"],
    ["is stopped if it is long and so is the text", "(?:a{1000}){1000}".repeat(58), "a".repeat(100_000), "unknown"],
    ["is not checked if it is too long", "a".repeat(1001), "a".repeat(1001), "unknown"],
    ["is stopped if it backtracks for ever", "^(a+)+$", `${"a".repeat(100)}!`, "unknown"],
    ["is stopped if it backtracks for ever in another way", "^(\\w|\\w\\w)*$", `${"a".repeat(5000)}!`, "unknown"],
  ];
  for (const [what, pattern, text, match] of rows) {
    const check = match === "unknown" ? stoppedMatch : patternMatch;
    it(what, () => assert.equal(check(pattern, text), match));
  }

  it("is checked again after one was stopped", () => {
    assert.equal(stoppedMatch("^(a+)+$", `${"a".repeat(100)}!`), "unknown");
    assert.equal(patternMatch("^a+$", "aaa"), "matches");
  });

  it("has less time if those before it took some", () => {
    let now = 0;
    const limits: number[] = [];
    const checker = new PatternChecker(
      (ms, work) => {
        limits.push(ms);
        now += 30;
        work();
        return { isDone: true };
      },
      () => now,
    );
    assert.deepEqual(
      ["a", "b", "c", "d", "e"].map(pattern => checker.match(pattern, "abc")),
      ["matches", "matches", "matches", "differs", "unknown"],
    );
    assert.deepEqual(limits, [50, 50, 40, 10]);
  });
});
