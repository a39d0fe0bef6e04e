// A file that differs between the editor and the disk, settled by the user's choice, in the real editor.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { settleFile } from "../../src/files/vscode/settleFile.ts";
import { until } from "../support/fakes/until.ts";
import { type, useUnsavedFiles } from "../support/host/unsavedFiles.ts";

const rejects = (message: RegExp, attempt: Promise<unknown>): Promise<void> =>
  assert.rejects(attempt, (thrown: unknown) => thrown instanceof Error && message.test(thrown.message));

describe("settleFile", () => {
  const { reports, path, onDisk, watch, put, remove, open, unsavedFile, divergedFile, reported, everythingSeen } =
    useUnsavedFiles();

  describe("with the disk's text", () => {
    it("makes the document clean, and undo restores the user's text", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await settleFile(path("a.txt"), "take");
      assert.equal(document.getText(), "agent's\n");
      assert.equal(document.isDirty, false);
      await reported([path("a.txt"), null]);
      await vscode.commands.executeCommand("undo");
      assert.equal(document.getText(), "mine\n");
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk("a.txt"), "agent's\n");
      await everythingSeen();
      assert.equal(reports.at(-1)?.[1], null);
    });

    it("does not change any other document", async () => {
      watch();
      const other = await unsavedFile("b.txt", "was\n", "other\n");
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
      await vscode.window.showTextDocument(other, { viewColumn: vscode.ViewColumn.Two });
      await settleFile(path("a.txt"), "take");
      assert.equal(document.getText(), "agent's\n");
      assert.equal(other.getText(), "other\n");
      const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
      const shown = tabs.filter(tab => tab.input instanceof vscode.TabInputText && tab.label === "a.txt");
      assert.equal(shown.length, 1);
    });

    it("is refused if there is no file, and keeps the user's text", async () => {
      watch();
      const document = await unsavedFile("a.txt", "was\n", "mine\n");
      await remove("a.txt");
      await reported([path("a.txt"), "diverged"]);
      await rejects(/no longer exists on disk/, settleFile(path("a.txt"), "take"));
      assert.equal(document.getText(), "mine\n");
    });

    it("is refused if the file is not text, and keeps the user's text", async () => {
      watch();
      const document = await unsavedFile("a.txt", "was\n", "mine\n");
      await put("a.txt", new Uint8Array([0, 1, 2, 3, 0, 255, 254]));
      await reported([path("a.txt"), "diverged"]);
      await rejects(/binary file on disk/, settleFile(path("a.txt"), "take"));
      assert.equal(document.getText(), "mine\n");
      assert.ok(document.isDirty);
    });
  });

  describe("with the editor's text", () => {
    it("writes nothing, and the text can be saved", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's text\n", "one\nmine\n");
      await settleFile(path("a.txt"), "keep");
      assert.equal(document.getText(), "one\nmine\n");
      assert.ok(document.isDirty);
      assert.equal(await onDisk("a.txt"), "agent's text\n");
      await reported([path("a.txt"), null]);
      await everythingSeen();
      assert.equal(reports.length, 2);
      assert.ok(await document.save());
      assert.equal(await onDisk("a.txt"), "one\nmine\n");
    });

    it("can be undone to the disk's text, and then to the user's text", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await settleFile(path("a.txt"), "keep");
      await vscode.commands.executeCommand("undo");
      assert.equal(document.getText(), "agent's\n");
      await vscode.commands.executeCommand("undo");
      assert.equal(document.getText(), "mine\n");
    });

    it("keeps the line endings of the editor", async () => {
      watch();
      await put("a.txt", "was\r\nwas\r\n");
      const document = await open("a.txt");
      await type(document, "mine\r\nmine\r\n");
      await put("a.txt", "agent's\nagent's\n");
      await reported([path("a.txt"), "diverged"]);
      await settleFile(path("a.txt"), "keep");
      assert.equal(document.getText(), "mine\r\nmine\r\n");
      assert.ok(await document.save());
      assert.equal(await onDisk("a.txt"), "mine\r\nmine\r\n");
    });

    it("still reports the next change on disk", async () => {
      watch();
      await divergedFile("a.txt", "agent's\n", "mine\n");
      await settleFile(path("a.txt"), "keep");
      await reported([path("a.txt"), null]);
      reports.length = 0;
      await put("a.txt", "agent's next\n");
      await reported([path("a.txt"), "diverged"]);
    });

    it("allows a deleted file to be saved again", async () => {
      watch();
      const document = await unsavedFile("a.txt", "was\n", "mine\n");
      await remove("a.txt");
      await reported([path("a.txt"), "diverged"]);
      await settleFile(path("a.txt"), "keep");
      await reported([path("a.txt"), null]);
      await everythingSeen();
      assert.equal(reports.length, 2);
      assert.equal(document.getText(), "mine\n");
      assert.ok(await document.save());
      assert.equal(await onDisk("a.txt"), "mine\n");
    });

    it("can settle two files at once", async () => {
      watch();
      const a = await divergedFile("a.txt", "agent's\n", "mine a\n");
      const b = await divergedFile("b.txt", "agent's\n", "mine b\n");
      await Promise.all([settleFile(path("a.txt"), "keep"), settleFile(path("b.txt"), "keep")]);
      assert.deepEqual([a.getText(), b.getText()], ["mine a\n", "mine b\n"]);
      assert.deepEqual([await a.save(), await b.save()], [true, true]);
    });
  });

  describe("with a comparison", () => {
    it("opens the disk's text next to the editor's", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await settleFile(path("a.txt"), "compare");
      const diff = (): vscode.TabInputTextDiff | undefined => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return input instanceof vscode.TabInputTextDiff ? input : undefined;
      };
      await until(() => diff() !== undefined);
      const { original, modified } = diff() ?? assert.fail();
      assert.equal(modified.toString(), document.uri.toString());
      assert.equal((await vscode.workspace.openTextDocument(original)).getText(), "agent's\n");
      assert.equal(document.getText(), "mine\n");
    });

    it("still allows the file to be settled", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await settleFile(path("a.txt"), "compare");
      await settleFile(path("a.txt"), "keep");
      assert.equal(document.getText(), "mine\n");
      assert.ok(await document.save());
      assert.equal(await onDisk("a.txt"), "mine\n");
    });

    it("is refused if there is no file", async () => {
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await remove("a.txt");
      await reported([path("a.txt"), "diverged"]);
      await rejects(/nothing to compare with/, settleFile(path("a.txt"), "compare"));
    });
  });

  it("reports that a file could not be saved", async () => {
    watch();
    const document = await divergedFile("a.txt", "agent's text\n", "mine\n");
    await rejects(/could not be saved/, settleFile(path("a.txt"), "save"));
    assert.equal(document.getText(), "mine\n");
    assert.equal(await onDisk("a.txt"), "agent's text\n");
  });

  it("reports that a file is not open", async () => {
    await rejects(/is no longer open in the editor/, settleFile(path("none.txt"), "save"));
  });
});
