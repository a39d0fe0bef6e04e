// What a command of the agent deletes in submodules and in other repositories in the folder.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { lines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);
const commit = "git add . && git -c user.name=a -c user.email=b commit -qm all";

describe("repositories in the folder of another one", () => {
  const { path, onDisk, put, file, prepare, noticed, end, review, reviews, watch, folder } = useReviewedFolder({
    git: true,
  });
  const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
  const listed = (): readonly string[] => review().files.map(one => one.path.slice(folder().length + 1));
  const ended = async (): Promise<void> => {
    end();
    await watch().settled();
    await reviews().settled();
  };
  beforeEach(async () => {
    for (const name of ["lib/a.txt", "lib/in/b.txt", "own/c.txt", "main.txt"]) await put(name, lines(name));
    await sh(`cd lib && git init -q && ${commit}`);
    await sh(`cd own && git init -q && ${commit}`);
    await sh(`git -c protocol.file.allow=always submodule --quiet add ./lib sub && rm -rf lib`);
    await put("sub/new.txt", lines("new"));
    await put("own/new.txt", lines("new"));
    await noticed();
  });

  it("list files that are deleted in them, and Undo brings them back", async () => {
    await prepare();
    await sh("rm sub/a.txt sub/new.txt own/c.txt own/new.txt");
    await ended();
    assert.deepEqual(listed(), ["own/c.txt", "own/new.txt", "sub/a.txt", "sub/new.txt"]);
    await review().undo({ kind: "all" });
    for (const name of ["sub/new.txt", "own/new.txt"]) assert.equal(await onDisk(name), lines("new"));
    assert.equal(await onDisk("sub/a.txt"), lines("lib/a.txt"));
    assert.equal(await onDisk("own/c.txt"), lines("own/c.txt"));
  });

  it("list all files of a submodule that is deleted, and it is a submodule again after Undo", async () => {
    await prepare();
    await sh("rm -rf sub");
    await ended();
    assert.deepEqual(listed(), ["sub/.git", "sub/a.txt", "sub/in/b.txt", "sub/new.txt"]);
    assert.deepEqual(await review().undoLosses({ kind: "all" }), []);
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("sub/in/b.txt"), lines("lib/in/b.txt"));
    const { stdout } = await run("git", ["status", "--porcelain"], { cwd: path("sub") });
    assert.equal(stdout, "?? new.txt\n");
  });

  it("list all files of another repository that is deleted, and say that its history is not known", async () => {
    await prepare();
    await sh("rm -rf own");
    await ended();
    assert.deepEqual(listed(), ["own/.git", "own/c.txt", "own/new.txt"]);
    assert.match(file("own/.git")?.unknown ?? "", /folder/);
    const losses = await review().undoLosses({ kind: "all" });
    assert.deepEqual(
      losses.map(one => one.path),
      [path("own/.git")],
    );
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("own/c.txt"), lines("own/c.txt"));
    assert.equal(existsSync(path("own/.git")), false);
  });

  it("do not list what git changes in them, and their changed files have a base", async () => {
    await prepare();
    await put("sub/a.txt", lines("changed"));
    await sh(
      "cd own && git commit --allow-empty -qm x || git -c user.name=a -c user.email=b commit --allow-empty -qm x",
    );
    await ended();
    assert.deepEqual(listed(), ["sub/a.txt"]);
    assert.equal(file("sub/a.txt")?.changes.base, lines("lib/a.txt"));
  });
});
