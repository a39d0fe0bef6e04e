// The changes that an agent gets for a commit message, and the rules of the repository, in real repositories.
import assert from "node:assert/strict";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import { changesToCommit, isLockFile, maxDiffBytes, maxTotalBytes } from "../../src/commitMessage/changesToCommit.ts";
import type { ChangesToCommit } from "../../src/commitMessage/changesToCommit.ts";
import { pathInRepository, repositoryRules, type RepositoryRules } from "../../src/commitMessage/repositoryRules.ts";
import { looksSensitive } from "../../src/permissions/sensitiveFiles.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

describe("the changes for a commit message", () => {
  let real: RealRepository;
  beforeEach(async () => {
    real = await RealRepository.create({
      "a.txt": "one\ntwo\n",
      "b.txt": "b\n",
      "long/name.txt": "1\n2\n3\n4\n5\n6\n",
      "package-lock.json": "{}\n",
      ".gitignore": "*.log\n",
    });
  });
  afterEach(() => real.remove());

  const place = { platform: "posix", ignoresCase: true, roots: [] } as const;
  const isSecret = (path: string): boolean => looksSensitive(join(real.app, path), [], place);
  const collect = (withUntracked = true): Promise<ChangesToCommit> =>
    changesToCommit(real.git, real.app, { isSecret, withUntracked });
  const kinds = ({ files }: ChangesToCommit): readonly string[] => files.map(({ path, kind }) => `${kind} ${path}`);
  const reasons = ({ leftOut }: ChangesToCommit): readonly string[] =>
    leftOut.map(({ path, reason }) => `${reason} ${path}`);

  it("are only the staged ones if something is staged", async () => {
    await real.write({ "a.txt": "one\nstaged\n", "b.txt": "not staged\n", "new.txt": "new\n" });
    real.run(real.app, "add", "a.txt");
    await real.write({ "a.txt": "one\nlater\n" });
    const changes = await collect();
    assert.equal(changes.isStaged, true);
    assert.deepEqual(kinds(changes), ["changed a.txt"]);
    const diff = changes.files[0]?.diff ?? "";
    assert.match(diff, /^-two\n\+staged$/m);
    assert.doesNotMatch(diff, /later/);
  });

  it("are all of them if nothing is staged, with new files but without ignored ones", async () => {
    await real.write({ "a.txt": "one\n", "sub/new.txt": "x\ny", "empty.txt": "", "debug.log": "ignored\n" });
    await rm(join(real.app, "b.txt"));
    await symlink("a.txt", join(real.app, "link"));
    const changes = await collect();
    assert.equal(changes.isStaged, false);
    assert.deepEqual(kinds(changes), [
      "changed a.txt",
      "deleted b.txt",
      "added empty.txt",
      "added link",
      "added sub/new.txt",
    ]);
    const diffOf = (path: string): string => changes.files.find(file => file.path === path)?.diff ?? "";
    assert.equal(
      diffOf("sub/new.txt"),
      "diff --git a/sub/new.txt b/sub/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/sub/new.txt\n" +
        "@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n",
    );
    assert.match(diffOf("link"), /^new file mode 120000$/m);
    assert.match(diffOf("b.txt"), /^deleted file mode/m);
    assert.doesNotMatch(diffOf("b.txt"), /^-b$/m);
    assert.deepEqual(kinds(await collect(false)), ["changed a.txt", "deleted b.txt"]);
  });

  it("show a moved file as moved", async () => {
    await rename(join(real.app, "long"), join(real.app, "other"));
    real.run(real.app, "add", "-A");
    const changes = await collect();
    assert.deepEqual(
      changes.files.map(({ path, oldPath, kind }) => [kind, oldPath, path]),
      [["renamed", "long/name.txt", "other/name.txt"]],
    );
    assert.match(changes.files[0]?.diff ?? "", /^rename from long\/name.txt$/m);
  });

  it("look the same whatever the user's settings for diffs are, and run no program of the repository", async () => {
    const ran = join(real.base, "ran");
    for (const [name, value] of [
      ["diff.noprefix", "true"],
      ["diff.external", `touch '${ran}'`],
      ["color.ui", "always"],
      ["diff.evil.textconv", `touch '${ran}'; cat`],
    ] as const)
      real.run(real.app, "config", name, value);
    await real.write({ "a.txt": "one\n", ".git/info/attributes": "*.txt diff=evil\n" });
    const [file] = (await collect()).files;
    assert.match(file?.diff ?? "", /^diff --git a\/a.txt b\/a.txt\n/);
    await assert.rejects(readFile(ran), { code: "ENOENT" });
  });

  it("leave the index as it is", async () => {
    await real.write({ "a.txt": "one\n", "new.txt": "x\n" });
    const index = join(real.app, ".git/index");
    const before = await readFile(index);
    await collect();
    assert.deepEqual(await readFile(index), before);
  });

  it("name a submodule with its commits", async () => {
    const other = await RealRepository.create({ "inner.txt": "1\n" });
    try {
      real.run(real.app, "submodule", "add", "-q", other.app, "lib");
      real.commit();
      await real.write({ "lib/inner.txt": "2\n" });
      assert.deepEqual(kinds(await collect()), []);
      real.commit(join(real.app, "lib"));
      const changes = await collect();
      assert.deepEqual(kinds(changes), ["changed lib"]);
      assert.match(changes.files[0]?.diff ?? "", /^\+Subproject commit [0-9a-f]{40}$/m);
    } finally {
      await other.remove();
    }
  });

  it("leave out the content of secrets, lock files, files that are no text, and large files", async () => {
    await real.write({
      ".env": "TOKEN=abc\n",
      "certs/server.key": "k\n",
      "package-lock.json": '{ "a": 1 }\n',
      "sub/yarn.lock": "x\n",
      "huge.txt": "x".repeat(maxDiffBytes + 1),
      "a.txt": `${"y".repeat(maxDiffBytes)}\n`,
      "b.txt": "changed\n",
    });
    await writeFile(join(real.app, "zero.bin"), Buffer.from([1, 0, 2]));
    await writeFile(join(real.app, "latin.txt"), Buffer.from([0xe9, 0x0a]));
    const expected = [
      "secret .env",
      "large a.txt",
      "secret certs/server.key",
      "large huge.txt",
      "binary latin.txt",
      "lockFile package-lock.json",
      "lockFile sub/yarn.lock",
      "binary zero.bin",
    ];
    const all = await collect();
    assert.deepEqual([reasons(all), kinds(all)], [expected, ["changed b.txt"]]);
    assert.doesNotMatch(JSON.stringify(all), /abc|yyy/);
    real.run(real.app, "add", "-A");
    const staged = await collect();
    assert.deepEqual([reasons(staged), kinds(staged)], [expected, ["changed b.txt"]]);
    assert.doesNotMatch(JSON.stringify(staged), /abc|yyy/);
  });

  it("leave out a secret under its new name, too", async () => {
    await real.write({ ".env": "TOKEN=abcdef0123456789\nMORE=1\nLINES=2\n" });
    real.commit();
    real.run(real.app, "mv", ".env", "config.txt");
    assert.deepEqual(reasons(await collect()), ["secret config.txt"]);
  });

  it("show no secret in a folder that replaces a file", async () => {
    const secret = "TOKEN=verysecret\n";
    await real.write({ "moved.txt": "1\n2\n3\n4\n5\n6\n7\n" });
    real.commit();
    await rm(join(real.app, "a.txt"));
    await rename(join(real.app, "moved.txt"), join(real.app, "new.txt"));
    await real.write({ "a.txt/.env": secret, "moved.txt/deep/.env": secret });
    real.run(real.app, "add", "-A");
    const changes = await collect();
    assert.deepEqual(kinds(changes), ["deleted a.txt", "renamed new.txt"]);
    assert.deepEqual(reasons(changes), ["secret a.txt/.env", "secret moved.txt/deep/.env"]);
    assert.doesNotMatch(JSON.stringify(changes), /verysecret/);
    assert.equal(changes.files[0]?.diff, "diff --git a/a.txt b/a.txt\ndeleted file\n");
  });

  it("show no lines of a file that replaces a folder", async () => {
    await real.write({ "config/.env": "TOKEN=1\n" });
    real.commit();
    await rm(join(real.app, "config"), { recursive: true });
    await real.write({ config: "all\n" });
    real.run(real.app, "add", "-A");
    const changes = await collect();
    assert.deepEqual([kinds(changes), reasons(changes)], [["added config"], ["secret config/.env"]]);
    assert.equal(changes.files[0]?.diff, "diff --git a/config b/config\nnew file\n");
  });

  it("leave out the largest files first if all together are too large", async () => {
    const size = Math.floor(maxTotalBytes / 5);
    const files = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`f${at}.txt`, "x".repeat(size + (at === 2 ? 999 : 0))]),
    );
    await real.write({ ...files, "small.txt": "s\n" });
    const changes = await collect();
    assert.ok(reasons(changes).includes("large f2.txt"), reasons(changes).join());
    assert.ok(kinds(changes).includes("added small.txt"));
    assert.ok(changes.files.reduce((sum, { diff }) => sum + diff.length, 0) <= maxTotalBytes);
  });

  it("have the diffs of 300 files, name 5,000 new files, and count the others", async () => {
    await mkdir(join(real.app, "new"));
    const names = Array.from({ length: 5003 }, (_, at) => `new/${at}.txt`);
    await Promise.all(names.map(name => writeFile(join(real.app, name), "n\n")));
    const changes = await collect();
    assert.deepEqual([changes.files.length, changes.leftOut.length, changes.unlisted], [300, 4700, 3]);
    assert.ok(changes.leftOut.every(({ reason }) => reason === "tooMany"));
    real.run(real.app, "add", "new/0.txt");
    assert.equal((await collect()).unlisted, 0);
  });

  it("name files in conflict, and are not staged because of them", async () => {
    real.run(real.app, "checkout", "-qb", "other");
    await real.write({ "a.txt": "theirs\n" });
    real.commit();
    real.run(real.app, "checkout", "-q", "main");
    await real.write({ "a.txt": "ours\n" });
    real.commit();
    assert.throws(() => real.run(real.app, "merge", "other"));
    const changes = await collect();
    assert.deepEqual([changes.isStaged, reasons(changes), kinds(changes)], [false, ["conflict a.txt"], []]);
  });

  it("exist before the first commit", async () => {
    const fresh = join(real.base, "fresh");
    await mkdir(fresh);
    real.run(fresh, "init", "-q");
    await real.write({ "a.txt": "a\n" }, fresh);
    const inFresh = (): Promise<ChangesToCommit> =>
      changesToCommit(real.git, fresh, { isSecret: () => false, withUntracked: true });
    assert.deepEqual(kinds(await inFresh()), ["added a.txt"]);
    real.run(fresh, "add", "a.txt");
    assert.deepEqual(kinds(await inFresh()), ["added a.txt"]);
    const { subjects, merge } = await repositoryRules(real.git, fresh, { isSecret: () => false, log: nullLog });
    assert.deepEqual([subjects, merge], [[], undefined]);
  });

  it("end when the signal aborts", async () => {
    await assert.rejects(
      changesToCommit(real.git, real.app, {
        ...{ isSecret: () => false, withUntracked: true },
        signal: AbortSignal.abort(new Error("stopped")),
      }),
      /stopped/,
    );
  });

  it("know the lock files of package managers", () => {
    for (const path of ["yarn.lock", "a/Cargo.lock", "pnpm-lock.yaml", "go.sum", "web/package-lock.json", "flake.lock"])
      assert.ok(isLockFile(path), path);
    for (const path of ["lock.ts", "src/locks.json", "package.json", "clock", ".lock"])
      assert.ok(!isLockFile(path), path);
  });

  describe("with the rules of the repository", () => {
    const rules = (): Promise<RepositoryRules> => repositoryRules(real.git, real.app, { isSecret, log: nullLog });

    it("have the last 20 subjects, and AGENTS.md", async () => {
      for (let n = 1; n <= 22; n++)
        real.run(real.app, "commit", "-q", "--allow-empty", "-m", `core: Step ${n}\n\nBody`);
      await real.write({ "AGENTS.md": "Write subjects in capitals.\n" });
      const { subjects, agentsFile, merge } = await rules();
      assert.equal(subjects.length, 20);
      assert.equal(subjects[0], "core: Step 22");
      assert.equal(agentsFile, "Write subjects in capitals.");
      assert.equal(merge, undefined);
    });

    it("follow a link to AGENTS.md only within the repository, and to no secret", async () => {
      const link = async (target: string): Promise<string | undefined> => {
        await rm(join(real.app, "AGENTS.md"), { force: true });
        await symlink(target, join(real.app, "AGENTS.md"));
        return (await rules()).agentsFile;
      };
      await real.write({ "CLAUDE.md": "inside\n", ".env": "TOKEN=1\n", "../outside.md": "outside\n" });
      assert.equal(await link("CLAUDE.md"), "inside");
      assert.equal(await link("../outside.md"), undefined);
      assert.equal(await link(".env"), undefined);
      assert.equal(await link("missing.md"), undefined);
      assert.equal(await link("."), undefined);
    });

    it("take only a path in the repository, on each platform", () => {
      const inside = (top: string, file: string): string | undefined => pathInRepository(top, file, "windows");
      assert.equal(inside("C:\\app", "C:\\app\\docs\\AGENTS.md"), "docs/AGENTS.md");
      for (const file of ["D:\\AGENTS.md", "\\\\server\\share\\AGENTS.md", "C:\\AGENTS.md", "C:\\app\\.git\\config"])
        assert.equal(inside("C:\\app", file), undefined, file);
      assert.equal(pathInRepository("/app", "/app/..AGENTS.md", "posix"), "..AGENTS.md");
      for (const file of ["/AGENTS.md", "/application/AGENTS.md", "/app/.git/config"])
        assert.equal(pathInRepository("/app", file, "posix"), undefined, file);
    });

    it("have no subjects if git cannot list them, which is logged", async () => {
      const commit = real.run(real.app, "rev-parse", "HEAD");
      await rm(join(real.app, ".git/objects", commit.slice(0, 2), commit.slice(2)));
      const warnings: string[] = [];
      const log = { ...nullLog, warn: (message: string) => void warnings.push(message) };
      assert.deepEqual((await repositoryRules(real.git, real.app, { isSecret, log })).subjects, []);
      assert.deepEqual(warnings, ["The commit message does without the last subjects."]);
    });

    it("have the start of a long text that git proposes, in whole lines", async () => {
      const commit = real.run(real.app, "rev-parse", "HEAD");
      const lines = Array.from({ length: 9000 }, (_, at) => `* é ${at}`);
      await real.write({ ".git/MERGE_HEAD": `${commit}\n`, ".git/MERGE_MSG": `Merge\n\n${lines.join("\n")}\n` });
      const text = (await rules()).merge?.text ?? "";
      assert.ok(text.length > 20_000 && text.length < 32 * 1024, String(text.length));
      assert.ok(`Merge\n\n${lines.join("\n")}`.startsWith(text));
      assert.match(text, /\n\* é \d+$/);
    });

    it("have the text that git proposes during a merge, without its comments", async () => {
      real.run(real.app, "checkout", "-qb", "other");
      await real.write({ "new.txt": "n\n" });
      real.commit();
      real.run(real.app, "checkout", "-q", "main");
      real.run(real.app, "merge", "-q", "--no-ff", "--no-commit", "other");
      await writeFile(join(real.app, ".git/MERGE_MSG"), "Merge branch 'other'\n\n# Conflicts:\n#\ta.txt\n");
      assert.deepEqual((await rules()).merge, { text: "Merge branch 'other'" });
    });
  });
});
