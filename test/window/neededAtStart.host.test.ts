// Whether a window loads the extension at its start: only if an earlier window left something to show.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { OpenedFolders } from "../../src/library/openedFolders.ts";
import { hasParleyTab, hasStoredWork } from "../../src/window/startup/neededAtStart.ts";

describe("a window at its start", () => {
  let folder: string;
  const context = (): vscode.ExtensionContext =>
    ({
      storageUri: vscode.Uri.file(folder),
      globalStorageUri: vscode.Uri.file(join(folder, "global")),
    }) as Partial<vscode.ExtensionContext> as vscode.ExtensionContext;
  const store = (name: string, text: string): void => writeFileSync(join(folder, "sessions", name), text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-start-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("needs nothing if nothing is stored, or if everything was reviewed and compared", async () => {
    assert.equal(await hasStoredWork(context()), false);
    mkdirSync(join(folder, "sessions"));
    store("review.json", '{"files":[],"titles":{}}');
    store("reviewTurn.json", "");
    assert.equal(await hasStoredWork(context()), false);
  });

  it("shows changes that wait for review, and compares a turn that the end of a window interrupted", async () => {
    mkdirSync(join(folder, "sessions"));
    store("review.json", '{"files":[{"path":"/w/a.ts"}],"titles":{}}');
    assert.equal(await hasStoredWork(context()), true);
    store("review.json", '{"files":[],"titles":{}}');
    store("reviewTurn.json", '{"turn":"t1"}');
    assert.equal(await hasStoredWork(context()), true);
  });

  it("shows comments on lines", async () => {
    mkdirSync(join(folder, "comments"));
    assert.equal(await hasStoredWork(context()), false);
    writeFileSync(join(folder, "comments", "c1.json"), "{}");
    assert.equal(await hasStoredWork(context()), true);
  });

  it("shows the session that another window requests, and none for another folder", async () => {
    const folders = new OpenedFolders({ path: join(folder, "global", "folders"), extension: "a.b", log: nullLog });
    await folders.request({ sessionsFolder: join(folder, "other", "sessions") }, { session: "s" }, 1);
    assert.equal(await hasStoredWork(context()), false);
    const own = { sessionsFolder: vscode.Uri.file(join(folder, "sessions")).fsPath };
    await folders.request(own, { session: "s" }, 1);
    assert.equal(await hasStoredWork(context()), true);
    assert.deepEqual(await folders.takeRequest(own, 2), { session: "s" });
    assert.equal(await hasStoredWork(context()), false);
  });

  it("lets the extension report files that cannot be read", async () => {
    mkdirSync(join(folder, "sessions", "review.json"), { recursive: true });
    assert.equal(await hasStoredWork(context()), true);
  });

  it("provides the documents of its tabs", () => {
    const tab = (input: unknown): vscode.Tab => ({ input }) as Partial<vscode.Tab> as vscode.Tab;
    const file = vscode.Uri.file("/w/a.ts");
    assert.equal(hasParleyTab([tab(undefined), tab(new vscode.TabInputText(file))]), false);
    assert.equal(hasParleyTab([tab(new vscode.TabInputTextDiff(vscode.Uri.parse("parley-base:/w/a.ts"), file))]), true);
    assert.equal(hasParleyTab([tab(new vscode.TabInputText(vscode.Uri.parse("parley-plan:a")))]), true);
  });
});
