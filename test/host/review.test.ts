// Who changed what, in the real editor: writes through us and on disk, the user's typing, undo, other tools, git.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { empty, type SessionState } from "../../src/session/state.ts";
import { EditorDocuments } from "../../src/vscode/documents.ts";
import { Reviews } from "../../src/vscode/reviews.ts";
import { nodePaths } from "../../src/workspace/nodePaths.ts";
import type { ReviewedFile } from "../../src/workspace/review.ts";
import { until } from "../unit/workspace/waiting.ts";
import { discardAll } from "./unsavedFiles.ts";

const git = promisify(execFile);
const running: SessionState = { ...empty, activity: { state: "running", since: 0 } };

const lines = (...numbers: readonly (number | string)[]): string => numbers.map(one => `line ${one}\n`).join("");
const ten = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

describe("the review of changes, in the editor", () => {
  let folder = "";
  let reviews: Reviews;
  let storage: Map<string, string>;
  const faults: string[] = [];
  const touches: [turn: string, path: string, before: string | null | undefined][] = [];
  const trees = new Map<string, string | null>();

  const path = (name: string): string => join(folder, name);
  const onDisk = (name: string): Promise<string> => readFile(path(name), "utf8");
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text);
  };
  const open = (name: string): Promise<vscode.TextDocument> =>
    Promise.resolve(vscode.workspace.openTextDocument(path(name)));
  const show = async (name: string): Promise<vscode.TextEditor> => vscode.window.showTextDocument(await open(name));
  const file = (name: string): ReviewedFile | undefined => reviews.review.file(path(name));
  /** The hunks of a file, as "old → new". */
  const hunks = (name: string): readonly string[] => {
    const found = file(name)?.changes;
    const of = (text: string | null, { from, to }: { from: number; to: number }): string =>
      (text ?? "").split("\n").slice(from, to).join("|");
    return (found?.hunks ?? []).map(
      hunk => `${of(found?.base ?? null, hunk.base)} → ${of(found?.text ?? null, hunk.text)}`,
    );
  };
  const hunksAre = async (name: string, ...wanted: readonly string[]): Promise<void> => {
    try {
      await until(() => JSON.stringify(hunks(name)) === JSON.stringify(wanted));
    } catch {
      assert.deepEqual(hunks(name), wanted);
    }
  };

  const begin = (turn = "turn 1"): void => reviews.watch.turnBegan(turn, `Title of ${turn}`);
  const end = (): void => {
    reviews.watch.sessionChanged(running);
    reviews.watch.sessionChanged(empty);
  };
  const tool = (patch: Extract<SessionEvent, { type: "tool" }>["patch"], toolCallId = "t1"): void =>
    reviews.watch.observe({ type: "tool", toolCallId, patch });
  /** The agent writes through us. */
  const write = (name: string, content: string): Promise<unknown> => {
    const documents = new EditorDocuments(nodePaths());
    return reviews.watch.writing(path(name), content, () => documents.write(path(name), content));
  };
  /** The agent writes by itself, in a tool call that names the file. */
  const edit = async (name: string, text: string, content: readonly ToolContent[] = []): Promise<void> => {
    tool({ kind: "edit", status: "in_progress", locations: [{ path: path(name) }], content });
    await reviews.watch.settled();
    await put(name, text);
    tool({ status: "completed" });
  };

  const make = (): Reviews =>
    new Reviews({
      roots: () => [folder],
      touches: { touched: one => touches.push([one.turn, one.path, one.before]), written: () => {} },
      textAt: (turn, at) => Promise.resolve(trees.get(`${turn} ${at}`)),
      storage: {
        append: () => Promise.reject(new Error("The review is not appended to.")),
        write: async (name, text) => void storage.set(name, text),
        read: async name => storage.get(name),
      },
      clock: systemClock,
      log: { ...nullLog, error: (message, data) => faults.push(`${message} ${String(data ?? "")}`) },
    });

  const settings = vscode.workspace.getConfiguration("files");
  before(() => settings.update("autoSave", "off", vscode.ConfigurationTarget.Global));
  after(() => settings.update("autoSave", undefined, vscode.ConfigurationTarget.Global));
  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    folder = await mkdtemp(join(await realpath(workspace), "reviewed-"));
    storage = new Map();
    faults.length = 0;
    touches.length = 0;
    trees.clear();
    reviews = make();
    await reviews.ready;
    await watched();
  });
  afterEach(async () => {
    reviews.dispose();
    await discardAll();
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });

  /** Resolves once changes in the folder are noticed: in a new one the first are not. */
  async function watched(): Promise<void> {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, "watched"));
    let isNoticed = false;
    watcher.onDidCreate(() => (isNoticed = true));
    watcher.onDidChange(() => (isNoticed = true));
    await until(async () => {
      await put("watched", `${Date.now()}`);
      return isNoticed;
    });
    watcher.dispose();
  }

  describe("an agent that writes through us", () => {
    it("leaves hunks; one is kept, the other undone, in buffer and on disk", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      assert.deepEqual(touches, [["turn 1", path("a.txt"), ten]]);
      const [first, second] = file("a.txt")?.changes.hunks ?? [];
      await reviews.review.keep({ kind: "hunks", path: path("a.txt"), ids: [first?.id ?? ""] });
      await reviews.review.undo({ kind: "hunks", path: path("a.txt"), ids: [second?.id ?? ""] });
      assert.equal(file("a.txt"), undefined);
      assert.equal(await onDisk("a.txt"), lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      assert.equal((await open("a.txt")).getText(), await onDisk("a.txt"));
    });

    it("makes a file that undo deletes, and that comes back when the decision is taken back", async () => {
      begin();
      await write("new/b.txt", "hello\n");
      await hunksAre("new/b.txt", " → hello");
      await reviews.review.undo({ kind: "all" });
      await assert.rejects(onDisk("new/b.txt"), { code: "ENOENT" });
      assert.ok(await reviews.review.undoLast());
      assert.equal(await onDisk("new/b.txt"), "hello\n");
      assert.equal(await reviews.review.undoLast(), false);
    });

    it("makes a file anew that somebody has deleted since: it waits for review again", async () => {
      begin("turn 1");
      await write("b.txt", "hello\n");
      await hunksAre("b.txt", " → hello");
      end();
      await rm(path("b.txt"));
      await until(() => file("b.txt") === undefined);
      begin("turn 2");
      await write("b.txt", "hello again\n");
      await hunksAre("b.txt", " → hello again");
    });

    it("makes a file that the user edits: undo does not delete it", async () => {
      begin();
      await write("b.txt", "hello\n");
      await type("b.txt", 0, "mine ");
      await reviews.watch.settled();
      await assert.rejects(reviews.review.undo({ kind: "all" }), /holds edits of yours/);
      assert.equal((await open("b.txt")).getText(), "mine hello\n");
    });

    it("leaves the user's typing elsewhere the user's, and takes what is typed into its lines along", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await type("a.txt", 4, "mine ");
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await type("a.txt", 1, "mine too ");
      await hunksAre("a.txt", "line 2 → mine too line two", "line 9 → line nine");
      await reviews.review.undo({ kind: "file", path: path("a.txt") });
      const text = (await open("a.txt")).getText();
      assert.equal(text, lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).replace("line 5", "mine line 5"));
    });

    it("is undone and redone with the editor's own keys", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      await show("a.txt");
      await vscode.commands.executeCommand("undo");
      await until(() => file("a.txt") === undefined);
      await vscode.commands.executeCommand("redo");
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("has its undone lines brought back by Ctrl+Z, still to be reviewed", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await show("a.txt");
      await reviews.review.undo({ kind: "all" });
      assert.equal(file("a.txt"), undefined);
      await vscode.commands.executeCommand("undo");
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("keeps CRLF where a hunk is undone", async () => {
      await put("a.txt", ten.replaceAll("\n", "\r\n"));
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      await reviews.review.undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), ten.replaceAll("\n", "\r\n"));
    });
  });

  describe("an agent that writes to disk itself", () => {
    it("leaves hunks in a file that is not open", async () => {
      await put("a.txt", ten);
      begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      await reviews.review.undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), ten);
    });

    it("leaves hunks in a file that is open, and the user's later typing is the user's", async () => {
      await put("a.txt", ten);
      const editor = await show("a.txt");
      begin();
      await edit("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => editor.document.getText().includes("two"));
      await hunksAre("a.txt", "line 2 → line two");
      await type("a.txt", 7, "mine ");
      await hunksAre("a.txt", "line 2 → line two");
      assert.deepEqual(touches, [["turn 1", path("a.txt"), ten]]);
    });

    it("is told late, with fragments of the text before and after", async () => {
      begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      tool({
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: path("a.txt"), oldText: "line 2\nline 3", newText: "line two\nline 3" }],
      });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("is told late, when the file was seen to change before: then nothing was known at first", async () => {
      await git("git", ["init", "-q"], { cwd: folder }); // So that the folder's texts are not read.
      await put("a.txt", ten);
      begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await until(() => file("a.txt")?.unknown !== undefined);
      const content = [{ type: "diff" as const, path: path("a.txt"), oldText: "line 2", newText: "line two" }];
      tool({ kind: "edit", status: "completed", content });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("is told late, with a patch in git's form", async () => {
      begin();
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      const patch = `diff --git a${path("a.txt")} b${path("a.txt")}\n--- a${path("a.txt")}\n+++ b${path("a.txt")}\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+line two\n line 3\n`;
      const changes = [{ operation: "modify", path: path("a.txt") }];
      tool({ kind: "edit", status: "completed", content: [{ type: "changes", changes, patch }] });
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command that names no file: the text before comes from the turn's tree", async () => {
      await put("a.txt", ten);
      begin();
      trees.set(`turn 1 ${path("a.txt")}`, ten);
      tool({ kind: "execute", status: "in_progress" });
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command in a folder without git: the text before was read when the turn began", async () => {
      await put("a.txt", ten);
      await reviews.turnBegan("turn 1", "");
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("runs a command where nothing is known of the text before: that is said, and can only be kept", async () => {
      await put("a.txt", ten);
      begin();
      await put("a.txt", lines(1, "two"));
      await until(() => file("a.txt") !== undefined);
      assert.match(file("a.txt")?.unknown ?? "", /no earlier text/);
      await reviews.review.undo({ kind: "all" });
      assert.ok(file("a.txt"));
      await reviews.review.keep({ kind: "all" });
      assert.equal(file("a.txt"), undefined);
      assert.ok(await reviews.review.undoLast());
      assert.ok(file("a.txt"));
    });

    it("deletes a file: undo brings it back", async () => {
      await put("a.txt", ten);
      begin();
      tool({ kind: "delete", status: "in_progress", locations: [{ path: path("a.txt") }] });
      await reviews.watch.settled();
      await rm(path("a.txt"));
      tool({ status: "completed" });
      await until(() => file("a.txt")?.changes.text === null);
      await reviews.review.undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), ten);
      assert.equal(file("a.txt"), undefined);
    });

    it("makes a file that undo deletes", async () => {
      begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("c.txt") }] });
      await reviews.watch.settled();
      await put("c.txt", "new\n");
      tool({ status: "completed" });
      await hunksAre("c.txt", " → new");
      await reviews.review.undo({ kind: "all" });
      await assert.rejects(onDisk("c.txt"), { code: "ENOENT" });
    });

    it("is still the author of what is told after its turn", async () => {
      await put("a.txt", ten);
      begin();
      tool({ kind: "edit", status: "in_progress", locations: [{ path: path("a.txt") }] });
      await reviews.watch.settled();
      reviews.watch.sessionChanged(running);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      reviews.watch.sessionChanged(empty);
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("moves a file: undo moves it back", async () => {
      await put("a.txt", ten);
      begin();
      tool({ kind: "move", status: "in_progress", locations: [{ path: path("a.txt") }, { path: path("b.txt") }] });
      await reviews.watch.settled();
      await put("b.txt", ten);
      await rm(path("a.txt"));
      tool({ status: "completed" });
      await until(() => file("a.txt")?.changes.text === null && file("b.txt")?.changes.base === null);
      await reviews.review.undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), ten);
      await assert.rejects(onDisk("b.txt"), { code: "ENOENT" });
      assert.deepEqual(reviews.review.files, []);
    });

    it("writes beneath unsaved text of the user: the lines are the agent's once the user takes them", async () => {
      await put("a.txt", ten);
      const editor = await show("a.txt");
      await type("a.txt", 4, "mine ");
      begin();
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
      await git("git", ["init", "-q"], { cwd: folder });
      await put(".gitignore", "*.log\n");
      begin();
      await put("x.log", "1\n");
      await put("y.txt", "1\n");
      await until(() => file("y.txt") !== undefined);
      assert.equal(file("x.log"), undefined);
      await edit("x.log", "2\n");
      await until(() => file("x.log") !== undefined);
    });
  });

  describe("what is not the agent's", () => {
    it("what the user saves during a turn", async () => {
      await put("a.txt", ten);
      begin();
      await show("a.txt");
      await type("a.txt", 0, "mine ");
      await (await open("a.txt")).save();
      await edit("b.txt", "barrier\n");
      await until(() => file("b.txt") !== undefined);
      assert.equal(file("a.txt"), undefined);
    });

    it("what another tool writes after the turn: it goes into the base, unless it meets a hunk", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      end();
      // Past the moment for which what is told late may still be of the turn.
      const later = Date.now() + 50;
      await until(() => Date.now() > later);
      await put("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, "checked out"));
      await until(async () => (await open("a.txt")).getText().includes("checked out"));
      await reviews.watch.settled();
      await hunksAre("a.txt", "line 2 → line two");
    });

    it("what is formatted when the user saves: outside of hunks it is the user's, inside it joins them", async () => {
      await put("a.txt", ten);
      begin();
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
      await put("a.txt", ten);
      begin();
      await formatting(/line (two|7)/g, "LINE $1", async () => {
        await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      });
      await hunksAre("a.txt", "line 2 → LINE two", "line 7 → LINE 7");
    });

    it("what git has in a commit counts as kept", async () => {
      await git("git", ["init", "-q"], { cwd: folder });
      await put("a.txt", ten);
      const commit = async (): Promise<void> => {
        await git("git", ["add", "-A"], { cwd: folder });
        await git("git", ["-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "x"], {
          cwd: folder,
        });
      };
      await commit();
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await hunksAre("a.txt", "line 2 → line two");
      end();
      await commit();
      await until(() => file("a.txt") === undefined);
    });
  });

  describe("across windows", () => {
    it("waits again, and is found where the file changed meanwhile", async () => {
      await put("a.txt", ten);
      await put("b.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      await write("b.txt", lines(1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"));
      await reviews.flush();
      reviews.dispose();
      await discardAll();
      await put("b.txt", lines(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"));
      reviews = make();
      await reviews.ready;
      await hunksAre("a.txt", "line 2 → line two");
      await hunksAre("b.txt", "line 10 → line ten");
      assert.deepEqual(reviews.review.turns, [{ id: "turn 1", title: "Title of turn 1" }]);
    });
  });

  describe("decisions", () => {
    it("about one turn leave the other turn's hunks", async () => {
      await put("a.txt", ten);
      begin("turn 1");
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10));
      begin("turn 2");
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      assert.deepEqual(
        reviews.review.turns.map(turn => turn.id),
        ["turn 1", "turn 2"],
      );
      await reviews.review.undo({ kind: "turn", turn: "turn 2" });
      await hunksAre("a.txt", "line 2 → line two");
      await reviews.review.keep({ kind: "turn", turn: "turn 1" });
      assert.equal(file("a.txt"), undefined);
    });

    it("are taken back one after the other, also when the user has typed elsewhere since", async () => {
      await put("a.txt", ten);
      begin();
      await write("a.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      const [first, second] = file("a.txt")?.changes.hunks ?? [];
      await reviews.review.keep({ kind: "hunks", path: path("a.txt"), ids: [first?.id ?? ""] });
      await reviews.review.undo({ kind: "hunks", path: path("a.txt"), ids: [second?.id ?? ""] });
      await type("a.txt", 5, "mine ");
      await reviews.watch.settled();
      assert.ok(await reviews.review.undoLast());
      await hunksAre("a.txt", "line 9 → line nine");
      assert.ok(await reviews.review.undoLast());
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      assert.match((await open("a.txt")).getText(), /mine line 6/);
    });
  });

  /** Runs something while saving replaces what fits, as a formatter does. */
  async function formatting(fits: RegExp, by: string, run: () => Promise<void>): Promise<void> {
    const editor = vscode.workspace.getConfiguration("editor");
    await editor.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    const formatter = vscode.languages.registerDocumentFormattingEditProvider("plaintext", {
      provideDocumentFormattingEdits: document => {
        const edits: vscode.TextEdit[] = [];
        for (let at = 0; at < document.lineCount; at++) {
          const { text, range } = document.lineAt(at);
          if (text.replace(fits, by) !== text) edits.push(vscode.TextEdit.replace(range, text.replace(fits, by)));
        }
        return edits;
      },
    });
    try {
      await run();
      await reviews.watch.settled();
    } finally {
      formatter.dispose();
      await editor.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
    }
  }

  /** Puts text at the beginning of a line, as the user would. */
  async function type(name: string, line: number, text: string): Promise<void> {
    const change = new vscode.WorkspaceEdit();
    change.insert(vscode.Uri.file(path(name)), new vscode.Position(line, 0), text);
    assert.ok(await vscode.workspace.applyEdit(change));
    await reviews.watch.settled();
  }
});
