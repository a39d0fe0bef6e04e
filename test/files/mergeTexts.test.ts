import assert from "node:assert/strict";
import fc from "fast-check";
import { learnLines, mergeTexts } from "../../src/files/mergeTexts.ts";

const line = fc.constantFrom("a\n", "b\n", "}\n", "\n", "long one\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom("", "", "end"))
  .map(([lines, end]) => lines.join("") + end);

/** Words occur only once. */
const words = (all: string): readonly string[] => (all.match(/(?:user|agent)\d+/g) ?? []).sort();

/** Inserts or replaces some lines with unique words. */
const edited = (who: string) =>
  fc.array(fc.tuple(fc.nat(20), fc.nat(2)), { minLength: 1, maxLength: 4 }).map(places => (before: string) => {
    const lines: string[] = [...(before.match(/[^\n]*\n|[^\n]+$/g) ?? [])];
    for (const [i, [at, remove]] of places.entries()) lines.splice(at % (lines.length + 1), remove, `${who}${i}\n`);
    return lines.join("");
  });

describe("a merge of what the agent writes with what the user typed", () => {
  it("has the changes of both, or is a conflict", () => {
    let merges = 0;
    fc.assert(
      fc.property(text, edited("user"), edited("agent"), (known, type, write) => {
        const [current, wanted] = [type(known), write(known)];
        const result = mergeTexts(known, current, wanted);
        if (result.kind === "conflict") return assert.ok(result.line >= 1);
        merges++;
        assert.deepEqual(words(result.text), [...words(current), ...words(wanted)].sort());
      }),
      { numRuns: 2000 },
    );
    assert.ok(merges > 100, `${merges} texts were merged`);
  });

  it("is the agent's text if the user changed nothing, or if the agent built on the user's text", () => {
    fc.assert(
      fc.property(text, text, edited("user"), fc.nat(20), (known, wanted, type, at) => {
        assert.deepEqual(mergeTexts(known, known, wanted), { kind: "merged", text: wanted });
        const current = type(known);
        const lines: string[] = [...(current.match(/[^\n]*\n|[^\n]+$/g) ?? [])];
        lines.splice(at % (lines.length + 1), 0, "agent\n");
        assert.deepEqual(mergeTexts(known, current, lines.join("")), { kind: "merged", text: lines.join("") });
      }),
      { numRuns: 1000 },
    );
  });

  it("is the user's text if the agent changed nothing", () => {
    fc.assert(
      fc.property(text, text, (known, current) => {
        assert.deepEqual(mergeTexts(known, current, known), { kind: "merged", text: current });
      }),
    );
  });

  it("is a conflict if both change adjacent lines, and names the user's line", () => {
    assert.deepEqual(mergeTexts("1\n2\n3\n4\n", "1\n2\nuser\n4\n", "1\nagent\n3\n4\n"), { kind: "conflict", line: 3 });
    assert.deepEqual(mergeTexts("1\n2\n", "1\n2\nuser\n", "1\n2\nagent\n"), { kind: "conflict", line: 3 });
  });

  it("accepts a change that both made", () => {
    const [known, both] = ["1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\n5\n"];
    assert.deepEqual(mergeTexts(known, both, "1\ntwo\n3\n4\nfive\n"), {
      kind: "merged",
      text: "1\ntwo\n3\n4\nfive\n",
    });
  });
});

describe("the text that an agent knows", () => {
  it("has the lines that it has read, and the other lines as they were", () => {
    const known = "1\n2\n3\n4\n5\n6\n";
    const current = "new\n1\n2\n3\nfour\n5\n6\n";
    assert.equal(learnLines(known, current, { line: 5, limit: 1 }), "1\n2\n3\nfour\n5\n6\n");
    assert.equal(learnLines(known, current, { line: 1, limit: 2 }), "new\n1\n2\n3\n4\n5\n6\n");
    assert.equal(learnLines(known, current, { line: 1, limit: Infinity }), current);
  });

  it("leaves out the lines of a change that were not read", () => {
    const current = "1\nuser a\nuser b\nuser c\n2\n";
    assert.equal(learnLines("1\n2\n", current, { line: 1, limit: 2 }), "1\nuser a\n2\n");
    assert.equal(learnLines("1\n2\n", current, { line: 4, limit: 9 }), "1\nuser c\n2\n");
    assert.equal(learnLines("1\n2\n", current, { line: 5, limit: 9 }), "1\n2\n");
    assert.equal(learnLines("1\nold\n2\n", current, { line: 1, limit: 2 }), "1\nuser a\nold\n2\n");
  });

  it("loses no line in a merge that was not read, whatever is read and written", () => {
    const window = fc.record({ line: fc.integer({ min: 1, max: 14 }), limit: fc.integer({ min: 1, max: 8 }) });
    fc.assert(
      fc.property(text, edited("user"), window, edited("agent"), (known, type, read, write) => {
        const current = type(known);
        const lines: readonly string[] = current.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const shown = words(lines.slice(read.line - 1, read.line - 1 + read.limit).join(""));
        const learned = learnLines(known, current, read);
        assert.deepEqual(words(learned), shown);
        const result = mergeTexts(learned, current, write(learned));
        if (result.kind === "conflict") return;
        const kept = new Set(words(result.text));
        for (const word of words(current)) assert.ok(kept.has(word) || shown.includes(word), `${word} is lost`);
      }),
      { numRuns: 2000 },
    );
  });
});
