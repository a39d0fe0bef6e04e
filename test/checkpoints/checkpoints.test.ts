// Which file texts a session's checkpoints know, and which files a restore would change.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { CheckpointFolder } from "../../src/checkpoints/checkpointStore.ts";
import { parseIndex } from "../../src/checkpoints/checkpointIndex.ts";
import { removedTime } from "../../src/checkpoints/checkpointRetention.ts";
import { Checkpoints } from "../../src/checkpoints/checkpoints.ts";
import type { CurrentFiles } from "../../src/checkpoints/restorePlanner.ts";
import type { CheckpointTrees } from "../../src/checkpoints/checkpointTrees.ts";
import { findGit } from "../../src/git/gitProgram.ts";
import { GitTrees } from "../../src/checkpoints/gitTrees.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { World } from "../support/fakes/checkpointWorld.ts";
import { until } from "../support/fakes/until.ts";

describe("checkpoints", () => {
  it("restore the texts from the start of a turn, delete created files and recreate deleted files", async () => {
    const world = new World();
    world.user("/w/a", "one\n");
    world.user("/w/gone", "was here\n");
    await world.begin("t1");
    world.agent("/w/a", "two\n");
    world.agent("/w/new", "made\n");
    await world.begin("t2");
    world.agent("/w/a", "three\n");
    world.agent("/w/gone", null);
    const second = await world.checkpoints.planRestore("t2", world.now);
    assert.deepEqual(second.files, [
      { path: "/w/a", to: "two\n", now: "three\n", changedSince: false },
      { path: "/w/gone", to: "was here\n", now: null, changedSince: false },
    ]);
    await world.restore(await world.checkpoints.planRestore("t1", world.now));
    assert.deepEqual([...world.files].sort(), [
      ["/w/a", "one\n"],
      ["/w/gone", "was here\n"],
    ]);
  });

  it("take no text of a tree for a change by others between two touches, if it is the one before the first", async () => {
    const starts = new Map([["/w/a", "one\n"]]);
    const trees: CheckpointTrees = {
      take: async () => [{ folder: "/w", tree: "t", left: [] }],
      textAt: async (_, path) => starts.get(path) ?? null,
      stateAt: async (_, path) => ({ kind: "file", bytes: Buffer.from(starts.get(path) ?? ""), executable: false }),
      filesAt: async () => undefined,
      changed: async () => ({ files: [], more: 0 }),
      keepOnly: async () => {},
    };
    const changedSince = async (before: string): Promise<boolean | undefined> => {
      const world = new World(trees);
      await world.begin("t1");
      const { checkpoints } = world;
      checkpoints.touched({ turn: "t1", path: "/w/a", before: undefined });
      checkpoints.writtenState("/w/a", { kind: "file", bytes: Uint8Array.of(0, 255), executable: false });
      checkpoints.touched({ turn: "t1", path: "/w/a", before });
      checkpoints.written("/w/a", "two\n");
      world.user("/w/a", "two\n");
      return (await checkpoints.planRestore("t1", world.now)).files[0]?.changedSince;
    };
    assert.equal(await changedSince("one\n"), false);
    assert.equal(await changedSince("user's\n"), true);
  });

  it("plan a restore of the moment in which it was asked for, although the agent goes on", async () => {
    const world = new World();
    const paths = Array.from({ length: 40 }, (_, i) => `/w/${String(i).padStart(2, "0")}`);
    for (const path of paths) world.user(path, "0\n");
    await world.begin("t1");
    for (const path of paths) world.agent(path, "1\n");
    const last = paths.at(-1) ?? "";
    let hasGoneOn = false;
    const { files } = await world.checkpoints.planRestore("t1", {
      text: path => {
        const text = world.now.text(path);
        if (!hasGoneOn) world.agent(last, "2\n");
        hasGoneOn = true;
        return text;
      },
    });
    assert.deepEqual(
      files.filter(({ changedSince }) => changedSince).map(({ path }) => path),
      [last],
    );
    assert.equal((await world.checkpoints.planRestore("t1", world.now)).files.at(-1)?.changedSince, false);
  });

  it("list the files that the user changed since, between two writes as well as after the last", async () => {
    const world = new World();
    for (const path of ["/w/after", "/w/between", "/w/meanwhile", "/w/not"]) world.user(path, "0\n");
    await world.begin("t1");
    for (const path of world.files.keys()) world.agent(path, "1\n");
    world.user("/w/meanwhile", "user's\n");
    world.agent("/w/meanwhile", "2\n");
    world.user("/w/between", "user's\n");
    await world.begin("t2");
    world.agent("/w/between", "3\n");
    world.user("/w/after", "user's\n");
    const { files } = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual(
      files.map(({ path, changedSince }) => [path, changedSince]),
      [
        ["/w/after", true],
        ["/w/between", true],
        ["/w/meanwhile", true],
        ["/w/not", false],
      ],
    );
  });

  it("report files whose text is unknown, and omit files that have not changed", async () => {
    const world = new World();
    world.user("/w/same", "s\n");
    world.user("/w/unknown", "u\n");
    await world.begin("t1");
    world.checkpoints.touched({ turn: "t1", path: "/w/unknown", before: undefined });
    world.checkpoints.written("/w/unknown", "v\n");
    world.checkpoints.touched({ turn: "t1", path: "/w/same", before: "s\r\n" });
    const plan = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual([plan.files, plan.unknown], [[], ["/w/unknown"]]);
    await assert.rejects(world.checkpoints.planRestore("no such turn", world.now), /no longer kept/);
  });

  it("report a file whose text was lost from the store", async () => {
    const world = new World();
    world.user("/w/a", "0\n");
    await world.begin("t1");
    world.agent("/w/a", "1\n");
    await world.reload();
    world.store.contents.clear();
    const plan = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual([plan.files, plan.unknown], [[], ["/w/a"]]);
  });

  it("survive a reload, with each text stored once", async () => {
    const world = new World();
    world.user("/w/a", "same\n");
    world.user("/w/b", "same\n");
    await world.begin("t1");
    world.agent("/w/a", "x\n");
    world.agent("/w/b", "y\n");
    await world.reload();
    assert.deepEqual([...world.checkpoints.turns], ["t1"]);
    assert.equal(world.store.contents.size, 1);
    await world.restore(await world.checkpoints.planRestore("t1", world.now));
    assert.deepEqual(
      [...world.files],
      [
        ["/w/a", "same\n"],
        ["/w/b", "same\n"],
      ],
    );
  });

  it("keep the review before each turn and before a restore", async () => {
    const world = new World();
    world.user("/w/a", "0\n");
    await world.begin("t1");
    world.checkpoints.reviewBefore("t1", "review before t1");
    world.agent("/w/a", "1\n");
    const plan = await world.checkpoints.planRestore("t1", world.now);
    const restore = await world.checkpoints.recordRestore(plan, plan.files, new Map(), "review before the restore");
    await world.reload();
    assert.equal(await world.checkpoints.reviewAt("t1"), "review before t1");
    assert.equal(await world.checkpoints.reviewAt(restore), "review before the restore");
    assert.equal(await world.checkpoints.reviewAt("none"), undefined);
  });

  it("remove the oldest by number and age, and drop the contents that only they use a week later", async () => {
    const world = new World();
    world.limits.count = 2;
    world.user("/w/a", "0\n");
    for (const turn of ["t1", "t2", "t3"]) {
      await world.begin(turn);
      world.agent("/w/a", `${turn}\n`);
    }
    await world.checkpoints.flush();
    assert.deepEqual([...world.checkpoints.turns], ["t2", "t3"]);
    assert.equal(world.store.contents.size, 3, "the text before t1 is there for a week");
    world.clock.advance(removedTime);
    await world.reload();
    await until(() => world.store.contents.size === 2);
    world.limits.age = 1000;
    await world.reload();
    assert.deepEqual([...world.checkpoints.turns], []);
    assert.equal(world.store.contents.size, 2);
    world.clock.advance(removedTime);
    await world.reload();
    await until(() => world.store.contents.size === 0);
    assert.deepEqual(parseIndex(world.store.index ?? ""), []);
  });

  it("come back as they were within a week after a limit removed them, also after a reload", async () => {
    const world = new World();
    let removals = 0;
    const listen = (): void => void world.checkpoints.onDidRemove(() => removals++);
    listen();
    world.limits.count = 1;
    world.user("/w/a", "0\n");
    for (const turn of ["t1", "t2", "t3"]) {
      await world.begin(turn);
      world.agent("/w/a", `${turn}\n`);
    }
    assert.equal(removals, 2);
    assert.deepEqual([...world.checkpoints.turns], ["t3"]);
    await assert.rejects(world.checkpoints.planRestore("t1", world.now), /no longer kept/);
    await world.reload();
    world.clock.advance(removedTime - 1);
    assert.deepEqual(await world.checkpoints.removed(), [{ isSeen: false }, { isSeen: false }]);
    await world.checkpoints.markSeen();
    assert.deepEqual(await world.checkpoints.removed(), [{ isSeen: true }, { isSeen: true }]);
    assert.equal(await world.checkpoints.restoreRemoved(), 2);
    assert.deepEqual([...world.checkpoints.turns], ["t1", "t2", "t3"]);
    const plan = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual(plan.files, [{ path: "/w/a", to: "0\n", now: "t3\n", changedSince: false }]);
    // The limit leaves them alone for as long as a new one.
    await world.begin("t4");
    await world.reload();
    assert.deepEqual([...world.checkpoints.turns], ["t1", "t2", "t3", "t4"]);
    assert.equal(await world.checkpoints.restoreRemoved(), 0);
  });

  it("fire an event when the list changes, and are all removed when they are deleted", async () => {
    const world = new World();
    let changes = 0;
    world.checkpoints.onDidChange(() => changes++);
    await world.begin("t1");
    assert.equal(changes, 1);
    world.agent("/w/a", "1\n");
    assert.equal(changes, 1);
    await world.checkpoints.clear();
    assert.deepEqual(
      [changes, world.checkpoints.turns.size, world.store.index, world.store.contents.size],
      [2, 0, undefined, 0],
    );
  });

  it("log a failing store and an unreadable index, and continue", async () => {
    const world = new World();
    world.store.fails = true;
    await world.begin("t1");
    assert.ok(world.warnings.includes("A checkpoint could not be stored."));
    world.store.fails = false;
    world.user("/w/a", "0\n");
    world.agent("/w/a", "1\n");
    await world.reload();
    assert.deepEqual((await world.checkpoints.planRestore("t1", world.now)).files.length, 1);
    world.store.index = "{";
    await world.reload();
    assert.equal(world.checkpoints.turns.size, 0);
    assert.ok(world.warnings.includes("The checkpoints of this session could not be read."));
    await world.begin("t2");
    assert.deepEqual([...world.checkpoints.turns], ["t2"]);
  });

  it("know the files at the start of a turn only when its trees are taken", async () => {
    const folder = "/w";
    let taken = (): void => {};
    const world = new World({
      take: () => new Promise(resolve => (taken = () => resolve([{ folder, tree: "t", left: [] }]))),
      textAt: () => Promise.resolve("text\n"),
      filesAt: () => Promise.resolve([]),
      stateAt: () => Promise.resolve(undefined),
      changed: () => Promise.resolve({ files: [], more: 0 }),
      keepOnly: () => Promise.resolve(),
    });
    const begun = world.begin("t1");
    const start = world.checkpoints.startOf("t1");
    const text = world.checkpoints.textAt("t1", "/w/a");
    await until(() => world.clock.pendingTimers === 1);
    taken();
    assert.deepEqual([(await start)?.folders, await text], [[folder], "text\n"]);
    await begun;
  });

  it("work without a tree that takes too long or fails, and log a warning", async () => {
    const never: CheckpointTrees = {
      take: signal => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
      textAt: () => Promise.reject(new Error("gone")),
      filesAt: () => Promise.reject(new Error("gone")),
      stateAt: () => Promise.reject(new Error("gone")),
      changed: () => Promise.reject(new Error("gone")),
      keepOnly: () => Promise.resolve(),
    };
    const world = new World(never);
    const begun = world.begin("t1");
    await until(() => world.clock.pendingTimers === 1);
    world.clock.advance(1800);
    await begun;
    assert.deepEqual(world.warnings, ["A checkpoint has no tree of the workspace because taking it took too long."]);
    assert.equal(await world.checkpoints.textAt("t1", "/w/a"), undefined);
    const ending = world.begin("t2");
    await until(() => world.clock.pendingTimers === 1);
    world.checkpoints.dispose();
    await ending;
    assert.equal(world.warnings.length, 1);
  });

  it("undo a restore, and undo that undo; a file that was changed since is kept", async () => {
    const world = new World();
    world.user("/w/a", "0\n");
    await world.begin("t1");
    world.agent("/w/a", "1\n");
    world.agent("/w/b", "b\n");
    await world.restore(await world.checkpoints.planRestore("t1", world.now));
    await world.reload();
    const { lastRestore } = world.checkpoints;
    assert.ok(lastRestore);
    world.user("/w/a", "user's\n");
    const undo = await world.checkpoints.planUndo(lastRestore, world.now);
    assert.deepEqual(
      undo.files.map(({ path, to, changedSince }) => [path, to, changedSince]),
      [
        ["/w/a", "1\n", true],
        ["/w/b", "b\n", false],
      ],
    );
    const id = await world.restore(undo);
    assert.deepEqual([...world.files].sort(), [
      ["/w/a", "user's\n"],
      ["/w/b", "b\n"],
    ]);
    assert.equal(world.checkpoints.lastRestore, undefined);
    await world.restore(await world.checkpoints.planUndo(id, world.now));
    assert.equal(world.files.has("/w/b"), false);
  });

  it("can restore an earlier turn after a restore, which counts as a change of the agent", async () => {
    const world = new World();
    world.user("/w/a", "0\n");
    await world.begin("t1");
    world.agent("/w/a", "1\n");
    await world.begin("t2");
    world.agent("/w/a", "2\n");
    await world.restore(await world.checkpoints.planRestore("t2", world.now));
    await world.begin("t3");
    world.agent("/w/a", "3\n");
    const plan = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual(plan.files, [{ path: "/w/a", to: "0\n", now: "3\n", changedSince: false }]);
  });

  const path = fc.constantFrom("/w/a", "/w/b", "/w/c");
  const text = fc.option(fc.constantFrom("0\n", "1\n", "2\n", "", "x"), { nil: null });
  const step = fc.oneof(
    fc.record({ by: fc.constant("agent" as const), path, text }),
    fc.record({ by: fc.constant("user" as const), path, text }),
    fc.record({ by: fc.constant("turn" as const) }),
    fc.record({ by: fc.constant("reload" as const) }),
  );

  it("restore exactly the files at the start of a turn if the user changed nothing, never lose changes of the user, and can be undone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(), async (steps, choice) => {
        const world = new World();
        world.user("/w/a", "0\n");
        await world.begin("t0");
        const states = [new Map(world.files)];
        /** All changes since the first turn, with their file. */
        const happened: {
          readonly turn: number;
          readonly by: "agent" | "user";
          readonly path: string;
          readonly before: string | null;
          readonly after: string | null;
        }[] = [];
        for (const one of steps) {
          if (one.by === "reload") await world.reload();
          else if (one.by === "turn") {
            await world.begin(`t${states.length}`);
            states.push(new Map(world.files));
          } else {
            const before = world.files.get(one.path) ?? null;
            if (one.by === "agent") world.agent(one.path, one.text);
            else world.user(one.path, one.text);
            happened.push({ turn: states.length - 1, by: one.by, path: one.path, before, after: one.text });
          }
        }
        const turn = choice % states.length;
        const before = new Map(world.files);
        const plan = await world.checkpoints.planRestore(`t${turn}`, world.now);
        const id = await world.restore(plan);
        for (const path of ["/w/a", "/w/b", "/w/c"]) {
          const since = happened.filter(one => one.turn >= turn && one.path === path);
          const first = since.findIndex(one => one.by === "agent");
          // A change of the user before the agent's first touch stays. A change between or after the agent's writes
          // keeps the file as it is.
          const after = first < 0 ? [] : since.slice(first);
          const usersWork = after.some(({ by, after: left }, i) => {
            if (by !== "agent") return false;
            const next = after.slice(i + 1).find(one => one.by === "agent");
            return (next ? next.before : (before.get(path) ?? null)) !== left;
          });
          const start = first < 0 || usersWork ? (before.get(path) ?? null) : (since[first]?.before ?? null);
          assert.equal(world.files.get(path) ?? null, start, path);
          if (since.every(one => one.by === "agent")) assert.equal(start, states[turn]?.get(path) ?? null);
        }
        await world.restore(await world.checkpoints.planUndo(id, world.now));
        assert.deepEqual(new Map([...world.files].sort()), new Map([...before].sort()));
        world.checkpoints.dispose();
      }),
      { numRuns: 1000 },
    );
  });
});

describe("checkpoints with trees and a store on disk", () => {
  let base: string;
  beforeEach(async () => (base = await realpath(await mkdtemp(join(tmpdir(), "parley-checkpoints-")))));
  afterEach(() => rm(base, { recursive: true, force: true }));

  it("know files that no tool call reported, list them as changed by someone else, and are deleted without a trace", async () => {
    const git = findGit();
    assert.ok(git, "git is needed");
    const root = join(base, "work");
    execFileSync("git", ["init", "-q", root]);
    const folder = new CheckpointFolder(join(base, "own"));
    const own = folder.pathOf("session");
    const trees = new GitTrees({ git, folders: [root], storageFolder: join(own, "trees"), log: nullLog });
    const clock = new FakeClock();
    const checkpoints = new Checkpoints({
      store: folder.session("session"),
      trees,
      clock,
      log: nullLog,
      newId: () => "1",
      limits: () => ({ count: 50, age: 1e12 }),
    });
    const now: CurrentFiles = { text: path => readFile(path, "utf8").catch(() => null) };
    await writeFile(join(root, "quiet"), "0\n");
    await writeFile(join(root, "reported"), "0\n");
    await checkpoints.beginTurn("t1");
    assert.equal(await checkpoints.textAt("t1", join(root, "reported")), "0\n");
    checkpoints.touched({ turn: "t1", path: join(root, "reported"), before: undefined });
    await writeFile(join(root, "reported"), "1\n");
    checkpoints.written(join(root, "reported"), "1\n");
    await writeFile(join(root, "quiet"), "1\n");
    await writeFile(join(root, "new"), "1\n");
    const plan = await checkpoints.planRestore("t1", now);
    assert.deepEqual(
      plan.files.map(({ path, to, changedSince }) => [path.slice(root.length + 1), to, changedSince]),
      [
        ["new", null, true],
        ["quiet", "0\n", true],
        ["reported", "0\n", false],
      ],
    );
    assert.deepEqual(await folder.sessions(), ["session"]);
    await checkpoints.flush();
    await checkpoints.clear();
    assert.deepEqual(await folder.sessions(), []);
    assert.deepEqual(await readdir(join(base, "own")), []);
    assert.throws(() => folder.pathOf("../elsewhere"));
  });
});
