import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { changesBetween, runToEnd, type LineChange } from "../../src/base/lineDiff.ts";
import { slideChanges, type SlidableText } from "../../src/base/slideChanges.ts";

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n/g) ?? [];
const slidable = (text: string): SlidableText => {
  const lines = linesOf(text);
  return { count: lines.length, line: number => lines[number] ?? "" };
};

function slid(before: string, after: string): readonly LineChange[] {
  const [old, now] = [slidable(before), slidable(after)];
  const whole = { oldFrom: 0, oldTo: old.count, newFrom: 0, newTo: now.count };
  return runToEnd(slideChanges(runToEnd(changesBetween(before, after)), old, now, whole));
}

/** The text after the changes, with their lines from `after`. */
function applied(changes: readonly LineChange[], before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const result: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    result.push(...old.slice(at, oldFrom), ...now.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...result, ...old.slice(at)].join("");
}

const inserted = (changes: readonly LineChange[], after: string): readonly string[] =>
  changes.map(({ newFrom, newTo }) => linesOf(after).slice(newFrom, newTo).join(""));

const first = "function first() {\n  return 1;\n}\n";
const second = "function second() {\n  return 2;\n}\n";
const third = "function third() {\n  return 3;\n}\n";

describe("changes that can be at several positions", () => {
  it("start at the first line of an inserted function, not at the end of the one before", () => {
    const after = `${first}\n${second}\n${third}`;
    assert.deepEqual(inserted(slid(`${first}\n${third}`, after), after), [`${second}\n`]);
    assert.deepEqual(inserted(slid(first, `${first}\n${second}`), `${first}\n${second}`), [`\n${second}`]);
  });

  it("are one change if an inserted block was found in two pieces", () => {
    // Both pieces are next to a line that equals one of theirs.
    const before = "start\n\nend\n";
    const after = "start\n\none\n\ntwo\n\nend\n";
    const pieces = [
      { oldFrom: 1, oldTo: 1, newFrom: 1, newTo: 3 },
      { oldFrom: 2, oldTo: 2, newFrom: 4, newTo: 6 },
    ];
    assert.equal(applied(pieces, before, after), after);
    const whole = { oldFrom: 0, oldTo: 3, newFrom: 0, newTo: 7 };
    const joined = runToEnd(slideChanges(pieces, slidable(before), slidable(after), whole));
    assert.deepEqual(inserted(joined, after), ["one\n\ntwo\n\n"]);
  });

  it("stay within the given lines", () => {
    const [before, after] = ["a\na\na\n", "a\na\na\na\n"];
    const change = { oldFrom: 2, oldTo: 2, newFrom: 2, newTo: 3 };
    const within = { oldFrom: 2, oldTo: 2, newFrom: 2, newTo: 3 };
    assert.deepEqual(runToEnd(slideChanges([change], slidable(before), slidable(after), within)), [change]);
  });

  const line = fc.constantFrom("a\n", "  b\n", "\n", "}\n", "  }\n", "\tc\n", "if (d) {\n");
  const text = fc.array(line, { maxLength: 14 }).map(all => all.join(""));

  it("result in the same text, are in order and not adjacent, and are not more than before", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = slid(before, after);
        assert.equal(applied(changes, before, after), after);
        assert.ok(changes.length <= runToEnd(changesBetween(before, after)).length);
        for (const [i, { oldFrom, newFrom }] of changes.entries()) {
          const last = changes[i - 1];
          assert.ok(!last || (last.oldTo < oldFrom && last.newTo < newFrom));
        }
      }),
      { numRuns: 2000 },
    );
  });

  describe("with git", () => {
    let folder = "";
    before(() => {
      folder = mkdtempSync(join(tmpdir(), "parley-slide-"));
    });
    after(() => rmSync(folder, { recursive: true }));

    /** The changes that `git diff` shows. */
    const gitChanges = (old: string, now: string): readonly LineChange[] => {
      writeFileSync(join(folder, "old"), old);
      writeFileSync(join(folder, "new"), now);
      const { stdout } = spawnSync("git", ["diff", "--no-index", "-U0", "--no-color", "old", "new"], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      });
      return [...stdout.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(([, a, b, c, d]) => {
        const range = (start = "0", count = "1"): readonly [number, number] => {
          // Git names the line before an empty range.
          const from = Number(count) === 0 ? Number(start) : Number(start) - 1;
          return [from, from + Number(count)];
        };
        const [[oldFrom, oldTo], [newFrom, newTo]] = [range(a, b), range(c, d)];
        return { oldFrom, oldTo, newFrom, newTo };
      });
    };

    it("are where `git diff` shows an insertion or a removal", () => {
      const cut = fc.tuple(text, text, text);
      fc.assert(
        fc.property(cut, fc.boolean(), ([start, middle, end], isInsertion) => {
          const [long, short] = [start + middle + end, start + end];
          const [old, now] = isInsertion ? [short, long] : [long, short];
          assert.deepEqual(slid(old, now), gitChanges(old, now));
        }),
        { numRuns: 150 },
      );
    });
  });
});
