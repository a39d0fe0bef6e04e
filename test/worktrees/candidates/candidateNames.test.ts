// The names of candidates and of their branches.
import assert from "node:assert/strict";
import { candidateBranches, candidateNames } from "../../../src/worktrees/candidates/candidateNames.ts";

describe("the names of candidates", () => {
  it("are those of the agents, with numbers if an agent is taken several times", () => {
    assert.deepEqual(candidateNames(["Claude Agent", "Codex", "Claude Agent"]), [
      "Claude Agent 1",
      "Codex",
      "Claude Agent 2",
    ]);
  });

  it("are never the name of another agent", () => {
    assert.deepEqual(candidateNames(["A", "A", "A 1"]), ["A 2", "A 3", "A 1"]);
  });
});

describe("the branches of candidates", () => {
  it("are in a folder for the prompt", () => {
    assert.deepEqual(candidateBranches("Fix the sum!", ["Claude Agent 1", "Claude Agent 2"], ["main"]), [
      "parley/fix-the-sum/claude-agent-1",
      "parley/fix-the-sum/claude-agent-2",
    ]);
  });

  it("are in another folder if git would not allow them there", () => {
    const first = (branches: readonly string[]): string | undefined => candidateBranches("Fix", ["A"], branches)[0];
    assert.equal(first(["parley/fix"]), "parley/fix-2/a");
    assert.equal(first(["parley/Fix/A", "parley/fix-2/b"]), "parley/fix-3/a");
    assert.equal(first(["parley/fixed"]), "parley/fix/a");
  });

  it("differ if only signs distinguish the names, or if they have no letters", () => {
    assert.deepEqual(candidateBranches("Fix", ["A!", "A?", "…", "☃"], []), [
      "parley/fix/a",
      "parley/fix/a-2",
      "parley/fix/agent",
      "parley/fix/agent-2",
    ]);
  });
});
