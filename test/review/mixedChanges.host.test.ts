// Changes of the agent and of the user in one turn that follow each other so closely that the editor or the disk reports
// them late, in the real editor, with and without git.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { createGate } from "../../src/base/async.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);

for (const git of [true, false]) {
  describe(`changes of the agent and the user, ${git ? "in a repository" : "without git"}`, () => {
    const {
      path,
      onDisk,
      put,
      show,
      file,
      hunks,
      begin,
      prepare,
      noticed,
      end,
      tool,
      write,
      trees,
      review,
      reviews,
      watch,
    } = useReviewedFolder({ git });
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
      await reviews().settled();
    };
    const insert = async (name: string, text: string): Promise<vscode.TextDocument> => {
      const document = await vscode.workspace.openTextDocument(path(name));
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), text);
      assert.ok(await vscode.workspace.applyEdit(edit));
      return document;
    };
    /** The user opens a file, inserts a line at its start and saves it. Nothing else is noticed meanwhile. */
    const typeAtOnce = async (name: string): Promise<void> => {
      const document = await insert(name, "mine\n");
      assert.ok(await document.save());
    };

    it("keep the agent's hunk when the user edits a closed file before its change is noticed", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await put("a.txt", edited);
      await typeAtOnce("a.txt");
      await ended();
      assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), `mine\n${tenLines}`);
    });

    if (!git) {
      for (const more of ["", " and types again"])
        it(`keep the agent's hunks when the user edits and saves the file${more} before it is read`, async () => {
          const gate = createGate();
          await put("a.txt", tenLines);
          await begin();
          let isAsked = false;
          trees.set(`turn 1 ${path("a.txt")}`, async () => {
            isAsked = true;
            await gate.settled;
            return tenLines;
          });
          await put("a.txt", edited);
          await until(() => isAsked);
          tool({ kind: "edit", status: "in_progress", locations: [{ path: path("a.txt") }] });
          await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
          tool({ status: "completed" });
          await typeAtOnce("a.txt");
          if (more !== "") await insert("a.txt", "more\n");
          gate.settle();
          await ended();
          assert.deepEqual(hunks("a.txt"), ["line 2 → line two", "line 9 → line nine"]);
          await review().undo({ kind: "all" });
          const { document } = await show("a.txt");
          assert.equal(document.getText(), `${more === "" ? "" : "more\n"}mine\n${tenLines}`);
        });
    }

    it("keep the agent's hunk when the user edits a file that was kept in the turn before", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await put("in/new.txt", tenLines);
      await ended();
      await review().keep({ kind: "all" });
      await prepare("turn 2");
      await put("in/new.txt", edited);
      await typeAtOnce("in/new.txt");
      await ended();
      assert.deepEqual(hunks("in/new.txt"), ["line 2 → line two"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("in/new.txt"), `mine\n${tenLines}`);
    });

    it("bring back an open file that the agent changed and then deleted, before the editor's report is read", async () => {
      await put("a.txt", tenLines);
      await noticed();
      const { document } = await show("a.txt");
      await prepare();
      const deleting = vscode.workspace.onDidChangeTextDocument(event => {
        if (event.document === document && event.contentChanges.length > 0) rmSync(path("a.txt"), { force: true });
      });
      await put("a.txt", edited);
      await until(() => document.getText() === edited);
      deleting.dispose();
      await ended();
      assert.equal(file("a.txt")?.changes.text, null);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("show a mode that the agent changed after the user's edit, and its undo keeps the edit", async () => {
      await put("run.sh", tenLines);
      await noticed();
      await prepare();
      await typeAtOnce("run.sh");
      await watch().settled();
      await chmod(path("run.sh"), 0o755);
      await ended();
      // Without git, only the watcher reports it, perhaps after the turn.
      await until(() => file("run.sh") !== undefined);
      assert.equal(file("run.sh")?.unknown, "The agent made the file executable.");
      await review().undo({ kind: "all" });
      assert.equal((await stat(path("run.sh"))).mode & 0o111, 0);
      assert.equal(await onDisk("run.sh"), `mine\n${tenLines}`);
    });

    it("bring back line endings that a command changed before the agent wrote through the client", async () => {
      const bytes = Buffer.from("one\r\ntwo\nthree\rfour\n");
      await put("ends.txt", "");
      await writeFile(path("ends.txt"), bytes);
      await noticed();
      await prepare();
      await put("ends.txt", "one\ntwo\nthree\nfour\n");
      await write("ends.txt", "one\n2\nthree\nfour\n");
      await ended();
      assert.deepEqual(hunks("ends.txt"), ["two → 2"]);
      await review().undo({ kind: "all" });
      assert.deepEqual(await readFile(path("ends.txt")), bytes);
    });
  });
}
