// The attribution of changes in the real editor: writes through Parley, the user's typing, undo, other tools, git,
// decisions.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, lstat, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { openTextOf } from "../../src/editor/openDocuments.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const git = promisify(execFile);

describe("the review in the editor", () => {
  const {
    tool,
    path,
    onDisk,
    put,
    open,
    show,
    file,
    hunksAre,
    begin,
    end,
    write,
    edit,
    type,
    formatting,
    touches,
    reviews,
    review,
    watch,
    noticed,
    reopen,
    folder,
    authorsOf,
  } = useReviewedFolder();

  /** Shows the file like a user, and closes it again, so that nothing of Parley keeps it open. */
  const closing = async (name: string): Promise<{ readonly closed: Thenable<unknown> }> => {
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path(name)));
    await until(async () => vscode.window.activeTextEditor?.document.uri.fsPath === path(name));
    return { closed: vscode.commands.executeCommand("workbench.action.closeActiveEditor") };
  };

  it("names no other program if the editor loads only after Undo what Undo wrote", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `in/${round}.txt`;
      await put(name, tenLines);
      await begin(`turn ${round}`);
      await write(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre(name, "line 2 → line two");
      end();
      await watch().settled();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk(name), tenLines);
      await until(() => (openTextOf(path(name))?.text ?? tenLines) === tenLines);
      await watch().settled();
      // On a busy machine, the review can notice in the turn that the test has made the file.
      const authors = authorsOf(name);
      assert.deepEqual(authors.slice(authors.indexOf("agent")), ["agent"]);
    }
  });

  describe("with a file that the editor closes at the same moment", () => {
    it("writes it anyway", async () => {
      for (let round = 0; round < 5; round++) {
        const name = `${round}.txt`;
        await put(name, tenLines);
        await begin(`turn ${round}`);
        const { closed } = await closing(name);
        await write(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
        await closed;
        await hunksAre(name, "line 2 → line two");
        end();
      }
    });

    it("undoes its changes anyway", async () => {
      for (let round = 0; round < 5; round++) {
        const name = `${round}.txt`;
        await put(name, tenLines);
        await begin(`turn ${round}`);
        await edit(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
        await hunksAre(name, "line 2 → line two");
        const { closed } = await closing(name);
        await review().undo({ kind: "file", path: path(name) });
        await closed;
        assert.equal(await onDisk(name), tenLines);
        end();
      }
    });
  });

  /** By the file system's clock, a file that is written just after a turn may belong to it. */
  const clockPassed = (endedAt = Date.now()): Promise<void> => until(() => Date.now() > endedAt + 30);

  it("does not attribute another tool's change just before the turn to the agent, although the editor reports it later", async () => {
    for (let round = 0; round < 3; round++) {
      const name = `${round}.txt`;
      await put(name, lines("old"));
      await show(name);
      // The editor must not load the file while it is written: then it could not save.
      await noticed();
      await put(name, tenLines);
      await begin(`turn ${round}`);
      await write(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre(name, "line 2 → line two");
      end();
      assert.equal(touches.at(-1)?.[2], tenLines);
      await clockPassed();
    }
  });

  it("takes in what another program wrote to a kept file before the turn, although the editor has not reported it", async () => {
    const theirs = lines("theirs", 2, 3);
    await put("a.txt", tenLines);
    await open("a.txt");
    await begin();
    await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
    await hunksAre("a.txt", "line 2 → line two");
    end();
    await watch().settled();
    await review().keep({ kind: "all" });
    await clockPassed();
    await put("a.txt", theirs);
    await begin("turn 2");
    await write("a.txt", lines("theirs", 2, "three"));
    await hunksAre("a.txt", "line 3 → line three");
    assert.equal(touches.at(-1)?.[2], theirs);
    assert.deepEqual(authorsOf("a.txt"), ["agent", "others", "agent"]);
    await review().undo({ kind: "all" });
    assert.equal(await onDisk("a.txt"), theirs);
    end();
  });

  it("writes to and undoes changes in a folder that is deleted and restored without a notification by VS Code", async function () {
    for (let round = 0; round < 5; round++) {
      const name = `in/in/${round}.txt`;
      await put(name, lines("old"));
      await open(name);
      rmSync(path("in"), { recursive: true });
      mkdirSync(path("in/in"), { recursive: true });
      await put(name, tenLines);
      await begin(`turn ${round}`);
      await write(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre(name, "line 2 → line two");
      end();
      rmSync(path("in"), { recursive: true });
      mkdirSync(path("in/in"), { recursive: true });
      writeFileSync(path(name), lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11));
      const { failed } = await reviews().edits.apply([
        { path: path(name), before: lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11), after: tenLines },
      ]);
      assert.deepEqual([...failed.values()], []);
      assert.equal(await onDisk(name), tenLines);
    }
  });

  describe("with a restored checkpoint", () => {
    it("does not attribute the restore to the agent, and the restore can be undone at once", async () => {
      for (let round = 0; round < 5; round++) {
        const name = `${round}.txt`;
        const changed = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
        await put(name, tenLines);
        await begin(`turn ${round}`);
        await edit(name, changed);
        await hunksAre(name, "line 2 → line two");
        end();
        const { closed } = await closing(name);
        const { edits } = reviews();
        await edits.apply([{ path: path(name), before: changed, after: tenLines }]);
        await edits.apply([{ path: path(name), before: tenLines, after: changed }]);
        await edits.apply([{ path: path(name), before: changed, after: tenLines }]);
        await closed;
        await watch().settled();
        assert.equal(await onDisk(name), tenLines);
        await hunksAre(name);
      }
    });
  });

  describe("with an agent that writes through Parley", () => {
    it("shows hunks: one is kept, the other undone, in buffer and on disk", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      assert.deepEqual(touches, [["turn 1", path("a.txt"), tenLines]]);
      const [first, second] = file("a.txt")?.changes.hunks ?? [];
      await review().keep({ kind: "hunks", path: path("a.txt"), ids: [first?.id ?? ""] });
      await review().undo({ kind: "hunks", path: path("a.txt"), ids: [second?.id ?? ""] });
      assert.equal(file("a.txt"), undefined);
      assert.equal(await onDisk("a.txt"), lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      assert.equal((await open("a.txt")).getText(), await onDisk("a.txt"));
    });

    it("shows a created file, which undo deletes and reverting the decision restores", async () => {
      await begin();
      await write("new/b.txt", "hello\n");
      await hunksAre("new/b.txt", " → hello");
      await review().undo({ kind: "all" });
      await assert.rejects(onDisk("new/b.txt"), { code: "ENOENT" });
      assert.ok(await review().undoLast());
      assert.equal(await onDisk("new/b.txt"), "hello\n");
      assert.equal(await review().undoLast(), false);
    });

    it("shows a file again that the agent recreates after someone deleted it", async () => {
      await begin("turn 1");
      await write("b.txt", "hello\n");
      await hunksAre("b.txt", " → hello");
      end();
      await rm(path("b.txt"));
      await begin("turn 2");
      await write("b.txt", "hello again\n");
      await hunksAre("b.txt", " → hello again");
    });

    it("compares with the text before both writes, if the agent writes to disk first and then through Parley", async () => {
      await put("a.txt", tenLines);
      await begin();
      for (const name of ["a.txt", "new.txt"]) {
        tool({ kind: "edit", status: "in_progress", locations: [{ path: path(name) }] }, name);
        await watch().settled();
        const text = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
        await put(name, text);
        await write(name, text);
      }
      await hunksAre("a.txt", "line 2 → line two");
      assert.equal(file("new.txt")?.changes.base, null);
    });

    it("does not delete a created file on undo if the user edited it", async () => {
      await begin();
      await write("b.txt", "hello\n");
      await type("b.txt", 0, "mine ");
      await watch().settled();
      await assert.rejects(review().undo({ kind: "all" }), /has your text and the agent's/);
      assert.equal((await open("b.txt")).getText(), "mine hello\n");
    });

    it("attributes the user's typing outside of hunks to the user, and typing in a hunk's lines to the hunk", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await type("a.txt", 4, "mine ");
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await type("a.txt", 1, "mine too ");
      await hunksAre("a.txt", "line 2 → mine too line two", "line 9 → line nine");
      const undone = review().undo({ kind: "file", path: path("a.txt") });
      await rejectsWithRefusal("failed", /Line 2 of .*a\.txt.* has your text and the agent's/, undone);
      const text = (await open("a.txt")).getText();
      const both = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10).replace("line two", "mine too line two");
      assert.equal(text, both.replace("line 5", "mine line 5"));
      await hunksAre("a.txt", "line 2 → mine too line two");
    });

    it("keeps whole lines that the user inserts in a hunk when the hunk is undone", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", "three", "four", 5, 6, 7, 8, 9, 10));
      await type("a.txt", 2, "mine\n");
      await hunksAre("a.txt", "line 2 → line two", "line 3|line 4 → line three|line four");
      await review().undo({ kind: "all" });
      assert.equal((await open("a.txt")).getText(), tenLines.replace("line 3", "mine\nline 3"));
      assert.deepEqual(review().files, []);
    });

    it("follows undo and redo of the editor", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      await show("a.txt");
      await vscode.commands.executeCommand("undo");
      await until(() => file("a.txt") === undefined);
      await vscode.commands.executeCommand("redo");
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("shows undone lines again that Ctrl+Z restores", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await show("a.txt");
      await review().undo({ kind: "all" });
      assert.equal(file("a.txt"), undefined);
      await vscode.commands.executeCommand("undo");
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("does not undo changes in a file that became a link to another place", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      const elsewhere = join(folder(), "..", "elsewhere.txt");
      await copyFile(path("a.txt"), elsewhere);
      // In one step: a file that does not exist for a moment has no changes to review afterwards.
      await symlink(elsewhere, path("link"));
      await rename(path("link"), path("a.txt"));
      const refusal = await review()
        .undo({ kind: "all" })
        .then(() => undefined, String);
      assert.match(await readFile(elsewhere, "utf8"), /line two/);
      // If VS Code has noticed the link already, the link is the agent's change, and the file takes its place again.
      if (refusal !== undefined) assert.match(refusal, /is no longer in this session's folders/);
      else assert.deepEqual([(await lstat(path("a.txt"))).isFile(), await onDisk("a.txt")], [true, tenLines]);
    });

    it("keeps CRLF when a hunk is undone", async () => {
      await put("a.txt", tenLines.replaceAll("\n", "\r\n"));
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines.replaceAll("\n", "\r\n"));
    });
  });

  describe("with changes by others", () => {
    it("moves the hunks when the user renames a folder", async () => {
      await put("old/a.txt", tenLines);
      await begin();
      await write("old/a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("old/a.txt", "line 2 → line two");
      end();
      const change = new vscode.WorkspaceEdit();
      change.renameFile(vscode.Uri.file(path("old")), vscode.Uri.file(path("new")));
      assert.ok(await vscode.workspace.applyEdit(change));
      await hunksAre("new/a.txt", "line 2 → line two");
      assert.equal(file("old/a.txt"), undefined);
    });

    it("drops all files of a deleted folder", async () => {
      await begin();
      await write("old/a.txt", tenLines);
      await write("old/b.txt", tenLines);
      end();
      // VS Code does not report a folder that is created and deleted at once.
      await noticed();
      await rm(path("old"), { recursive: true });
      await until(() => review().files.length === 0);
    });

    it("attributes the user's save during a turn to the user", async () => {
      await put("a.txt", tenLines);
      await begin();
      await show("a.txt");
      await type("a.txt", 0, "mine ");
      await (await open("a.txt")).save();
      await edit("b.txt", "barrier\n");
      await until(() => file("b.txt") !== undefined);
      assert.equal(file("a.txt"), undefined);
    });

    it("adds another tool's writes after the turn to the base, unless they overlap a hunk", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      end();
      // Wait until the period has passed in which late file events may still belong to the turn.
      const later = Date.now() + 50;
      await until(() => Date.now() > later);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, "checked out"));
      await until(async () => (await open("a.txt")).getText().includes("checked out"));
      await watch().settled();
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("attributes formatting on the user's save to the user outside of hunks, and to the hunk inside", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      end();
      await formatting(/line (two|7)/g, "LINE $1", async () => {
        await type("a.txt", 4, "mine ");
        await (await open("a.txt")).save();
      });
      await hunksAre("a.txt", "line 2 → LINE two");
      assert.equal(
        await onDisk("a.txt"),
        lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
          .replace("line 2", "LINE two")
          .replace("line 5", "mine line 5")
          .replace("line 7", "LINE 7"),
      );
    });

    it("attributes formatting on the agent's save to the agent", async () => {
      await put("a.txt", tenLines);
      await begin();
      await formatting(/line (two|7)/g, "LINE $1", async () => {
        await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      });
      await hunksAre("a.txt", "line 2 → LINE two", "line 7 → LINE 7");
    });

    for (const where of ["the folder", "a folder above"]) {
      it(`treats changes in a git commit of ${where} as kept`, async () => {
        await reopen(async () => {
          await git("git", ["init", "-q"], { cwd: where === "the folder" ? folder() : join(folder(), "..") });
        });
        await put("a.txt", tenLines);
        const commit = async (): Promise<void> => {
          await git("git", ["add", "-A"], { cwd: folder() });
          await git("git", ["-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "x"], {
            cwd: folder(),
          });
        };
        await commit();
        await begin();
        await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
        await hunksAre("a.txt", "line 2 → line two");
        end();
        await commit();
        await until(() => file("a.txt") === undefined);
      });
    }
  });

  describe("across windows", () => {
    it("shows the hunks again, also if the file changed meanwhile", async () => {
      await put("a.txt", tenLines);
      await put("b.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await write("b.txt", lines(1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"));
      await reopen(async () => {
        await put("b.txt", lines(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"));
      });
      await hunksAre("a.txt", "line 2 → line two");
      await hunksAre("b.txt", "line 10 → line ten");
      assert.deepEqual(review().turns, [{ id: "turn 1", title: "Title of turn 1" }]);
    });
  });

  describe("with decisions", () => {
    it("keeps the hunks of other turns", async () => {
      await put("a.txt", tenLines);
      await begin("turn 1");
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await begin("turn 2");
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      assert.deepEqual(
        review().turns.map(turn => turn.id),
        ["turn 1", "turn 2"],
      );
      await review().undo({ kind: "turn", turn: "turn 2" });
      await hunksAre("a.txt", "line 2 → line two");
      await review().keep({ kind: "turn", turn: "turn 1" });
      assert.equal(file("a.txt"), undefined);
    });

    it("reverts them one after the other, also if the user has typed elsewhere since", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      const [first, second] = file("a.txt")?.changes.hunks ?? [];
      await review().keep({ kind: "hunks", path: path("a.txt"), ids: [first?.id ?? ""] });
      await review().undo({ kind: "hunks", path: path("a.txt"), ids: [second?.id ?? ""] });
      await type("a.txt", 5, "mine ");
      await watch().settled();
      assert.ok(await review().undoLast());
      await hunksAre("a.txt", "line 9 → line nine");
      assert.ok(await review().undoLast());
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      assert.match((await open("a.txt")).getText(), /mine line 6/);
    });
  });
});
