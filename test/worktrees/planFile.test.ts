// The base of a file of a worktree after the user keeps the local version of what conflicts.
import assert from "node:assert/strict";
import type { FileState } from "../../src/files/fileState.ts";
import { baseOfKept, planFile, type FileSides } from "../../src/worktrees/planFile.ts";

const file = (text: string, executable = false): FileState => ({ kind: "file", bytes: Buffer.from(text), executable });
const sidesOf = (base: string, local: string, theirs: string): FileSides => ({
  base: { state: file(base), text: base },
  local: { state: file(local), text: local, isUnsaved: false },
  theirs: { state: file(theirs), text: theirs },
});

describe("a file of which the user keeps the local version", () => {
  it("still offers the hunks without a conflict if its lines are alike", () => {
    const sides = sidesOf("a\na\nx\n", "a\nx\nx\n", "c\na\nx\nc\n");
    const kept = baseOfKept(sides);
    assert.deepEqual(kept, { kind: "text", text: "a\nx\nc\n", executable: false });
    const rest = planFile({ ...sides, base: { state: kept, text: kept.text } });
    assert.deepEqual([rest?.places, rest?.after?.text], [[], "c\na\nx\nx\n"]);
  });

  it("offers nothing if all of its hunks conflict", () => {
    const sides = sidesOf("a\nb\n", "a\nmine\n", "a\ntheirs\n");
    assert.deepEqual(baseOfKept(sides), sides.theirs.state);
  });

  it("has no new base without a conflict", () => {
    assert.equal(baseOfKept(sidesOf("a\nb\nc\nd\n", "a\nb\nc\nmine\n", "theirs\nb\nc\nd\n")), undefined);
  });
});
