// The checkpoints that a branch begins with, on real folders with the real git.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import { Checkpoints } from "../../src/checkpoints/checkpoints.ts";
import { CheckpointFolder } from "../../src/checkpoints/checkpointStore.ts";
import { copyCheckpoints } from "../../src/checkpoints/copyCheckpoints.ts";
import { GitTrees } from "../../src/checkpoints/gitTrees.ts";
import type { CurrentFiles, RestorePlan } from "../../src/checkpoints/restorePlanner.ts";
import { findGit } from "../../src/git/gitProgram.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

for (const hasGit of [true, false])
  describe(`the checkpoints of a branch ${hasGit ? "with" : "without"} git`, () => {
    let root: string;
    let folder: CheckpointFolder;
    let origin: Checkpoints;
    let base: string;
    const opened: Checkpoints[] = [];
    const clock = new FakeClock();
    let count = 50;
    beforeEach(async () => {
      count = 50;
      base = await realpath(await mkdtemp(join(tmpdir(), "parley-branch-")));
      root = join(base, "work");
      await mkdir(root);
      if (hasGit) execFileSync("git", ["init", "-q", root]);
      folder = new CheckpointFolder(join(base, "own"));
      origin = open("origin");
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) {
        await each.flush();
        each.dispose();
      }
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    });

    const at = (name: string): string => join(root, name);
    const now: CurrentFiles = { text: path => readFile(path, "utf8").catch(() => null) };
    let ids = 0;
    function open(session: string): Checkpoints {
      const git = findGit();
      assert.ok(git, "git is needed");
      const storageFolder = join(folder.pathOf(session), "trees");
      const checkpoints = new Checkpoints({
        ...{ store: folder.session(session), clock, log: nullLog, newId: () => `${++ids}` },
        ...(hasGit && { trees: new GitTrees({ git, folders: [root], storageFolder, log: nullLog }) }),
        limits: () => ({ count, age: 1e12 }),
        treeTime: 60_000,
      });
      opened.push(checkpoints);
      return checkpoints;
    }
    async function turn(checkpoints: Checkpoints, id: string, files: Readonly<Record<string, string>>): Promise<void> {
      await checkpoints.beginTurn(id);
      for (const [name, text] of Object.entries(files)) {
        checkpoints.touched({ turn: id, path: at(name), before: await now.text(at(name)) });
        await writeFile(at(name), text);
        checkpoints.written(at(name), text);
      }
      await checkpoints.flush();
    }
    const copy = async (to: string): Promise<Checkpoints> => {
      await copyCheckpoints(folder, "origin", to);
      return open(to);
    };
    const changes = ({ files, unknown }: RestorePlan): unknown => [
      ...files.map(({ path, to, changedSince }) => [path.slice(root.length + 1), to, changedSince]),
      ...unknown,
    ];

    it("restore the same files, also after the other session and its checkpoints are deleted", async () => {
      await writeFile(at("a"), "user\n");
      await writeFile(at("quiet"), "user\n");
      await turn(origin, "t1", { a: "1\n" });
      await writeFile(at("quiet"), "other\n");
      await turn(origin, "t2", { a: "2\n", new: "2\n" });
      await turn(origin, "t3", { later: "3\n" });
      const expected = await origin.planRestore("t1", now);
      const branch = await copy("branch");
      assert.deepEqual(await branch.planRestore("t1", now), expected);
      await origin.clear();
      assert.deepEqual(await branch.planRestore("t1", now), expected);
      await turn(branch, "t4", { a: "4\n" });
      assert.deepEqual(changes(await branch.planRestore("t1", now)), [
        ["a", "user\n", false],
        ["later", null, false],
        ["new", null, false],
        ...(hasGit ? [["quiet", "user\n", true]] : []),
      ]);
      assert.deepEqual(changes(await branch.planRestore("t4", now)), [["a", "2\n", false]]);
      assert.deepEqual([...branch.turns], ["t1", "t2", "t3", "t4"]);
    });

    it("change nothing in the other session, whatever the branch does and deletes", async () => {
      await writeFile(at("a"), "user\n");
      await turn(origin, "t1", { a: "1\n" });
      await turn(origin, "t2", { a: "2\n" });
      const branch = await copy("branch");
      const expected = await origin.planRestore("t1", now);
      count = 1;
      await turn(branch, "t3", {});
      assert.deepEqual([...branch.turns], ["t3"]);
      await branch.clear();
      assert.deepEqual(await origin.planRestore("t1", now), expected);
      assert.deepEqual([...origin.turns], ["t1", "t2"]);
    });

    it("know what a restore changed, and do not offer to undo it", async () => {
      await writeFile(at("a"), "user\n");
      await turn(origin, "t1", { a: "1\n" });
      const plan = await origin.planRestore("t1", now);
      await origin.recordRestore(plan, plan.files);
      await writeFile(at("a"), "user\n");
      origin.completeRestore(plan);
      await origin.flush();
      const branch = await copy("branch");
      await branch.flush();
      assert.notEqual(origin.lastRestore, undefined);
      assert.equal(branch.lastRestore, undefined);
      await turn(branch, "t2", { a: "2\n" });
      assert.deepEqual(changes(await branch.planRestore("t1", now)), [["a", "user\n", false]]);
    });

    it("are none if there are none to copy or if they cannot be stored, and then nothing is left behind", async () => {
      await copyCheckpoints(folder, "origin", "empty");
      assert.equal(existsSync(folder.pathOf("empty")), false);
      await writeFile(at("a"), "user\n");
      await turn(origin, "t1", { a: "1\n" });
      await mkdir(folder.pathOf("taken"));
      await writeFile(join(folder.pathOf("taken"), "file"), "");
      await assert.rejects(copyCheckpoints(folder, "origin", "taken"));
      assert.deepEqual(readdirSync(join(base, "own")).sort(), ["origin", "taken"]);
      assert.deepEqual(readdirSync(folder.pathOf("taken")), ["file"]);
    });
  });
