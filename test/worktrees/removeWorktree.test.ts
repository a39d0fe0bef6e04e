// What keeps a worktree from being removed, and what is lost with it, in real repositories.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import { findGit, type Git } from "../../src/git/gitProgram.ts";
import { findRepository } from "../../src/git/gitWorktrees.ts";
import { makeWorktree } from "../../src/worktrees/makeWorktree.ts";
import { checkRemoval, removeWorktree, type RemovalCheck } from "../../src/worktrees/removeWorktree.ts";
import { WorktreeRecords, type WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";

describe("a worktree that is removed", () => {
  let base: string;
  let app: string;
  let record: WorktreeRecord;
  let records: WorktreeRecords;
  const git = ((): Git => {
    const found = findGit();
    assert.ok(found, "git is needed");
    return found;
  })();

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-remove-")));
    app = join(base, "app");
    await write({ "a.txt": "a\n", ".gitignore": ".env\nbuild/\n" }, app);
    run(app, "init", "-qb", "main");
    commit(app);
    records = new WorktreeRecords(join(base, "records"), nullLog);
    const repository = await findRepository(git, app);
    const choices = { repository, base: repository.head, takesUncommitted: false, parent: undefined, copy: [] };
    const clock = { now: () => 1 };
    ({ record } = await makeWorktree({ ...choices, branch: "one" }, { git, records, clock }));
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string>>, folder = record.path): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  function run(folder: string, ...args: readonly string[]): string {
    const own = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    return execFileSync("git", [...own, ...args], { cwd: folder, stdio: "pipe", encoding: "utf8" }).trim();
  }
  function commit(folder: string): void {
    run(folder, "add", "-A");
    run(folder, "commit", "-qm", "all");
  }
  const check = (isBusy = false): Promise<RemovalCheck> => checkRemoval(git, record, isBusy);
  const remove = async (checked?: RemovalCheck): Promise<void> =>
    removeWorktree(git, record, records, checked ?? (await check()), false);
  const branches = (): string => run(app, "for-each-ref", "--format=%(refname:short)", "refs/heads");

  it("goes with its branch if it has nothing of its own", async () => {
    assert.deepEqual(await check(), {
      ...{ refusals: [], losses: [], deletesBranch: true },
      branch: "The branch “one” is deleted too. Other branches have all of its commits.",
    });
    await remove();
    assert.ok(!existsSync(record.path));
    assert.equal(branches(), "main");
    assert.deepEqual(await records.read(), []);
  });

  it("names each file that is not committed, and ignored files", async () => {
    await write({ "a.txt": "changed\n", "new.txt": "1\n", ".env": "S\n", "build/x": "1\n", "build/y": "2\n" });
    run(record.path, "add", "new.txt");
    const { losses } = await check();
    assert.deepEqual(losses, ["Not committed: a.txt, new.txt", "Ignored by git: .env, build/"]);
    for (let at = 0; at < 9; at++) await write({ [`n${at}`]: "" });
    assert.match((await check()).losses[0] ?? "", /^Not committed: .+ and 6 more$/);
  });

  it("keeps its branch if that has commits that no other branch has", async () => {
    await write({ "a.txt": "committed\n" });
    commit(record.path);
    const checked = await check();
    assert.deepEqual(
      [checked.losses, checked.branch],
      [[], "The branch “one” stays. It has 1 commit that no other branch has."],
    );
    await remove(checked);
    assert.equal(branches(), "main\none");
    assert.ok(!existsSync(record.path));
  });

  it("goes with its branch if another branch has its commits", async () => {
    await write({ "a.txt": "committed\n" });
    commit(record.path);
    run(app, "merge", "-q", "--no-edit", "one");
    assert.equal((await check()).deletesBranch, true);
    await remove();
    assert.equal(branches(), "main");
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
    commit(record.path);
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
    assert.deepEqual(await records.read(), []);
    assert.match(run(app, "worktree", "list"), /two/);
    assert.equal(branches(), "main\ntwo");
  });

  it("is left alone if git knows no worktree there", async () => {
    run(app, "worktree", "remove", record.path);
    await write({ "a.txt": "mine\n" });
    assert.match((await check()).refusals.join(), /^Git knows no worktree in this folder/);
  });
});
