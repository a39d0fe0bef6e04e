// The editor's own undo in files that an agent created, moved or deleted: Ctrl+Z changes texts and never takes a file
// away, brings one back or moves one.
import assert from "node:assert/strict";
import { access, rename } from "node:fs/promises";
import * as vscode from "vscode";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

for (const git of [true, false]) {
  describe(`the editor's undo of files, ${git ? "in a repository" : "without git"}`, () => {
    const { path, onDisk, put, show, file, hunks, hunksAre, prepare, end, write, edit, type, review, watch, noticed } =
      useReviewedFolder({ git });
    const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
    const exists = (name: string): Promise<boolean> =>
      access(path(name)).then(
        () => true,
        () => false,
      );
    const files = async (...names: readonly string[]): Promise<readonly string[]> => {
      const found = await Promise.all(names.map(async name => ((await exists(name)) ? [name] : [])));
      return found.flat();
    };
    const tabs = (): readonly string[] =>
      vscode.window.tabGroups.all
        .flatMap(group => group.tabs)
        .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.fsPath] : []));
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
    };
    /** Presses Ctrl+Z more often than there are steps. */
    const undoEverything = async (): Promise<void> => {
      for (let step = 0; step < 5; step++) await vscode.commands.executeCommand("undo");
      await watch().settled();
    };

    it("empties a file that the agent created, and redo brings the text back", async () => {
      await prepare();
      await write("new.txt", tenLines);
      await ended();
      const { document } = await show("new.txt");
      await undoEverything();
      assert.deepEqual([document.getText(), await files("new.txt")], ["", ["new.txt"]]);
      for (let step = 0; step < 5; step++) await vscode.commands.executeCommand("redo");
      assert.equal(document.getText(), tenLines);
      await document.save();
      assert.equal(await onDisk("new.txt"), tenLines);
    });

    it("does not take a created file away that was kept, edited and saved", async () => {
      await prepare();
      await write("in/new.txt", tenLines);
      await ended();
      await review().keep({ kind: "all" });
      const { document } = await show("in/new.txt");
      await type("in/new.txt", 0, "mine\n");
      await document.save();
      await undoEverything();
      assert.deepEqual([document.getText(), await files("in/new.txt")], ["", ["in/new.txt"]]);
      assert.equal(await onDisk("in/new.txt"), `mine\n${tenLines}`);
    });

    it("keeps the file and its byte-order mark if the agent wrote one", async () => {
      await prepare();
      await write("mark.txt", `\uFEFF${tenLines}`);
      await ended();
      const { document } = await show("mark.txt");
      await undoEverything();
      await document.save();
      assert.equal(await onDisk("mark.txt"), "\uFEFF");
    });

    it("brings no file back that the review's undo deleted, and undoes the text of the files beside it", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await prepare();
      await write("new.txt", tenLines);
      await edit("a.txt", edited);
      await ended();
      await show("new.txt");
      const { document } = await show("a.txt");
      await hunksAre("a.txt", "line 2 → line two");
      await review().undo({ kind: "all" });
      assert.deepEqual([await onDisk("a.txt"), await files("new.txt")], [tenLines, []]);
      await until(() => !tabs().includes(path("new.txt")));
      await vscode.commands.executeCommand("undo");
      await watch().settled();
      assert.equal(document.getText(), edited);
      assert.deepEqual(await files("new.txt"), []);
      await vscode.commands.executeCommand("redo");
      await watch().settled();
      assert.equal(document.getText(), tenLines);
      // Only the decision's own undo brings it back.
      assert.ok(await review().undoLast());
      assert.equal(await onDisk("new.txt"), tenLines);
    });

    it("does not move a file again that the review's undo moved back with its tab", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await prepare();
      await rename(path("a.txt"), path("b.txt"));
      await ended();
      await until(() => file("b.txt")?.movedFrom !== undefined);
      const editor = await show("b.txt");
      await type("b.txt", 8, "mine ");
      await editor.document.save();
      await watch().settled();
      await review().undo({ kind: "all" });
      assert.deepEqual(await files("a.txt", "b.txt"), ["a.txt"]);
      assert.deepEqual(tabs(), [path("a.txt")]);
      await show("a.txt");
      await undoEverything();
      assert.deepEqual(await files("a.txt", "b.txt"), ["a.txt"]);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      assert.ok(await review().undoLast());
      assert.deepEqual(await files("a.txt", "b.txt"), ["b.txt"]);
      await until(() => tabs().join() === path("b.txt"));
      assert.deepEqual(hunks("b.txt"), []);
    });

    it("does not lose the unsaved text of a file that the review would move", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await prepare();
      await rename(path("a.txt"), path("b.txt"));
      await ended();
      await until(() => file("b.txt")?.movedFrom !== undefined);
      const { document } = await show("b.txt");
      await type("b.txt", 0, "mine\n");
      await assert.rejects(review().undo({ kind: "all" }), /has unsaved changes\. Save it first/);
      assert.deepEqual([document.getText(), document.isDirty], [`mine\n${tenLines}`, true]);
      await document.save();
      await watch().settled();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), `mine\n${tenLines}`);
      assert.deepEqual(await files("a.txt", "b.txt"), ["a.txt"]);
    });

    it("is not reported to other extensions as operations of the user", async () => {
      await put("a.txt", tenLines);
      await noticed();
      const reported: string[] = [];
      const listeners = [
        vscode.workspace.onDidCreateFiles(() => reported.push("created")),
        vscode.workspace.onDidDeleteFiles(() => reported.push("deleted")),
        vscode.workspace.onDidRenameFiles(() => reported.push("renamed")),
      ];
      try {
        await prepare();
        await write("new.txt", tenLines);
        await rename(path("a.txt"), path("b.txt"));
        await ended();
        await show("new.txt");
        await show("b.txt");
        await review().undo({ kind: "all" });
        assert.ok(await review().undoLast());
        assert.deepEqual(await files("a.txt", "b.txt", "new.txt"), ["b.txt", "new.txt"]);
        assert.deepEqual(reported, []);
      } finally {
        for (const one of listeners) one.dispose();
      }
    });
  });
}
