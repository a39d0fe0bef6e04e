// The actions of code blocks and content in the editor: insert, apply after a diff, open, render.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { applyCode, insertCode } from "../../src/window/code/codeBlocks.ts";
import { ContentDocuments } from "../../src/window/code/contentDocuments.ts";
import { PanelPages } from "../../src/window/startup/panelPages.ts";
import { DiagramPanels } from "../../src/window/code/diagramPanel.ts";
import { openFile } from "../../src/window/code/openFile.ts";
import { until } from "../support/fakes/until.ts";

const text = "function sum(a, b) {\n  return a - b;\n}\n\nsum(1, 2);\n";
const code = "function sum(a, b) {\n  return a + b;\n}\n";

describe("the actions of code blocks and content", () => {
  let root: string;
  let folder: string;
  let file: vscode.Uri;
  let count = 0;
  // The extension under test has registered its own.
  const contents = new ContentDocuments("parley-content-test");
  const questions: string[] = [];
  const answering =
    (agreed: boolean, meanwhile: () => Promise<unknown> = () => Promise.resolve()) =>
    async (question: string) => {
      questions.push(question);
      await meanwhile();
      return agreed;
    };
  const around = (confirm = answering(true)) => ({ cwd: root, contents, confirm });

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    root = await realpath(workspace);
    folder = await mkdtemp(join(root, "code-"));
  });
  beforeEach(async () => {
    questions.length = 0;
    // A separate file for each test, because VS Code may remember the state of another test's file.
    file = vscode.Uri.file(join(folder, `sum-${++count}.js`));
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await writeFile(file.fsPath, text);
  });
  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    contents.dispose();
    await rm(folder, { recursive: true });
  });
  afterEach(async () => {
    const { activeTextEditor } = vscode.window;
    if (activeTextEditor?.document.isDirty) await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  const name = (): string => join(basename(folder), basename(file.fsPath));
  const now = async (): Promise<string> => (await vscode.workspace.openTextDocument(file)).getText();
  const undo = (): Thenable<unknown> => vscode.commands.executeCommand("undo");

  it("insert code at the cursor with its indentation, and one undo removes it", async () => {
    const editor = await vscode.window.showTextDocument(file);
    await editor.edit(edit => edit.insert(new vscode.Position(1, 0), "  \n"));
    editor.selection = new vscode.Selection(1, 2, 1, 2);
    await insertCode("if (a) {\n  a++;\n}\n");
    assert.ok((await now()).startsWith("function sum(a, b) {\n  if (a) {\n    a++;\n  }\n  return"), await now());
    await undo();
    assert.ok((await now()).startsWith("function sum(a, b) {\n  \n  return"));
  });

  it("require an open file before code can be inserted", async () => {
    // The extension host learns later that the editors are closed.
    await until(() => vscode.window.visibleTextEditors.length === 0);
    await assert.rejects(insertCode("x"), /^Error: Open a file first/);
  });

  it("show a diff of the applied code, write nothing before the confirmation, and can be undone", async () => {
    const shown: (vscode.TabInputTextDiff | undefined)[] = [];
    const look = async (): Promise<void> => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      shown.push(input instanceof vscode.TabInputTextDiff ? input : undefined);
      assert.equal(await now(), text);
    };
    await applyCode(code, name(), around(answering(true, look)));
    assert.deepEqual(questions, [`Replace lines 1 to 3 of ${name()} with this code? You can undo this.`]);
    assert.equal(shown[0]?.original.toString(), file.toString());
    assert.equal(await now(), text.replace("a - b", "a + b"));
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file.toString());
    assert.ok(
      !vscode.window.tabGroups.all
        .flatMap(group => group.tabs)
        .some(tab => tab.input instanceof vscode.TabInputTextDiff),
    );
    await undo();
    assert.equal(await now(), text);
  });

  it("change nothing if the user declines, or if the file changed meanwhile", async () => {
    await applyCode(code, name(), around(answering(false)));
    assert.equal(await now(), text);
    const change = async (): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(file, new vscode.Position(0, 0), "// mine\n");
      await vscode.workspace.applyEdit(edit);
    };
    await assert.rejects(applyCode(code, name(), around(answering(true, change))), /has changed since/);
    assert.equal(await now(), `// mine\n${text}`);
    await vscode.window.showTextDocument(file);
  });

  it("apply to the selection in the last active editor, if no file is named", async () => {
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(1, 2, 1, 15);
    await applyCode("return 3;", undefined, around());
    assert.equal(await now(), text.replace("return a - b;", "return 3;"));
  });

  it("create a missing file, and refuse one outside", async () => {
    const created = join(folder, "new.js");
    await applyCode(code, join(basename(folder), "new.js"), around(answering(false)));
    await assert.rejects(readFile(created), { code: "ENOENT" });
    await applyCode(code, join(basename(folder), "new.js"), around());
    assert.equal(await readFile(created, "utf8"), code);
    await assert.rejects(applyCode(code, "../outside.js", around()), /is outside this workspace/);
  });

  it("say that a new file could not be saved if a folder has taken its place", async () => {
    const created = join(folder, "taken.js");
    const listening = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.fsPath !== created) return;
      rmSync(created, { force: true });
      mkdirSync(created, { recursive: true });
    });
    try {
      await assert.rejects(applyCode(code, join(basename(folder), "taken.js"), around()), /could not be saved/);
    } finally {
      listening.dispose();
    }
    assert.equal(vscode.window.activeTextEditor?.document.getText(), code);
    await rm(created, { recursive: true });
    await writeFile(created, text); // VS Code can revert the editor.
  });

  it("open a file at its column, and select to the last named line", async () => {
    await openFile(name(), 1, root, { column: 10 });
    assert.equal(vscode.window.activeTextEditor?.selection.active.character, 9);
    await openFile(name(), 1, root, { endLine: 3 });
    assert.equal(
      vscode.window.activeTextEditor?.document.getText(vscode.window.activeTextEditor.selection),
      text.slice(0, 38),
    );
  });

  it("open embedded files in an editor of their language, by their names", async () => {
    const events: readonly SessionEvent[] = [
      { type: "resource", uri: "file:///w/notes.py", text: "x = 1" } as const,
      { type: "image", mimeType: "image/png", data: Buffer.from("no png").toString("base64") } as const,
    ].map(content => ({ type: "messageChunk", author: "agent", messageId: "1", content }));
    const state = events.reduce<SessionState>(
      (before, event, at) => reduce(before, { seq: at + 1, at, event }),
      emptySession,
    );
    const entry = state.entries.at(0)?.id ?? "";
    await contents.open(state, entry, 0);
    await until(() => vscode.window.activeTextEditor?.document.getText() === "x = 1");
    assert.match(vscode.window.activeTextEditor?.document.uri.path ?? "", /\/notes\.py$/);
    await contents.open(state, entry, 1);
    await until(() => vscode.window.tabGroups.activeTabGroup.activeTab?.label === "image.png");
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputCustom);
    await assert.rejects(contents.open(state, entry, 2), /no longer part of the conversation/);
  });

  it("render a diagram in one panel for each source, to the side", async () => {
    await vscode.window.showTextDocument(file);
    const extension = vscode.extensions.all.find(each => each.id.endsWith(".parley"));
    assert.ok(extension);
    const panels = new DiagramPanels(extension.extensionUri, new PanelPages(extension.extensionUri));
    const open = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(tab => tab.label === "Diagram");
    panels.open("graph TD; A-->B");
    panels.open("graph TD; A-->B");
    await until(() => open().length === 1);
    panels.open("graph TD; A-->C");
    await until(() => open().length === 2);
    assert.ok(
      open().every(
        tab => tab.group.viewColumn === vscode.ViewColumn.Two || tab.group.viewColumn === vscode.ViewColumn.Three,
      ),
    );
    panels.dispose();
    await until(() => open().length === 0);
  });
});
