// An agent that writes to disk directly, in the real editor: the text before, from any source.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { emptySession } from "../../src/session/state.ts";
import { maxReportDelay } from "../../src/history/turnTimes.ts";
import { runningState } from "../support/fakes/fedEvents.ts";
import { withShiftedClock } from "../support/fakes/shiftedClock.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";
import { until } from "../support/fakes/until.ts";

const git = promisify(execFile);

describe("the review in the editor", () => {
  const {
    path,
    onDisk,
    put,
    show,
    file,
    hunks,
    hunksAre,
    noticed,
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
    write,
  } = useReviewedFolder();

  describe("with an agent that writes to disk directly", () => {
    it("shows hunks in a file that is not open", async () => {
      await put("a.txt", tenLines);
      await begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("shows hunks in an open file, and attributes the user's later typing to the user", async () => {
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

    it("shows hunks in an open file that the editor loads long after the turn", async () => {
      await put("a.txt", tenLines);
      const { document } = await show("a.txt");
      await begin();
      const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
      await edit("a.txt", edited);
      await watch().settled();
      end();
      await withShiftedClock(2 * maxReportDelay, async () => {
        await until(() => document.getText() === edited);
        await watch().settled();
        await hunksAre("a.txt", "line 2 → line two");
      });
    });

    it("uses a late report with fragments of the text before and after", async () => {
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      tool({
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: path("a.txt"), oldText: "line 2\nline 3", newText: "line two\nline 3" }],
      });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("uses a late report after the change of the file was seen, when the base was unknown at first", async () => {
      await put("a.txt", tenLines);
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => file("a.txt")?.unknown !== undefined);
      const content = [{ type: "diff" as const, path: path("a.txt"), oldText: "line 2", newText: "line two" }];
      tool({ kind: "edit", status: "completed", content });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("uses a report that arrives only in the next turn, when the base was unknown", async () => {
      await put("a.txt", tenLines);
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => file("a.txt")?.unknown !== undefined);
      end();
      await begin("turn 2");
      const content = [{ type: "diff" as const, path: path("a.txt"), oldText: "line 2", newText: "line two" }];
      tool({ kind: "edit", status: "completed", content });
      await hunksAre("a.txt", "line 2 → line two");
      assert.deepEqual(file("a.txt")?.turns, ["turn 1"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("uses a late report of a deletion and of a fragment whose earlier text occurs again elsewhere", async () => {
      await put("a.txt", tenLines);
      await put("b.txt", "same\nsame\n");
      await noticed();
      await begin();
      await rm(path("a.txt"));
      await put("b.txt", "other\nsame\n");
      await until(() => file("a.txt")?.unknown !== undefined && file("b.txt")?.unknown !== undefined);
      const deleted = {
        type: "diff" as const,
        path: path("a.txt"),
        oldText: tenLines,
        newText: "",
        deleted: true as const,
      };
      const changed = { type: "diff" as const, path: path("b.txt"), oldText: "same", newText: "other" };
      tool({ kind: "edit", status: "completed", content: [deleted, changed] });
      await hunksAre("b.txt", "same → other");
      await until(() => file("a.txt")?.changes.base === tenLines);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.equal(await onDisk("b.txt"), "same\nsame\n");
    });

    it("uses no late report that does not fit the text exactly", async () => {
      await put("a.txt", tenLines);
      await begin();
      await put("a.txt", lines(1, "two", "two"));
      await until(() => file("a.txt")?.unknown !== undefined);
      tool({
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: path("a.txt"), oldText: "line 2", newText: "line two" }],
      });
      await watch().settled();
      assert.match(file("a.txt")?.unknown ?? "", /no earlier text/);
    });

    it("uses a late report with a git patch", async () => {
      await begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      const patch = `diff --git a${path("a.txt")} b${path("a.txt")}\n--- a${path("a.txt")}\n+++ b${path("a.txt")}\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+line two\n line 3\n`;
      const changes = [{ operation: "modify", path: path("a.txt") }];
      tool({ kind: "edit", status: "completed", content: [{ type: "changes", changes, patch }] });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("reads the base from the turn's tree if the agent runs a command that names no file", async () => {
      await put("a.txt", tenLines);
      await begin();
      trees.set(`turn 1 ${path("a.txt")}`, tenLines);
      tool({ kind: "execute", status: "in_progress" });
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("uses the base from the start of the turn if the agent runs a command in a folder without git", async () => {
      await put("a.txt", tenLines);
      await turnBegan("turn 1", "");
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("marks a file whose base is unknown after a command; it can only be kept", async () => {
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

    it("takes no text of the agent as the base if the agent writes through Parley before its command is reported", async () => {
      await put("a.txt", tenLines);
      await begin();
      await writeFile(path("a.txt"), lines(1, "two"));
      await write("a.txt", lines(1, "three"));
      await watch().settled();
      assert.match(file("a.txt")?.unknown ?? "", /no earlier text/);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), lines(1, "three"));
    });

    it("restores a deleted file on undo", async () => {
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

    it("deletes a created file on undo", async () => {
      await begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("c.txt") }] });
      await watch().settled();
      await put("c.txt", "new\n");
      tool({ status: "completed" });
      await hunksAre("c.txt", " → new");
      await review().undo({ kind: "all" });
      await assert.rejects(onDisk("c.txt"), { code: "ENOENT" });
    });

    it("marks a created file that is not text; it can only be kept", async () => {
      await begin();
      await put("image.bin", "\0\u0001\0");
      await until(() => file("image.bin") !== undefined);
      assert.match(file("image.bin")?.unknown ?? "", /binary/);
      await review().keep({ kind: "all" });
      assert.deepEqual(review().files, []);
    });

    it("finds files in new nested folders that VS Code does not report", async () => {
      for (let round = 0; round < 5; round++) {
        const name = `${round}/in/in/in/c.txt`;
        trees.set(`turn ${round} ${path(name)}`, null);
        await begin(`turn ${round}`);
        await put(name, "new\n");
        await hunksAre(name, " → new");
        end();
      }
    });

    it("finds files in nested folders that are created late, when the turn ends", async () => {
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

    it("attributes changes to the agent that are reported after its turn", async () => {
      await put("a.txt", tenLines);
      await begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("a.txt") }] });
      await watch().settled();
      watch().stateChanged(runningState);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      watch().stateChanged(emptySession);
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("moves a file back on undo", async () => {
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

    it("attributes lines under the user's unsaved text to the agent after the user accepts them", async () => {
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

    it("ignores a file that git ignores, unless a tool call names it", async () => {
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
