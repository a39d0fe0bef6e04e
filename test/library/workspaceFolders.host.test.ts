// The folders of a workspace with several of them: which one is asked for, offered first and remembered, and what an
// unused session passes on.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { sessionFolder } from "../../src/editor/folders.ts";
import { EditorWorkspaceFolders } from "../../src/library/vscode/editorWorkspaceFolders.ts";
import { WindowBench } from "../support/host/windowBench.ts";

/** A file system in memory, in which every path is a file. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }
  stat(): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 1 };
  }
  readDirectory(): [string, vscode.FileType][] {
    return [];
  }
  readFile(): Uint8Array {
    return Buffer.from("a");
  }
  createDirectory(): void {}
  writeFile(): void {}
  delete(): void {}
  rename(): void {}
}

describe("a new session in a workspace with several folders", () => {
  const { showQuickPick } = vscode.window;
  const own = vscode.workspace.workspaceFolders ?? [];
  let added: string;
  /** The lists that were shown, and the folder that the user takes. */
  const offered: (readonly string[])[] = [];
  let taken: string | undefined;
  const [first = ""] = own.map(({ name }) => name);
  const second = (): string => basename(added);

  before(() => {
    added = realpathSync(mkdtempSync(join(tmpdir(), "parley-folder-")));
    const folder = { uri: vscode.Uri.file(added), name: basename(added), index: 1 };
    Object.defineProperty(vscode.workspace, "workspaceFolders", { configurable: true, get: () => [...own, folder] });
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
        offered.push(items.map(({ label }) => label));
        return Promise.resolve(items.find(({ label }) => label === taken));
      },
    });
  });
  beforeEach(() => {
    offered.length = 0;
    taken = undefined;
  });
  after(() => {
    Object.defineProperty(vscode.workspace, "workspaceFolders", { configurable: true, get: () => own });
    Object.assign(vscode.window, { showQuickPick });
    rmSync(added, { recursive: true });
  });

  it("asks for the folder, starts nothing if the user cancels, and offers the last one first, also in the next window", async () => {
    const state = new Map<string, unknown>();
    const workspaceState = {
      get: (key: string) => state.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    } as object as vscode.Memento;
    let folders = new EditorWorkspaceFolders({ workspaceState });
    assert.equal(await folders.choose(), undefined);
    taken = second();
    assert.equal(await folders.choose(), added);
    folders.dispose();
    folders = new EditorWorkspaceFolders({ workspaceState });
    assert.equal(folders.usual(), added);
    taken = first;
    assert.equal(await folders.choose(), own[0]?.uri.fsPath);
    assert.deepEqual(offered, [
      [first, second()],
      [first, second()],
      [second(), first],
    ]);
    assert.equal(folders.nameOf(added), second());
    folders.dispose();
  });

  it("is in the worktree of the session before it, which has a notice and no message, if the user selects another agent", async () => {
    const bench = new WindowBench();
    try {
      bench.sessions.start("stub", undefined, "/trees/one")?.addNotice("This session works in a worktree.");
      await bench.sessions.startInChosenFolder(undefined, "other");
      assert.deepEqual([bench.state.agent?.id, bench.state.workspaceFolder], ["other", "/trees/one"]);
      assert.equal(bench.view().head.folder, "one");
      assert.deepEqual(offered, []);
    } finally {
      await bench.dispose();
    }
  });

  it("is in the folder of the unused session before it, and asks after a used one", async () => {
    const bench = new WindowBench();
    try {
      taken = second();
      await bench.sessions.startInChosenFolder();
      assert.equal(bench.state.workspaceFolder, added);
      await bench.sessions.startInChosenFolder(undefined, "other");
      assert.deepEqual([bench.state.agent?.id, bench.state.workspaceFolder], ["other", added]);
      assert.equal(offered.length, 1);
      assert.equal(bench.view().head.folder, second());
      bench.session?.send([{ type: "text", text: "hello" }]);
      const used = bench.session;
      taken = undefined;
      assert.equal(await bench.sessions.startInChosenFolder(undefined, "stub"), undefined);
      assert.equal(bench.session, used);
      taken = first;
      await bench.sessions.startInChosenFolder(undefined, "stub");
      assert.deepEqual([bench.state.agent?.id, bench.state.workspaceFolder], ["stub", own[0]?.uri.fsPath]);
    } finally {
      await bench.dispose();
    }
  });
});

describe("a window with a virtual folder", () => {
  const own = vscode.workspace.workspaceFolders ?? [];
  const open = (...folders: readonly vscode.WorkspaceFolder[]): void => {
    Object.defineProperty(vscode.workspace, "workspaceFolders", { configurable: true, get: () => folders });
  };
  const files = new MemoryFiles();
  const virtual = { uri: vscode.Uri.parse("parley-memory:/walrus"), name: "walrus", index: 0 };
  let registered: vscode.Disposable;
  before(() => {
    registered = vscode.workspace.registerFileSystemProvider("parley-memory", files);
  });
  afterEach(async () => {
    open(...own);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
  after(() => registered.dispose());
  const withFolders = <T>(run: (folders: EditorWorkspaceFolders) => T): T => {
    const folders = new EditorWorkspaceFolders({ workspaceState: new Map() as unknown as vscode.Memento });
    try {
      return run(folders);
    } finally {
      folders.dispose();
    }
  };

  it("says that agents need a folder on a disk, and offers to open one", () => {
    open(virtual);
    assert.deepEqual(
      withFolders(folders => folders.obstacle),
      {
        message:
          "Agents work with files on a disk, and this workspace is virtual (“parley-memory”). Open a folder on a disk for the agent to work in.",
        next: ["openFolder"],
      },
    );
    open();
    assert.match(withFolders(folders => folders.obstacle)?.message ?? "", /^Open a folder/);
  });

  it("works in a folder on a disk beside it, also while the editor shows a virtual file", async () => {
    open(virtual, ...own);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(virtual.uri, "a.txt"));
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, "parley-memory");
    assert.equal(
      withFolders(folders => folders.obstacle),
      undefined,
    );
    assert.equal(sessionFolder(), own[0]?.uri.fsPath);
  });
});
