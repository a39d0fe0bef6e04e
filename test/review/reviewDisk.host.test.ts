// An agent that writes to disk by itself, in the real editor: what stood there before, from whatever tells it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { emptySession } from "../../src/session/state.ts";
import { until } from "../support/fakes/waiting.ts";
import { runningState } from "../support/fakes/fedEvents.ts";
import { lines, tenLines, useReviewedFolder, runningState } from "../support/host/reviewedFolder.ts";
import { until } from "../support/fakes/until.ts";

const git = promisify(execFile);

describe("the review of changes, in the editor", () => {
  const {
    path,
    onDisk,
    put,
    show,
    file,
    hunks,
    hunksAre,
    begin,
    end,
    tool,
    edit,
    type,
    touches,
    trees,
    review,
    watch,
    turnBegan,
    folder,
  } = useReviewedFolder();

  describe("an agent that writes to disk itself", () => {
    it("leaves hunks in a file that is not open", async () => {
      await put("a.txt", tenLines);
      await begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("leaves hunks in a file that is open, and the user's later typing is the user's", async () => {
      await put("a.txt", tenLines);
      const editor = await show("a.txt");
      await begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => editor.document.getText().includes("two"));
      await hunksAre("a.txt", "line 2 → line two");
      await type("a.txt", 7, "mine ");
      await hunksAre("a.txt", "line 2 → line two");
      assert.deepEqual(touches, [["turn 1", path("a.txt"), tenLines]]);
    });

    it("is told late, with fragments of the text before and after", async () => {
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      tool({
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: path("a.txt"), oldText: "line 2\nline 3", newText: "line two\nline 3" }],
      });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("is told late, when the file was seen to change before: then nothing was known at first", async () => {
      await put("a.txt", tenLines);
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => file("a.txt")?.unknown !== undefined);
      const content = [{ type: "diff" as const, path: path("a.txt"), oldText: "line 2", newText: "line two" }];
      tool({ kind: "edit", status: "completed", content });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("is told late, with a patch in git's form", async () => {
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      const patch = `diff --git a${path("a.txt")} b${path("a.txt")}\n--- a${path("a.txt")}\n+++ b${path("a.txt")}\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+line two\n line 3\n`;
      const changes = [{ operation: "modify", path: path("a.txt") }];
      tool({ kind: "edit", status: "completed", content: [{ type: "changes", changes, patch }] });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command that names no file: the text before comes from the turn's tree", async () => {
      await put("a.txt", tenLines);
      await begin();
      trees.set(`turn 1 ${path("a.txt")}`, tenLines);
      tool({ kind: "execute", status: "in_progress" });
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command in a folder without git: the text before was read when the turn began", async () => {
      await put("a.txt", tenLines);
      await turnBegan("turn 1", "");
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command where nothing is known of the text before: that is said, and can only be kept", async () => {
      await put("a.txt", tenLines);
      await begin();
      await put("a.txt", lines(1, "two"));
      await until(() => file("a.txt") !== undefined);
      assert.match(file("a.txt")?.unknown ?? "", /no earlier text/);
      await review().undo({ kind: "all" });
      assert.ok(file("a.txt"));
      await review().keep({ kind: "all" });
      assert.equal(file("a.txt"), undefined);
      assert.ok(await review().undoLast());
      assert.ok(file("a.txt"));
    });

    it("deletes a file: undo brings it back", async () => {
      await put("a.txt", tenLines);
      await begin();
      tool({ kind: "delete", status: "in_progress", locations: [{ path: path("a.txt") }] });
      await watch().settled();
      await rm(path("a.txt"));
      tool({ status: "completed" });
      await until(() => file("a.txt")?.changes.text === null);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.equal(file("a.txt"), undefined);
    });

    it("makes a file that undo deletes", async () => {
      await begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("c.txt") }] });
      await watch().settled();
      await put("c.txt", "new\n");
      tool({ status: "completed" });
      await hunksAre("c.txt", " → new");
      await review().undo({ kind: "all" });
      await assert.rejects(onDisk("c.txt"), { code: "ENOENT" });
    });

    it("makes a file that is no text: that is said, and can only be kept", async () => {
      await begin();
      await put("image.bin", "\0\u0001\0");
      await until(() => file("image.bin") !== undefined);
      assert.match(file("image.bin")?.unknown ?? "", /binary/);
      await review().keep({ kind: "all" });
      assert.deepEqual(review().files, []);
    });

    it("makes folders in folders, with files that VS Code does not tell: they are found", async () => {
      for (let round = 0; round < 5; round++) {
        const name = `${round}/in/in/in/c.txt`;
        trees.set(`turn ${round} ${path(name)}`, null);
        await begin(`turn ${round}`);
        await put(name, "new\n");
        await hunksAre(name, " → new");
        end();
      }
    });

    it("makes files late in folders in folders: they are found when its turn ends", async () => {
      for (let round = 0; round < 5; round++) {
        const names = [`${round}/in/in/in/first.txt`, `${round}/in/in/in/late.txt`];
        for (const name of names) trees.set(`turn ${round} ${path(name)}`, null);
        await begin(`turn ${round}`);
        for (const name of names) {
          await put(name, "new\n");
          if (name === names[0]) await hunksAre(name, " → new");
        }
        end();
        for (const name of names) await hunksAre(name, " → new");
      }
    });

    it("is still the author of what is told after its turn", async () => {
      await put("a.txt", tenLines);
      await begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("a.txt") }] });
      await watch().settled();
      watch().stateChanged(runningState);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      watch().stateChanged(emptySession);
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("moves a file: undo moves it back", async () => {
      await put("a.txt", tenLines);
      await begin();
      tool({ kind: "move", status: "in_progress", locations: [{ path: path("a.txt") }, { path: path("b.txt") }] });
      await watch().settled();
      await put("b.txt", tenLines);
      await rm(path("a.txt"));
      tool({ status: "completed" });
      await until(() => file("a.txt")?.changes.text === null && file("b.txt")?.changes.base === null);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      await assert.rejects(onDisk("b.txt"), { code: "ENOENT" });
      assert.deepEqual(review().files, []);
    });

    it("writes beneath unsaved text of the user: the lines are the agent's once the user takes them", async () => {
      await put("a.txt", tenLines);
      const editor = await show("a.txt");
      await type("a.txt", 4, "mine ");
      await begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await edit("b.txt", "barrier\n");
      await until(() => file("b.txt") !== undefined);
      assert.equal(file("a.txt"), undefined);
      await vscode.window.showTextDocument(editor.document);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await until(() => file("a.txt") !== undefined);
      assert.ok(
        hunks("a.txt").some(hunk => hunk.endsWith("line two")),
        hunks("a.txt").join(),
      );
    });

    it("in a file that git ignores is passed over, unless it names the file", async () => {
      await git("git", ["init", "-q"], { cwd: folder() });
      await put(".gitignore", "*.log\n");
      await begin();
      await put("x.log", "1\n");
      await put("y.txt", "1\n");
      await until(() => file("y.txt") !== undefined);
      assert.equal(file("x.log"), undefined);
      await edit("x.log", "2\n");
      await until(() => file("x.log") !== undefined);
    });
  });
});
