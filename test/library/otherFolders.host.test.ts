// The sessions of all folders in the Sessions view, with the storages of two folders on a disk.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { DisposableStore, Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { ExtensionPlatform } from "../../src/editor/extensionPlatform.ts";
import type { LateTreeView } from "../../src/editor/lateTreeView.ts";
import type { RequestedSession } from "../../src/library/openedFolders.ts";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import type { ListedSession } from "../../src/library/sessionGroups.ts";
import {
  createOtherFolders,
  type OtherFoldersFeature,
  type OtherFoldersSources,
} from "../../src/library/vscode/createOtherFolders.ts";
import { sessionListCommands } from "../../src/library/vscode/sessionListCommands.ts";
import { SessionsTree, type SessionsRow } from "../../src/library/vscode/sessionsTree.ts";
import { sessionFileName } from "../../src/session/log/sessionStore.ts";
import { readSessionStorage } from "../../src/window/sessionStorage.ts";
import { until } from "../support/fakes/until.ts";

const extension = "owner.parley";

describe("the sessions of all folders", () => {
  const own = vscode.workspace.workspaceFolders;
  let root: string;
  let state: Map<string, unknown>;
  const stores: DisposableStore[] = [];
  const { executeCommand } = vscode.commands;
  let executed: unknown[];

  const storageOf = (name: string): string => join(root, "storage", name, extension);
  /** The feature in a window on this folder. */
  function openWindow(name: string, more: Partial<OtherFoldersSources> = {}): OtherFoldersFeature {
    const uri = vscode.Uri.file(join(root, "work", name));
    mkdirSync(uri.fsPath, { recursive: true });
    mkdirSync(join(storageOf(name), "sessions"), { recursive: true });
    Object.defineProperty(vscode.workspace, "workspaceFolders", {
      configurable: true,
      get: () => [{ uri, name, index: 0 }],
    });
    const store = new DisposableStore();
    stores.push(store);
    const context = {
      extension: { id: extension },
      storageUri: vscode.Uri.file(storageOf(name)),
      workspaceState: {
        get: (key: string, otherwise: unknown) => state.get(`${name} ${key}`) ?? otherwise,
        update: (key: string, value: unknown) => Promise.resolve(void state.set(`${name} ${key}`, value)),
      },
    };
    const feature = createOtherFolders(
      { context, store, clock: systemClock, log: nullLog } as unknown as ExtensionPlatform,
      {
        ...{ path: join(root, "global", "folders"), sessionsFolder: join(storageOf(name), "sessions") },
        agents: { definitions: () => [{ id: "robo", icon: "rocket" }] as never },
        openStorage: readSessionStorage,
        ...more,
      },
    );
    Object.defineProperty(vscode.workspace, "workspaceFolders", { configurable: true, get: () => own });
    return feature;
  }
  /** Resolves when so many windows have noted their folders. */
  const noted = (count: number): Promise<void> =>
    until(() => {
      const files = readdirSync(join(root, "global", "folders"), { recursive: true, encoding: "utf8" });
      return files.length === count && files.every(file => file.endsWith(".json"));
    });
  function storeSession(name: string, id: string, part: Partial<SessionEntry> = {}): void {
    const folder = join(storageOf(name), "sessions");
    mkdirSync(folder, { recursive: true });
    const entry = {
      id,
      agent: "robo",
      agentName: "Robo",
      folder: "/w",
      title: id,
      updated: Date.now(),
      status: "idle",
    };
    writeFileSync(join(folder, sessionFileName(id)), "{}\n");
    writeFileSync(join(folder, entryFileName(id)), JSON.stringify({ ...entry, ...part }));
  }
  function treeOf({ listed }: OtherFoldersFeature): SessionsTree {
    const store = stores.at(-1);
    const changed = new Emitter<void>();
    const session: ListedSession = {
      ...{ id: "mine", title: "mine", agentName: "Robo", updated: Date.now() },
      ...{ status: "idle", isUnread: false, isDone: false },
    };
    const view = { visible: true, onDidChangeVisibility: () => ({ dispose() {} }) };
    const tree = new SessionsTree({
      ...{ source: { sessions: () => [session], onDidChange: changed.event }, others: listed, clock: systemClock },
      view: { attach: () => view, setBadge() {} } as object as LateTreeView,
    });
    store?.add(tree);
    return tree;
  }
  const rowText = (tree: SessionsTree, row: SessionsRow): string => {
    const { label, description, iconPath, contextValue } = tree.getTreeItem(row);
    const icon = iconPath instanceof vscode.ThemeIcon ? `$(${iconPath.id}) ` : "";
    return `${icon}${String(label)} | ${String(description)} | ${contextValue}`;
  };
  const allRows = (tree: SessionsTree, row?: SessionsRow): readonly SessionsRow[] =>
    tree.getChildren(row).flatMap(child => [child, ...allRows(tree, child)]);
  const texts = (tree: SessionsTree): readonly string[] => allRows(tree).map(row => rowText(tree, row));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-all-folders-"));
    mkdirSync(join(root, "global", "folders"), { recursive: true });
    state = new Map();
    executed = [];
    Object.assign(vscode.commands, {
      executeCommand: (...call: unknown[]) =>
        call[0] === "vscode.openFolder"
          ? Promise.resolve(executed.push(call))
          : executeCommand(call[0] as string, ...call.slice(1)),
    });
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.dispose();
    Object.assign(vscode.commands, { executeCommand });
    // The stores write what they have read of logs, also after their end.
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  it("are known to be open in a running window before the window stores one that it lists", async () => {
    const { folders } = openWindow("a");
    openWindow("b");
    await noted(2);
    assert.deepEqual(await folders.openInWindows(), []);
    const record = { at: Date.now(), text: JSON.stringify({ live: ["blank"] }) };
    const file = (pid: number): string => join(storageOf("b"), "sessions", `window-one.${pid}.json`);
    writeFileSync(file(0), JSON.stringify(record));
    assert.deepEqual(await folders.openInWindows(), [], "that window is closed");
    writeFileSync(file(process.pid), JSON.stringify(record));
    assert.deepEqual(
      (await folders.openInWindows()).map(({ sessionsFolder }) => sessionsFolder),
      [join(storageOf("b"), "sessions")],
    );
  });

  it("stand below those of the folder on request, also in the next window, and writing is left to their windows", async () => {
    openWindow("web");
    storeSession("web", "old", { updated: Date.now() - 3_600_000, status: "working" });
    storeSession("web", "done", { done: true });
    storeSession("web", "open", { status: "waiting", unread: true });
    writeFileSync(
      join(storageOf("web"), "sessions", `window-x.${process.pid}.json`),
      JSON.stringify({ at: Date.now(), text: JSON.stringify({ live: ["open"] }) }),
    );
    storeSession("web", "broken");
    writeFileSync(join(storageOf("web"), "sessions", entryFileName("broken")), "{");
    await noted(1);
    const window = openWindow("api");
    storeSession("api", "mine");
    await noted(2);
    const tree = treeOf(window);
    const mine = ["Today | 1 | group", "$(comment-discussion) mine | now · Robo | session"];
    assert.deepEqual(texts(tree), mine);
    const files = (): unknown =>
      readdirSync(storageOf("web"), { recursive: true, encoding: "utf8" }).map(name => {
        const { mtimeMs, size } = statSync(join(storageOf("web"), name));
        return [name, mtimeMs, size, name.endsWith("json") ? readFileSync(join(storageOf("web"), name), "utf8") : ""];
      });
    const before = files();
    let refreshes = 0;
    tree.onDidChangeTreeData(() => refreshes++);

    await window.commands["parley.showAllFolders"]();
    const path = join(root, "work", "web").replace(homedir(), "~");
    const fault = "It is damaged. Open the folder, and Parley makes it again from the session.";
    const others = [
      `$(folder) web | ${path} | folder`,
      "$(bell-dot) open | now · Robo · open in another window | otherSession",
      "$(debug-disconnect) old | 1 h · Robo | otherSession",
      `$(warning) broken.session.json | ${fault} | damagedFile`,
    ];
    assert.deepEqual(texts(tree), [...mine, ...others]);
    assert.ok(refreshes > 0);
    const done = "$(check) done | now · Robo | otherSession";
    tree.showDone(true);
    assert.ok(texts(tree).includes(done));
    tree.showDone(false);
    for (const row of allRows(tree)) {
      const parent = tree.getParent(row);
      if (parent) assert.ok(tree.getChildren(parent).some(each => rowText(tree, each) === rowText(tree, row)));
      else assert.ok(row.kind === "group" || row.kind === "folder");
    }
    assert.equal(new Set(allRows(tree).map(row => tree.getTreeItem(row).id)).size, 6);

    // The next window on the folder lists them, too, until the user hides them.
    const next = openWindow("api");
    const nextTree = treeOf(next);
    await next.refresh();
    assert.deepEqual(texts(nextTree), [...mine, ...others]);
    storeSession("web", "later", { updated: Date.now() + 1000 });
    await next.refresh();
    assert.equal(texts(nextTree)[3], "$(rocket) later | now · Robo | otherSession");
    await next.commands["parley.hideAllFolders"]();
    assert.deepEqual(texts(nextTree), mine);
    const last = openWindow("api");
    await last.refresh();
    assert.deepEqual(last.listed.folders(), []);
    rmSync(join(storageOf("web"), "sessions", entryFileName("later")));
    rmSync(join(storageOf("web"), "sessions", sessionFileName("later")));
    const after = files() as readonly (readonly unknown[])[];
    const isFile = ([name]: readonly unknown[]): boolean => name !== "sessions";
    assert.deepEqual(after.filter(isFile), (before as typeof after).filter(isFile));
  });

  it("stand among those of the window if their folder is in its repository, without a request, and say where they are", async () => {
    for (const name of ["tree", "web"]) openWindow(name);
    const treePath = join(root, "work", "tree");
    storeSession("tree", "theirs", {
      updated: Date.now() - 1,
      folder: treePath,
      branches: [{ session: "theirs", from: "mine", after: "e1", at: 1 }],
    });
    storeSession("tree", "mine");
    storeSession("web", "other");
    await noted(2);
    const state = { comparedWith: "main", ahead: 2, behind: 0, files: 1, added: 1, removed: 0 };
    const window = openWindow("api", {
      related: (_own, paths) => Promise.resolve(new Set(paths.filter(path => path === treePath))),
      worktrees: {
        of: folder => (folder === treePath ? { branch: "parley/one", state } : undefined),
        onDidChange: () => ({ dispose() {} }),
      },
    });
    await noted(3);
    const tree = treeOf(window);
    let refreshes = 0;
    tree.onDidChangeTreeData(() => refreshes++);
    await window.refresh();
    assert.ok(refreshes > 0);
    const rows = [
      "Today | 2 | group",
      "$(comment-discussion) mine | now · Robo | session",
      "$(rocket) theirs | in tree · now · parley/one ↑2 · Robo | otherSession.worktree",
    ];
    assert.deepEqual(texts(tree), rows);
    const theirs = allRows(tree)[2];
    assert.ok(theirs && tree.getParent(theirs)?.kind === "group");
    const { tooltip, accessibilityInformation } = tree.getTreeItem(theirs);
    assert.match(String(tooltip), /\n2 commits ahead of main\n1 file changed since the base/);
    assert.match(accessibilityInformation?.label ?? "", /Worktree on parley\/one, 2 commits ahead of main.*, in tree$/);
    // Those of other folders still stand below, on request, and none twice.
    await window.commands["parley.showAllFolders"]();
    assert.deepEqual(texts(tree).slice(0, 3), rows);
    assert.deepEqual(
      allRows(tree).flatMap(row => (row.kind === "folder" ? [row.folder.name] : [])),
      ["web"],
    );
  });

  it("are shown by the window on their folder when it starts", async () => {
    const web = openWindow("web");
    const shown: string[] = [];
    storeSession("web", "theirs");
    await noted(1);
    const [folder] = await openWindow("api").folders.read();
    assert.ok(folder);
    const show = ({ session }: RequestedSession): Promise<void> => Promise.resolve(void shown.push(session));
    web.answerRequests(show);
    await openWindow("api").open(folder, { session: "theirs" });
    assert.deepEqual(shown, []);
    const next = openWindow("web");
    next.answerRequests(show);
    await until(() => shown.length > 0);
    assert.deepEqual(shown, ["theirs"]);
  });

  it("open their folder in a new window by Enter, a double click and the command, and no key changes them", async () => {
    openWindow("web");
    storeSession("web", "theirs");
    await noted(1);
    const window = openWindow("api");
    await window.commands["parley.showAllFolders"]();
    const tree = treeOf(window);
    const [folder, session] = allRows(tree).slice(2) as [SessionsRow, SessionsRow];
    let row = session;
    const marked: unknown[] = [];
    const commands = sessionListCommands({
      ...{ clock: systemClock, otherFolders: window, list: { sessions: () => [] } },
      registry: { open: { get: () => undefined, active: undefined } },
      stored: {
        get: () => undefined,
        mark: (...args: unknown[]) => marked.push(args),
        delete: (...args: unknown[]) => marked.push(args),
      },
      tree: { clickedRow: () => Promise.resolve(row), rowsForKey: () => Promise.resolve([row]) },
      refresh: () => Promise.resolve(),
    } as unknown as Parameters<typeof sessionListCommands>[0]);
    await commands["parley.openSession"]();
    assert.deepEqual(executed, [], "one click opens no window");
    await commands["parley.openSession"]();
    await commands["parley.openSession"]("key");
    await commands["parley.openSessionFolder"](folder);
    await commands["parley.openSessionFolder"](session, [session]);
    await commands["parley.openSessionFolder"]();
    const uri = vscode.Uri.file(join(root, "work", "web"));
    assert.deepEqual(
      executed.map(call => {
        const [, target, options] = call as [string, vscode.Uri, unknown];
        return [target.toString(), options];
      }),
      Array.from({ length: 4 }, () => [uri.toString(), { forceNewWindow: true }]),
    );
    for (row of [session, folder])
      for (const id of [
        "deleteSession",
        "pinSession",
        "renameSession",
        "markSessionDone",
        "openSessionInEditor",
      ] as const) {
        await commands[`parley.${id}`]("key");
        await commands[`parley.${id}`](row, [row]);
      }
    assert.deepEqual(marked, []);
    rmSync(uri.fsPath, { recursive: true });
    await assert.rejects(
      Promise.resolve(commands["parley.openSessionFolder"](folder)),
      /The folder “web” no longer exists\./,
    );
    await window.refresh();
    assert.deepEqual(window.listed.folders(), []);
  });
});
