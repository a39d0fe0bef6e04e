// What the history learns from a real git.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { FileEvents } from "../../src/files/vscode/fileEvents.ts";
import type { FileFact, WindowFact } from "../../src/history/facts.ts";
import { HeadSensor } from "../../src/history/vscode/headSensor.ts";
import { until } from "../support/fakes/until.ts";
import { whenWatched } from "../support/host/whenWatched.ts";

describe("the sensor of HEAD", () => {
  it("notes each commit and checkout", async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    const folder = await mkdtemp(join(await realpath(workspace), "head-"));
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=b", ...args], { cwd: folder, stdio: "ignore" });
    const noted: (FileFact | WindowFact)[] = [];
    const fileEvents = new FileEvents();
    const sensor = new HeadSensor({
      fileEvents,
      roots: () => [folder],
      onDidChangeRoots: () => ({ dispose: () => {} }),
      facts: { note: fact => void noted.push(fact) },
      log: nullLog,
    });
    const isNoted = (what: string): boolean =>
      noted.some(fact => fact.type === "headMoved" && fact.folder === folder && fact.what === what);
    try {
      git("init", "-qb", "main");
      git("commit", "-qm", "first", "--allow-empty");
      await whenWatched(folder, fileEvents);
      git("commit", "-qm", "second", "--allow-empty");
      await until(() => isNoted("commit: second"));
      git("checkout", "-qb", "other");
      await until(() => isNoted("checkout: moving from main to other"));
    } finally {
      sensor.dispose();
      fileEvents.dispose();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});
