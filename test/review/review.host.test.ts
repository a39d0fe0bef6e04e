// Who changed what, in the real editor: writes through us, the user's typing, undo, other tools, git, decisions.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { copyFile, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const git = promisify(execFile);

describe("the review of changes, in the editor", () => {
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
    reopen,
    folder,
  } = useReviewedFolder();

  /** Shows the file as the user would, and closes it again: nothing of ours keeps it open. */
  const closing = async (name: string): Promise<{ readonly closed: Thenable<unknown> }> => {
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path(name)));
    await until(async () => vscode.window.activeTextEditor?.document.uri.fsPath === path(name));
    return { closed: vscode.commands.executeCommand("workbench.action.closeActiveEditor") };
  };

  describe("a file that the editor closes at the same moment", () => {
    it("is written all the same", async () => {
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

    it("is undone all the same", async () => {
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

  it("what another tool did just before the turn is not the agent's, though the editor has not noticed yet", async () => {
    for (let round = 0; round < 3; round++) {
      const name = `${round}.txt`;
      await put(name, lines("old"));
      await show(name);
      await put(name, tenLines);
      await begin(`turn ${round}`);
      await write(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre(name, "line 2 → line two");
      end();
      assert.equal(touches.at(-1)?.[2], tenLines);
    }
  });

  it("a folder that goes and comes back, which VS Code does not notice, can be written to and undone", async function () {
    this.timeout(60_000);
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
      await reviews().edits.apply([
        { path: path(name), before: lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11), after: tenLines },
      ]);
      assert.equal(await onDisk(name), tenLines);
    }
  });

  describe("a restored checkpoint", () => {
    it("is no change of the agent's, and can be undone at once", async () => {
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

  describe("an agent that writes through us", () => {
    it("leaves hunks; one is kept, the other undone, in buffer and on disk", async () => {
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

    it("makes a file that undo deletes, and that comes back when the decision is taken back", async () => {
      await begin();
      await write("new/b.txt", "hello\n");
      await hunksAre("new/b.txt", " → hello");
      await review().undo({ kind: "all" });
      await assert.rejects(onDisk("new/b.txt"), { code: "ENOENT" });
      assert.ok(await review().undoLast());
      assert.equal(await onDisk("new/b.txt"), "hello\n");
      assert.equal(await review().undoLast(), false);
    });

    it("makes a file anew that somebody has deleted since: it waits for review again", async () => {
      await begin("turn 1");
      await write("b.txt", "hello\n");
      await hunksAre("b.txt", " → hello");
      end();
      await rm(path("b.txt"));
      await begin("turn 2");
      await write("b.txt", "hello again\n");
      await hunksAre("b.txt", " → hello again");
    });

    it("writes to disk first and through us then: the text before is what was seen before both", async () => {
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

    it("makes a file that the user edits: undo does not delete it", async () => {
      await begin();
      await write("b.txt", "hello\n");
      await type("b.txt", 0, "mine ");
      await watch().settled();
      await assert.rejects(review().undo({ kind: "all" }), /contains your edits/);
      assert.equal((await open("b.txt")).getText(), "mine hello\n");
    });

    it("leaves the user's typing elsewhere the user's, and takes what is typed into its lines along", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await type("a.txt", 4, "mine ");
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await type("a.txt", 1, "mine too ");
      await hunksAre("a.txt", "line 2 → mine too line two", "line 9 → line nine");
      await review().undo({ kind: "file", path: path("a.txt") });
      const text = (await open("a.txt")).getText();
      assert.equal(text, lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).replace("line 5", "mine line 5"));
    });

    it("is undone and redone with the editor's own keys", async () => {
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

    it("has its undone lines brought back by Ctrl+Z, still to be reviewed", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await show("a.txt");
      await review().undo({ kind: "all" });
      assert.equal(file("a.txt"), undefined);
      await vscode.commands.executeCommand("undo");
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("has a file that became a link to elsewhere left alone by undo", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      const elsewhere = join(folder(), "..", "elsewhere.txt");
      await copyFile(path("a.txt"), elsewhere);
      // In one step: of a file that is gone nothing waits any more.
      await symlink(elsewhere, path("link"));
      await rename(path("link"), path("a.txt"));
      await assert.rejects(review().undo({ kind: "all" }), /is no longer in this session's folders/);
      assert.match(await readFile(elsewhere, "utf8"), /line two/);
    });

    it("keeps CRLF where a hunk is undone", async () => {
      await put("a.txt", tenLines.replaceAll("\n", "\r\n"));
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines.replaceAll("\n", "\r\n"));
    });
  });

  describe("what is not the agent's", () => {
    it("that the user moves a folder: its changes go on waiting at their new place", async () => {
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

    it("that a folder goes: nothing in it waits any more", async () => {
      await begin();
      await write("old/a.txt", tenLines);
      await write("old/b.txt", tenLines);
      end();
      await until(async () => {
        // A folder that comes and goes at once is not told of.
        await rm(path("old"), { recursive: true, force: true });
        return review().files.length === 0;
      });
    });

    it("what the user saves during a turn", async () => {
      await put("a.txt", tenLines);
      await begin();
      await show("a.txt");
      await type("a.txt", 0, "mine ");
      await (await open("a.txt")).save();
      await edit("b.txt", "barrier\n");
      await until(() => file("b.txt") !== undefined);
      assert.equal(file("a.txt"), undefined);
    });

    it("what another tool writes after the turn: it goes into the base, unless it meets a hunk", async () => {
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      end();
      // Past the moment for which what is told late may still be of the turn.
      const later = Date.now() + 50;
      await until(() => Date.now() > later);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, "checked out"));
      await until(async () => (await open("a.txt")).getText().includes("checked out"));
      await watch().settled();
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("what is formatted when the user saves: outside of hunks it is the user's, inside it joins them", async () => {
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

    it("what is formatted when the agent's own write is saved is the agent's", async () => {
      await put("a.txt", tenLines);
      await begin();
      await formatting(/line (two|7)/g, "LINE $1", async () => {
        await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      });
      await hunksAre("a.txt", "line 2 → LINE two", "line 7 → LINE 7");
    });

    for (const where of ["the folder", "a folder above"]) {
      it(`what git has in a commit of ${where} counts as kept`, async () => {
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
    it("waits again, and is found where the file changed meanwhile", async () => {
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

  describe("decisions", () => {
    it("about one turn leave the other turn's hunks", async () => {
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

    it("are taken back one after the other, also when the user has typed elsewhere since", async () => {
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
