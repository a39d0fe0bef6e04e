// Two texts as the hunks of a card.
import assert from "node:assert/strict";
import fc from "fast-check";
import { hunksOf, type Hunks } from "../../../src/chat/diffs.ts";

const lines = (hunks: Hunks): readonly string[] =>
  hunks.hunks.flatMap(hunk => hunk.lines.map(line => `${{ same: " ", add: "+", del: "-" }[line.op]}${line.text}`));
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("");

describe("the hunks of a change", () => {
  it("show what comes and goes, with three lines around it", () => {
    const before = numbered(20);
    const hunks = hunksOf(before, before.replace("10\n", "ten\n"));
    assert.deepEqual(lines(hunks), [" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"]);
    assert.deepEqual([hunks.added, hunks.removed, hunks.hunks[0]?.oldStart, hunks.hunks[0]?.newStart], [1, 1, 7, 7]);
    assert.equal(hunks.note, undefined);
  });

  it("of a new file are its lines, and of a deleted one as well", () => {
    assert.deepEqual(lines(hunksOf("", "a\r\nb\n")), ["+a", "+b"]);
    assert.deepEqual(lines(hunksOf("a\nb", "")), ["-a", "-b"]);
    assert.deepEqual(hunksOf("", ""), { hunks: [], added: 0, removed: 0 });
    assert.deepEqual([hunksOf("", "a\n\nb\n").added, hunksOf("a\n", "").removed], [3, 1]);
  });

  it("are none where nothing changed", () => {
    assert.deepEqual(hunksOf("a\n", "a\n"), { hunks: [], added: 0, removed: 0 });
  });

  it("say nothing of a missing last line end but the line itself", () => {
    assert.deepEqual(lines(hunksOf("a\nb", "a\nb\n")), [" a", "-b", "+b"]);
  });

  it("keep lines that look like diff marks", () => {
    assert.deepEqual(lines(hunksOf("+a\n-b\n\\ c\n", "+a\n@@\n\\ c\n")), [" +a", "--b", "+@@", " \\ c"]);
  });

  it("turn the old text into the new", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", "  d"), { maxLength: 30 })
      .map(rows => rows.map(row => `${row}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const old = before.split("\n").slice(0, -1);
        const { hunks, added, removed } = hunksOf(before, after);
        let from = 0;
        const out: string[] = [];
        for (const hunk of hunks) {
          // A pure addition stands behind the line its hunk names.
          const start = hunk.lines.some(line => line.op !== "add") ? hunk.oldStart - 1 : from;
          out.push(...old.slice(from, start));
          from = start;
          for (const line of hunk.lines) {
            if (line.op !== "add") assert.equal(old[from++], line.text);
            if (line.op !== "del") out.push(line.text);
          }
        }
        out.push(...old.slice(from));
        assert.deepEqual(out, after.split("\n").slice(0, -1));
        const count = (op: string): number => hunks.flatMap(hunk => hunk.lines).filter(line => line.op === op).length;
        assert.deepEqual([added, removed], [count("add"), count("del")]);
      }),
    );
  });

  it("are cut for size, counted in full, and say so", () => {
    const hunks = hunksOf("", numbered(5000));
    assert.deepEqual([lines(hunks).length, hunks.added], [2000, 5000]);
    assert.equal(hunks.note, "The first 2000 of 5000 lines are shown here.");
    const huge = hunksOf("a\n", "x".repeat(2_000_001));
    assert.deepEqual([huge.hunks, huge.note], [[], "This change is too large to show here."]);
  });

  it("take bounded time, whatever the texts", () => {
    const noise = (seed: number): string => Array.from({ length: 20_000 }, (_, i) => `${(i * seed) % 9973}\n`).join("");
    const began = process.cpuUsage();
    const { note } = hunksOf(noise(31), noise(77));
    assert.ok(note !== undefined);
    assert.ok(process.cpuUsage(began).user < 2_000_000);
  });
});
