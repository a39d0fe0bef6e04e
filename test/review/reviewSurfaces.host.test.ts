// Where a review meets VS Code's own surfaces, inside a real VS Code: inline diffs, source control, the diff of several
// files, and files that are opened through symbolic links.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { editorReviewPort } from "../../src/files/vscode/editorReviewPort.ts";
import { BaseDocuments } from "../../src/review/vscode/baseDocuments.ts";
import { InlineDiffs } from "../../src/review/vscode/inlineDiffs.ts";
import { LinkedReview } from "../../src/review/vscode/linkedReview.ts";
import { ReviewActions } from "../../src/review/vscode/reviewActions.ts";
import { reviewCommands } from "../../src/review/vscode/reviewCommands.ts";
import { ReviewLenses } from "../../src/review/vscode/reviewLenses.ts";
import { ReviewTabs } from "../../src/review/vscode/reviewTabs.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";
import { until } from "../support/fakes/until.ts";

const textBefore = "one\ntwo\nthree\nfour\nfive\nsix\n";
/** Line 2 changed, lines 4 and 5 removed, a line added at the end. */
const textAfter = "one\nTWO\nthree\nsix\nseven\n";

describe("a review in VS Code's own surfaces", () => {
  let folder: string;
  let own: WindowReview;
  let review: LinkedReview;
  let bases: BaseDocuments;
  let actions: ReviewActions;
  let tabs: ReviewTabs;
  let announced: string[];
  let scheme = 0;
  let count = 0;

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    folder = await mkdtemp(join(await realpath(workspace), "surfaces-"));
  });
  beforeEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    own = new WindowReview({
      port: editorReviewPort(() => [folder]),
      schedule: run => void setImmediate(run),
      slices: undividedWork,
    });
    review = new LinkedReview(own, nullLog);
    bases = new BaseDocuments(review, nullLog, `parley-base-surfaces-${++scheme}`);
    announced = [];
    actions = new ReviewActions({ review, bases, announce: words => void announced.push(words) });
    tabs = new ReviewTabs(review, nullLog);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    for (const one of [tabs, bases, review, own]) one.dispose();
  });
  after(() => rm(folder, { recursive: true }));

  /** A file that the agent changed from one text to another. */
  async function changed(
    from: string | null = textBefore,
    to: string | null = textAfter,
    turn = "t1",
  ): Promise<string> {
    const path = join(folder, `file-${String(++count).padStart(3, "0")}.js`);
    if (to !== null) await writeFile(path, to);
    own.turnBegan(turn, `Prompt ${turn}`);
    void own.agentChanged(path, from, to, turn);
    return path;
  }
  const show = (path: string): Thenable<vscode.TextEditor> => vscode.window.showTextDocument(vscode.Uri.file(path));
  const hunkAt = (path: string, index: number): { path: string; id: string } => ({
    path,
    id: review.file(path)?.changes.hunks[index]?.id ?? "",
  });
  const baseIsVisible = (path: string): boolean =>
    vscode.window.visibleTextEditors.some(({ document: { uri } }) => bases.isBaseDocument(uri) && uri.fsPath === path);
  const shownDocuments = (): readonly string[] =>
    vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString());
  const labels = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap(group => group.tabs.map(({ label }) => label));

  describe("the inline diff", () => {
    let diffs: InlineDiffs;
    beforeEach(() => (diffs = new InlineDiffs(review, bases)));
    afterEach(() => diffs.dispose());

    it("compares with the text before, where both exist and the file waits for review", async () => {
      const path = await changed();
      const [created, deleted] = [await changed(null, "new\n"), await changed("old\n", null)];
      const original = (of: string): string | undefined => diffs.originalOf(vscode.Uri.file(of))?.toString();
      assert.equal(original(path), bases.baseUri(path).toString());
      assert.deepEqual([original(created), original(deleted)], [undefined, undefined]);
      assert.equal(diffs.originalOf(vscode.Uri.file(path).with({ scheme: "git" })), undefined);
      await review.keep({ kind: "file", path });
      assert.equal(original(path), undefined);
    });

    it("opens with Peek at the change, for changed and for removed lines, also in a file that was closed", async () => {
      const path = await changed();
      for (const index of [1, 0]) {
        await actions.peek(hunkAt(path, index));
        await until(() => baseIsVisible(path)).catch(() => undefined);
        assert.ok(baseIsVisible(path), `VS Code shows ${shownDocuments().join(", ")}`);
        const editor = vscode.window.activeTextEditor;
        assert.equal(editor?.document.fileName, path);
        assert.equal(editor.selection.active.line, index === 1 ? 3 : 1);
      }
      // A slow VS Code shows a peek of the text before instead.
      for (const close of ["closeQuickDiff", "closeReferenceSearch"]) await vscode.commands.executeCommand(close);
      await until(() => !baseIsVisible(path));
    });

    it("is replaced by a peek of the text before if the user turned VS Code's inline diffs off", async () => {
      const settings = vscode.workspace.getConfiguration("scm");
      await settings.update("diffDecorations", "none", vscode.ConfigurationTarget.Global);
      try {
        const path = await changed();
        await show(path);
        await actions.peek(hunkAt(path, 1));
        await until(() => baseIsVisible(path));
      } finally {
        await settings.update("diffDecorations", undefined, vscode.ConfigurationTarget.Global);
      }
    });

    it("is not followed by a peek if the user decides on the change and closes it at once", async () => {
      const path = await changed();
      const peeking = actions.peek(hunkAt(path, 1));
      await until(() => baseIsVisible(path));
      await review.undo({ kind: "hunks", path, ids: [hunkAt(path, 1).id] });
      const seen: string[] = [];
      const watching = vscode.window.onDidChangeVisibleTextEditors(() => seen.push(...shownDocuments()));
      try {
        await vscode.commands.executeCommand("closeQuickDiff");
        await peeking;
        // A peek would have opened before this one, which takes longer.
        const other = await changed();
        await actions.peek(hunkAt(other, 1));
        await until(() => baseIsVisible(other));
      } finally {
        watching.dispose();
      }
      const peek = bases.peekUri(path).toString();
      assert.ok(!seen.includes(peek), `VS Code showed ${peek}`);
    });

    it("decides on the change that it shows", async () => {
      const path = await changed();
      const uri = vscode.Uri.file(path);
      const noRows = { clickedRow: () => Promise.resolve(undefined), filesForKey: () => Promise.resolve([]) };
      const commands = reviewCommands(actions, tabs, noRows);
      const removed = { modifiedStartLineNumber: 3, modifiedEndLineNumber: 0 };
      const added = { modifiedStartLineNumber: 5, modifiedEndLineNumber: 5 };
      await commands["parley.undoChange"](uri, [added, removed], 1);
      assert.equal(await readFile(path, "utf8"), "one\nTWO\nthree\nfour\nfive\nsix\nseven\n");
      await commands["parley.keepChange"](uri, [{ modifiedStartLineNumber: 7, modifiedEndLineNumber: 7 }], 0);
      assert.equal(review.file(path)?.changes.hunks.length, 1);
      assert.deepEqual(announced, []);
    });
  });

  it("says so instead of peeking where nothing was removed", async () => {
    const path = await changed();
    await actions.peek(hunkAt(path, 2));
    assert.deepEqual(announced, ["No lines were removed here, so there is no earlier text."]);
  });

  it("announces the position of the change that it goes to, and goes to the next file", async () => {
    const [first, second] = [await changed(), await changed("x\n", "y\n")];
    await show(first);
    await actions.goToChange("next");
    await actions.goToNextFile();
    assert.equal(vscode.window.activeTextEditor?.document.fileName, second);
    await review.keep({ kind: "file", path: first });
    await actions.goToNextFile();
    assert.deepEqual(announced, [
      `Change 1 of 3 in ${basename(first)}`,
      `Change 1 of 1 in ${basename(second)}`,
      "There are no changes in other files.",
    ]);
  });

  it("closes the diff of all files after the last decision, and that of a turn after the last of the turn", async () => {
    await changed();
    await changed("x\n", "y\n", "t2");
    await actions.review();
    await until(() => labels().some(label => label.startsWith("Changes to Review")));
    // The next diff would replace a preview.
    await vscode.commands.executeCommand("workbench.action.keepEditor");
    await actions.reviewTurn({ kind: "turn", id: "t2", title: "Prompt t2", files: [], added: 1, removed: 1 });
    await until(() => tabs.activeTurn?.id === "t2");
    await vscode.commands.executeCommand("workbench.action.keepEditor");
    await show(await changed("p\n", "q\n"));
    await vscode.commands.executeCommand("workbench.action.keepEditor");
    assert.equal(tabs.activeTurn, undefined);
    await review.keep({ kind: "turn", turn: "t2" });
    await until(() => !labels().some(label => label.startsWith("Changes: Prompt t2")));
    assert.ok(labels().some(label => label.startsWith("Changes to Review")));
    await review.undo({ kind: "all" });
    await until(() => !labels().some(label => label.startsWith("Changes to Review")));
    assert.ok(
      labels().some(label => label.startsWith("file-")),
      "the user's tab stays",
    );
  });

  it("shows a file that is opened through a symbolic link, and decides on it", async () => {
    const path = await changed();
    const link = join(folder, "link.js");
    await symlink(path, link);
    const editor = await show(link);
    await until(() => review.file(link) !== undefined);
    assert.deepEqual(review.openPaths, [path, link]);
    const lenses = new ReviewLenses(review);
    assert.equal(lenses.provideCodeLenses(editor.document).filter(lens => lens.command?.title === "Keep").length, 3);
    lenses.dispose();
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    await actions.decideHunks("undo");
    assert.equal(await readFile(path, "utf8"), textAfter.replace("TWO", "two"));
    await until(() => editor.document.getText() === textAfter.replace("TWO", "two"));
  });

  it("does not show the file to which a link led before a file replaced it", async () => {
    const path = await changed();
    const link = join(folder, `replaced-${basename(path)}`);
    await symlink(path, link);
    const editor = await show(link);
    await until(() => review.file(link) !== undefined);
    await rm(link);
    await writeFile(link, "another\n");
    await until(() => editor.document.getText() === "another\n");
    await until(() => review.file(link) === undefined);
    assert.deepEqual(review.openPaths, [path]);
  });

  it("shows files of a folder that is opened through a symbolic link", async () => {
    const path = await changed();
    await mkdir(join(folder, "other"), { recursive: true });
    const link = join(folder, "other", "linked");
    await symlink(folder, link);
    await show(join(link, basename(path)));
    await until(() => review.file(join(link, basename(path)))?.path === path);
  });
});
