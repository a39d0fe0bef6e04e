// Comments on lines with the API of VS Code: threads, documents that move them, and commands.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { CommentSender } from "../../src/comments/commentSender.ts";
import { commentState, isAwaitingAnswer, newComment, withRemark } from "../../src/comments/lineComment.ts";
import { LineComments } from "../../src/comments/lineComments.ts";
import { CommentActions } from "../../src/comments/vscode/commentActions.ts";
import { commentCommands } from "../../src/comments/vscode/commentCommands.ts";
import { CommentedDocuments } from "../../src/comments/vscode/commentedDocuments.ts";
import { commentRows } from "../../src/comments/vscode/commentRows.ts";
import { CommentThreads } from "../../src/comments/vscode/commentThreads.ts";
import { askItems } from "../../src/comments/vscode/askAtSelection.ts";
import { EditorComments } from "../../src/editor/editorComments.ts";
import { FileEvents } from "../../src/files/vscode/fileEvents.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import { emptySession } from "../../src/session/state.ts";
import { until } from "../support/fakes/until.ts";

/** A review in which files can be moved. */
function emptyReview() {
  const changed = new Emitter<void>();
  const files: ReviewedFile[] = [];
  const move = (movedFrom: string, path: string): void => {
    files.splice(0, 1, { path, movedFrom } as ReviewedFile);
    changed.fire();
  };
  return { files, turns: [], file: () => undefined, onDidChange: changed.event, changed, move };
}

describe("comments on lines in VS Code", () => {
  let folder: string;
  let path: string;
  let uri: vscode.Uri;
  let room: ReturnType<typeof bench>;

  function bench() {
    const review = emptyReview();
    const gutter = { isShown: true };
    const editor = new EditorComments(
      { canHave: ({ uri: { scheme } }) => scheme === "file", hasGutter: () => gutter.isShown },
      "parley.comments.test",
    );
    const comments = new LineComments({
      files: { read: () => Promise.resolve([]), write: () => Promise.resolve(), remove: () => Promise.resolve() },
      ...{ clock: systemClock, log: nullLog, onNotStored: () => {} },
    });
    const threads = new CommentThreads({ editor, comments, sessionTitle: () => "Tests", phaseOf: ({ end }) => end });
    const prompts: string[] = [];
    const sender = new CommentSender({
      ...{ comments, review },
      hasSession: () => true,
      openSession: () =>
        Promise.resolve({
          id: "s",
          state: { ...emptySession, workspaceFolder: folder },
          send: ([block]) => `p${prompts.push(block?.type === "text" ? block.text : "")}`,
          answer: () => {},
        }),
      declined: () => Promise.resolve([]),
    });
    const announced: string[] = [];
    const stopped: string[] = [];
    const actions = new CommentActions({
      ...{ editor, comments, threads, sender, review, log: nullLog },
      sessions: {
        shown: () => "s",
        has: () => true,
        stop: (id, prompt) => stopped.push(`${id}: ${prompt}`) > 0,
        forQuestion: () => Promise.resolve("new"),
        choose: () => Promise.resolve("other"),
        show: () => Promise.resolve(),
      },
      isWorking: isAwaitingAnswer,
      announce: words => void announced.push(words),
    });
    const events = new FileEvents();
    const documents = new CommentedDocuments({
      ...{ comments, review, fileEvents: events, log: nullLog },
      roots: () => [folder],
      onDidChangeRoots: new Emitter<void>().event,
    });
    documents.followMoves();
    const commands = commentCommands({
      ...{ actions, threads, editor, review, reviews: { start: () => Promise.resolve() } },
      state: { get: () => undefined, update: () => Promise.resolve() },
      clickedComment: () => Promise.resolve(undefined),
    });
    const dispose = (): void => [documents, events, threads, comments, editor].forEach(one => one.dispose());
    return {
      review,
      gutter,
      editor,
      comments,
      threads,
      prompts,
      announced,
      stopped,
      actions,
      commands,
      documents,
      dispose,
    };
  }

  /** Writes a remark at a line, as the user does in the text box of a new thread. */
  async function write(line: number, text: string, command: "askNow" | "addToReview" = "addToReview") {
    const thread = room.editor.createThread(uri, { from: line, to: line + 1 });
    await room.commands[`parley.${command}`]({ thread, text });
    return thread;
  }
  /** Adds a comment at a line without opening its file, as after a reload. */
  function addUnopened(line: number): void {
    const place = { id: "c", uri: uri.toString(), path, lines: { from: line, to: line + 1 } };
    const text = "one\ntwo\nthree\n";
    room.comments.add(withRemark(newComment(place, text), { id: "r", text: "Why?", at: 1 }), text);
  }
  /** Runs this while each message gets this answer. */
  async function answering(answer: (buttons: readonly string[]) => Promise<string | undefined>, run: () => unknown) {
    const shown = vscode.window.showInformationMessage;
    const value = (_message: string, ...buttons: readonly string[]) => answer(buttons);
    Object.defineProperty(vscode.window, "showInformationMessage", { value, configurable: true });
    try {
      await run();
    } finally {
      Object.defineProperty(vscode.window, "showInformationMessage", { value: shown, configurable: true });
    }
  }
  const only = () => {
    const [comment, ...others] = room.comments.all;
    assert.ok(comment && others.length === 0);
    return comment;
  };

  const paths = (): readonly (string | undefined)[] => room.comments.all.map(one => one.path);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-comments-")));
    path = join(folder, "a.js");
    uri = vscode.Uri.file(path);
    await writeFile(path, "one\ntwo\nthree\n");
    room = bench();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    room.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it("take over the thread in which they were written, and show what is written there", async () => {
    const thread = await write(1, "Why **two**?");
    assert.equal(room.threads.get(only().id), thread);
    assert.deepEqual(
      [thread.label, thread.contextValue, thread.range?.start.line],
      ["Tests · not sent", "collected", 1],
    );
    const [remark] = thread.comments;
    assert.deepEqual(
      [remark?.body, remark?.author.name, remark?.contextValue],
      ["Why **two**?", "You", "collectedRemark"],
    );
  });

  it("are sent at once, and keep the same comment object while the answer arrives", async () => {
    const thread = await write(1, "Why?", "askNow");
    await until(() => room.prompts.length === 1);
    assert.deepEqual(room.prompts, ["Why?\n\na.js, line 2:\n```js\ntwo\n```"]);
    const { id } = only();
    const answered = (answer: string): void =>
      room.comments.change(id, one => ({ ...one, remarks: one.remarks.map(each => ({ ...each, answer })) }));
    answered("Bec");
    const before = thread.comments[1];
    answered("Because [x](command:workbench.action.quit) <b>b</b> ![i](https://example.com/i.png)");
    assert.equal(thread.comments[1], before);
    const body = before?.body;
    assert.ok(body instanceof vscode.MarkdownString);
    assert.deepEqual([body.isTrusted, body.supportHtml], [false, false]);
    assert.ok(body.value.includes("&lt;b>") && !body.value.includes("![i]"), body.value);
  });

  it("move with the edits of the editor", async () => {
    const thread = await write(1, "Why?");
    const editor = await vscode.window.showTextDocument(uri);
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), "zero\n"));
    assert.equal(thread.range?.start.line, 2);
    await editor.edit(edit => edit.delete(new vscode.Range(2, 0, 3, 0)));
    assert.match(thread.label ?? "", /these lines are gone$/);
    await vscode.commands.executeCommand("undo");
    await until(() => only().gone === undefined);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until(() => only().lines.from === 1);
  });

  it("move with a file that changes on disk, and with its name", async () => {
    addUnopened(1);
    const isOpen = (): boolean => vscode.workspace.textDocuments.some(one => one.uri.toString() === uri.toString());
    assert.equal(isOpen(), false);
    await until(async () => {
      // VS Code may not watch the folder yet.
      await writeFile(path, "zero\nhalf\none\ntwo\nthree\n");
      return only().lines.from === 3;
    });
    assert.equal(isOpen(), false);
    const next = join(folder, "b.js");
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uri, vscode.Uri.file(next));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until(() => only().path === next && only().gone === undefined);
    assert.equal(room.threads.get(only().id)?.uri.fsPath, next);
    await room.commands["parley.sendComments"]();
    await until(() => room.prompts.length === 1);
    assert.deepEqual(room.prompts, ["Why?\n\nb.js, line 4:\n```js\ntwo\n```"]);
    await rename(next, path);
  });

  it("move with the name of the file on its left side, too", async () => {
    const left = uri.with({ scheme: "parley-base" }).toString();
    const place = { id: "left", uri: left, path, isBefore: true as const, lines: { from: 1, to: 2 } };
    room.comments.add(withRemark(newComment(place, "one\ntwo\n"), { id: "r", text: "Gone?", at: 1 }), "one\ntwo\n");
    const next = join(folder, "b.js");
    room.review.move(path, next);
    assert.deepEqual(
      [only().path, only().uri],
      [next, vscode.Uri.file(next).with({ scheme: "parley-base" }).toString()],
    );
    assert.equal(room.comments.textOf(only().uri), "one\ntwo\n");
    assert.equal(room.threads.get("left")?.uri.toString(), only().uri);
    await room.commands["parley.sendComments"]();
    await until(() => room.prompts.length === 1);
    assert.deepEqual(room.prompts, ["Gone?\n\nb.js, line 2 of the text before your changes:\n```js\ntwo\n```"]);
  });

  it("can be edited until they are sent, and discarded with Undo", async () => {
    const thread = await write(1, "Wy?");
    const [remark] = thread.comments;
    assert.ok(remark);
    await room.commands["parley.editComment"](remark);
    assert.equal(remark.mode, vscode.CommentMode.Editing);
    // VS Code puts the text of the box into the comment.
    remark.body = "Why?";
    await room.commands["parley.saveComment"](remark);
    assert.deepEqual([remark.mode, only().remarks[0]?.text], [vscode.CommentMode.Preview, "Why?"]);
    await room.commands["parley.editComment"](remark);
    remark.body = "dropped";
    await room.commands["parley.cancelCommentEdit"](remark);
    assert.equal(remark.body, "Why?");
    const before = only();
    const undo = (buttons: readonly string[]): Promise<string | undefined> => {
      assert.deepEqual(room.comments.all, []);
      return Promise.resolve(buttons.at(-1));
    };
    await answering(undo, () => room.commands["parley.discardComment"](thread));
    assert.deepEqual(only(), before);
    // The file changes before Undo.
    const edited = async (buttons: readonly string[]): Promise<string | undefined> => {
      const editor = await vscode.window.showTextDocument(uri);
      await editor.edit(edit => edit.insert(new vscode.Position(0, 0), "zero\n"));
      return buttons.at(-1);
    };
    await answering(edited, () => room.commands["parley.discardComments"]());
    assert.deepEqual([only().lines.from, only().quoted], [2, "two"]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("keep their conversation when what is not sent is discarded, and offer to bring that back", async () => {
    const thread = await write(1, "Why?", "askNow");
    await until(() => thread.contextValue === "sent");
    await room.commands["parley.addToReview"]({ thread, text: "And then?" });
    assert.equal(thread.contextValue, "collected.sent");
    const texts = (): readonly string[] => only().remarks.map(({ text }) => text);
    const undo = (buttons: readonly string[]): Promise<string | undefined> => {
      assert.deepEqual(texts(), ["Why?"]);
      return Promise.resolve(buttons.at(-1));
    };
    await answering(undo, () => room.commands["parley.discardComments"]());
    assert.deepEqual([texts(), commentState(only())], [["Why?", "And then?"], "collected"]);
    await room.commands["parley.resolveComment"](thread);
    assert.deepEqual(room.announced.slice(-1), ["The comment was resolved without sending your last reply."]);
  });

  it("announce that an edit came too late, because its text was sent", async () => {
    const thread = await write(1, "Wy?");
    const [remark] = thread.comments;
    assert.ok(remark);
    await room.commands["parley.editComment"](remark);
    await room.commands["parley.sendComments"]();
    await until(() => room.prompts.length === 1);
    remark.body = "Why?";
    await room.commands["parley.saveComment"](remark);
    assert.equal(only().remarks[0]?.text, "Wy?");
    assert.match(room.announced.at(-1) ?? "", /^The comment was sent before you saved it/);
  });

  it("go with a file that an agent moves once, and not with another file at its earlier path", async () => {
    addUnopened(1);
    const next = join(folder, "b.js");
    room.review.move(path, next);
    assert.equal(only().path, next);
    room.comments.remove("c");
    addUnopened(1);
    room.review.changed.fire();
    assert.equal(only().path, path);
  });

  it("go back with a file whose move is undone, and stay with one whose move is kept", async () => {
    const [moved, kept, keptAt] = ["b.js", "c.js", "d.js"].map(name => join(folder, name)) as [string, string, string];
    addUnopened(1);
    const place = { id: "kept", uri: vscode.Uri.file(kept).toString(), path: kept, lines: { from: 0, to: 1 } };
    room.comments.add(withRemark(newComment(place, "c\n"), { id: "k", text: "Why?", at: 2 }), "c\n");
    await writeFile(keptAt, "c\n");
    await rename(path, moved);
    room.review.move(kept, keptAt);
    room.review.files.push({ path: moved, movedFrom: path } as ReviewedFile);
    room.review.changed.fire();
    assert.deepEqual(paths(), [moved, keptAt]);
    await rename(moved, path);
    // The watcher can report first that the file is gone.
    room.comments.replaced(vscode.Uri.file(moved).toString(), null);
    room.review.files.splice(0);
    room.review.changed.fire();
    await until(() => paths()[0] === path && room.comments.get("c")?.gone === undefined);
    assert.deepEqual(paths(), [path, keptAt]);
    assert.deepEqual(room.comments.get("c")?.lines, { from: 1, to: 2 });
  });

  it("are listed in the Changes view, with what they wait for", async () => {
    await write(1, "Why?\nReally?");
    const rows = commentRows(room.comments);
    const [group] = rows.rows();
    assert.ok(group);
    assert.equal(rows.itemOf(group).description, "1 not sent");
    const items = rows.rows(group).map(row => rows.itemOf(row));
    assert.deepEqual(
      items.map(({ label, description, contextValue }) => [label, description, contextValue]),
      [["Why?", "a.js, line 2 · not sent", "comment.collected"]],
    );
    assert.equal(items[0]?.tooltip, "Why?\nReally?\na.js, line 2 · not sent");
    room.comments.change(only().id, one => ({ ...one, isBefore: true as const }));
    assert.equal(
      rows.rows(group).map(row => rows.itemOf(row).description)[0],
      "a.js, line 2 before the changes · not sent",
    );
    room.comments.change(only().id, one => ({ ...one, isResolved: true }));
    assert.deepEqual(rows.rows(), []);
  });

  it("go to the session that the user chooses", async () => {
    const thread = await write(1, "Why?");
    await room.commands["parley.changeCommentSession"](thread);
    assert.equal(only().session, "other");
  });

  it("resolve and stop by the commands of their thread", async () => {
    const thread = await write(1, "Why?", "askNow");
    await until(() => room.prompts.length === 1);
    await room.commands["parley.stopComment"](thread);
    assert.deepEqual(room.stopped, ["s: p1"]);
    await room.commands["parley.resolveComment"](thread);
    assert.equal(commentState(only()), "resolved");
    assert.equal(thread.state, vscode.CommentThreadState.Resolved);
  });

  it("make room at their line once they are resolved", async () => {
    const thread = await write(1, "Why?");
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    await room.actions.commentOnLines();
    assert.equal(room.threads.get(only().id), thread, "the open comment is shown");
    await room.commands["parley.resolveComment"](thread);
    await room.actions.commentOnLines();
    assert.deepEqual(room.comments.all, []);
  });

  it("are refused with a sentence where VS Code or the agent could not use them", async () => {
    const pick = (): Promise<string> => Promise.reject(new Error("not asked"));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "x" }));
    await room.actions.commentOnLines();
    await room.actions.askAtSelection(pick);
    assert.deepEqual(room.announced, [
      "You can comment on files of the workspace, on the text before their changes in a diff, and on plans.",
      "Save the file first, so that the agent can change it.",
    ]);
    await room.commands["parley.sendComments"]();
    await room.commands["parley.discardComments"]();
    assert.deepEqual(room.announced.slice(2), ["There are no comments to send.", "There are no comments to discard."]);
  });

  it("ask about the selected lines in another session", async () => {
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    await room.actions.askAtSelection(() => Promise.resolve("Explain."));
    await until(() => room.prompts.length === 1);
    assert.deepEqual(room.prompts, ["Explain.\n\na.js, lines 1-2:\n```js\none\ntwo\n```"]);
    assert.equal(only().session, "s");
  });

  it("ask about the lines that the selection has when the question is there", async () => {
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(1, 0, 1, 3);
    await room.actions.askAtSelection(async () => {
      await editor.edit(edit => edit.insert(new vscode.Position(0, 0), "zero\n"));
      return "Explain.";
    });
    await until(() => room.prompts.length === 1);
    assert.deepEqual(room.prompts, ["Explain.\n\na.js, line 3:\n```js\ntwo\n```"]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("include an empty line at which the selection ends", async () => {
    await writeFile(path, "one\n\nthree\n");
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    await room.actions.askAtSelection(() => Promise.resolve("Explain."));
    assert.deepEqual(only().lines, { from: 0, to: 2 });
  });

  it("open a text box at the line and in the document of the line-number menu", async () => {
    const other = vscode.Uri.file(join(folder, "other.js"));
    await writeFile(other.fsPath, "a\nb\n");
    await vscode.window.showTextDocument(other);
    const thread = await write(1, "Why?");
    await room.commands["parley.commentOnLines"]({ uri, lineNumber: 2 });
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString());
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 1);
    assert.equal(room.threads.get(only().id), thread);
  });

  it("are offered in a file without the mark only until it is closed", async () => {
    room.gutter.isShown = false;
    const editor = await vscode.window.showTextDocument(uri);
    assert.equal(room.editor.provideCommentingRanges(editor.document), undefined);
    await room.editor.openTextBox(editor.document, { from: 1, to: 2 });
    assert.ok(room.editor.provideCommentingRanges(editor.document));
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(() => room.editor.provideCommentingRanges(editor.document) === undefined);
  });

  it("offer the typed question first, then the last questions and to fix problems", () => {
    const labels = askItems(" Sort them ", ["Last one"], ["x is not defined"]).map(({ label }) => label);
    assert.deepEqual(labels.slice(0, 4), ["Sort them", "Last one", "Fix This Problem", "Explain"]);
    assert.deepEqual(
      askItems("", [], []).map(({ label }) => label),
      ["Explain", "Improve", "Write Tests", "Document"],
    );
  });
});
