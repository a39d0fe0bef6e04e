// What keeps a worktree from being removed, and what is lost with it, in real repositories.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkRemoval, removeWorktree, type RemovalCheck } from "../../src/worktrees/removeWorktree.ts";
import { userChanges, type WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

describe("a worktree that is removed", () => {
  let real: RealRepository;
  let [base, app] = ["", ""];
  let record: WorktreeRecord;
  beforeEach(async () => {
    real = await RealRepository.create({ "a.txt": "a\n", ".gitignore": ".env\nbuild/\n" });
    ({ base, app } = real);
    ({ record } = await real.makeWorktree({ branch: "one" }));
  });
  afterEach(() => real.remove());

  const run = (folder: string, ...args: readonly string[]): string => real.run(folder, ...args);
  const write = (files: Readonly<Record<string, string>>): Promise<void> => real.write(files, record.path);
  const check = (isBusy = false): Promise<RemovalCheck> => checkRemoval(real.git, record, real.records, isBusy);
  const remove = async (checked?: RemovalCheck): Promise<void> =>
    removeWorktree(real.git, record, real.records, checked ?? (await check()), false);

  it("goes with its branch if it has nothing of its own", async () => {
    assert.deepEqual(await check(), {
      ...{ refusals: [], losses: [], deletesBranch: true },
      branch: "The branch “one” is deleted too. Other branches have all of its commits.",
    });
    await remove();
    assert.ok(!existsSync(record.path));
    assert.equal(real.branches, "main");
    assert.deepEqual(await real.records.read(), []);
  });

  it("names each file that is not committed, and ignored files", async () => {
    await write({ "a.txt": "changed\n", "new.txt": "1\n", ".env": "S\n", "build/x": "1\n", "build/y": "2\n" });
    run(record.path, "add", "new.txt");
    const { losses } = await check();
    assert.deepEqual(losses, ["Not committed: a.txt, new.txt", "Ignored by git: .env, build/"]);
    for (let at = 0; at < 9; at++) await write({ [`n${at}`]: "" });
    assert.match((await check()).losses[0] ?? "", /^Not committed: .+ and 6 more$/);
  });

  it("stays if the agent has made the folder part of another repository, whose programs do not run", async () => {
    const [other, ran] = [join(base, "other"), join(base, "ran")];
    await real.write({ "x.txt": "x\n" }, other);
    run(other, "init", "-q");
    run(other, "config", "filter.f.clean", `touch '${ran}'; cat`);
    await write({ ".gitattributes": "* filter=f\n", "a.txt": "changed\n", ".git": `gitdir: ${join(other, ".git")}\n` });
    await assert.rejects(check(), /is no longer a worktree of/);
    await assert.rejects(userChanges(real.git, record), /is no longer a worktree of/);
    assert.ok(!existsSync(ran));
    assert.ok(existsSync(join(record.path, "a.txt")));
  });

  it("keeps its branch if that has commits that no other branch has", async () => {
    await write({ "a.txt": "committed\n" });
    real.commit(record.path);
    const checked = await check();
    assert.deepEqual(
      [checked.losses, checked.branch],
      [[], "The branch “one” stays. It has 1 commit that no other branch has."],
    );
    await remove(checked);
    assert.equal(real.branches, "main\none");
    assert.ok(!existsSync(record.path));
  });

  it("goes with its branch if another branch has its commits", async () => {
    await write({ "a.txt": "committed\n" });
    real.commit(record.path);
    run(app, "merge", "-q", "--no-edit", "one");
    assert.equal((await check()).deletesBranch, true);
    await remove();
    assert.equal(real.branches, "main");
  });

  it("stays while another window has a session there open, also if that window opened it since the check", async () => {
    assert.deepEqual((await checkRemoval(real.git, record, real.records, false, ["Fix it"])).refusals, [
      "Another window has sessions there open. Close that window first: Fix it",
    ]);
    const checked = await check();
    await assert.rejects(
      removeWorktree(real.git, record, real.records, checked, false, ["Fix it"]),
      /has changed meanwhile/,
    );
    assert.ok(existsSync(record.path));
  });

  it("stays while a session works there, while it is locked, and if it contains other repositories", async () => {
    assert.deepEqual((await check(true)).refusals, ["A session works there. Stop it first."]);
    run(app, "worktree", "lock", "--reason", "mine", record.path);
    assert.deepEqual((await check()).refusals, ["It is locked: mine"]);
    run(app, "worktree", "unlock", record.path);
    run(record.path, "init", "-q", "nested");
    await write({ "nested/x": "1\n" });
    assert.deepEqual((await check()).refusals, ["It contains other repositories: nested"]);
    await rm(join(record.path, "nested"), { recursive: true });
    run(record.path, "submodule", "add", "-q", app, "sub");
    assert.deepEqual((await check()).refusals, ["It has submodules, which git does not remove safely."]);
  });

  it("stays if its last commits are on no branch", async () => {
    run(record.path, "checkout", "-q", "--detach");
    await write({ "a.txt": "committed\n" });
    real.commit(record.path);
    const { refusals, deletesBranch } = await check();
    assert.deepEqual(refusals, ["No branch has its last commits. Create a branch there first."]);
    assert.equal(deletesBranch, false);
  });

  it("stays if something changed since the question", async () => {
    const checked = await check();
    await write({ "new.txt": "1\n" });
    await assert.rejects(remove(checked), /has changed meanwhile/);
    assert.ok(existsSync(join(record.path, "new.txt")));
  });

  it("can be removed if its folder is gone, without others whose folders are gone", async () => {
    run(app, "worktree", "add", "-q", "-b", "two", join(base, "two"));
    await rm(record.path, { recursive: true });
    await rm(join(base, "two"), { recursive: true });
    await remove();
    assert.deepEqual(await real.records.read(), []);
    assert.match(run(app, "worktree", "list"), /two/);
    assert.equal(real.branches, "main\ntwo");
  });

  it("can be removed although the worktree that it was made from is gone", async () => {
    const second = await real.makeWorktree({ branch: "two", repository: await real.find(record.path) });
    await remove();
    record = second.record;
    await remove();
    assert.ok(!existsSync(record.path));
    assert.equal(real.branches, "main");
  });

  it("is left alone if git knows no worktree there", async () => {
    run(app, "worktree", "remove", record.path);
    await write({ "a.txt": "mine\n" });
    assert.match((await check()).refusals.join(), /^Git knows no worktree in this folder/);
  });
});
