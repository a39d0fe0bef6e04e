// How the editor shows a review and runs the user's actions, inside a real VS Code: lenses, hovers, base documents,
// diffs, the tree, keybindings.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { BaseDocuments } from "../../src/review/vscode/baseDocuments.ts";
import { ChangesTree, ReviewBadges } from "../../src/review/vscode/changesTree.ts";
import { ReviewActions } from "../../src/review/vscode/reviewActions.ts";
import { reviewCommands } from "../../src/review/vscode/reviewCommands.ts";
import { decoratedLines, ReviewDecorations } from "../../src/review/vscode/reviewDecorations.ts";
import { editorReviewPort } from "../../src/files/vscode/editorReviewPort.ts";
import { ReviewLenses } from "../../src/review/vscode/reviewLenses.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";
import { until } from "../support/fakes/until.ts";

const textBefore = "one\ntwo\nthree\nfour\nfive\nsix\n";
/** Line 2 changed, lines 4 and 5 removed, a line added at the end. */
const textAfter = "one\nTWO\nthree\nsix\nseven\n";
const noRows = { clickedRow: () => Promise.resolve(undefined), filesForKey: () => Promise.resolve([]) };

describe("the review UI", () => {
  let folder: string;
  let review: WindowReview;
  let bases: BaseDocuments;
  let actions: ReviewActions;
  let announced: string[];
  let questions: string[];
  let agrees: boolean;
  let scheme = 0;

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    folder = await mkdtemp(join(await realpath(workspace), "review-"));
  });
  beforeEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    review = new WindowReview({
      port: editorReviewPort(() => [folder]),
      schedule: run => void setImmediate(run),
      slices: undividedWork,
    });
    // The extension under test has registered its own.
    bases = new BaseDocuments(review, nullLog, `parley-base-test-${++scheme}`);
    [announced, questions, agrees] = [[], [], true];
    const confirm = (question: string, _answer: string, detail: readonly string[]): Promise<boolean> => {
      questions.push([question, ...detail].join("\n"));
      return Promise.resolve(agrees);
    };
    const choose = (question: string, answers: readonly string[]): Promise<string | undefined> => {
      questions.push([question, ...answers].join(" | "));
      return Promise.resolve(agrees ? answers[0] : undefined);
    };
    actions = new ReviewActions({ review, bases, announce: words => void announced.push(words), confirm, choose });
  });
  afterEach(async () => {
    const { activeTextEditor } = vscode.window;
    if (activeTextEditor?.document.isDirty) await vscode.commands.executeCommand("workbench.action.files.revert");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    bases.dispose();
    review.dispose();
  });
  after(() => rm(folder, { recursive: true }));

  let count = 0;
  /** A file that the agent changed from one text to another. */
  async function changed(
    from: string | null = textBefore,
    to: string | null = textAfter,
    turn = "t1",
  ): Promise<string> {
    const path = join(folder, `file-${String(++count).padStart(3, "0")}.js`);
    if (to !== null) await writeFile(path, to);
    review.turnBegan(turn, `Prompt ${turn}`);
    void review.agentChanged(path, from, to, turn);
    return path;
  }

  const show = (path: string): Thenable<vscode.TextEditor> => vscode.window.showTextDocument(vscode.Uri.file(path));
  function putCursor(line: number): void {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(line, 0, line, 0);
  }
  const cursorLine = (): number | undefined => vscode.window.activeTextEditor?.selection.active.line;
  const openTab = (): vscode.Tab | undefined => vscode.window.tabGroups.activeTabGroup.activeTab;

  it("shows Keep, Undo, Comment, Next and the position above each hunk, and Peek with the number of earlier lines", async () => {
    const lenses = new ReviewLenses(review);
    try {
      const path = await changed();
      await show(path);
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        vscode.Uri.file(path),
        100,
      );
      const [first, second, third] = review.file(path)?.changes.hunks ?? [];
      assert.deepEqual(
        found
          .filter(({ command }) => command?.command === "" || command?.command.startsWith("parley."))
          .map(({ range, command }) => `${range.start.line} ${command?.title} ${command?.command}`.trim()),
        [
          "1 Keep parley.keepChange",
          "1 Undo parley.undoChange",
          "1 1 line changed · Peek parley.peekChange",
          "1 Comment parley.commentOnLines",
          "1 Next parley.nextChange",
          "1 1 of 3",
          "3 Keep parley.keepChange",
          "3 Undo parley.undoChange",
          "3 2 lines removed · Peek parley.peekChange",
          "3 Comment parley.commentOnLines",
          "3 Next parley.nextChange",
          "3 2 of 3",
          "4 Keep parley.keepChange",
          "4 Undo parley.undoChange",
          "4 Comment parley.commentOnLines",
          "4 Next parley.nextChange",
          "4 3 of 3",
        ],
      );
      assert.deepEqual(
        [0, 6, 12].map(at => found[at]?.command?.arguments),
        [first, second, third].map(hunk => [{ path, id: hunk?.id }]),
      );
    } finally {
      lenses.dispose();
    }
  });

  it("shows no Peek in a new file", async () => {
    const lenses = new ReviewLenses(review);
    try {
      const document = await vscode.workspace.openTextDocument(await changed(null, "new\n"));
      assert.deepEqual(
        lenses.provideCodeLenses(document).map(({ command }) => command?.title),
        ["Keep", "Undo", "Comment", "Next"],
      );
    } finally {
      lenses.dispose();
    }
  });

  it("shows the actions near the lines in sight in a file with thousands of hunks, and follows them", async () => {
    const numbers = Array.from({ length: 6000 }, (_, i) => i);
    const text = (mark: string): string => numbers.map(i => `${i % 2 === 0 ? mark : "line"} ${i}\n`).join("");
    const path = await changed(text("old"), text("new"));
    const lenses = new ReviewLenses(review);
    try {
      const editor = await show(path);
      const kept = (): readonly number[] =>
        lenses
          .provideCodeLenses(editor.document)
          .filter(({ command }) => command?.title === "Keep")
          .map(({ range }) => range.start.line);
      const start = kept();
      assert.ok(start.includes(0) && start.length < 300, `${start.length} hunks have actions`);
      const changes = new Promise<void>(resolve => lenses.onDidChangeCodeLenses(resolve));
      editor.revealRange(new vscode.Range(3000, 0, 3000, 0));
      await changes;
      const middle = kept();
      assert.ok(middle.includes(3000) && !middle.includes(0) && middle.length < 300);
    } finally {
      lenses.dispose();
    }
  });

  it("shows the same actions on hover if CodeLens is off, and trusts only those commands", async () => {
    const lenses = new ReviewLenses(review);
    const configuration = vscode.workspace.getConfiguration("editor");
    const document = await vscode.workspace.openTextDocument(await changed());
    try {
      assert.equal(lenses.provideHover(document, new vscode.Position(1, 0)), undefined, "CodeLens is on");
      await configuration.update("codeLens", false, vscode.ConfigurationTarget.Global);
      assert.equal(lenses.provideHover(document, new vscode.Position(0, 0)), undefined, "no hunk");
      const [words] = lenses.provideHover(document, new vscode.Position(3, 1))?.contents ?? [];
      assert.ok(words instanceof vscode.MarkdownString);
      assert.deepEqual(
        [...words.value.matchAll(/\[([^\]]+)\]\(command:([\w.]+)\?/g)].map(([, title = "", command]) => [
          title.replaceAll("&nbsp;", " "), // VS Code keeps the spaces of a text so.
          command,
        ]),
        [
          ["Keep", "parley.keepChange"],
          ["Undo", "parley.undoChange"],
          ["2 lines removed · Peek", "parley.peekChange"],
          ["Comment", "parley.commentOnLines"],
          ["Next", "parley.nextChange"],
        ],
      );
      assert.deepEqual(words.isTrusted, {
        enabledCommands: [
          "parley.keepChange",
          "parley.undoChange",
          "parley.peekChange",
          "parley.commentOnLines",
          "parley.nextChange",
        ],
      });
    } finally {
      await configuration.update("codeLens", undefined, vscode.ConfigurationTarget.Global);
      lenses.dispose();
    }
  });

  it("keeps the hunk at the cursor and goes to the next, and undoes that one in the editor and on disk", async () => {
    const path = await changed();
    await show(path);
    putCursor(1);
    await actions.decideHunks("keep");
    assert.equal(review.file(path)?.changes.hunks.length, 2);
    assert.equal(cursorLine(), 3, "at the removed lines");
    await actions.decideHunks("undo");
    const undone = "one\nTWO\nthree\nfour\nfive\nsix\nseven\n";
    assert.equal(vscode.window.activeTextEditor?.document.getText(), undone);
    assert.equal(await readFile(path, "utf8"), undone);
    assert.equal(cursorLine(), 6, "at the added line");
    assert.deepEqual(announced, []);
    await actions.decideHunks("keep");
    assert.deepEqual(review.files, []);
    assert.deepEqual(announced, ["All changes reviewed."]);
  });

  it("decides on every hunk that a selection touches, and on the line of a menu", async () => {
    const path = await changed();
    const editor = await show(path);
    editor.selection = new vscode.Selection(0, 0, 4, 0);
    await actions.decideHunks("keep");
    assert.equal(review.file(path)?.changes.hunks.length, 1, "the line behind the selection is not in it");
    await reviewCommands(actions, {}, noRows)["parley.undoChange"]({ uri: vscode.Uri.file(path), lineNumber: 5 });
    assert.equal(await readFile(path, "utf8"), textAfter.replace("seven\n", ""));
    assert.deepEqual(review.files, []);
  });

  it("shows a message if there is nothing to decide", async () => {
    await actions.decide("keep", { kind: "all" });
    await actions.goToChange("next");
    await actions.undoLast();
    await actions.reviewTurn();
    const path = await changed();
    await show(path);
    putCursor(0);
    await actions.decideHunks("undo");
    await actions.peek();
    const none = "There are no changes to review.";
    const here = "There is no change here to review.";
    assert.deepEqual(announced, [none, none, "There is no review decision to undo.", none, here, here]);
    assert.equal(await readFile(path, "utf8"), textAfter);
  });

  it("reverts the last decision", async () => {
    const path = await changed();
    await actions.decideFile("undo", path);
    assert.equal(await readFile(path, "utf8"), textBefore);
    assert.deepEqual(announced, ["All changes reviewed."]);
    await actions.undoLast();
    assert.equal(await readFile(path, "utf8"), textAfter);
    assert.equal(review.file(path)?.changes.hunks.length, 3);
  });

  it("goes from hunk to hunk, and on to the next file", async () => {
    const [first, second] = [await changed(), await changed("x\n", "y\n")];
    const at = (): string => `${basename(vscode.window.activeTextEditor?.document.fileName ?? "")}:${cursorLine()}`;
    const places: string[] = [];
    for (let i = 0; i < 5; i++) {
      await actions.goToChange("next");
      places.push(at());
    }
    const [a, b] = [basename(first), basename(second)];
    assert.deepEqual(places, [`${a}:1`, `${a}:3`, `${a}:4`, `${b}:0`, `${a}:1`]);
    await actions.goToChange("previous");
    assert.equal(at(), `${b}:0`);
  });

  it("shows a file's diff with the file itself on the right, where a selection can be decided on", async () => {
    const path = await changed();
    await actions.openDiff(path);
    const input = openTab()?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal(input.modified.toString(), vscode.Uri.file(path).toString());
    assert.equal((await vscode.workspace.openTextDocument(input.original)).getText(), textBefore);
    await until(() => vscode.window.activeTextEditor?.document.fileName === path);
    putCursor(1);
    await actions.decideHunks("undo");
    assert.equal(await readFile(path, "utf8"), textAfter.replace("TWO", "two"));
    assert.ok(openTab()?.input instanceof vscode.TabInputTextDiff, "it stays open");
    await actions.goToChange("next");
    assert.ok(openTab()?.input instanceof vscode.TabInputTextDiff, "and the next change is found in it");
  });

  it("shows a created or deleted file next to an empty document", async () => {
    const created = await changed(null, "new\n");
    await actions.openDiff(created);
    const left = openTab()?.input;
    assert.ok(left instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(left.original)).getText(), "");
    const deleted = await changed("old\n", null);
    await actions.open({ path: deleted, id: review.file(deleted)?.changes.hunks[0]?.id ?? "" });
    const both = openTab()?.input;
    assert.ok(both instanceof vscode.TabInputTextDiff);
    const texts = [both.original, both.modified].map(async uri =>
      (await vscode.workspace.openTextDocument(uri)).getText(),
    );
    assert.deepEqual(await Promise.all(texts), ["old\n", ""]);
  });

  it("shows all files in one diff, and those of a turn alone", async () => {
    await changed();
    await changed(null, "new\n", "t2");
    await actions.review();
    await until(() => openTab()?.label.startsWith("Changes to Review") === true);
    await actions.reviewTurn({ kind: "turn", id: "t2", title: "Prompt t2", files: [], added: 1, removed: 0 });
    await until(() => openTab()?.label.startsWith("Changes: Prompt t2") === true);
  });

  it("keeps the base document up to date, before all turns and before one turn", async () => {
    const path = await changed();
    review.turnBegan("t2", "Second");
    void review.agentChanged(path, null, textAfter.replace("one", "ONE!").replace("three", "3"), "t2");
    const all = await vscode.workspace.openTextDocument(bases.baseUri(path));
    const turn = await vscode.workspace.openTextDocument(bases.baseUri(path, "t1"));
    await vscode.window.showTextDocument(all, { preview: false });
    await vscode.window.showTextDocument(turn, { preview: false, viewColumn: vscode.ViewColumn.Beside });
    assert.equal(all.getText(), textBefore);
    const first = review.file(path)?.changes.hunks.at(-1);
    await review.keep({ kind: "hunks", path, ids: [first?.id ?? ""] });
    await until(() => all.getText() === `${textBefore}seven\n`);
    await review.keep({ kind: "all" });
    await until(() => turn.getText() === textAfter);
  });

  it("says before a turn is undone that its hunks have text of other turns, and offers to keep that", async () => {
    const path = await changed("1\n2\n3\n", "1\ntwo\n3\n");
    await writeFile(path, "1\n2!\n3\n");
    review.turnBegan("t2", "Second");
    await review.agentChanged(path, null, "1\n2!\n3\n", "t2");
    agrees = false;
    await actions.decide("undo", { kind: "turn", turn: "t2" });
    const question =
      "1 change of this turn also has text of other turns. Undoing it restores the text before all of them.";
    assert.deepEqual(questions, [`${question} | Undo Only This Turn | Undo All of These Turns' Text`]);
    assert.equal(review.file(path)?.changes.text, "1\n2!\n3\n");
    agrees = true;
    await actions.decide("undo", { kind: "turn", turn: "t2" });
    assert.equal(review.file(path)?.changes.text, "1\ntwo\n3\n");
    assert.deepEqual(review.file(path)?.turns, ["t1"]);
  });

  it("asks before undoing very many files, and changes nothing if the user declines", async () => {
    for (let i = 0; i < 11; i++) await changed("x\n", "y\n");
    agrees = false;
    await actions.decide("undo", { kind: "all" });
    assert.deepEqual(questions, ["Undo the agent's changes in 11 files? “Undo Last Review Decision” restores them."]);
    assert.equal(review.files.length, 11);
    agrees = true;
    await actions.decide("undo", { kind: "turn", turn: "t1" });
    assert.equal(questions.length, 2);
    assert.equal(review.files.length, 0);
  });

  it("names the files that cannot be undone before it undoes the others", async () => {
    const path = await changed();
    const unknown = join(folder, "unknown.bin");
    review.agentChangedWithoutBase(unknown, "?", "t1", "There is no earlier text.");
    agrees = false;
    await actions.decide("undo", { kind: "all" });
    assert.match(questions[0] ?? "", /in 1 file\?[^]*stay as they are:\nunknown\.bin: There is no earlier text\./);
    assert.equal(await readFile(path, "utf8"), textAfter);
    agrees = true;
    await actions.decide("undo", { kind: "all" });
    assert.equal(await readFile(path, "utf8"), textBefore);
    assert.deepEqual(
      review.files.map(file => file.path),
      [unknown],
    );
  });

  it("reports that it changed nothing if no file can be undone", async () => {
    review.agentChangedWithoutBase(join(folder, "unknown.bin"), "?", "t1", "There is no earlier text.");
    await assert.rejects(actions.decide("undo", { kind: "all" }), /^Refusal: Nothing was changed\. [^]*unknown\.bin/);
    assert.deepEqual(questions, []);
    assert.equal(review.files.length, 1);
  });

  it("lists files with their hunks, by turn if there are several", async () => {
    const runs = new Map<string, "byItself" | "withBuild" | "byAgents">();
    const tree = new ChangesTree(review, path => runs.get(path));
    const labels = (items: readonly vscode.TreeItem[]): readonly string[] =>
      items.map(item => `${String(item.label)} | ${String(item.description)} | ${String(item.contextValue)}`);
    try {
      const path = await changed();
      const created = await changed(null, "new\n");
      const unknown = join(folder, "unknown.bin");
      review.agentChangedWithoutBase(unknown, "?", "t1", "Changed by a command; there is no earlier text.");
      runs.set(path, "byAgents").set(created, "byItself").set(unknown, "withBuild");
      const inFolder = basename(folder);
      assert.deepEqual(labels(tree.getChildren().map(row => tree.getTreeItem(row))), [
        `${basename(path)} | +2 −3 · instructs agents · ${inFolder} | file`,
        `${basename(created)} | +1 −0 · new · runs by itself · ${inFolder} | file`,
        `unknown.bin | Changed by a command; there is no earlier text. · runs with the next build · ${inFolder} | unknownFile`,
      ]);
      const [first] = review.files;
      assert.ok(first);
      const outside = { ...first, path: "/etc/hosts", isOutside: true as const };
      const marked = tree.getTreeItem({ kind: "file", file: outside, hunks: [], added: 1, removed: 0 });
      assert.match(String(marked.description), /outside the workspace · \/etc$/);
      assert.match(marked.accessibilityInformation?.label ?? "", /^hosts, \/etc, outside the workspace/);
      const [file] = tree.getChildren();
      const hunks = tree.getChildren(file);
      assert.deepEqual(labels(hunks.map(row => tree.getTreeItem(row))), [
        "TWO | line 2 · +1 −1 | hunk",
        "four | line 4 · +0 −2 | hunk",
        "seven | line 5 · +1 −0 | hunk",
      ]);
      const item = file && tree.getTreeItem(file);
      assert.equal(
        item?.accessibilityInformation?.label,
        `${basename(path)}, ${inFolder}, instructs agents, 2 lines added, 3 removed`,
      );
      const rows = { clickedRow: () => Promise.resolve(file), filesForKey: () => Promise.resolve(review.files) };
      const commands = reviewCommands(actions, {}, rows);
      await commands["parley.markFileReviewed"](file);
      const [readItem] = tree.getChildren().map(row => tree.getTreeItem(row));
      assert.match(String(readItem?.description), /^reviewed · \+2 −3/);
      assert.equal(readItem?.contextValue, "reviewedFile");
      assert.match(readItem.accessibilityInformation?.label ?? "", /^[^,]+, reviewed, /);
      // The file whose text is not known gets no mark.
      await commands["parley.toggleFileReviewed"]("changes");
      assert.deepEqual(
        review.files.map(({ isReviewed }) => isReviewed ?? false),
        [false, true, false],
      );
      await commands["parley.markFileNotReviewed"](tree.getChildren()[1]);
      assert.ok(review.files.every(({ isReviewed }) => !isReviewed));
      const { command = "", arguments: args } = item?.command ?? {};
      assert.deepEqual([command, args], ["parley.openChange", undefined], "VS Code forgets arguments with the row");
      await commands["parley.openChange"]();
      assert.deepEqual([vscode.window.activeTextEditor?.document.fileName, cursorLine()], [path, 1]);
      await commands["parley.keepChange"](hunks[2]);
      assert.equal(review.file(path)?.changes.hunks.length, 2);

      const later = await changed("x\n", "y\n", "t2");
      const turns = tree.getChildren();
      assert.deepEqual(labels(turns.map(row => tree.getTreeItem(row))).slice(0, 2), [
        "Prompt t1 | +2 −3 | turn",
        "Prompt t2 | +1 −1 | turn",
      ]);
      await commands["parley.keepTurn"](turns[0]);
      await commands["parley.keepFile"]({ kind: "file", file: review.file(unknown), hunks: [], added: 0, removed: 0 });
      assert.deepEqual(
        review.files.map(each => each.path),
        [later],
      );
    } finally {
      tree.dispose();
    }
  });

  it("decorates files with pending changes, until they are reviewed", async () => {
    const badges = new ReviewBadges(review);
    try {
      const uri = vscode.Uri.file(await changed());
      const decorated: string[] = [];
      const listening = badges.onDidChangeFileDecorations(uris => decorated.push(...uris.map(each => each.fsPath)));
      await until(() => decorated.includes(uri.fsPath));
      const mark = badges.provideFileDecoration(uri);
      assert.deepEqual([mark?.badge, mark?.tooltip], ["±", "Changed by the agent, 3 changes to review"]);
      decorated.length = 0;
      await review.keep({ kind: "all" });
      await until(() => decorated.includes(uri.fsPath));
      assert.equal(badges.provideFileDecoration(uri), undefined);
      listening.dispose();
    } finally {
      badges.dispose();
    }
  });

  it("marks thousands of hunks in pieces, and stops when they are decided", async () => {
    const text = (mark: string): string =>
      Array.from({ length: 3000 }, (_, i) => `${i % 2 ? "" : mark}${i}\n`).join("");
    const path = await changed(text("old"), text("new"));
    await show(path);
    const waiting: (() => void)[] = [];
    const pause = (): Promise<void> => new Promise(resolve => void waiting.push(resolve));
    const decorations = new ReviewDecorations(review, vscode.Uri.file(folder), nullLog, { time: 0, pause });
    try {
      const proceed = async (pieces: number): Promise<number> => {
        for (let done = 0; done < pieces; done++) {
          await new Promise(resolve => setImmediate(resolve));
          if (waiting.length === 0) return done;
          for (const go of waiting.splice(0)) go();
        }
        return pieces;
      };
      assert.equal(await proceed(1000), 1000, "1,500 hunks are not marked in 1,000 pieces");
      await review.keep({ kind: "all" });
      await until(() => waiting.length === 2);
      assert.ok((await proceed(1000)) < 20, "only the removal of the marks goes on");
    } finally {
      decorations.dispose();
    }
  });

  it("highlights added lines, marks removed lines, and shows nothing in a deleted file", async () => {
    const file = review.file(await changed());
    const plan = decoratedLines(file?.changes);
    const at = (ranges: readonly vscode.Range[]): readonly number[] => ranges.map(({ start }) => start.line);
    assert.deepEqual([at(plan.added), at(plan.changed), at(plan.removed)], [[4], [1], [3]]);
    assert.deepEqual(
      [at(plan.top), at(plan.bottom)],
      [
        [1, 4],
        [1, 4],
      ],
      "boxes around added and changed lines",
    );
    const gone = decoratedLines(review.file(await changed("old\n", null))?.changes);
    assert.deepEqual(Object.values(gone).flat(), []);
  });
});
