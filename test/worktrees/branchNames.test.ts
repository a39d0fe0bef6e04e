// The names of the branches of worktrees, and of their folders.
import assert from "node:assert/strict";
import fc from "fast-check";
import { branchNameFrom, firstWords, worktreeFolderName } from "../../src/worktrees/branchNames.ts";

const isFree = (): boolean => false;

describe("the name of a new branch", () => {
  it("has the words of the title, in letters of every script", () => {
    assert.equal(branchNameFrom("Fix the sum!", isFree), "parley/fix-the-sum");
    assert.equal(branchNameFrom("  Ünïcode: über/alles  ", isFree), "parley/ünïcode-über-alles");
    assert.equal(branchNameFrom("修复 总和。", isFree), "parley/修复-总和");
    assert.equal(branchNameFrom("…", isFree), "parley/session");
    assert.equal(branchNameFrom("", isFree), "parley/session");
  });

  it("has the first words of the first line of a prompt", () => {
    const named = (prompt: string): string => branchNameFrom(firstWords(prompt), isFree);
    assert.equal(
      named("\n  Fix the sum of empty lists, please, and add tests.\nThanks!"),
      "parley/fix-the-sum-of-empty-lists",
    );
    assert.equal(named("修复空列表的总和"), "parley/修复空列表的总和");
    assert.equal(named(" \n"), "parley/session");
  });

  it("is cut between characters, and ends with no dash", () => {
    const name = branchNameFrom(`${"a".repeat(49)} bcd`, isFree);
    assert.equal(name, `parley/${"a".repeat(49)}`);
    assert.equal(branchNameFrom("😀a".repeat(3), isFree), "parley/a-a-a");
    assert.equal(branchNameFrom("𠮷".repeat(60), isFree), `parley/${"𠮷".repeat(50)}`);
  });

  it("gets a number if there is a branch with it", () => {
    const taken = new Set(["parley/session", "parley/session-2"]);
    assert.equal(
      branchNameFrom("", name => taken.has(name)),
      "parley/session-3",
    );
  });
});

describe("the folder of a worktree", () => {
  it("is one part of a path, so that the folder of `a` never contains that of `a/b`", () => {
    assert.equal(worktreeFolderName("a/b"), "a-b");
    assert.equal(worktreeFolderName("parley/fix-the-sum"), "parley-fix-the-sum");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), branch => {
        const name = worktreeFolderName(branch);
        assert.ok(name !== "" && name !== "." && name !== "..");
        assert.doesNotMatch(name, /[\\/<>:"|?*]|[. ]$/);
      }),
    );
  });

  it("has no name that Windows forbids", () => {
    assert.equal(worktreeFolderName("con"), "con_");
    assert.equal(worktreeFolderName("NUL.txt"), "NUL.txt_");
    assert.equal(worktreeFolderName("lpt1"), "lpt1_");
    assert.equal(worktreeFolderName("console"), "console");
    assert.equal(worktreeFolderName("a: b?"), "a- b-");
  });
});
