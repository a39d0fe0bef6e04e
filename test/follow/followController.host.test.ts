// Following an agent in the real editor: which files open where, which actions pause it, and which tabs stay untouched.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { emptySession } from "../../src/session/state.ts";
import { FedEvents, runningState } from "../support/fakes/fedEvents.ts";
import { FollowController, type FollowTracker } from "../../src/follow/vscode/followController.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { until } from "../support/fakes/until.ts";
import { discardAll } from "../support/host/unsavedFiles.ts";

const text = Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join("");

describe("follow mode", () => {
  let root: string;
  let folder: string;
  let outside: string;
  let turn: string;
  let follow: FollowController;
  let agent: FollowTracker;
  let fed: FedEvents<void>;

  const path = (name: string): string => join(folder, name);
  const groups = (): readonly (readonly string[])[] =>
    vscode.window.tabGroups.all.map(group => group.tabs.map(tab => tab.label));
  const open = (): readonly string[] => groups().flat();
  const shown = (name: string): Promise<void> =>
    until(() => vscode.window.tabGroups.all.some(group => group.activeTab?.label === name));
  const editorOf = (name: string): vscode.TextEditor | undefined =>
    vscode.window.visibleTextEditors.find(editor => editor.document.uri.fsPath === path(name));
  /** Waits until the line is visible, in an editor that the window has laid out. */
  const inSight = (name: string, line: number): Promise<void> =>
    until(() => {
      const ranges = editorOf(name)?.visibleRanges ?? [];
      return ranges.some(range => range.start.line < line && line - 1 <= range.end.line);
    });
  const at = (name: string, line?: number, parent?: string): SessionEvent => ({
    type: "tool",
    toolCallId: `${name}:${line}`,
    patch: {
      kind: "read",
      status: "in_progress",
      locations: [{ path: path(name), ...(line !== undefined && { line }) }],
    },
    ...(parent !== undefined && { parent }),
  });
  const paused = (): Promise<void> => until(() => follow.state === "paused");

  before(async () => {
    root = await realpath(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
    outside = await mkdtemp(join(await realpath(tmpdir()), "parley-outside-"));
    await writeFile(join(outside, "secret.txt"), "secret\n");
  });
  after(() => rm(outside, { recursive: true, force: true }));

  beforeEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    folder = await mkdtemp(join(root, "follow-"));
    for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(path(name), text);
    turn = "first";
    follow = new FollowController({ clock: systemClock, log: nullLog, turn: () => turn });
    agent = follow.startSession(new Confinement(nodePaths(), [folder]), "session");
    follow.show("session");
    fed = new FedEvents(() => agent);
    agent.stateChanged(emptySession, runningState);
    follow.follow(true);
  });
  afterEach(async () => {
    agent.dispose();
    follow.dispose();
    await discardAll();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true });
  });

  it("shows the agent's locations in one preview tab", async () => {
    fed.feed(at("a.txt", 100));
    await inSight("a.txt", 100);
    fed.feed(at("b.txt", 300));
    await inSight("b.txt", 300);
    agent.afterRead({ path: path("c.txt"), line: 200, limit: 10 });
    await inSight("c.txt", 200);
    fed.feed(at("c.txt", 400));
    await inSight("c.txt", 400);
    assert.deepEqual(groups(), [["c.txt"]]);
    assert.equal(vscode.window.tabGroups.all[0]?.activeTab?.isPreview, true);
    assert.equal(follow.state, "on");
  });

  it("visits the files that a command's output names, if they exist", async () => {
    fed.feed({ type: "terminal", terminalId: "t", own: true, command: "test", cwd: folder });
    fed.feed({ type: "terminalOutput", terminalId: "t", text: `at a.txt:300:5\nat ${path("gone.txt")}:7\n` });
    await inSight("a.txt", 300);
    fed.feed({ type: "terminalOutput", terminalId: "t", text: "gone.txt:7: no\n" });
    fed.feed({ type: "terminalOutput", terminalId: "t", text: "b.txt(200,1): error\n" });
    await inSight("b.txt", 200);
    assert.deepEqual(open(), ["b.txt"]);
  });

  it("clamps lines beyond the end of the file", async () => {
    fed.feed(at("a.txt", 100_000));
    await inSight("a.txt", 500);
    assert.equal(follow.state, "on");
  });

  it("opens nothing until it is turned on, and then the latest location", async () => {
    follow.follow(false);
    fed.feed(at("a.txt", 100));
    fed.feed(at("b.txt", 100));
    await agent.aroundWrite(path("c.txt"), "", () => Promise.resolve({ saved: true }));
    follow.follow(true);
    await shown("c.txt");
    assert.deepEqual(open(), ["c.txt"]);
  });

  it("never leaves the session's folders, not even through a link", async () => {
    await symlink(outside, path("way-out"), "junction");
    for (const one of [join(outside, "secret.txt"), path(join("way-out", "secret.txt")), "relative.txt", ""]) {
      agent.afterRead({ path: one });
    }
    fed.feed(at("a.txt", 1));
    await shown("a.txt");
    assert.deepEqual(open(), ["a.txt"]);
  });

  it("skips a missing file and a missing text", async () => {
    await writeFile(path("binary"), new Uint8Array([0, 1, 2, 0, 255]));
    fed.feed(at("binary", 1));
    fed.feed(at("missing.txt", 1));
    fed.feed(at(".", 1));
    fed.feed(at("a.txt", 1));
    await shown("a.txt");
    assert.deepEqual(open(), ["a.txt"]);
  });

  it("does not follow sub-agents", async () => {
    fed.feed(at("b.txt", 100, "task"));
    agent.afterRead({ path: path("b.txt") });
    fed.feed(at("a.txt", 100));
    await shown("a.txt");
    assert.deepEqual(open(), ["a.txt"]);
  });

  it("visits the agent's writes, and the agent's changes do not pause it", async () => {
    fed.feed(at("a.txt", 1));
    await shown("a.txt");
    await agent.aroundWrite(path("a.txt"), "", async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path("a.txt")), new vscode.Position(299, 0), "new\n");
      await vscode.workspace.applyEdit(edit);
      await editorOf("a.txt")?.document.save();
      return { saved: true };
    });
    await inSight("a.txt", 300);
    assert.equal(follow.state, "on");
    // The agent's change pinned the tab. It still belongs to follow mode.
    fed.feed(at("b.txt", 1));
    await shown("b.txt");
    await until(() => open().length === 1);
    assert.equal(follow.state, "on");
  });

  it("keeps following a tab that VS Code makes permanent only after the agent's write", async () => {
    fed.feed(at("a.txt", 1));
    await shown("a.txt");
    await agent.aroundWrite(path("a.txt"), "", () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path("a.txt")), new vscode.Position(0, 0), "new\n");
      const dirty = new Promise<{ saved: true }>(resolve => {
        const listener = vscode.workspace.onDidChangeTextDocument(({ document }) => {
          if (!document.isDirty) return;
          listener.dispose();
          resolve({ saved: true });
        });
      });
      void vscode.workspace.applyEdit(edit);
      return dirty;
    });
    await until(async () => (await editorOf("a.txt")?.document.save()) === true);
    fed.feed(at("b.txt", 1));
    await shown("b.txt");
    await until(() => open().length === 1);
    assert.equal(follow.state, "on");
  });

  it("keeps the user's preview tab by opening a column of its own", async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(path("a.txt")), { preview: true });
    follow.follow(true);
    fed.feed(at("b.txt", 100));
    await inSight("b.txt", 100);
    fed.feed(at("c.txt", 100));
    await inSight("c.txt", 100);
    assert.deepEqual(groups(), [["a.txt"], ["c.txt"]]);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, path("a.txt"), "the focus stays");
  });

  it("opens next to tabs that are not previews, and does not move their cursors", async () => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path("a.txt")), { preview: false });
    const moved = new Promise<void>(resolve => {
      const listener = vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
        if (selections[0]?.active.line !== 7) return;
        listener.dispose();
        resolve();
      });
    });
    editor.selection = new vscode.Selection(7, 0, 7, 0);
    await moved;
    follow.follow(true);
    fed.feed(at("b.txt", 100));
    await inSight("b.txt", 100);
    fed.feed(at("a.txt", 200));
    await inSight("a.txt", 200);
    assert.deepEqual(groups(), [["a.txt", "b.txt"]]);
    assert.equal(editorOf("a.txt")?.selection.active.line, 7);
  });

  it("never covers the chat in a tab", async () => {
    // Parley's own tab would start the agent, and other tests rely on no agent having been started in this window.
    vscode.window.createWebviewPanel("parley.chatEditor", "Parley", vscode.ViewColumn.Active);
    await until(() => open().length === 1);
    const [chat] = open();
    follow.follow(true);
    fed.feed(at("a.txt", 100));
    await inSight("a.txt", 100);
    fed.feed(at("b.txt", 100));
    await inSight("b.txt", 100);
    assert.deepEqual(groups(), [[chat], ["b.txt"]]);
    assert.equal(vscode.window.tabGroups.all[0]?.activeTab?.label, chat);
  });

  describe("is paused when the user", () => {
    beforeEach(async () => {
      fed.feed(at("a.txt", 100));
      await inSight("a.txt", 100);
      assert.equal(follow.state, "on");
    });

    /** Follow mode is paused: locations are no longer shown, and turning it on again shows the latest. */
    async function assertStopped(): Promise<void> {
      await paused();
      fed.feed(at("b.txt", 100));
      fed.feed(at("c.txt", 100));
      follow.toggle();
      await shown("c.txt");
      assert.ok(!open().includes("b.txt"));
      assert.equal(follow.state, "on");
    }

    const focus = async (): Promise<void> => {
      await vscode.window.showTextDocument(vscode.Uri.file(path("a.txt")), { preserveFocus: false });
    };

    it("scrolls", async () => {
      await focus();
      await vscode.commands.executeCommand("editorScroll", { to: "down", by: "line", value: 3 });
      await assertStopped();
    });
    it("moves the cursor", async () => {
      await focus();
      await vscode.commands.executeCommand("cursorMove", { to: "down" });
      await assertStopped();
    });
    it("changes the text", async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path("a.txt")), new vscode.Position(99, 0), "mine");
      await vscode.workspace.applyEdit(edit);
      await assertStopped();
      assert.ok(open().includes("a.txt"), "what the user changed is the user's");
    });
    it("goes to another tab", async () => {
      await vscode.window.showTextDocument(vscode.Uri.file(path("b.txt")), { preview: false });
      await paused();
    });
    it("closes the tab, and the file is not opened again in this turn", async () => {
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await paused();
      follow.toggle();
      fed.feed(at("a.txt", 200));
      fed.feed(at("b.txt", 200));
      await shown("b.txt");
      fed.feed(at("a.txt", 300));
      fed.feed(at("c.txt", 300));
      await shown("c.txt");
      assert.deepEqual(open(), ["c.txt"]);
      turn = "second";
      fed.feed(at("a.txt", 400));
      await inSight("a.txt", 400);
    });
  });

  it("does not move after the turn has ended, and is off in another session until the user follows that one", async () => {
    fed.feed(at("a.txt", 100));
    await inSight("a.txt", 100);
    follow.follow(false);
    agent.stateChanged(runningState, emptySession);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    follow.follow(true);
    const next = follow.startSession(new Confinement(nodePaths(), [folder]), "next");
    follow.show("next");
    assert.equal(follow.state, "off");
    // The hidden session moves nothing.
    fed.feed(at("b.txt", 100));
    follow.follow(true);
    new FedEvents(() => next).feed(at("c.txt", 100));
    await shown("c.txt");
    assert.deepEqual(open(), ["c.txt"]);
    follow.show("session");
    assert.equal(follow.state, "on", "the user follows this session");
    next.dispose();
    assert.equal(follow.state, "on");
    agent.dispose();
    assert.equal(follow.state, "off");
  });
});

describe("the default keybindings of Parley", () => {
  it("do not conflict with VS Code's", async () => {
    const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
    const own = (await vscode.workspace.openTextDocument(uri)).getText();
    const defaults = JSON.parse(own.replace(/^\s*\/\/.*$/gm, "")) as readonly Binding[];
    const parley = defaults.filter(({ command }) => command.startsWith("parley."));
    // While a commit message is written, Escape cancels it, before it clears the box.
    const sometimes = /focusedView|editor|parley\.\w+At|parley\.writesCommitMessage/;
    const always = parley.filter(({ when }) => when === undefined || !sometimes.test(when));
    assert.ok(always.some(({ command }) => command === "parley.toggleFollow"));
    for (const { key, command } of always) {
      const others = defaults.filter(other => other.key === key && !other.command.startsWith("parley."));
      assert.deepEqual(others, [], `${command} has the key ${key}`);
    }
  });
});

interface Binding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}
