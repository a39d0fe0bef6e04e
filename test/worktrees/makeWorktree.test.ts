// Worktrees of real repositories, with the real git.
import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isProcessRunning } from "../../src/base/isProcessRunning.ts";
import { nullLog } from "../../src/base/log.ts";
import {
  branchNameProblem,
  commitNamed,
  fetchRemoteBranch,
  listWorktrees,
  namedCommits,
  remoteDefaultBranch,
} from "../../src/git/gitWorktrees.ts";
import { WorktreeRecords } from "../../src/worktrees/worktreeRecords.ts";
import { until } from "../support/fakes/until.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

describe("a worktree of a repository", () => {
  let real: RealRepository;
  let [base, app] = ["", ""];
  beforeEach(async () => {
    real = await RealRepository.create({
      ...{ "a.txt": "a\n", "lib/b.txt": "b\n", "old.txt": "old\n", ".gitignore": ".env*\nbuild/\n" },
    });
    ({ base, app } = real);
  });
  afterEach(() => real.remove());

  const run = (folder: string, ...args: readonly string[]): string => real.run(folder, ...args);
  const read = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8");

  it("is beside the repository, on a new branch that begins at the chosen commit", async () => {
    const first = (await real.find()).head;
    await real.write({ "a.txt": "second\n" });
    real.commit();
    const { folder, record, warnings } = await real.makeWorktree({ base: first });
    assert.equal(folder, join(base, "app.worktrees", "parley-one"));
    assert.equal(read(folder, "a.txt"), "a\n");
    assert.equal(run(folder, "symbolic-ref", "--short", "HEAD"), "parley/one");
    assert.equal(run(folder, "rev-parse", "HEAD"), first);
    assert.deepEqual(warnings, []);
    const { commonFolder } = await real.find();
    assert.deepEqual(record, {
      ...{ path: folder, origin: app, commonFolder, branch: "parley/one", base: first, created: 1, state: "created" },
    });
    assert.equal((await real.find(folder)).commonFolder, commonFolder);
    assert.equal(run(app, "status", "--porcelain"), "");
  });

  it("opens the sub-folder that the window shows", async () => {
    const { folder, record } = await real.makeWorktree({ repository: await real.find(join(app, "lib")) });
    assert.equal(folder, join(record.path, "lib"));
    assert.equal(read(folder, "b.txt"), "b\n");
    assert.equal(real.records.of(folder)?.path, record.path);
    assert.equal(real.records.of(`${record.path}-2`), undefined);
  });

  it("is made beside the main work tree, also from another worktree", async () => {
    const { folder } = await real.makeWorktree();
    const next = await real.makeWorktree({ repository: await real.find(folder), branch: "parley/two" });
    assert.equal(next.folder, join(base, "app.worktrees", "parley-two"));
  });

  it("gets what is not committed, which stays where it is: no stash, and no index of the repository is touched", async () => {
    await real.write({ "a.txt": "staged\n", "new/n.txt": "new\n", ".env": "SECRET\n" });
    run(app, "add", "a.txt");
    await real.write({ "a.txt": "unstaged\n", "run.sh": "#!/bin/sh\n" });
    await chmod(join(app, "run.sh"), 0o755);
    await symlink("a.txt", join(app, "link"));
    await rm(join(app, "old.txt"));
    await rm(join(app, "lib"), { recursive: true });
    await writeFile(join(app, "lib"), "a file in the place of a folder\n");
    const before = run(app, "status", "--porcelain=v2");
    const { folder } = await real.makeWorktree({ takesUncommitted: true });
    assert.equal(read(folder, "a.txt"), "unstaged\n");
    assert.equal(read(folder, "new/n.txt"), "new\n");
    assert.equal(read(folder, "lib"), "a file in the place of a folder\n");
    assert.equal(lstatSync(join(folder, "run.sh")).mode & 0o111, 0o111);
    assert.equal(readlinkSync(join(folder, "link")), "a.txt");
    assert.ok(!existsSync(join(folder, "old.txt")));
    assert.ok(!existsSync(join(folder, ".env")), "ignored files are not taken along");
    assert.equal(run(app, "status", "--porcelain=v2"), before);
    assert.equal(run(app, "stash", "list"), "");
  });

  it("gets the ignored files that `.worktreeinclude` and the setting name, and no others", async () => {
    await real.write({ ".worktreeinclude": ".env\n!.env.old\nbuild/keep/\n", ".env": "1\n", ".env.old": "2\n" });
    await real.write({ ".env.local": "3\n", "build/keep/x": "4\n", "build/other": "5\n", "plain.txt": "6\n" });
    await symlink("/etc/hosts", join(app, ".env.link"));
    const { folder, warnings } = await real.makeWorktree({ copy: [".env.l*", "plain.txt"] });
    assert.equal(read(folder, ".env"), "1\n");
    assert.equal(read(folder, ".env.local"), "3\n");
    assert.equal(read(folder, "build/keep/x"), "4\n");
    for (const name of [".env.old", "build/other", "plain.txt", ".env.link"])
      assert.ok(!existsSync(join(folder, name)), name);
    assert.deepEqual(warnings, [
      "These files were not copied, because they are links, or something stands there: .env.link",
    ]);
    assert.deepEqual(
      (await readdir(folder)).filter(name => name.startsWith(".parley-")),
      [],
    );
  });

  it("keeps what stands in the way of a copied file", async () => {
    await real.write({ ".gitignore": ".env\n", ".env": "mine\n", ".worktreeinclude": ".env\n" });
    run(app, "add", "-f", ".gitignore", ".worktreeinclude");
    run(app, "commit", "-qm", "two");
    await real.write({ ".git/hooks/post-checkout": "#!/bin/sh\necho hook > .env\n" });
    await chmod(join(app, ".git/hooks/post-checkout"), 0o755);
    const { folder, warnings } = await real.makeWorktree();
    assert.equal(read(folder, ".env"), "hook\n");
    assert.equal(warnings.length, 1);
  });

  it("stays, and names the failure, if a hook fails", async () => {
    await real.write({ ".git/hooks/post-checkout": "#!/bin/sh\necho no luck >&2\nexit 1\n" });
    await chmod(join(app, ".git/hooks/post-checkout"), 0o755);
    const { folder, warnings } = await real.makeWorktree();
    assert.equal(read(folder, "a.txt"), "a\n");
    assert.match(warnings.join(), /^A hook of the repository failed in the new worktree: .*no luck/s);
  });

  it("leaves no folder, branch, record or hook if it is cancelled or fails", async () => {
    const hook = join(base, "hook");
    await real.write({
      ".git/hooks/post-checkout": `#!/bin/sh\necho $$ > ${hook}.tmp\nmv ${hook}.tmp ${hook}\nsleep 60\n`,
    });
    await chmod(join(app, ".git/hooks/post-checkout"), 0o755);
    const controller = new AbortController();
    const made = real.makeWorktree({}, controller.signal);
    const rejected = assert.rejects(made);
    await until(() => existsSync(hook));
    controller.abort();
    await rejected;
    await until(() => !isProcessRunning(Number(readFileSync(hook, "utf8"))));
    await assert.rejects(real.makeWorktree({ branch: "main" }), /cannot lock ref|reference already exists/);
    assert.deepEqual(await readdir(join(base, "app.worktrees")), []);
    assert.equal(run(app, "for-each-ref", "--format=%(refname)"), "refs/heads/main");
    assert.deepEqual(await real.records.read(), []);
  });

  it("is never inside the repository", async () => {
    for (const parent of [join(app, "trees"), app])
      await assert.rejects(real.makeWorktree({ parent }), /it is inside the repository/);
    await symlink(app, join(base, "link"));
    await assert.rejects(real.makeWorktree({ parent: join(base, "link", "trees") }), /it is inside the repository/);
    assert.equal(run(app, "status", "--porcelain"), "");
  });

  it("names the setting if the folder cannot be written", async () => {
    await writeFile(join(base, "file"), "");
    await assert.rejects(
      real.makeWorktree({ parent: join(base, "file") }),
      /Choose another folder.*parley\.worktrees\.folder/,
    );
  });

  it("gets a folder with a number if something stands there", async () => {
    await mkdir(join(base, "app.worktrees", "parley-one"), { recursive: true });
    assert.equal((await real.makeWorktree()).folder, join(base, "app.worktrees", "parley-one-2"));
  });

  it("gets a folder of its own if another window makes one with the same name at the same time", async () => {
    const made = await Promise.all([
      real.makeWorktree({ branch: "a/b" }),
      real.makeWorktree({ branch: "a-b" }),
      assert.rejects(real.makeWorktree({ branch: "main" })),
    ]);
    const names = (await readdir(join(base, "app.worktrees"))).sort();
    assert.deepEqual(names, ["a-b", "a-b-2"]);
    for (const one of made.slice(0, 2)) assert.equal(read(one?.folder ?? "", "a.txt"), "a\n");
  });

  it("fails without forgetting another worktree whose folder is gone, such as on a drive", async () => {
    run(app, "worktree", "add", "-q", "-b", "two", join(base, "two"));
    await rm(join(base, "two"), { recursive: true });
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(real.makeWorktree({}, controller.signal));
    assert.match(run(app, "worktree", "list"), /two/);
    assert.equal(real.branches, "main\ntwo");
  });

  it("is listed by git with its branch, also one whose folder is gone", async () => {
    const { folder } = await real.makeWorktree();
    const other = await real.makeWorktree({ branch: "parley/two" });
    run(app, "worktree", "lock", "--reason", "on a drive", folder);
    await rm(other.folder, { recursive: true });
    assert.deepEqual(await listWorktrees(real.git, app), [
      { path: app, branch: "main", isMissing: false },
      { path: folder, branch: "parley/one", locked: "on a drive", isMissing: false },
      { path: other.folder, branch: "parley/two", isMissing: true },
    ]);
  });

  it("is known to every window by its record, and a damaged record is left out", async () => {
    const { record } = await real.makeWorktree();
    const other = new WorktreeRecords(join(base, "records"), nullLog);
    assert.deepEqual(await other.read(), [record]);
    await other.write({ ...record, state: "prepared" });
    assert.deepEqual(await real.records.read(), [{ ...record, state: "prepared" }]);
    for (const name of await readdir(join(base, "records"))) await writeFile(join(base, "records", name), "{}");
    assert.deepEqual(await real.records.read(), []);
  });

  it("has no branch with a name that git forbids, that is taken, or that is the folder of another one", async () => {
    run(app, "branch", "a/b");
    const problem = (name: string): Promise<string | undefined> => branchNameProblem(real.git, app, name);
    assert.equal(await problem("new"), undefined);
    assert.equal(await problem("main"), "The branch “main” exists already.");
    assert.equal(await problem("a"), "The branch “a/b” exists, so git allows none with the name “a”.");
    assert.equal(await problem("a/b/c"), "The branch “a/b” exists, so git allows none with the name “a/b/c”.");
    for (const name of ["a b", "-x", "x..y", "x.lock", "@{-1}"])
      assert.match((await problem(name)) ?? "", /^Git allows no branch/, name);
  });

  it("can begin at a branch, at a tag, and at the default branch of the remote after a fetch", async () => {
    run(base, "clone", "-q", "app", "clone");
    const clone = join(base, "clone");
    await real.write({ "a.txt": "pushed\n" });
    real.commit();
    run(app, "tag", "-a", "v1", "-m", "one");
    const pushed = run(app, "rev-parse", "HEAD");
    assert.equal(await remoteDefaultBranch(real.git, clone), "origin/main");
    assert.equal(await remoteDefaultBranch(real.git, app), undefined);
    assert.notEqual(await commitNamed(real.git, clone, "origin/main"), pushed);
    await fetchRemoteBranch(real.git, clone, "origin/main", AbortSignal.timeout(60_000));
    assert.equal(await commitNamed(real.git, clone, "origin/main"), pushed);
    assert.deepEqual((await namedCommits(real.git, app)).map(({ name, commit: id }) => [name, id]).sort(), [
      ["main", pushed],
      ["v1", pushed],
    ]);
    assert.equal(await commitNamed(real.git, app, "--all"), undefined);
    await rm(app, { recursive: true });
    await assert.rejects(fetchRemoteBranch(real.git, clone, "origin/main", AbortSignal.timeout(60_000)));
  });

  it("cannot be made without a repository, of a bare one, of a submodule, and before the first commit", async () => {
    await mkdir(join(base, "plain"));
    await assert.rejects(real.find(join(base, "plain")), /is not in a git repository/);
    run(base, "clone", "-q", "--bare", "app", "bare.git");
    await assert.rejects(real.find(join(base, "bare.git")), /is a bare repository/);
    run(base, "init", "-q", "empty");
    await assert.rejects(real.find(join(base, "empty")), /has no commit yet/);
    run(app, "submodule", "add", "-q", join(base, "bare.git"), "sub");
    await assert.rejects(real.find(join(app, "sub")), /is a submodule/);
  });
});
