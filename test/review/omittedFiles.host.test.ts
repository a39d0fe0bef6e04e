// What a command of the agent deletes although no tree has it: ignored files, with and without git.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, lstat, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { until } from "../support/fakes/until.ts";
import { lines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);

for (const git of [true, false]) {
  describe(`ignored files that a command deletes, ${git ? "in a repository" : "without git"}`, () => {
    const { path, onDisk, put, file, prepare, noticed, end, review, reviews, watch, folder, checkpoints } =
      useReviewedFolder({ git, checkpoints: true });
    const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
    const paths = (): readonly string[] => review().files.map(one => one.path);
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
      await reviews().settled();
    };
    const putAll = async (...names: readonly string[]): Promise<void> => {
      await put(".gitignore", "node_modules/\ndist/\ndata/\n.env\n*.log\n");
      for (const name of names) await put(name, lines(name));
      await noticed();
    };

    it("are listed, and Undo brings them back", async () => {
      const names = [".env", "data/a.txt", "data/in/b.txt", "pkg/c.log"];
      await putAll(...names, "pkg/d.txt");
      await prepare();
      await sh("rm -rf .env data pkg/c.log");
      await ended();
      assert.deepEqual(paths(), names.map(path));
      await review().undo({ kind: "all" });
      for (const name of names) assert.equal(await onDisk(name), lines(name));
      assert.deepEqual(paths(), []);
    });

    it("are listed together with the files of their folder that git does not ignore", async () => {
      await putAll("pkg/a.txt", "pkg/b.log", "pkg/in/.env");
      await prepare();
      await sh("rm -rf pkg");
      await ended();
      assert.deepEqual(paths(), ["pkg/a.txt", "pkg/b.log", "pkg/in/.env"].map(path));
      await review().undo({ kind: "all" });
      for (const name of ["pkg/a.txt", "pkg/b.log", "pkg/in/.env"]) assert.equal(await onDisk(name), lines(name));
    });

    it("come back with their bytes, modes and links, and a restore of the checkpoint brings them back, too", async () => {
      await putAll();
      await put("data/crlf.txt", "1\r\n2\r\n");
      await writeFile(path("data/bytes.bin"), Buffer.from([0, 1, 2, 255]));
      await put("data/run.sh", "#!/bin/sh\n");
      await chmod(path("data/run.sh"), 0o755);
      await symlink("crlf.txt", path("data/link"));
      await noticed();
      const check = async (): Promise<void> => {
        assert.equal(await onDisk("data/crlf.txt"), "1\r\n2\r\n");
        assert.deepEqual([...(await readFile(path("data/bytes.bin")))], [0, 1, 2, 255]);
        assert.equal((await lstat(path("data/run.sh"))).mode & 0o111, 0o111);
        assert.equal(await readlink(path("data/link")), "crlf.txt");
      };
      await prepare();
      await sh("rm -rf data");
      await ended();
      assert.equal(review().files.length, 4);
      assert.deepEqual(await review().undoLosses({ kind: "all" }), []);
      await checkpoints().flush();
      const plan = await checkpoints().planRestore("turn 1", {
        text: at => (existsSync(at) ? readFile(at, "utf8") : Promise.resolve(null)),
        state: () => Promise.resolve({ kind: "missing" }),
      });
      assert.deepEqual(plan.unknown, []);
      assert.deepEqual(
        plan.files.map(one => [one.path, one.state?.kind]),
        ["bytes.bin", "crlf.txt", "link", "run.sh"].map(name => [
          path(`data/${name}`),
          name === "link" ? "link" : "file",
        ]),
      );
      await review().undo({ kind: "all" });
      await check();
      assert.ok(await review().undoLast());
      assert.equal(existsSync(path("data/crlf.txt")), false);
      await review().undo({ kind: "all" });
      await check();
    });

    it("are listed as a folder of unknown content if it is node_modules, until the folder is there again", async () => {
      await putAll("node_modules/lib/index.js", "a.txt");
      await prepare();
      await sh("rm -rf node_modules");
      await ended();
      assert.deepEqual(paths(), [path("node_modules")]);
      assert.match(file("node_modules")?.unknown ?? "", /folder/);
      assert.equal(file("node_modules")?.canUndo, false);
      const losses = await review().undoLosses({ kind: "all" });
      assert.deepEqual(
        losses.map(one => one.path),
        [path("node_modules")],
      );
      await sh("mkdir -p node_modules/lib && echo 1 > node_modules/lib/index.js");
      await until(() => paths().length === 0);
    });

    it("are not listed if the command writes them again, or if only the user's files were there before", async () => {
      await putAll("dist/a.js", "node_modules/lib/index.js");
      await prepare();
      await sh("rm -rf dist node_modules && mkdir -p dist node_modules/lib && echo 2 > dist/a.js");
      await sh("mkdir data && echo 1 > data/new.txt && rm -rf data && echo 1 > new.log && rm new.log");
      await ended();
      assert.deepEqual(paths(), []);
    });

    it("are listed in the turn that deletes them, and not again after Keep", async () => {
      await putAll("data/a.txt", "data/b.txt", "node_modules/lib/index.js");
      await prepare();
      await put("data/a.txt", "changed\n");
      await ended();
      await prepare("turn 2");
      await sh("rm -rf data/a.txt node_modules");
      await ended();
      assert.deepEqual(paths(), [path("data/a.txt"), path("node_modules")]);
      assert.equal(file("data/a.txt")?.changes.base, "changed\n");
      await review().keep({ kind: "all" });
      await prepare("turn 3");
      await put("other.txt", "1\n");
      await ended();
      assert.deepEqual(paths(), [path("other.txt")]);
    });
  });
}
