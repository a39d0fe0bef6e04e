// Changes by other programs around a turn, in the real editor, with and without git: `git stash`, Revert File, and tool
// calls that report after the turn.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { maxReportDelay } from "../../src/history/turnTimes.ts";
import { withShiftedClock } from "../support/fakes/shiftedClock.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);
const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);

for (const git of [true, false]) {
  describe(`changes around a turn, ${git ? "in a repository" : "without git"}`, () => {
    const reviewed = useReviewedFolder({ git });
    const { path, onDisk, put, open, show, hunks, hunksAre, prepare, noticed, end, tool, edit, write, type } = reviewed;
    const { review, watch, folder } = reviewed;
    const sh = (command: string): Promise<unknown> =>
      run("sh", ["-c", command.replaceAll("git ", "git -c user.name=a -c user.email=b ")], { cwd: folder() });
    const rows = (): readonly string[] =>
      review().files.map(
        one => `${one.path.slice(folder().length + 1)}: ${hunks(one.path.slice(folder().length + 1)).join()}`,
      );
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
      // By the file system's clock, what follows is after the turn.
      const at = Date.now() + 50;
      await until(() => Date.now() > at);
    };
    /** Everything on disk has been noticed. */
    const everythingSeen = async (): Promise<void> => {
      await noticed();
      await watch().settled();
    };

    const changeFiles = async (): Promise<void> => {
      for (const name of ["open.txt", "closed.txt", "gone.txt"]) await put(name, tenLines);
      if (git) await sh("echo watched >> .git/info/exclude && git add . && git commit -qm all");
      await noticed();
      await show("open.txt");
      await prepare();
      for (const name of ["open.txt", "closed.txt"]) await put(name, edited);
      await put("in/new.txt", "new\n");
      await put("barrier.txt", "new\n");
      await rm(path("gone.txt"));
      // VS Code sometimes never reports a file that is created with its folder. The end of the turn finds it.
      await until(() => rows().length >= 4);
      await ended();
      await until(() => rows().length === 5);
    };
    const stash = async (): Promise<void> => {
      if (git) return void (await sh("git stash -qu"));
      for (const name of ["open.txt", "closed.txt", "gone.txt"]) await put(name, tenLines);
      for (const name of ["in", "barrier.txt"]) await rm(path(name), { recursive: true });
    };
    const pop = async (): Promise<void> => {
      if (git) return void (await sh("git stash pop -q"));
      for (const name of ["open.txt", "closed.txt"]) await put(name, edited);
      for (const name of ["in/new.txt", "barrier.txt"]) await put(name, "new\n");
      await rm(path("gone.txt"));
    };
    const rowsAre = async (wanted: readonly string[]): Promise<void> => {
      const isSame = (): boolean => JSON.stringify(rows()) === JSON.stringify(wanted);
      const end = Date.now() + 10_000;
      await until(() => isSame() || Date.now() > end);
      assert.deepEqual(rows(), wanted);
    };

    for (const nextTurn of [false, true])
      it(`wait for review again after they were stashed and popped${nextTurn ? ", with a turn in between" : ""}`, async function () {
        await changeFiles();
        const before = rows();
        await stash();
        await rowsAre([]);
        if (nextTurn) {
          await prepare("turn 2");
          await ended();
        }
        await everythingSeen();
        assert.deepEqual(rows(), []);
        await pop();
        await rowsAre(before);
        await review().undo({ kind: "all" });
        for (const name of ["open.txt", "closed.txt", "gone.txt"]) assert.equal(await onDisk(name), tenLines);
        await assert.rejects(onDisk("in/new.txt"), { code: "ENOENT" });
      });

    it("wait for review after they were stashed and popped at once", async function () {
      await changeFiles();
      const before = rows();
      await stash();
      await pop();
      await rm(path("barrier.txt"));
      await until(() => rows().length < before.length);
      await rowsAre(before.filter(row => !row.startsWith("barrier.txt")));
    });

    for (const way of ["through Parley", "to disk"])
      it(`stay the agent's that writes ${way}, when the user types and reverts the file just after the turn`, async () => {
        await put("a.txt", tenLines);
        const { document } = await show("a.txt");
        await noticed();
        await prepare();
        if (way === "to disk") await edit("a.txt", edited);
        else await write("a.txt", edited);
        await hunksAre("a.txt", "line 2 → line two");
        end();
        await watch().settled();
        await until(() => document.getText() === edited);
        for (const line of [7, 1]) {
          await type("a.txt", line, "mine ");
          assert.ok(document.isDirty);
          await show("a.txt");
          await vscode.commands.executeCommand("workbench.action.files.revert");
          await until(() => document.getText() === edited && !document.isDirty);
          await watch().settled();
          assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
        }
        await review().undo({ kind: "all" });
        assert.equal(await onDisk("a.txt"), tenLines);
      });

    it("are not the agent's if the user saves and reverts a file during the turn", async () => {
      await put("mine.txt", tenLines);
      const { document } = await show("mine.txt");
      await noticed();
      await prepare();
      await type("mine.txt", 2, "mine ");
      assert.ok(await document.save());
      const saved = document.getText();
      await type("mine.txt", 4, "more ");
      await show("mine.txt");
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await until(() => document.getText() === saved && !document.isDirty);
      await ended();
      assert.deepEqual(rows(), []);
    });

    it("are reviewed if a tool call names them long after the turn, whenever it reports", async function () {
      const names = ["begun.txt", "later.txt", "once.txt", "mine.txt", "unnamed.txt"];
      await withShiftedClock(-2 * maxReportDelay, async () => {
        for (const name of names) await put(name, tenLines);
        await open("later.txt");
        await noticed();
        await prepare();
        tool({ kind: "edit", status: "in_progress", locations: [{ path: path("begun.txt") }] }, "begun");
        await ended();
        // The turn is long over, and so is the comparison of the folder with its start.
        await watch().whenCompared();
      });
      await put("begun.txt", edited);
      await everythingSeen();
      tool({ status: "completed" }, "begun");
      await hunksAre("begun.txt", "line 2 → line two");
      await edit("later.txt", edited);
      await hunksAre("later.txt", "line 2 → line two");
      await put("once.txt", edited);
      const content = [{ type: "diff" as const, path: path("once.txt"), oldText: "line 2", newText: "line two" }];
      tool({ kind: "edit", status: "completed", content }, "once");
      await hunksAre("once.txt", "line 2 → line two");
      await put("mine.txt", edited);
      tool({ kind: "read", status: "completed", locations: [{ path: path("mine.txt") }] }, "read");
      await put("unnamed.txt", edited);
      await everythingSeen();
      assert.deepEqual(
        rows().map(row => row.split(":")[0]),
        names.slice(0, 3),
      );
      await review().undo({ kind: "all" });
      for (const name of names.slice(0, 3)) assert.equal(await onDisk(name), tenLines);
      for (const name of names.slice(3)) assert.equal(await onDisk(name), edited);
    });
  });
}
