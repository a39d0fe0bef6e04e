// The user's git commands in a turn: what they bring is neither the agent's nor unknown.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { promisify } from "node:util";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

describe("git that the user runs in a turn", () => {
  const folder = useReviewedFolder({ git: true });
  const { put, file, prepare, end, tool, edit, onDisk, review, watch, hunksAre } = folder;
  const git = async (...args: readonly string[]): Promise<void> =>
    void (await promisify(execFile)("git", args, { cwd: folder.folder() }));
  const gone = (name: string): Promise<boolean> =>
    onDisk(name).then(
      () => false,
      () => true,
    );
  /** Without the file by which the test notices that changes are reported. */
  const reviewed = (): readonly string[] =>
    review()
      .files.map(({ path }) => path.slice(folder.folder().length + 1))
      .filter(name => name !== "watched");
  /** Everything of the turn is noticed, compared and attributed. */
  const finish = async (): Promise<void> => {
    await folder.noticed();
    end();
    await watch().settled();
  };

  beforeEach(async () => {
    await git("config", "user.name", "User");
    await git("config", "user.email", "user@example.com");
    for (const name of ["one.txt", "two.txt", "agents.txt", "dropped.txt"]) await put(name, tenLines);
    await git("add", ".");
    await git("commit", "-qm", "first");
    await git("checkout", "-qb", "theirs");
    await put("one.txt", lines(1, 2, 3, "theirs", 5, 6, 7, 8, 9, 10));
    await put("sub/new.txt", "theirs\n");
    await git("rm", "-q", "dropped.txt");
    await git("add", ".");
    await git("commit", "-qm", "theirs");
    await git("checkout", "-q", "-");
    await folder.noticed();
  });

  for (const [what, kind] of [
    ["no call", undefined],
    ["a call that reads", "read"],
    ["a command", "execute"],
  ] as const) {
    it(`brings a merge into the folder and not into the review, while ${what} runs`, async () => {
      await prepare("turn 1", { call: false });
      if (kind) tool({ kind, title: "Run tests", status: "in_progress" }, "c");
      await edit("agents.txt", lines("A"));
      await git("merge", "-q", "theirs");
      await finish();
      assert.deepEqual(reviewed(), ["agents.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("agents.txt"), tenLines);
      assert.equal(await onDisk("sub/new.txt"), "theirs\n");
      assert.equal(await onDisk("one.txt"), lines(1, 2, 3, "theirs", 5, 6, 7, 8, 9, 10));
      assert.ok(await gone("dropped.txt"));
    });
  }

  it("counts as the agent's while a call runs that names git", async () => {
    await prepare("turn 1", { call: false });
    tool({ kind: "execute", title: "git merge theirs", status: "in_progress" }, "c");
    await git("merge", "-q", "--no-commit", "--no-ff", "theirs");
    // VS Code can miss a file in a folder that was removed and created again. The end of the turn compares it.
    await finish();
    assert.deepEqual(reviewed(), ["dropped.txt", "one.txt", "sub/new.txt"]);
    for (const name of reviewed()) assert.deepEqual(file(name)?.turns, ["turn 1"]);
  });

  it("checks a file out, resets and switches without a trace in the review", async () => {
    await put("one.txt", lines("the user's"));
    await put("two.txt", lines("the user's"));
    await folder.noticed();
    await prepare("turn 1");
    await git("checkout", "--", "one.txt");
    await git("reset", "-q", "--hard");
    await git("checkout", "-q", "theirs");
    await git("reset", "-q", "--hard", "HEAD~1");
    await finish();
    assert.deepEqual(reviewed(), []);
    assert.equal(await onDisk("two.txt"), tenLines);
  });

  it("switches without a trace in the review while a filter and a hook make git slow", async () => {
    // Longer than a command of git usually takes from its first file to its index.
    await git("config", "filter.slow.smudge", "sleep 4; cat");
    await put(".git/info/attributes", "sub/new.txt filter=slow\n");
    // The index is written, and HEAD has not moved yet.
    const hook = '#!/bin/sh\n[ "$1" = prepared ] && sleep 1\nexit 0\n';
    await put(".git/hooks/reference-transaction", hook);
    await chmod(folder.path(".git/hooks/reference-transaction"), 0o755);
    await prepare("turn 1");
    await git("switch", "-q", "theirs");
    await finish();
    assert.deepEqual(reviewed(), []);
    assert.equal(await onDisk("sub/new.txt"), "theirs\n");
  });

  it("stashes the user's changes and untracked files, and brings them back", async () => {
    await put("one.txt", lines("the user's"));
    await put("untracked.txt", "the user's\n");
    await folder.noticed();
    await prepare("turn 1");
    await git("stash", "-qu");
    await folder.noticed();
    await watch().settled();
    assert.deepEqual(reviewed(), []);
    assert.ok(await gone("untracked.txt"));
    await finish();
    assert.deepEqual(reviewed(), []);
  });

  it("stashes the agent's changes, which wait for review again when they come back", async () => {
    await prepare("turn 1", { call: false });
    await edit("agents.txt", lines("A"));
    await watch().settled();
    const changed = Date.now();
    await until(() => Date.now() > changed + 5100);
    await git("stash", "-q");
    await until(() => file("agents.txt") === undefined);
    await git("stash", "pop", "-q");
    await until(() => file("agents.txt") !== undefined);
    assert.deepEqual(file("agents.txt")?.turns, ["turn 1"]);
    await finish();
    assert.deepEqual(reviewed(), ["agents.txt"]);
  });

  it("merges into a file that the agent edited, whose change still waits", async () => {
    await prepare("turn 1", { call: false });
    await edit("one.txt", lines(1, 2, 3, 4, 5, 6, 7, 8, 9, "A"));
    await hunksAre("one.txt", "line 10 → line A");
    await git("commit", "-qam", "mine");
    await until(() => file("one.txt") === undefined);
    await edit("one.txt", lines("B", 2, 3, 4, 5, 6, 7, 8, 9, "A"));
    await hunksAre("one.txt", "line 1 → line B");
    const changed = Date.now();
    await until(() => Date.now() > changed + 5100);
    await git("stash", "-q");
    await until(() => file("one.txt") === undefined);
    await git("rebase", "-q", "theirs");
    const rebased = lines(1, 2, 3, "theirs", 5, 6, 7, 8, 9, "A");
    await until(() => review().textOf(folder.path("one.txt")) === rebased);
    await git("stash", "pop", "-q");
    await finish();
    assert.equal(await onDisk("one.txt"), lines("B", 2, 3, "theirs", 5, 6, 7, 8, 9, "A"));
    await hunksAre("one.txt", "line 1 → line B");
    await review().undo({ kind: "file", path: file("one.txt")?.path ?? "" });
    assert.equal(await onDisk("one.txt"), rebased);
  });

  it("leaves a conflict for the user", async () => {
    await put("one.txt", lines(1, 2, 3, "mine", 5, 6, 7, 8, 9, 10));
    await git("commit", "-qam", "mine");
    await folder.noticed();
    await prepare("turn 1");
    await git("merge", "-q", "theirs").catch(() => undefined);
    assert.match(await onDisk("one.txt"), /<<<<<<<[^]*>>>>>>>/);
    await finish();
    assert.deepEqual(reviewed(), []);
  });

  it("does not take a user's file for git's that a command of the agent deletes or changes", async () => {
    await put("untracked.txt", "the user's\n");
    await put("one.txt", lines("the user's"));
    await folder.noticed();
    await prepare("turn 1");
    await git("checkout", "-q", "--", "two.txt");
    await promisify(execFile)("rm", ["untracked.txt", "dropped.txt"], { cwd: folder.folder() });
    await put("one.txt", tenLines);
    await finish();
    assert.deepEqual(reviewed(), ["dropped.txt", "one.txt", "untracked.txt"]);
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("untracked.txt"), "the user's\n");
    assert.equal(await onDisk("one.txt"), lines("the user's"));
    assert.equal(await onDisk("dropped.txt"), tenLines);
  });
});
