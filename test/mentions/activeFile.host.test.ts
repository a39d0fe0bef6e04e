// The active file and its selection, which go with messages if the user switched that on.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { ActiveFile } from "../../src/mentions/vscode/activeFile.ts";
import { Attachments } from "../../src/mentions/vscode/attachments.ts";
import type { ViewActiveFile } from "../../src/panel/protocol.ts";
import { until } from "../support/fakes/until.ts";

describe("the active file", () => {
  let folder: string;
  let kept: Map<string, unknown>;
  let active: ActiveFile;
  let roots: readonly string[];
  let rootsChanged: Emitter<void>;

  const open = async (name: string, text: string): Promise<vscode.TextEditor> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return vscode.window.showTextDocument(vscode.Uri.file(path));
  };
  const shown = (): ViewActiveFile | null | undefined => active.head.values.activeFile(undefined);
  const create = (): ActiveFile =>
    new ActiveFile({
      attachments: new Attachments({
        documents: new EditorDocuments(nodePaths()),
        roots: () => roots,
        sensitive: () => [],
        accepts: () => null,
        agentName: () => "Stub",
      }),
      state: {
        get: (key: string) => kept.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
      },
      onDidChangeRoots: rootsChanged.event,
      ...{ clock: systemClock, log: nullLog },
    });

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-active-")));
    roots = [folder];
    rootsChanged = new Emitter();
    kept = new Map();
    active = create();
  });
  afterEach(async () => {
    active.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true });
  });

  it("is shown with its selected lines, and nothing of it is sent until the user switches that on", async () => {
    const editor = await open("a.txt", "one\ntwo\nthree\n");
    await until(() => shown()?.name === "a.txt");
    assert.deepEqual(shown()?.sends, { file: false, selection: false });
    assert.deepEqual(await active.content(), { links: [], attachments: [] });
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    await until(() => shown()?.lines?.to === 2);
    await active.set("file", true);
    assert.deepEqual(await active.content(), {
      links: [{ type: "link", uri: editor.document.uri.toString(), name: "a.txt" }],
      attachments: [],
    });
    await active.set("selection", true);
    await editor.edit(edit => edit.insert(new vscode.Position(1, 0), "unsaved "));
    editor.selection = new vscode.Selection(1, 0, 1, 7);
    const { attachments } = await active.content();
    assert.deepEqual(
      attachments.map(({ label, source }) => [label, source.type === "text" && source.text]),
      [["a.txt:2", "unsaved"]],
    );
    await until(() => shown()?.sends.selection === true);
  });

  it("keeps the switches for later windows, and the command switches both", async () => {
    await open("a.txt", "one\n");
    assert.deepEqual(await active.toggle(), { file: true, selection: true });
    active.dispose();
    active = create();
    await until(() => shown()?.sends.file === true);
    await active.set("file", false);
    assert.deepEqual(await active.toggle(), { file: false, selection: false });
  });

  it("is neither shown nor sent if it looks like a secret or is outside of the workspace", async () => {
    await active.toggle();
    await open("a.txt", "one\n");
    await until(() => shown()?.name === "a.txt");
    await open(".env", "TOKEN=1\n");
    await until(() => shown() === null);
    assert.deepEqual(await active.content(), { links: [], attachments: [] });
    await open("a.txt", "one\n");
    await until(() => shown()?.name === "a.txt");
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "parley-elsewhere-")));
    await writeFile(join(elsewhere, "b.txt"), "two\n");
    await vscode.window.showTextDocument(vscode.Uri.file(join(elsewhere, "b.txt")));
    await until(() => shown() === null);
    assert.deepEqual(await active.content(), { links: [], attachments: [] });
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(elsewhere, { recursive: true });
  });

  it("is that of the session that the chat shows, and not sent without being shown", async () => {
    await active.toggle();
    await open("a.txt", "one\n");
    await until(() => shown()?.name === "a.txt");
    roots = [join(folder, "worktree")];
    rootsChanged.fire();
    await until(() => shown() === null);
    assert.deepEqual(await active.content(), { links: [], attachments: [] });
    roots = [folder];
    assert.equal((await active.content()).links.length, 1);
    assert.equal(shown()?.name, "a.txt");
  });

  it("is gone when its editor is closed", async () => {
    await open("a.txt", "one\n");
    await until(() => shown()?.name === "a.txt");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(() => shown() === null);
  });
});
