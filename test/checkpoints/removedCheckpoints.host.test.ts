// The notice of checkpoints that a limit removed, on a real disk: Undo, Undo after a reload of the window, and no notice too many.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { RemovedCheckpoints } from "../../src/checkpoints/vscode/removedCheckpoints.ts";
import { SessionCheckpoints } from "../../src/checkpoints/vscode/sessionCheckpoints.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

const day = 24 * 60 * 60 * 1000;

describe("checkpoints that a limit removed", () => {
  const { showInformationMessage, showWarningMessage } = vscode.window;
  let folder: string;
  let clock: FakeClock;
  let limits: { maxCount: number; maxAgeDays: number };
  let elsewhere: Set<string>;
  let state: Map<string, unknown>;
  let checkpoints: SessionCheckpoints;
  let removed: RemovedCheckpoints;
  let notices: { readonly message: string; readonly press: (button: string | undefined) => void }[];
  let messages: string[];

  const openWindow = (): void => {
    checkpoints = new SessionCheckpoints({
      path: folder,
      roots: () => [],
      limits: () => limits,
      openElsewhere: () => Promise.resolve(elsewhere),
      newId: () => "id",
      clock,
      log: nullLog,
    });
    const globalState = {
      get: (key: string) => state.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    } as unknown as vscode.ExtensionContext["globalState"];
    removed = new RemovedCheckpoints({ checkpoints, globalState, clock, log: nullLog });
  };
  const closeWindow = async (): Promise<void> => {
    await checkpoints.flush();
    removed.dispose();
    checkpoints.dispose();
  };
  const reload = async (): Promise<void> => {
    await closeWindow();
    openWindow();
  };
  const begin = async (session: string, ...turns: readonly string[]): Promise<void> => {
    for (const turn of turns) await checkpoints.forSession(session, folder).beginTurn(turn);
  };
  const turns = async (session: string): Promise<readonly string[]> => {
    const one = checkpoints.forSession(session, folder);
    await one.flush();
    return [...one.turns];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-checkpoints-"));
    clock = new FakeClock();
    limits = { maxCount: 50, maxAgeDays: 30 };
    elsewhere = new Set();
    state = new Map();
    notices = [];
    messages = [];
    Object.assign(vscode.window, {
      showInformationMessage: (message: string, ...buttons: string[]) => {
        if (buttons.length === 0) return Promise.resolve(void messages.push(message));
        assert.deepEqual(buttons, ["Undo", "Change Limits", "Don't Show Again"]);
        return new Promise(press => notices.push({ message, press }));
      },
      showWarningMessage: (message: string) => Promise.resolve(void messages.push(message)),
    });
    openWindow();
  });
  afterEach(async () => {
    await closeWindow();
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage });
    rmSync(folder, { recursive: true });
  });

  it("come back with Undo", async () => {
    limits.maxCount = 1;
    await begin("s", "t1", "t2");
    await until(() => notices.length === 1);
    assert.equal(
      notices[0]?.message,
      "Parley removed a checkpoint because of the limits in your settings. It can be restored for a week.",
    );
    assert.deepEqual(await turns("s"), ["t2"]);
    notices[0]?.press("Undo");
    await until(() => messages.length === 1);
    assert.deepEqual([messages, await turns("s")], [["Restored a checkpoint."], ["t1", "t2"]]);
  });

  it("come back in the next window, also those of sessions that are not open, by the notice and by the command", async () => {
    await begin("a", "t1", "t2");
    await begin("b", "t3");
    await reload();
    clock.advance(31 * day);
    await checkpoints.prune();
    await until(() => notices.length === 1);
    await reload();
    await checkpoints.prune();
    removed.announce();
    await until(() => notices.length === 2);
    assert.equal(
      notices[1]?.message,
      "Parley removed 3 checkpoints because of the limits in your settings. They can be restored for a week.",
    );
    notices[1]?.press(undefined);
    await until(async () => (await checkpoints.removed()).every(({ isSeen }) => isSeen));
    await reload();
    removed.announce();
    await removed.restore();
    assert.deepEqual(messages, ["Restored 3 checkpoints."]);
    assert.deepEqual([await turns("a"), await turns("b"), notices.length], [["t1", "t2"], ["t3"], 2]);
    await removed.restore();
    assert.deepEqual(messages[1], "There are no removed checkpoints. Parley keeps removed checkpoints for a week.");
  });

  it("are gone after a week, and those of other windows stay", async () => {
    await begin("a", "t1");
    await begin("b", "t2");
    await reload();
    elsewhere.add("b");
    clock.advance(31 * day);
    await checkpoints.prune();
    assert.equal((await checkpoints.removed()).length, 1);
    clock.advance(7 * day - 1);
    await checkpoints.prune();
    assert.equal((await checkpoints.removed()).length, 1);
    clock.advance(1);
    await checkpoints.prune();
    assert.deepEqual([existsSync(join(folder, "a")), existsSync(join(folder, "b"))], [false, true]);
  });

  it("are announced at most once a day, and never if the user wants that", async () => {
    limits.maxCount = 1;
    await begin("s", "t1", "t2");
    await until(() => notices.length === 1);
    notices[0]?.press(undefined);
    await until(async () => (await checkpoints.removed()).every(({ isSeen }) => isSeen));
    await begin("s", "t3", "t4");
    assert.equal(notices.length, 1);
    clock.advance(day);
    await until(() => notices.length === 2);
    assert.match(notices[1]?.message ?? "", /^Parley removed 2 checkpoints/);
    notices[1]?.press("Don't Show Again");
    await until(() => state.size === 1);
    await reload();
    await begin("s", "t5");
    removed.announce();
    clock.advance(2 * day);
    assert.equal(notices.length, 2);
    assert.equal((await checkpoints.removed()).length, 4);
  });
});
