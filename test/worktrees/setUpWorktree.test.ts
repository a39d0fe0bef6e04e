// The set-up of a worktree before the agent of its session starts, with real commands.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { until } from "../support/fakes/until.ts";
import { ProblemError } from "../../src/base/errors.ts";
import { nullLog } from "../../src/base/log.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { SessionTerminals } from "../../src/terminals/sessionTerminals.ts";
import { WorktreeSetUp } from "../../src/worktrees/setUpWorktree.ts";
import { WorktreeRecords, type WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";

describe("the set-up of a worktree", () => {
  let base: string;
  let folder: string;
  let records: WorktreeRecords;
  let terminals: SessionTerminals;
  let events: SessionEvent[];
  const settings = { setup: "", setupMinutes: 1 };
  let setUp: WorktreeSetUp;

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-set-up-")));
    folder = join(base, "tree");
    await mkdir(folder);
    records = new WorktreeRecords(join(base, "records"), nullLog);
    events = [];
    settings.setup = "";
    settings.setupMinutes = 1;
    setUp = new WorktreeSetUp({ records, settings: () => settings, newId: () => "1" });
    terminals = new SessionTerminals({
      ...{ confinement: new Confinement(nodePaths(), [folder]), workspaceFolder: folder },
      environment: hostEnvironment,
      report: event => events.push(event),
    });
    await records.write(record("created"));
  });
  afterEach(async () => {
    await terminals.close();
    await rm(base, { recursive: true, force: true });
  });

  const record = (state: WorktreeRecord["state"]): WorktreeRecord => ({
    ...{ path: folder, origin: join(base, "app"), commonFolder: join(base, "app", ".git") },
    ...{ branch: "one", base: "1".repeat(40), created: 1, state },
  });
  const never = new AbortController().signal;
  const prepare = (at = folder, signal = never): Promise<void> =>
    setUp.prepare(at, terminals, event => events.push(event), signal);
  const status = (): unknown =>
    events.flatMap(event => (event.type === "tool" && event.patch.status ? [event.patch.status] : [])).at(-1);

  it("runs the command of the settings in the worktree once, and shows it with its terminal", async () => {
    settings.setup = 'echo "$PARLEY_ORIGIN > $PARLEY_WORKTREE" >> made.txt';
    await prepare();
    assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), `${join(base, "app")} > ${folder}\n`);
    assert.equal(status(), "completed");
    assert.ok(events.some(event => event.type === "terminal"));
    assert.equal(records.of(folder)?.state, "prepared");
    await prepare();
    assert.equal(readFileSync(join(folder, "made.txt"), "utf8").split("\n").length, 2, "it does not run again");
  });

  it("runs what the repository proposes and the user allows, one command after the other, unless the settings have a command", async () => {
    const allowed = { commands: ["echo $ROOT_WORKTREE_PATH > made.txt", "echo two >> made.txt"], env: [] };
    let asks = 0;
    setUp = new WorktreeSetUp({
      ...{ records, settings: () => settings, newId: () => String(asks) },
      proposed: async () => {
        asks++;
        return { ...allowed, env: [{ name: "ROOT_WORKTREE_PATH", value: "/app" }] };
      },
    });
    settings.setup = "true";
    await prepare();
    assert.equal(asks, 0);
    settings.setup = " ";
    await records.write(record("created"));
    await prepare();
    assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "/app\ntwo\n");
    assert.equal(asks, 1);
    assert.equal(records.of(folder)?.state, "prepared");
  });

  it("runs nothing that the repository proposes if the user does not allow it, and says so", async () => {
    for (const answer of [undefined, { commands: [], env: [] }]) {
      setUp = new WorktreeSetUp({
        ...{ records, settings: () => settings, newId: () => "1" },
        proposed: () => Promise.resolve(answer),
      });
      await records.write(record("created"));
      await prepare();
      const title = "The set-up that “.cursor/worktrees.json” proposes was not run.";
      assert.deepEqual(events, answer ? [{ type: "notice", severity: "info", title }] : []);
      assert.equal(records.of(folder)?.state, "prepared");
    }
  });

  it("runs once for two sessions of the worktree, and both wait for it", async () => {
    settings.setup = "echo one >> made.txt";
    await Promise.all([prepare(), prepare(join(folder))]);
    assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "one\n");
  });

  it("keeps the agent from starting if the command fails, and can be tried again or skipped", async () => {
    settings.setup = "echo broken; exit 3";
    for (const _ of [1, 2])
      await assert.rejects(prepare(), (thrown: unknown) => {
        assert.ok(thrown instanceof ProblemError);
        assert.equal(thrown.problem.message, "The command that sets up the worktree ended with exit code 3.");
        assert.equal(thrown.problem.detail, "broken");
        assert.deepEqual(thrown.problem.next, ["retry", "startAnyway"]);
        return true;
      });
    assert.equal(status(), "failed");
    await setUp.skip(folder);
    await prepare();
  });

  it("stops the command at the time limit", async () => {
    settings.setup = "sleep 60";
    settings.setupMinutes = 0.5 / 60;
    await assert.rejects(prepare(), /was stopped after/);
    assert.equal(status(), "failed");
  });

  it("stops the command when the user cancels", async () => {
    settings.setup = "sleep 60";
    const controller = new AbortController();
    const preparing = assert.rejects(prepare(folder, controller.signal), /set-up of the worktree was cancelled/);
    await until(() => events.some(event => event.type === "terminal"));
    controller.abort();
    await preparing;
    await until(() => events.some(event => event.type === "terminal" && event.exit));
  });

  it("needs a worktree of Parley whose folder exists", async () => {
    settings.setup = "touch made.txt";
    await prepare(base);
    assert.ok(!existsSync(join(base, "made.txt")));
    await rm(folder, { recursive: true });
    await assert.rejects(prepare(), /of the worktree no longer exists/);
    await writeFile(folder, "");
    await assert.rejects(prepare(), /of the worktree no longer exists/);
  });
});
