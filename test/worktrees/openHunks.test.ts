// The changes of a worktree's file as lines of its editor.
import assert from "node:assert/strict";
import type { FileState } from "../../src/files/fileState.ts";
import type { BringBackEntry } from "../../src/worktrees/bringBack.ts";
import { hunksAt, openHunks } from "../../src/worktrees/openHunks.ts";
import { planFile } from "../../src/worktrees/planFile.ts";

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 9 }, (_, i) => change[i + 1] ?? `${i + 1}\n`).join("");

const stateOf = (text: string | null): FileState =>
  text === null ? { kind: "missing" } : { kind: "file", bytes: Buffer.from(text), executable: false };

/** An entry with these texts. Null: there is no file. */
function entry(base: string | null, local: string | null, theirs: string | null): BringBackEntry {
  const [before, here, there] = [base, local, theirs].map(text => ({ state: stateOf(text), text }));
  assert.ok(before && here && there);
  const sides = { base: before, local: { ...here, isUnsaved: false }, theirs: there };
  const plan = planFile(sides);
  assert.ok(plan);
  return { path: "a.txt", kind: base === null ? "new" : theirs === null ? "deleted" : "changed", plan, ...sides };
}

describe("the open changes of a worktree's file", () => {
  it("are those that the main checkout lacks, with their numbers among all, and those that conflict", () => {
    const theirs = lines({ 2: "two\n", 4: "", 6: "six\nand more\n", 9: "nine\n" });
    const hunks = openHunks(entry(lines(), lines({ 6: "mine\n", 9: "nine\n" }), theirs));
    assert.deepEqual(hunks, [
      { number: 0, from: 1, to: 2, conflicts: false },
      { number: 1, from: 3, to: 4, conflicts: false },
      { number: 2, from: 4, to: 6, conflicts: true },
    ]);
    const at = (first: number, last = first): readonly (number | undefined)[] =>
      hunksAt(hunks, first, last).map(({ number }) => number);
    assert.deepEqual([at(0), at(1), at(3), at(5), at(6)], [[], [0], [1], [2], []]);
    assert.deepEqual(at(0, 8), [0, 1, 2]);
  });

  it("are the whole file if it is new, and none if the whole file conflicts or is deleted", () => {
    const whole = openHunks(entry(null, null, "new\n"));
    assert.deepEqual(whole, [{ number: undefined, from: 0, to: 1, conflicts: false }]);
    assert.equal(hunksAt(whole, 7, 7).length, 1, "every line belongs to it");
    assert.deepEqual(openHunks(entry(lines(), null, lines({ 2: "two\n" }))), []);
    assert.deepEqual(openHunks(entry(lines(), lines(), null)), []);
  });
});
