// One watcher for each folder of the window, shared by all listeners.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { until } from "../support/fakes/until.ts";
import { FileEvents, type FileEvent } from "../../src/files/vscode/fileEvents.ts";

describe("FileEvents", () => {
  const { createFileSystemWatcher } = vscode.workspace;
  let folder: string;
  let events: FileEvents;
  let opened: number;
  let closed: number;

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    folder = await mkdtemp(join(await realpath(workspace), "events-"));
    events = new FileEvents();
    [opened, closed] = [0, 0];
    vscode.workspace.createFileSystemWatcher = (...args) => {
      const watcher = createFileSystemWatcher(...args);
      // Other extensions and the extension under test open watchers at any time.
      const [pattern] = args;
      if (typeof pattern === "string" || pattern.baseUri.fsPath !== folder) return watcher;
      opened++;
      const close = watcher.dispose.bind(watcher);
      watcher.dispose = () => {
        closed++;
        close();
      };
      return watcher;
    };
  });
  afterEach(async () => {
    vscode.workspace.createFileSystemWatcher = createFileSystemWatcher;
    events.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (name: string): string => join(folder, name);
  /**
   * Writes files in numbered folders with this name until one is reported. Just after a folder is created, VS Code does not
   * report all files in it, and sometimes never the ones in a folder that was created with its parent. Many files at once
   * would make VS Code delay its reports.
   */
  const putUntilSeen = async (name: string, seen: readonly FileEvent[], ...below: readonly string[]): Promise<void> => {
    let count = 0;
    let writtenAt = -Infinity;
    await until(async () => {
      if (Date.now() > writtenAt + 200) {
        const file = join(path(`${name}-${++count}`), ...below, "file.txt");
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, "text");
        writtenAt = Date.now();
      }
      const isFile = ({ path: at }: FileEvent): boolean => at.startsWith(path(name)) && at.endsWith("file.txt");
      return seen.some(event => event.type === "created" && isFile(event));
    });
  };

  it("has one watcher for all listeners of a folder, until the last one leaves", async () => {
    const [one, two]: [FileEvent[], FileEvent[]] = [[], []];
    const first = events.watchFolder(folder, event => one.push(event));
    const second = events.watchFolder(folder, event => two.push(event));
    assert.deepEqual([opened, closed], [1, 0]);
    await putUntilSeen("a", one);
    await putUntilSeen("in", two, "a", "folder");
    assert.ok(one.length > 0 && two.length > 0);

    first.dispose();
    first.dispose();
    const before = one.length;
    await putUntilSeen("b", two);
    assert.deepEqual([one.length, opened, closed], [before, 1, 0]);

    second.dispose();
    assert.deepEqual([opened, closed], [1, 1]);
    events.watchFolder(folder, () => {});
    assert.deepEqual([opened, closed], [2, 1]);
  });

  it("notifies all listeners although one throws", async () => {
    const seen: FileEvent[] = [];
    events.watchFolder(folder, () => {
      throw new Error("expected by the test");
    });
    events.watchFolder(folder, event => seen.push(event));
    await putUntilSeen("a", seen);
  });

  it("ends all watchers when it is disposed", () => {
    events.watchFolder(folder, () => {});
    const last = events.watchFile(path("a.txt"), () => {});
    assert.deepEqual([opened, closed], [2, 0]);
    events.dispose();
    last.dispose();
    assert.equal(closed, 2);
  });
});
