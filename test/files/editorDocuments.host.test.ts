// The editor's documents meet the contract. In addition: encodings, undo, cursors and settings, which only the real
// editor has.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { unsavedEditors } from "../../src/files/vscode/unsavedEditors.ts";
import { describeDocuments, rejectsWithRefusal, type DocumentsHarness } from "../support/contracts/documents.ts";

async function makeHarness(): Promise<DocumentsHarness> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  assert.ok(root, "the tests run in a workspace");
  const folder = await mkdtemp(join(await realpath(root), "documents-"));
  const path = (name: string): string => join(folder, name);
  const documentOf = (name: string): vscode.TextDocument | undefined =>
    vscode.workspace.textDocuments.find(one => one.uri.scheme === "file" && one.uri.fsPath === path(name));
  return {
    documents: new EditorDocuments(nodePaths()),
    path,
    put: async (name, content) => {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
    },
    bytes: name => readFile(path(name)).catch(() => undefined),
    folder: async name => void (await mkdir(path(name), { recursive: true })),
    link: (name, target) => symlink(path(target), path(name)),
    makeReadOnly: name => chmod(path(name), 0o444),
    type: async (name, text) => {
      const document = await vscode.workspace.openTextDocument(path(name));
      await type(document, text);
    },
    buffer: async name => {
      const document = documentOf(name);
      return document && { text: document.getText(), unsaved: document.isDirty };
    },
    dispose: async () => {
      await discard(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Replaces the whole text of a document without saving, like a user. */
async function type(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(document.isDirty);
}

/** Closes every document of the folder without saving. */
async function discard(folder: string): Promise<void> {
  const unsaved = vscode.workspace.textDocuments.filter(one => one.isDirty && one.uri.fsPath.startsWith(folder));
  for (const document of unsaved) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

describeDocuments("in VS Code", makeHarness);

describe("EditorDocuments", () => {
  let at: DocumentsHarness;
  beforeEach(async () => {
    at = await makeHarness();
  });
  afterEach(() => at.dispose());

  const open = async (name: string): Promise<vscode.TextEditor> =>
    vscode.window.showTextDocument(await vscode.workspace.openTextDocument(at.path(name)));

  it("keeps the encoding of an open document", async () => {
    await at.put("a.txt", Buffer.from("caf\xe9\n", "latin1"));
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument(at.path("a.txt"), { encoding: "windows1252" }),
    );
    assert.equal(await at.documents.read(at.path("a.txt")), "café\n");
    await at.documents.write(at.path("a.txt"), "thé\n");
    assert.deepEqual(await at.bytes("a.txt"), Buffer.from("th\xe9\n", "latin1"));
  });

  it("refuses to read and to write a notebook with unsaved changes, whole and in parts, until it is saved", async () => {
    const notebook = (source: string): string =>
      `${JSON.stringify({ cells: [{ cell_type: "markdown", metadata: {}, source: [source] }], metadata: {}, nbformat: 4, nbformat_minor: 2 })}\n`;
    await at.put("a.ipynb", notebook("old"));
    const name = at.path("a.ipynb");
    const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(name));
    await vscode.window.showNotebookDocument(document);
    assert.equal(await at.documents.read(name), notebook("old"));
    const edit = new vscode.WorkspaceEdit();
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, "mine", "markdown");
    edit.set(document.uri, [vscode.NotebookEdit.insertCells(1, [cell])]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    const refusal = /is open as a notebook with unsaved changes\. Ask the user to save it/;
    await rejectsWithRefusal("failed", refusal, at.documents.read(name));
    await rejectsWithRefusal("failed", refusal, at.documents.readWindow(name, { line: 1, limit: 1 }, 1000));
    await rejectsWithRefusal("failed", refusal, at.documents.write(name, notebook("agent's")));
    // The other files are read as always.
    await at.put("b.txt", "text\n");
    assert.equal(await at.documents.read(at.path("b.txt")), "text\n");
    assert.ok(await document.save());
    assert.match(await at.documents.read(name), /mine/);
  });

  it("knows the files with unsaved changes in editors of other extensions, unless a document has their text", async () => {
    const tab = (name: string, isDirty: boolean) => ({
      input: new vscode.TabInputCustom(vscode.Uri.file(at.path(name)), "test.table"),
      isDirty,
    });
    await at.put("text.csv", "a,b\n");
    await at.type("text.csv", "a,c\n");
    const found = unsavedEditors([tab("table.db", true), tab("saved.db", false), tab("text.csv", true)]);
    assert.deepEqual([...found.keys()], [at.path("table.db")]);
  });

  it("refuses characters that the document's encoding lacks, and leaves the file unchanged", async () => {
    await at.put("a.txt", Buffer.from("caf\xe9\n", "latin1"));
    await vscode.workspace.openTextDocument(at.path("a.txt"), { encoding: "windows1252" });
    await rejectsWithRefusal("invalid", /windows1252/, at.documents.write(at.path("a.txt"), "☃\n"));
    assert.deepEqual(await at.bytes("a.txt"), Buffer.from("caf\xe9\n", "latin1"));
  });

  it("refuses to overwrite bytes that were decoded with the wrong encoding", async () => {
    const bytes = Buffer.from("caf\xe9\n", "latin1");
    await at.put("a.txt", bytes);
    await rejectsWithRefusal("failed", /not valid utf8/, at.documents.write(at.path("a.txt"), "tea\n"));
    assert.deepEqual(await at.bytes("a.txt"), bytes);
  });

  it("reads and writes UTF-16", async () => {
    const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
    await at.put("a.txt", utf16("één\n"));
    assert.equal(await at.documents.read(at.path("a.txt")), "één\n");
    await at.documents.write(at.path("a.txt"), "twee\n");
    assert.deepEqual(await at.bytes("a.txt"), utf16("twee\n"));
  });

  const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
  const setEncoding = async (encoding: string | undefined, languageId?: string): Promise<void> => {
    const files = vscode.workspace.getConfiguration("files", languageId === undefined ? undefined : { languageId });
    await files.update("encoding", encoding, vscode.ConfigurationTarget.Workspace, languageId !== undefined);
  };
  const window = (name: string, line: number): Promise<string> =>
    at.documents.readWindow(at.path(name), { line, limit: 1 }, 1000);

  it("reads closed files in the encoding of the settings, whole and in parts", async () => {
    await setEncoding("windows1252");
    try {
      await at.put("a.txt", latin1("caf\xe9\nth\xe9\n"));
      assert.equal(await at.documents.read(at.path("a.txt")), "café\nthé\n");
      assert.equal(await window("a.txt", 2), "thé\n");
      // The mark of the file is stronger than the settings, also for lines without it.
      await at.put("b.txt", "\uFEFFcafé\nthé\n");
      assert.equal(await at.documents.read(at.path("b.txt")), "café\nthé\n");
      assert.equal(await window("b.txt", 1), "café\n");
      assert.equal(await window("b.txt", 2), "thé\n");
      // Windows-1252 has no character for this byte.
      await at.put("c.txt", latin1("caf\x81\n"));
      await rejectsWithRefusal("failed", /not valid windows1252/, at.documents.read(at.path("c.txt")));
      await rejectsWithRefusal("failed", /not valid windows1252/, window("c.txt", 1));
    } finally {
      await setEncoding(undefined);
    }
  });

  it("reads closed files in the encoding that the settings have for their language", async () => {
    await setEncoding("windows1252", "python");
    try {
      await at.put("a.py", latin1("# caf\xe9\n"));
      assert.equal(await at.documents.read(at.path("a.py")), "# café\n");
      assert.equal(await window("a.py", 1), "# café\n");
      await at.put("b.py", latin1("# caf\x81\n"));
      await rejectsWithRefusal("failed", /not valid windows1252/, window("b.py", 1));
    } finally {
      await setEncoding(undefined, "python");
    }
  });

  it("reads parts of an open document in its encoding", async () => {
    await at.put("a.txt", latin1("caf\xe9\nth\xe9\n"));
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument(at.path("a.txt"), { encoding: "windows1252" }),
    );
    assert.equal(await window("a.txt", 2), "thé\n");
  });

  it("refuses the text of an open document that was decoded with the wrong encoding, also when it is unsaved", async () => {
    await at.put("a.txt", latin1("caf\xe9\n"));
    const { document } = await open("a.txt");
    await rejectsWithRefusal("failed", /not valid utf8/, at.documents.read(at.path("a.txt")));
    await type(document, `${document.getText()}more\n`);
    await rejectsWithRefusal("failed", /not valid utf8/, at.documents.read(at.path("a.txt")));
    await rejectsWithRefusal("failed", /not valid utf8/, window("a.txt", 1));
    await type(document, "tea\n");
    assert.equal(await at.documents.read(at.path("a.txt")), "tea\n");
  });

  it("reads the unsaved text of a file that is open under two names", async () => {
    await at.put("a.txt", "saved\n");
    await at.link("link.txt", "a.txt");
    await open("a.txt");
    await at.type("link.txt", "unsaved\n");
    assert.equal(await at.documents.read(at.path("a.txt")), "unsaved\n");
  });

  it("returns a replacement character that the user typed", async () => {
    await at.put("a.txt", "one\n");
    await at.type("a.txt", "one \uFFFD\n");
    assert.equal(await at.documents.read(at.path("a.txt")), "one \uFFFD\n");
  });

  it("reads UTF-16 without a byte-order mark, and names UTF-16 when it cannot read its lines", async () => {
    await at.put("a.txt", Buffer.from("one \n", "utf16le"));
    assert.equal(await at.documents.read(at.path("a.txt")), "one \n");
    await rejectsWithRefusal("invalid", /UTF-16/, window("a.txt", 1));
    await setEncoding("utf16le");
    try {
      // Nothing in these bytes shows the encoding.
      await at.put("b.txt", Buffer.from("中文中文", "utf16le"));
      assert.equal(await at.documents.read(at.path("b.txt")), "中文中文");
      await rejectsWithRefusal("invalid", /UTF-16/, window("b.txt", 1));
    } finally {
      await setEncoding(undefined);
    }
  });

  it("leaves the cursor in place when other lines change", async () => {
    await at.put("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    const editor = await open("a.txt");
    editor.selection = new vscode.Selection(2, 1, 2, 3);
    await at.documents.write(at.path("a.txt"), "zero\none\ntwo\nthree\nfour\nsix\n");
    assert.deepEqual(editor.selection, new vscode.Selection(3, 1, 3, 3));
  });

  it("can be undone in one step", async () => {
    await at.put("a.txt", "one\ntwo\nthree\nfour\n");
    const editor = await open("a.txt");
    await at.documents.write(at.path("a.txt"), "1\ntwo\nthree\n4\n");
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "one\ntwo\nthree\nfour\n");
  });

  it("moves no focus and opens no editor", async () => {
    await at.put("a.txt", "one\n");
    await at.put("b.txt", "one\n");
    await open("b.txt");
    await at.documents.write(at.path("a.txt"), "two\n");
    assert.deepEqual(
      vscode.window.visibleTextEditors.map(editor => editor.document.uri.fsPath),
      [at.path("b.txt")],
    );
  });

  it("respects the user's save settings", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("insertFinalNewline", true, vscode.ConfigurationTarget.Global);
    try {
      await at.put("a.txt", "one\n");
      assert.deepEqual(await at.documents.write(at.path("a.txt"), "two"), {
        saved: true,
        result: { before: "one\n", after: "two\n" },
      });
      assert.equal((await at.bytes("a.txt"))?.toString(), "two\n");
    } finally {
      await files.update("insertFinalNewline", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("gives a new file the line ending of files.eol", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("eol", "\r\n", vscode.ConfigurationTarget.Global);
    try {
      await at.documents.write(at.path("new.txt"), "one\ntwo\n");
      assert.equal((await at.bytes("new.txt"))?.toString(), "one\r\ntwo\r\n");
    } finally {
      await files.update("eol", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("refuses a file that a setting makes read-only", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("readonlyInclude", { "**/locked.txt": true }, vscode.ConfigurationTarget.Global);
    try {
      await at.put("locked.txt", "one\n");
      await rejectsWithRefusal("failed", /read-only/, at.documents.write(at.path("locked.txt"), "two\n"));
      assert.equal((await at.bytes("locked.txt"))?.toString(), "one\n");
      assert.notEqual((await at.buffer("locked.txt"))?.unsaved, true);
    } finally {
      await files.update("readonlyInclude", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("leaves no file, folder or unsaved document behind when it refuses a new file", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("encoding", "iso88591", vscode.ConfigurationTarget.Global);
    try {
      const refused = at.documents.write(at.path("new/deep/a.txt"), "naïve ☃\n");
      await rejectsWithRefusal("invalid", /lacks characters/, refused);
    } finally {
      await files.update("encoding", undefined, vscode.ConfigurationTarget.Global);
    }
    await assert.rejects(stat(at.path("new")), { code: "ENOENT" });
    assert.ok(!vscode.workspace.textDocuments.some(one => one.isDirty && one.uri.fsPath.startsWith(at.path("new"))));
  });

  it("reports a failed save, restores the document's text and leaves the disk unchanged", async () => {
    await at.put("a.txt", "one\n");
    await at.documents.write(at.path("a.txt"), "two\n");
    const meanwhile = vscode.workspace.onDidChangeTextDocument(event => {
      if (event.document.getText() === "three\n") writeFileSync(at.path("a.txt"), "somebody else's text\n");
    });
    try {
      await rejectsWithRefusal("failed", /could not be saved/, at.documents.write(at.path("a.txt"), "three\n"));
      assert.equal((await at.bytes("a.txt"))?.toString(), "somebody else's text\n");
      assert.equal((await at.buffer("a.txt"))?.text, "two\n");
    } finally {
      meanwhile.dispose();
    }
  });

  it("keeps what the user types while a save fails, and takes back only the agent's change", async () => {
    await at.put("a.txt", "one\ntwo\nthree\n");
    const { document } = await open("a.txt");
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(0, 3), " typed");
    let hasTyped = false;
    const meanwhile = vscode.workspace.onDidChangeTextDocument(event => {
      if (hasTyped || event.document !== document || document.getText() !== "one\ntwo\nagent\n") return;
      hasTyped = true;
      writeFileSync(at.path("a.txt"), "somebody else's text\n");
      void vscode.workspace.applyEdit(typed);
    });
    try {
      const write = at.documents.write(at.path("a.txt"), "one\ntwo\nagent\n");
      await rejectsWithRefusal("failed", /could not be saved/, write);
      assert.equal(document.getText(), "one typed\ntwo\nthree\n");
      assert.equal((await at.bytes("a.txt"))?.toString(), "somebody else's text\n");
    } finally {
      meanwhile.dispose();
    }
  });

  for (const [what, first] of [
    ["another line ending", "one\r\ntwo\r\n"],
    ["mixed line endings", "one\r\ntwo\n"],
  ] as const)
    it(`writes with the line endings on disk, although VS Code knows the file with ${what}`, async () => {
      const hourAgo = Date.now() / 1000 - 3600;
      // Outside of the workspace, VS Code watches only the files in visible editors.
      const folder = await realpath(await mkdtemp(join(tmpdir(), "parley-unwatched-")));
      const path = join(folder, "ends.txt");
      try {
        await writeFile(path, first);
        await utimes(path, hourAgo, hourAgo);
        const document = await vscode.workspace.openTextDocument(path);
        await vscode.window.showTextDocument(document, { preview: false });
        await at.put("front.txt", "another editor has the focus\n");
        await open("front.txt");
        // A program replaces the file, and keeps its time as `cp -p` does.
        await writeFile(path, "one\ntwo\n");
        await utimes(path, hourAgo + 3590, hourAgo + 3590);

        await at.documents.write(path, "one\n2\n");

        assert.equal(await readFile(path, "utf8"), "one\n2\n");
        assert.equal(document.isDirty, false);
      } finally {
        await vscode.commands.executeCommand("workbench.action.closeAllEditors");
        await rm(folder, { recursive: true, force: true });
      }
    });

  it("also saves the user's own changes if a setting says so", async () => {
    await at.put("a.txt", "one\n");
    await at.type("a.txt", "one\nmine\n");
    const documents = new EditorDocuments(nodePaths(), { saveUnsaved: () => true });
    assert.deepEqual(await documents.write(at.path("a.txt"), "one\nmine\nagent\n"), { saved: true });
    assert.equal((await at.bytes("a.txt"))?.toString(), "one\nmine\nagent\n");
  });
});
