// Lists the files of a folder, by git and by walking: real folders and the real git.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { excludedBy, walkFiles } from "../../src/files/fileWalk.ts";
import { gitDiff, gitFiles, gitIgnored, gitPath } from "../../src/git/gitQueries.ts";
import { findGit } from "../../src/git/gitProgram.ts";

describe("the file listing of a folder", () => {
  let root: string;
  const git = findGit();
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "parley-list-")));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  const run = (folder: string, ...args: readonly string[]): void => {
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    execFileSync("git", [...identity, ...args], { cwd: join(root, folder), stdio: "pipe" });
  };
  const byGit = async (only?: readonly string[]): Promise<readonly string[]> => {
    assert.ok(git, "git is needed");
    const found: string[] = [];
    await gitFiles(git, root, { take: paths => void found.push(...paths), ...(only && { only }) });
    return found.sort();
  };
  const byWalk = async (from?: string, exclude: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> => {
    const found: string[] = [];
    const leavesOut = excludedBy(exclude, false);
    await walkFiles(root, {
      take: paths => void found.push(...paths),
      isExcluded: leavesOut,
      ...(from !== undefined && { from }),
    });
    return found.sort();
  };

  it("contains tracked and new files of git, and neither ignored nor deleted files", async () => {
    await write({ "a.ts": "", "gone.ts": "", "src/b c.ts": "", "out/x.js": "", ".gitignore": "out/\n*.log\n" });
    run(".", "init", "-q");
    run(".", "add", ".");
    run(".", "commit", "-qm", "first");
    await write({ "new.ts": "", "no.log": "", "ünï.md": "" });
    await rm(join(root, "gone.ts"));
    assert.deepEqual(await byGit(), [".gitignore", "a.ts", "new.ts", "src/b c.ts", "ünï.md"]);
  });

  it("contains the files of submodules and of nested repositories", async () => {
    await write({
      "lib/in.ts": "",
      "inner/own.ts": "",
      "inner/.gitignore": "*.tmp\n",
      "inner/x.tmp": "",
      "main.ts": "",
    });
    for (const folder of ["lib", "inner"]) {
      run(folder, "init", "-q");
      run(folder, "add", ".");
      run(folder, "commit", "-qm", "first");
    }
    run(".", "init", "-q");
    run(".", "submodule", "--quiet", "add", "./lib", "sub");
    await rm(join(root, "lib"), { recursive: true });
    const found = await byGit();
    assert.deepEqual(found, [".gitmodules", "inner/.gitignore", "inner/own.ts", "main.ts", "sub/in.ts"]);
  });

  it("accepts single paths, and takes them literally", async () => {
    await write({ "a*.ts": "", "ab.ts": "", "no.log": "", "d/e.ts": "", ".gitignore": "*.log\n" });
    run(".", "init", "-q");
    assert.deepEqual(await byGit(["a*.ts", "no.log", "d", "not/there.ts"]), ["a*.ts", "d/e.ts"]);
  });

  it("reports which of the given paths git ignores, for any names", async () => {
    await write({ ".gitignore": "*.log\nout/\n", "sub/.gitignore": "local\n" });
    run(".", "init", "-q");
    assert.ok(git, "git is needed");
    const paths = ["a.log", "a.ts", "out/x.ts", "sub/local", ":(top)b.log", "[a].ts"];
    assert.deepEqual(await gitIgnored(git, root, paths), ["a.log", "out/x.ts", "sub/local", ":(top)b.log"]);
    assert.deepEqual(await gitIgnored(git, root, ["a.ts"]), []);
    assert.deepEqual(await gitIgnored(git, join(root, "sub"), ["local", "x"]), ["local"]);
  });

  it("rejects in a folder outside of a repository", async () => {
    await assert.rejects(byGit(), /not a git repository/);
  });

  it("runs no program that a repository configures", async () => {
    const evil = join(root, "evil.sh");
    await write({
      "a.ts": "x\n",
      "evil.sh": `#!/bin/sh\ntouch "${join(root, "ran")}"\n`,
      ".gitattributes": "*.ts diff=evil\n",
    });
    await chmod(evil, 0o755);
    run(".", "init", "-q");
    run(".", "add", ".");
    run(".", "commit", "-qm", "first");
    for (const name of ["core.fsmonitor", "diff.external", "diff.evil.textconv", "core.pager"])
      run(".", "config", name, evil);
    await write({ "a.ts": "y\n" });
    assert.ok(git);
    assert.match(await gitDiff(git, root), /^-x\n\+y$/m);
    assert.ok((await byGit()).includes("a.ts"));
    assert.ok(!(await byWalk()).includes("ran"));
  });

  it("reports changes, staged or not, also before the first commit, and limits their number", async () => {
    assert.ok(git);
    await write({ "a.ts": "one\n", "b.ts": "two\n" });
    run(".", "init", "-q");
    run(".", "add", "a.ts");
    assert.match(await gitDiff(git, root), /^\+one$/m);
    run(".", "add", ".");
    run(".", "commit", "-qm", "first");
    assert.equal(await gitDiff(git, root), "");
    await write({ "a.ts": "staged\n", "b.ts": "unstaged\n" });
    run(".", "add", "a.ts");
    const diff = await gitDiff(git, root);
    assert.match(diff, /^\+staged$/m);
    assert.match(diff, /^\+unstaged$/m);
    await write({ "b.ts": "ä long line\n".repeat(40_000) });
    const cut = await gitDiff(git, root);
    assert.ok(Buffer.byteLength(cut) < 256 * 1024);
    assert.match(cut, /The rest of the diff is omitted/);
    assert.ok(!cut.includes("\uFFFD"), "no character is cut");
  });

  it("reports no changes with replacement characters for bytes that are not UTF-8, but names their files", async () => {
    assert.ok(git);
    await write({ "a.ts": "one\n", "b.ts": "two\n", "c.ts": "three\n" });
    run(".", "init", "-q");
    run(".", "add", ".");
    await write({ "a.ts": "eins \uFFFD\n", "c.ts": "drei\n" });
    await writeFile(join(root, "b.ts"), Buffer.from("caf\xe9\n", "latin1"));
    run(".", "add", ".");
    const diff = await gitDiff(git, root);
    assert.match(diff, /^\+eins \uFFFD$/m);
    assert.match(diff, /^\+drei$/m);
    assert.match(diff, /^diff --git a\/b\.ts b\/b\.ts\n\[The changes of this file are omitted.*UTF-8.*\]\ndiff /m);
    assert.ok(!diff.includes("caf"));
  });

  it("walks a folder without git, applies every .gitignore on the way, and skips .git", async () => {
    await write({
      ".gitignore": "*.log\n/build/\n",
      "a.log": "",
      "build/x.js": "",
      "src/build/y.js": "",
      "src/.gitignore": "!keep.log\nsecret.txt\n",
      "src/keep.log": "",
      "src/secret.txt": "",
      "secret.txt": "",
      ".git/config": "",
    });
    const all = [".gitignore", "secret.txt", "src/.gitignore", "src/build/y.js", "src/keep.log"];
    assert.deepEqual(await byWalk(), all);
    assert.deepEqual(await byWalk("src"), all.slice(2));
    assert.deepEqual(await byWalk("src/keep.log"), ["src/keep.log"]);
    assert.deepEqual(await byWalk("src/secret.txt"), []);
    assert.deepEqual(await byWalk("build/x.js"), []);
    assert.deepEqual(await byWalk("not/there"), []);
  });

  it("excludes the files of the setting, in VS Code's glob syntax", async () => {
    await write({ "a.js": "", "a.ts": "", "dist/x.ts": "", "sub/dist/y.ts": "", "sub/n.map": "", "t/q.ts": "" });
    const exclude = { "**/*.{js,map}": true, dist: true, "t/**": true, "a.ts": false };
    assert.deepEqual(await byWalk(undefined, exclude), ["a.ts", "sub/dist/y.ts"]);
  });

  it("finds the repository's files from a subfolder and from a worktree, and none elsewhere", async () => {
    assert.ok(git, "git is needed");
    await write({ "repo/deep/a.ts": "" });
    await assert.rejects(gitPath(git, join(root, "repo"), "logs/HEAD"));
    run("repo", "init", "-q");
    run("repo", "add", "-A");
    run("repo", "commit", "-qm", "one");
    run("repo", "worktree", "add", "-q", join(root, "tree"), "-b", "side");
    assert.equal(
      await gitPath(git, join(root, "repo", "deep"), "logs/HEAD"),
      join(root, "repo", ".git", "logs", "HEAD"),
    );
    const inTree = join(root, "repo", ".git", "worktrees", "tree", "logs", "HEAD");
    assert.equal(await gitPath(git, join(root, "tree"), "logs/HEAD"), inTree);
  });
});
