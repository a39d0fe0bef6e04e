// Trees of everything in a repository, on real folders with the real git: which files they contain, and that they leave
// no trace in the repository.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import type { TreeRecord } from "../../src/checkpoints/checkpointIndex.ts";
import { findGit } from "../../src/git/gitProgram.ts";
import { GitTrees } from "../../src/checkpoints/gitTrees.ts";
import { treeLimits, type TreeLimits } from "../../src/git/gitTree.ts";

describe("trees of a folder under git", () => {
  let base: string;
  let root: string;
  let logged: string[];
  const git = findGit();
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-tree-")));
    root = join(base, "work");
    logged = [];
    await mkdir(root);
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  function run(folder: string, ...args: readonly string[]): string {
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    return execFileSync("git", [...identity, ...args], { cwd: join(root, folder), stdio: "pipe", encoding: "utf8" });
  }
  const commit = (folder = "."): void => {
    run(folder, "init", "-q");
    run(folder, "add", "-A");
    run(folder, "commit", "-qm", "first");
  };
  function trees(folder = root, limits: TreeLimits = treeLimits, program = git): GitTrees {
    assert.ok(program, "git is needed");
    const log = {
      ...nullLog,
      info: (words: string) => logged.push(words),
      warn: (words: string) => logged.push(words),
    };
    return new GitTrees({ git: program, folders: [folder], storageFolder: join(base, "own"), log, limits });
  }
  const never = new AbortController().signal;
  const at = (path: string): string => join(root, path);

  it("list the files of a folder, and of the whole folder under git", async () => {
    await write({ "a.ts": "1\n", "lib/in/b.ts": "1\n" });
    commit();
    for (const folder of [root, at("lib")]) {
      const all = trees(folder);
      const taken = await all.take(never);
      const files = folder === root ? [at("a.ts"), at("lib/in/b.ts")] : [at("lib/in/b.ts")];
      assert.deepEqual(await all.filesAt(taken, folder), files);
      assert.deepEqual(await all.filesAt(taken, at("lib/in")), [at("lib/in/b.ts")]);
      assert.deepEqual(await all.filesAt(taken, at("lib/other")), []);
    }
  });

  it("contain tracked, changed, staged and new files as they are on disk, and neither ignored nor deleted files", async () => {
    await write({ "a.ts": "1\n", "b.ts": "1\n", "c.ts": "1\n", ".gitignore": "out/\n", "same.ts": "same\n" });
    commit();
    await write({ "a.ts": "2\n", "new/x ü.ts": "new\n", "out/o.js": "o", "b.ts": "staged\n" });
    run(".", "add", "b.ts");
    await write({ "b.ts": "3\r\n" });
    await rm(at("c.ts"));
    const ours = trees();
    const taken = await ours.take(never);
    const text = (path: string): Promise<string | null | undefined> => ours.textAt(taken, at(path));
    assert.deepEqual(await Promise.all(["a.ts", "b.ts", "c.ts", "new/x ü.ts", "same.ts", "never.ts"].map(text)), [
      "2\n",
      "3\n",
      null,
      "new\n",
      "same\n",
      null,
    ]);
    assert.equal(await text("out/o.js"), undefined, "what is ignored is not known");
    assert.equal(await ours.textAt(taken, join(base, "elsewhere.ts")), undefined);
    assert.equal(await text(".git/config"), undefined);
  });

  it("know that a file is new in a folder that also has folders and links", async () => {
    await write({ "pkg/in/a.ts": "1\n" });
    await symlink("in", at("pkg/link"));
    commit();
    const ours = trees();
    const taken = await ours.take(never);
    await write({ "pkg/new.ts": "new\n" });
    assert.equal(await ours.textAt(taken, at("pkg/new.ts")), null);
    assert.equal(await ours.textAt(taken, at("pkg/in/new.ts")), null);
    assert.equal(await ours.textAt(taken, at("pkg/link/new.ts")), null, "a link has no files");
  });

  it("leave .git unchanged, down to the bytes and the modification time of its index, also where git would run maintenance", async () => {
    await write({ "a.ts": "1\n", "b.ts": "1\n" });
    commit();
    await write({ "a.ts": "2\n", "new.ts": "n\n" });
    // Touched without a change: git would refresh its index.
    await utimes(at("b.ts"), new Date(1e12), new Date(1e12));
    const before = fingerprint(at(".git"));
    const time = statSync(at(".git/index")).mtimeMs;
    const ours = trees();
    const first = await ours.take(never);
    await write({ "a.ts": "3\n", "more.ts": "m\n" });
    const second = await ours.take(never);
    assert.equal(await ours.textAt(first, at("a.ts")), "2\n");
    await ours.changed(first, second, 10);
    await ours.keepOnly(second);
    assert.equal(fingerprint(at(".git")), before);
    assert.equal(statSync(at(".git/index")).mtimeMs, time);
  });

  it("report the changes between two of them, with the text before", async () => {
    await write({ "a.ts": "1\n", "gone.ts": "g\n", "same.ts": "s\n" });
    commit();
    const ours = trees();
    const first = await ours.take(never);
    await write({ "a.ts": "2\n", "new.ts": "n\n" });
    await rm(at("gone.ts"));
    const second = await ours.take(never);
    const sorted = [...(await ours.changed(first, second, 10)).files].sort((a, b) => (a.path < b.path ? -1 : 1));
    assert.deepEqual(
      sorted.map(({ path, text, was, is }) => [path, text, was !== undefined, is !== undefined]),
      [
        [at("a.ts"), "1\n", true, true],
        [at("gone.ts"), "g\n", true, false],
        [at("new.ts"), null, false, true],
      ],
    );
    const one = await ours.changed(first, second, 1);
    assert.deepEqual([one.files.length, one.more], [1, 2]);
  });

  it("have the exact state of files that git converts or stores in another form", async () => {
    const crlf = "one\r\ntwo\r\n";
    const large = "x".repeat(6 * 1024 * 1024);
    await write({
      ".gitattributes":
        "*.txt text=auto\n*.bat text eol=crlf\n*.lfs filter=lfs\n*.id ident\n*.wide text working-tree-encoding=UTF-16LE-BOM\n",
      "auto.txt": crlf,
      "mixed.txt": "a\r\nb\nc\rd",
      "plain.txt": "one\n",
      "run.bat": crlf,
      "large.ts": large,
    });
    await chmod(at("plain.txt"), 0o755);
    await symlink("plain.txt", at("link"));
    const wide = Buffer.from("\uFEFFwide\r\n", "utf16le");
    await writeFile(at("a.wide"), wide);
    await writeFile(at("latin.ts"), Buffer.from([0xe4, 10]));
    commit();
    // On disk, and in the index as unchanged: what a filter and a keyword have made of the files that git stores.
    run(".", "config", "filter.lfs.clean", "sed s/B/A/");
    await write({ "b.lfs": "BBB\n", "c.id": "$Id: 1234 $\n" });
    run(".", "add", "b.lfs", "c.id");
    const ours = trees();
    const state = async (path: string): Promise<unknown> => {
      const found = await ours.stateAt(taken, at(path));
      return found?.kind === "file"
        ? `${Buffer.from(found.bytes).toString("base64")}${found.executable ? " x" : ""}`
        : found;
    };
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    let taken = await ours.take(never);
    const check = async (): Promise<void> => {
      assert.equal(taken[0]?.exact, true, logged.join());
      assert.equal(await state("auto.txt"), base64(crlf));
      assert.equal(await state("mixed.txt"), base64("a\r\nb\nc\rd"));
      assert.equal(await state("plain.txt"), `${base64("one\n")} x`);
      assert.equal(await state("run.bat"), base64(crlf));
      assert.equal(await state("a.wide"), wide.toString("base64"));
      assert.equal(await state("latin.ts"), Buffer.from([0xe4, 10]).toString("base64"));
      assert.equal(await state("b.lfs"), base64("BBB\n"));
      assert.equal(await state("c.id"), base64("$Id: 1234 $\n"));
      assert.equal(await state("large.ts"), base64(large), "a large file is known if the repository has it");
      assert.deepEqual(await state("link"), { kind: "link", target: "plain.txt" });
      assert.deepEqual(await state("none"), { kind: "missing" });
    };
    await check();
    const first = taken;
    taken = await ours.take(never);
    await check();
    assert.deepEqual(taken, first, "nothing has changed between the two");
    await write({ "auto.txt": "one\ntwo\n", "b.lfs": "CCC\n" });
    const changes = await ours.changed(first, await ours.take(never), 10);
    assert.deepEqual(
      changes.files.map(({ path, text }) => [path, text]),
      [
        [at("auto.txt"), "one\ntwo\n"],
        [at("b.lfs"), "BBB\n"],
      ],
    );
  });

  it("have the exact state of a file that git converts since this tree, because its attributes are new", async () => {
    await write({ "plain.txt": "one\n" });
    commit();
    const ours = trees();
    assert.equal((await ours.take(never))[0]?.exact, true);
    await write({ ".gitattributes": "*.txt text=auto\n", "auto.txt": "one\r\n" });
    const taken = await ours.take(never);
    const found = await ours.stateAt(taken, at("auto.txt"));
    assert.equal(found?.kind === "file" && Buffer.from(found.bytes).toString(), "one\r\n");
  });

  it("run no program that a repository configures, such as a filter, hook or monitor, and fetch nothing", async () => {
    const evil = at("evil.sh");
    await write({ "a.ts": "1\n", "evil.sh": `#!/bin/sh\ntouch "${join(base, "ran")}"\ncat\n` });
    await chmod(evil, 0o755);
    commit();
    await write({ ".gitattributes": "*.ts filter=evil diff=evil\n", "a.ts": "2\n", "new.ts": "n\n" });
    for (const name of ["core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"])
      run(".", "config", name, evil);
    run(".", "config", "filter.evil.required", "true");
    for (const name of [
      "diff.external",
      "diff.evil.textconv",
      "core.pager",
      "core.sshCommand",
      "core.alternateRefsCommand",
    ])
      run(".", "config", name, evil);
    for (const hook of ["post-index-change", "pre-commit", "reference-transaction"]) {
      await mkdir(at(".git/hooks"), { recursive: true });
      await writeFile(at(`.git/hooks/${hook}`), readFileSync(evil));
      await chmod(at(`.git/hooks/${hook}`), 0o755);
    }
    const ours = trees();
    const first = await ours.take(never);
    assert.equal(first.length, 1, logged.join());
    await write({ "a.ts": "3\n", "evil.sh": "changed" });
    const second = await ours.take(never);
    const { files } = await ours.changed(first, second, 10);
    assert.equal(files.find(({ path }) => path === at("a.ts"))?.text, "2\n");
    assert.equal(await ours.textAt(first, at("new.ts")), "n\n", "the filter has not run");
    assert.equal(existsSync(join(base, "ran")), false);
  });

  it("exclude files that are too large, and log that; a file that has grown is not returned with its old text", async () => {
    await write({ "small.ts": "s\n", "grows.ts": "g\n" });
    commit();
    await write({ "grows.ts": "g".repeat(200), "big.bin": "b".repeat(200) });
    const ours = trees(root, { bytes: 100, files: 10 });
    const taken = await ours.take(never);
    assert.deepEqual(await Promise.all(["small.ts", "grows.ts", "big.bin"].map(path => ours.textAt(taken, at(path)))), [
      "s\n",
      undefined,
      undefined,
    ]);
    assert.match(logged.join(), /leave out 2 files.*big\.bin/);
    await write({ "grows.ts": "g\n" });
    assert.equal(await ours.textAt(await ours.take(never), at("grows.ts")), "g\n");
  });

  it("are not created for a folder with too many new files, which is logged", async () => {
    await write(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, ""])));
    run(".", "init", "-q");
    assert.deepEqual(await trees(root, { bytes: 100, files: 10 }).take(never), []);
    assert.match(logged.join(), /more than 10 new or changed files/);
  });

  it("contain the files of nested repositories and submodules, also when a submodule is deleted", async () => {
    await write({ "lib/in.ts": "l\n", "inner/own.ts": "i\n", "main.ts": "m\n" });
    commit("lib");
    commit("inner");
    run(".", "init", "-q");
    run(".", "submodule", "--quiet", "add", "./lib", "sub");
    await rename(at("lib"), join(base, "lib"));
    await write({ "sub/in.ts": "changed\n" });
    const ours = trees();
    const taken = await ours.take(never);
    assert.deepEqual(
      await Promise.all(["main.ts", "inner/own.ts", "sub/in.ts"].map(path => ours.textAt(taken, at(path)))),
      ["m\n", "i\n", "changed\n"],
    );
    await rm(at("inner/own.ts"));
    await rm(at("sub"), { recursive: true });
    const { files } = await ours.changed(taken, await ours.take(never), 100);
    assert.deepEqual(files.map(({ path, text, is }) => [path, text, is]).toSorted(), [
      [at("inner/own.ts"), "i\n", undefined],
      [at("sub/in.ts"), "changed\n", undefined],
    ]);
    assert.deepEqual(await ours.filesAt(taken, at("sub")), [at("sub/in.ts")]);
  });

  it("are not created for a sparse checkout, which is logged", async () => {
    await write({ "a/x.ts": "x\n", "b/y.ts": "y\n" });
    commit();
    run(".", "sparse-checkout", "set", "a");
    assert.deepEqual(await trees().take(never), []);
    assert.match(logged.join(), /sparse checkout/);
  });

  it("contain changes that the user has configured git to ignore", async () => {
    await write({ "a.ts": "1\n" });
    commit();
    run(".", "update-index", "--assume-unchanged", "a.ts");
    await write({ "a.ts": "2\n" });
    const ours = trees();
    assert.equal(await ours.textAt(await ours.take(never), at("a.ts")), "2\n");
    assert.match(run(".", "ls-files", "-v"), /^h a\.ts/m, "the user's own mark stays");
  });

  it("work before the first commit, in the middle of a merge, in a worktree and in a subfolder", async () => {
    await write({ "deep/a.ts": "1\n", "b.ts": "b\n" });
    run(".", "init", "-q");
    const below = trees(at("deep"));
    const taken = await below.take(never);
    assert.equal(await below.textAt(taken, at("deep/a.ts")), "1\n");
    assert.equal(await below.textAt(taken, at("b.ts")), undefined, "outside of the folder");

    commit();
    run(".", "worktree", "add", "-q", join(base, "tree"), "-b", "side");
    const side = trees(join(base, "tree"));
    await writeFile(join(base, "tree", "b.ts"), "side\n");
    assert.equal(await side.textAt(await side.take(never), join(base, "tree", "b.ts")), "side\n");
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "side"], {
      cwd: join(base, "tree"),
    });

    await write({ "b.ts": "main\n" });
    run(".", "commit", "-qam", "main");
    assert.throws(() => run(".", "merge", "side"));
    const merging = trees();
    assert.match((await merging.textAt(await merging.take(never), at("b.ts"))) ?? "", /^<{7} /);
    assert.match(run(".", "status", "--porcelain"), /^AA b\.ts|^UU b\.ts/m);
  });

  it("follow a file that becomes a folder, and do not read links as text", async () => {
    await write({ a: "file\n", "b/c": "c\n" });
    commit();
    const ours = trees();
    const first = await ours.take(never);
    await rm(at("a"));
    await rm(at("b"), { recursive: true });
    await write({ "a/in": "in\n", b: "file\n" });
    await symlink("a/in", at("link"));
    const second = await ours.take(never);
    assert.deepEqual(
      await Promise.all([
        ours.textAt(first, at("a")), ours.textAt(first, at("a/in")), ours.textAt(second, at("a")),
        ours.textAt(second, at("a/in")), ours.textAt(second, at("b")), ours.textAt(second, at("link")),
      ]),
      ["file\n", null, null, "in\n", "file\n", undefined],
    ); // prettier-ignore
  });

  it("return no text for binary files, other encodings and Git LFS pointers", async () => {
    await write({ "lfs.psd": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a.ts": "a\n" });
    await writeFile(at("bytes"), Buffer.from([1, 0, 2]));
    await writeFile(at("latin1"), Buffer.from([0xe4, 0x0a]));
    run(".", "init", "-q");
    const ours = trees();
    const taken = await ours.take(never);
    for (const path of ["lfs.psd", "bytes", "latin1"])
      assert.equal(await ours.textAt(taken, at(path)), undefined, path);
  });

  it("read the files that are asked for in one moment together, because each start of git takes time", async () => {
    const names = Array.from({ length: 120 }, (_, i) => `in/${i}.ts`);
    await write({ ".gitignore": "out\n", ...Object.fromEntries(names.map(name => [name, `${name}\n`])) });
    commit();
    const log = join(base, "starts");
    const counting = join(base, "counting-git");
    await writeFile(counting, `#!/bin/sh\necho x >> "${log}"\nexec "${git?.path}" "$@"\n`, { mode: 0o755 });
    const ours = trees(root, treeLimits, { path: counting });
    const taken = await ours.take(never);
    await writeFile(log, "");
    const asked = [...names, "in", "in/never.ts", "out", "in/0.ts/below"];
    assert.deepEqual(await Promise.all(asked.map(name => ours.textAt(taken, at(name)))), [
      ...names.map(name => `${name}\n`),
      ...[null, null, undefined, null],
    ]);
    const starts = readFileSync(log, "utf8").split("\n").length - 1;
    assert.ok(starts <= 12, `git was started ${starts} times`);
  });

  it("are deleted with their objects unless they are kept, and kept trees stay readable", async () => {
    await write({ "a.ts": "1\n" });
    commit();
    const ours = trees();
    const taken: (readonly TreeRecord[])[] = [];
    for (const text of ["one\n", "two\n", "three\n"]) {
      await write({ "a.ts": text });
      taken.push(await ours.take(never));
    }
    const [first = [], second = [], third = []] = taken;
    const before = countObjects(join(base, "own"));
    await ours.keepOnly(third);
    assert.ok(countObjects(join(base, "own")) < before);
    assert.equal(await ours.textAt(third, at("a.ts")), "three\n");
    await assert.rejects(ours.textAt(first, at("a.ts")));
    await assert.rejects(ours.textAt(second, at("a.ts")));
    await write({ "a.ts": "one\n" });
    assert.equal(await ours.textAt(await ours.take(never), at("a.ts")), "one\n", "the index knows what went");
    await ours.keepOnly([]);
    assert.equal(countObjects(join(base, "own")), 0);
  });

  it("stop when they are cancelled, and the next tree is complete", async () => {
    await write({ "a.ts": "1\n" });
    commit();
    const ours = trees();
    const ended = new AbortController();
    const taking = ours.take(ended.signal);
    ended.abort();
    await assert.rejects(taking);
    await write({ "a.ts": "2\n" });
    assert.equal(await ours.textAt(await ours.take(never), at("a.ts")), "2\n");
  });

  it("are unavailable in a folder without git, which is logged once", async () => {
    await write({ "a.ts": "1\n" });
    const ours = trees();
    assert.deepEqual([await ours.take(never), await ours.take(never)], [[], []]);
    assert.equal(logged.length, 1);
    assert.match(logged.join(), /not in a git repository/);
  });
});

/** All names and bytes below a folder, as one hash. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    hash.update(name);
    if (statSync(join(folder, name)).isFile()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

function countObjects(folder: string): number {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter(name => /objects[\\/][0-9a-f]{2}[\\/]/.test(name)).length;
}
