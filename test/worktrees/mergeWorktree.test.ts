// Merges between worktrees and their main checkouts, in real repositories with hooks.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { currentBases, isOpen, keepBases, listBringBack, type MergedTexts } from "../../src/worktrees/bringBack.ts";
import { MergeConflictError } from "../../src/git/worktreeMerges.ts";
import { checkMerge, mergeWorktree, updateFromBase, type MergeChoice } from "../../src/worktrees/mergeWorktree.ts";
import { checkRemoval } from "../../src/worktrees/removeWorktree.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";
import { until } from "../support/fakes/until.ts";

const texts: MergedTexts = {
  textOf: bytes => Promise.resolve(Buffer.from(bytes).toString()),
  withText: () => Promise.resolve(undefined),
  unsavedText: () => undefined,
};

describe("merges of a worktree", () => {
  let real: RealRepository;
  let record: WorktreeRecord;
  let app = "";
  const never = new AbortController().signal;
  const unsaved = new Set<string>();
  beforeEach(async () => {
    unsaved.clear();
    real = await RealRepository.create({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" });
    ({ app } = real);
    for (const [name, value] of [
      ["name", "A"],
      ["email", "a@example.com"],
    ])
      real.run(app, "config", `user.${name}`, value ?? "");
    ({ record } = await real.makeWorktree({ branch: "one" }));
  });
  afterEach(() => real.remove());

  const write = (files: Readonly<Record<string, string>>): Promise<void> => real.write(files, record.path);
  const read = (path: string, folder = app): Promise<string> => readFile(join(folder, path), "utf8");
  const log = (folder = app): string => real.run(folder, "log", "--first-parent", "--format=%s");
  const status = (folder = app): string => real.run(folder, "status", "--porcelain");
  const hook = async (name: string, script: string): Promise<void> => {
    const path = join(app, ".git/hooks", name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  };
  const mergeNow = async (choice: MergeChoice, signal = never): Promise<void> =>
    mergeWorktree(
      real.git,
      record,
      real.records,
      { check: await checkMerge(real.git, record), choice },
      { signal, isUnsaved: path => unsaved.has(path) },
    );

  it("commit what is not committed, and merge it into the branch that is checked out", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n", "new.txt": "n\n" });
    await real.write({ "b.txt": "uncommitted\n" });
    await real.write({ "main.txt": "m\n" });
    real.run(app, "add", "main.txt");
    real.run(app, "commit", "-qm", "on main", "main.txt");
    const { uncommitted, ...check } = await checkMerge(real.git, record);
    assert.deepEqual([check, uncommitted], [{ into: "main", from: "one", hasCommits: false }, ["a.txt", "new.txt"]]);
    await mergeNow({ commitMessage: "the agent's" });
    assert.equal(log(), "Merge branch 'one'\non main\nall");
    assert.equal(await read("a.txt"), "1\ntwo\n3\n4\n5\n");
    assert.equal(await read("b.txt"), "uncommitted\n");
    assert.equal(status(record.path), "");
    assert.equal((await listBringBack(record, { git: real.git, records: real.records, texts })).entries.length, 0);
  });

  it("put everything into one commit, and then count as merged", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    await write({ "new.txt": "n\n" });
    await mergeNow({ commitMessage: "second", squashMessage: "as one" });
    assert.equal(log(), "as one\nall");
    assert.equal(real.run(app, "rev-list", "--count", "HEAD"), "2");
    const { entries } = await listBringBack(record, { git: real.git, records: real.records, texts });
    assert.deepEqual(entries, []);
    const removal = (): ReturnType<typeof checkRemoval> => checkRemoval(real.git, record, real.records, false);
    assert.deepEqual([(await removal()).losses, (await removal()).deletesBranch], [[], true]);
    assert.match((await removal()).branch, /merged as one commit/);
    // Later commits are not merged yet, and a commit that is gone does not count.
    await write({ "later.txt": "l\n" });
    real.commit(record.path);
    assert.equal((await removal()).deletesBranch, false);
    real.run(record.path, "reset", "-q", "--hard", "HEAD~1");
    assert.equal((await removal()).deletesBranch, true);
    real.run(app, "reset", "-q", "--hard", "HEAD~1");
    assert.equal((await removal()).deletesBranch, false);
  });

  it("show the refusal of a hook as it is, and leave both branches as they are", async () => {
    await hook("pre-commit", "echo 'the linter found 2 problems' >&2; exit 1");
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    await assert.rejects(mergeNow({ commitMessage: "mine" }), /^GitError: the linter found 2 problems$/);
    assert.equal(log(record.path), "all");
    assert.equal(await read("a.txt", record.path), "1\ntwo\n3\n4\n5\n");
    assert.equal(log(), "all");
  });

  it("take back what is merged if a hook of the main checkout fails, beside uncommitted changes", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    await real.write({ "main.txt": "m\n" });
    real.commit();
    await real.write({ "b.txt": "uncommitted\n", "untracked.txt": "u\n" });
    for (const [name, choice] of [
      ["commit-msg", {}],
      ["pre-commit", { squashMessage: "as one" }],
    ] as const) {
      await hook(name, "echo no >&2; exit 1");
      await assert.rejects(mergeNow(choice), /no/);
      assert.equal(log(), "all\nall");
      assert.equal(await read("a.txt"), "1\n2\n3\n4\n5\n");
      assert.equal(status(), "M b.txt\n?? untracked.txt");
      assert.ok(!existsSync(join(app, ".git/MERGE_HEAD")));
      await hook(name, "exit 0");
    }
  });

  it("end hooks on Cancel, and take back what is merged", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    await real.write({ "main.txt": "m\n" });
    real.commit();
    await hook("commit-msg", `touch '${join(real.base, "began")}'; sleep 60`);
    const cancel = new AbortController();
    const merging = mergeNow({}, cancel.signal);
    await until(() => existsSync(join(real.base, "began")));
    cancel.abort();
    await assert.rejects(merging);
    assert.deepEqual([log(), status()], ["all\nall", ""]);
  });

  it("are refused by git beside local changes of the same file, and keep them", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    real.run(app, "config", "merge.autoStash", "true");
    for (const choice of [{}, { squashMessage: "as one" }]) {
      await real.write({ "a.txt": "1\n2\n3\n4\nmine\n" });
      await assert.rejects(mergeNow(choice), /Your local changes to the following files would be overwritten/);
      assert.equal(await read("a.txt"), "1\n2\n3\n4\nmine\n");
      assert.deepEqual([log(), real.run(app, "stash", "list")], ["all", ""]);
    }
  });

  it("are refused beside unsaved text, staged changes, conflicts and without a branch", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    unsaved.add(join(app, "a.txt"));
    await assert.rejects(mergeNow({}), /unsaved changes, so nothing was merged. Save them first: a.txt/);
    unsaved.clear();
    await real.write({ "b.txt": "staged\n" });
    real.run(app, "add", "b.txt");
    await assert.rejects(mergeNow({ squashMessage: "as one" }), /Changes are staged/);
    assert.equal(status(), "M  b.txt");
    real.run(app, "reset", "-q", "--hard");
    await real.write({ "a.txt": "1\nmain\n3\n4\n5\n" });
    real.commit();
    for (const choice of [{}, { squashMessage: "as one" }])
      await assert.rejects(mergeNow(choice), /same lines, so nothing was merged: a\.txt\. Use/);
    assert.deepEqual([status(), log()], ["", "all\nall"]);
    real.run(app, "checkout", "-q", "--detach");
    await assert.rejects(mergeNow({}), /is on no branch/);
  });

  it("bring the commits of the main checkout into the worktree, and move the base", async () => {
    assert.equal(await updateFromBase(real.git, record, never), "upToDate");
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    await real.write({ "b.txt": "main\n" });
    real.commit();
    assert.equal(await updateFromBase(real.git, record, never), "merged");
    assert.equal(log(record.path).split("\n")[0], "Merge branch 'main' into one");
    assert.equal(await read("b.txt", record.path), "main\n");
    const options = { git: real.git, records: real.records, texts };
    await keepBases(record, await currentBases(record, options), real.records);
    assert.equal(real.records.of(record.path)?.base, real.run(app, "rev-parse", "HEAD"));
    const { entries } = await listBringBack(record, options);
    assert.deepEqual(
      entries.filter(isOpen).map(({ path }) => path),
      ["a.txt"],
    );
  });

  it("leave conflicts with the main checkout to solve in the worktree", async () => {
    await write({ "a.txt": "1\ntwo\n3\n4\n5\n" });
    real.commit(record.path);
    await real.write({ "a.txt": "1\nmain\n3\n4\n5\n" });
    real.commit();
    const failed = await updateFromBase(real.git, record, never).catch((thrown: unknown) => thrown);
    assert.ok(failed instanceof MergeConflictError);
    assert.deepEqual(failed.files, ["a.txt"]);
    await assert.rejects(updateFromBase(real.git, record, never), /not committed yet/);
    await assert.rejects(mergeNow({}), /not committed yet/);
    real.run(record.path, "merge", "--abort");
    assert.equal(await read("a.txt", record.path), "1\ntwo\n3\n4\n5\n");
    // What git refuses is said as it is.
    await write({ "a.txt": "1\nuncommitted\n3\n4\n5\n" });
    await assert.rejects(updateFromBase(real.git, record, never), /would be overwritten by merge/);
    assert.equal(await read("a.txt", record.path), "1\nuncommitted\n3\n4\n5\n");
  });
});
