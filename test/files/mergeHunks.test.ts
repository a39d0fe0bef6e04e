// Merges hunk by hunk, compared with what git does.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { changedHunks, hunkStates, knownWithConflicts, mergeHunks } from "../../src/files/mergeHunks.ts";

const line = fc.constantFrom("a\n", "b\n", "c\n", "d\n", "}\n", "\n", "long one\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom("", "", "end"))
  .map(([lines, end]) => lines.join("") + end);
const linesOf = (all: string): string[] => [...(all.match(/[^\n]*\n|[^\n]+$/g) ?? [])];

/** Inserts or replaces some lines with unique ones. */
const edited = (who: string) =>
  fc.array(fc.tuple(fc.nat(20), fc.nat(2)), { maxLength: 4 }).map(places => (before: string) => {
    const lines = linesOf(before);
    for (const [i, [at, remove]] of places.entries()) lines.splice(at % (lines.length + 1), remove, `${who}${i}\n`);
    return lines.join("");
  });

const numbered = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, i) => change[i + 1] ?? `${i + 1}\n`).join("");

describe("a merge of hunks", () => {
  it("has the changes of both sides, and leaves the local lines where they touch", () => {
    const known = numbered(9);
    const merge = mergeHunks(known, numbered(9, { 2: "user\n" }), numbered(9, { 2: "agent\n", 5: "five\n", 9: "" }));
    assert.deepEqual(merge, {
      text: "1\nuser\n3\n4\nfive\n6\n7\n8\n",
      known: "1\n2\n3\n4\nfive\n6\n7\n8\n",
      conflicts: [{ known: { from: 1, to: 2 }, current: { from: 1, to: 2 }, wanted: { from: 1, to: 2 } }],
      added: 1,
      removed: 2,
    });
  });

  it("brings only the chosen hunks, and the others later", () => {
    const [known, wanted] = [numbered(9), numbered(9, { 1: "one\n", 5: "five\n" })];
    assert.deepEqual(
      changedHunks(known, wanted).map(({ line, before, after }) => [line, before, after]),
      [
        [0, ["1\n"], ["one\n"]],
        [4, ["5\n"], ["five\n"]],
      ],
    );
    const first = mergeHunks(known, known, wanted, hunk => hunk === 1);
    assert.equal(first.text, numbered(9, { 5: "five\n" }));
    const second = mergeHunks(first.known, first.text, wanted);
    assert.deepEqual([second.text, second.conflicts], [wanted, []]);
  });

  it("knows the state of each change, and has no conflict where the user keeps the local lines", () => {
    const known = numbered(9);
    const local = numbered(9, { 2: "user\n", 9: "nine\n" });
    const wanted = numbered(9, { 2: "agent\n", 5: "five\n", 9: "nine\n" });
    assert.deepEqual(hunkStates(known, local, wanted), ["conflict", "applied", "same"]);
    const settled = knownWithConflicts(known, local, wanted);
    assert.equal(settled, numbered(9, { 2: "agent\n" }));
    const { text, conflicts } = mergeHunks(settled, local, wanted);
    assert.deepEqual([text, conflicts], [numbered(9, { 2: "user\n", 5: "five\n", 9: "nine\n" }), []]);
    // Later changes of the worktree at this place conflict again.
    assert.equal(mergeHunks(settled, local, numbered(9, { 2: "again\n" })).conflicts.length, 1);
  });

  it("takes the same change on both sides for one", () => {
    const both = numbered(5, { 3: "three\n" });
    const merge = mergeHunks(numbered(5), both, both);
    assert.deepEqual([merge.text, merge.known, merge.conflicts, merge.added], [both, both, [], 0]);
  });

  it("counts changes that touch one change of the other side as one place", () => {
    const merge = mergeHunks(
      numbered(9),
      numbered(9, { 3: "x\n", 4: "", 5: "", 6: "" }),
      numbered(9, { 3: "y\n", 6: "z\n" }),
    );
    assert.deepEqual(merge.conflicts, [
      { known: { from: 2, to: 6 }, current: { from: 2, to: 3 }, wanted: { from: 2, to: 6 } },
    ]);
  });

  it("keeps a last line without a line ending", () => {
    assert.equal(mergeHunks("a\nx\ny\nb", "A\nx\ny\nb", "a\nx\ny\nb\nc").text, "A\nx\ny\nb\nc");
    assert.equal(mergeHunks("a\nx\ny\nb\n", "A\nx\ny\nb\n", "a\nx\ny\nb").text, "A\nx\ny\nb");
    const ends = mergeHunks("a\n", "a\nuser\n", "a");
    assert.deepEqual([ends.text, ends.conflicts.length], ["a\nuser\n", 1]);
  });

  it("never loses a local line, and loses no change of the other side without a conflict", () => {
    let clean = 0;
    fc.assert(
      fc.property(text, edited("user"), edited("agent"), (known, type, write) => {
        const [current, wanted] = [type(known), write(known)];
        const merge = mergeHunks(known, current, wanted);
        const unique = (all: string, who: string): readonly string[] => linesOf(all).filter(one => one.startsWith(who));
        for (const one of unique(current, "user")) assert.ok(merge.text.includes(one), one);
        const again = mergeHunks(merge.known, merge.text, wanted);
        for (const one of unique(current, "user")) assert.ok(again.text.includes(one), one);
        // Where lines are alike, the change that conflicted can be found at another place, which no longer conflicts.
        if (merge.conflicts.length > 0) return;
        assert.equal(again.text, merge.text, "a second merge changes nothing");
        clean++;
        assert.equal(merge.known, wanted);
        assert.deepEqual(
          linesOf(merge.text)
            .filter(one => /^(user|agent)/.test(one))
            .sort(),
          [...[...unique(current, "user"), ...unique(wanted, "agent")].sort().sort()],
        );
        if (current === known) assert.equal(merge.text, wanted);
        if (wanted === known) assert.equal(merge.text, current);
      }),
      { numRuns: Number(process.env["RUNS"] ?? 3000) },
    );
    assert.ok(clean > 300, `${clean} texts were merged without a conflict`);
  });

  it("leaves no conflict, and the same text, once the local lines are kept where it conflicts", () => {
    let conflicting = 0;
    fc.assert(
      // Unique lines, so that there is only one shortest difference.
      fc.property(fc.integer({ min: 3, max: 12 }), edited("user"), edited("agent"), (count, type, write) => {
        const known = numbered(count);
        const [current, wanted] = [type(known), write(known)];
        const merge = mergeHunks(known, current, wanted);
        const kept = mergeHunks(knownWithConflicts(known, current, wanted), current, wanted);
        assert.deepEqual([kept.text, kept.conflicts], [merge.text, []]);
        if (merge.conflicts.length > 0) conflicting++;
      }),
      { numRuns: 500 },
    );
    assert.ok(conflicting > 50, `${conflicting} merges had a conflict`);
  });

  it("agrees with git where git finds no conflict", () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-merge-"));
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    let compared = 0;
    try {
      fc.assert(
        // Unique lines, so that there is only one shortest difference.
        fc.property(fc.integer({ min: 3, max: 12 }), edited("user"), edited("agent"), (count, type, write) => {
          const known = numbered(count);
          const [current, wanted] = [type(known), write(known)];
          const merge = mergeHunks(known, current, wanted);
          const args = [
            "merge-file",
            "-p",
            "-q",
            file("current", current),
            file("known", known),
            file("wanted", wanted),
          ];
          const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
          if (status !== 0 || merge.conflicts.length > 0) return;
          compared++;
          assert.equal(merge.text, stdout);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.ok(compared > 10, `${compared} merges were compared`);
  });
});
