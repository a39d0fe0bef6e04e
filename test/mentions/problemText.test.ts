// Problems of the editor as lines: each begins one line, whatever its message contains.
import assert from "node:assert/strict";
import { problemText } from "../../src/mentions/problemText.ts";

describe("a problem as text", () => {
  it("has its place, its severity, its message and its source", () => {
    const text = problemText({
      place: "src/a.ts:3:5",
      severity: "error",
      message: "No name.\nDid you?",
      from: "ts 2304",
    });
    assert.equal(text, "src/a.ts:3:5 error: No name.\n    Did you? (ts 2304)");
    assert.equal(problemText({ place: "a:1:1", severity: "hint", message: " a ", from: "" }), "a:1:1 hint: a");
  });

  it("begins no other problem", () => {
    for (const end of ["\n", "\r", "\r\n", "\u2028", "\u0085", "\f"]) {
      const forged = `a${end}src/b.ts:1:1 error: b`;
      const text = problemText({ place: forged, severity: "error", message: forged, from: forged });
      const lines = text.split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/);
      assert.equal(lines.filter(line => !line.startsWith("    ")).length, 1, text);
    }
  });
});
