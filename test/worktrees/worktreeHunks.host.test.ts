// Single changes of a worktree's file that come back from its editor, and conflicts that the user settles, in the real editor
// and in a real repository.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { AppliedChange } from "../../src/review/appliedChanges.ts";
import type { Session } from "../../src/session/session.ts";
import { BothSides } from "../../src/worktrees/vscode/bothSides.ts";
import { BringBackChanges } from "../../src/worktrees/vscode/bringBackChanges.ts";
import { WorktreeHunks } from "../../src/worktrees/vscode/worktreeHunks.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";
import { until } from "../support/fakes/until.ts";

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 9 }, (_, i) => `${change[i + 1] ?? i + 1}\n`).join("");

describe("the editor of a worktree's file", () => {
  let real: RealRepository;
  let record: WorktreeRecord;
  let sides: BothSides;
  let changes: BringBackChanges;
  let hunks: WorktreeHunks;
  const changed = new Emitter<void>();
  /** The turns of what came back. */
  let turns: { readonly id: string; readonly title: string }[];
  /** The turns that the user has decided on. */
  let decided: string[];
  let session: Session | undefined;
  beforeEach(async () => {
    real = await RealRepository.create({ "a.txt": lines(), "b.txt": "b\n" });
    ({ record } = await real.makeWorktree({ branch: "one" }));
    turns = [];
    decided = [];
    session = undefined;
    sides = new BothSides();
    const { records } = real;
    const applyChanges = async (steps: readonly AppliedChange[], turn: (typeof turns)[number]) => {
      for (const { path, before, after } of steps) {
        assert.equal(await readFile(path, "utf8").catch(() => null), before);
        await writeFile(path, after ?? "");
        turns.push(turn);
      }
      return { failed: new Map<string, Error>(), replaced: new Map() };
    };
    const review = {
      get turns() {
        return turns.filter(({ id }) => !decided.includes(id));
      },
    };
    changes = new BringBackChanges({
      ...{ records, sides, log: nullLog },
      review: { applyChanges, review },
      roots: () => [real.app],
    });
    const onDidChangeWorktrees = changed.event;
    hunks = new WorktreeHunks({ records, changes, onDidChangeWorktrees, sessionIn: () => session, log: nullLog });
  });
  afterEach(async () => {
    hunks.dispose();
    changes.dispose();
    sides.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await real.remove();
  });

  const here = (name: string): Promise<string> => readFile(join(real.app, name), "utf8");
  const show = async (name: string): Promise<vscode.TextEditor> =>
    vscode.window.showTextDocument(vscode.Uri.file(join(record.path, name)));
  /** The lenses as VS Code gets them: line and title. */
  const lensesOf = async ({ document }: vscode.TextEditor): Promise<readonly string[]> =>
    (await hunks.provideCodeLenses(document)).map(
      ({ range, command }) => `${range.start.line + 1}: ${command?.title ?? ""}`,
    );
  const lensesAre = async (editor: vscode.TextEditor, ...expected: readonly string[]): Promise<void> => {
    let last: readonly string[] = [];
    await until(async () => (last = await lensesOf(editor)).join() === expected.join()).catch(() => undefined);
    assert.deepEqual(last, expected);
  };
  const select = (editor: vscode.TextEditor, first: number, last = first): void => {
    editor.selection = new vscode.Selection(first - 1, 0, last - 1, 0);
  };

  it("offers each change that the main checkout lacks, and brings back exactly the one at the cursor", async () => {
    await writeFile(join(record.path, "a.txt"), lines({ 2: "two", 5: "five", 8: "eight" }));
    await writeFile(join(real.app, "a.txt"), lines({ 5: "five" }));
    const editor = await show("a.txt");
    await lensesAre(editor, "2: Bring Back This Change", "8: Bring Back This Change");
    select(editor, 8);
    await hunks.bringBack();
    assert.equal(await here("a.txt"), lines({ 5: "five", 8: "eight" }));
    await lensesAre(editor, "2: Bring Back This Change");
    // No change is at the cursor.
    select(editor, 4);
    await hunks.bringBack();
    assert.equal(turns.length, 1);
    // The line-number menu names its line.
    await hunks.bringBack({ uri: editor.document.uri, lineNumber: 2 });
    assert.equal(await here("a.txt"), lines({ 2: "two", 5: "five", 8: "eight" }));
    await lensesAre(editor);
    assert.equal(new Set(turns.map(({ id }) => id)).size, 1, "the review lists them together");
  });

  it("lists changes together only while they wait for review, and only those of one worktree and session", async () => {
    const change = async (line: number): Promise<void> => {
      await writeFile(join(record.path, "a.txt"), lines({ [line]: "new" }));
      const [entry] = await changes.entries(record);
      assert.ok(entry);
      await changes.bringBackFrom(record, session, entry);
    };
    const count = (): number => new Set(turns.map(({ id }) => id)).size;
    await change(1);
    await change(2);
    assert.equal(count(), 1);
    decided = turns.map(({ id }) => id);
    await change(3);
    assert.equal(count(), 2);
    session = { id: "s1", state: { ownTitle: "Talk" } } as unknown as Session;
    await change(4);
    assert.equal(count(), 3);
    // It was removed, and another one is at its path.
    record = { ...record, branch: "two" };
    await real.records.write(record);
    await change(5);
    assert.deepEqual([count(), turns.at(-1)?.title], [4, "Brought back from two"]);
  });

  it("brings back all changes that the selection touches", async () => {
    await writeFile(join(record.path, "a.txt"), lines({ 2: "two", 5: "five", 8: "eight" }));
    const editor = await show("a.txt");
    select(editor, 1, 6);
    await hunks.bringBack();
    assert.equal(await here("a.txt"), lines({ 2: "two", 5: "five" }));
  });

  it("brings back a new file as a whole", async () => {
    await writeFile(join(record.path, "new.txt"), "n\n");
    const editor = await show("new.txt");
    await lensesAre(editor, "1: Bring Back This File");
    await hunks.bringBack();
    assert.equal(await here("new.txt"), "n\n");
    await lensesAre(editor);
  });

  it("offers nothing in a file with unsaved text until it is saved", async () => {
    const editor = await show("b.txt");
    await lensesAre(editor);
    await editor.edit(edit => edit.replace(new vscode.Range(0, 0, 0, 1), "typed"));
    assert.deepEqual(await lensesOf(editor), []);
    await hunks.bringBack();
    assert.equal(await here("b.txt"), "b\n");
    await editor.document.save();
    await lensesAre(editor, "1: Bring Back This Change");
  });

  it("keeps the local lines of a conflict", async () => {
    await writeFile(join(record.path, "a.txt"), lines({ 2: "two", 8: "eight" }));
    await writeFile(join(real.app, "a.txt"), lines({ 2: "mine" }));
    const editor = await show("a.txt");
    await lensesAre(editor, "2: Bring Back This Change (conflict)", "8: Bring Back This Change");
    select(editor, 2);
    await hunks.bringBack();
    assert.equal(await here("a.txt"), lines({ 2: "mine" }));
    select(editor, 8);
    await hunks.bringBack();
    assert.equal(await here("a.txt"), lines({ 2: "mine", 8: "eight" }));
    await lensesAre(editor, "2: Bring Back This Change (conflict)");
  });

  it("knows the conflict that the active diff shows, and lists it no more once the user keeps the local lines", async () => {
    await writeFile(join(record.path, "a.txt"), lines({ 2: "two" }));
    await writeFile(join(real.app, "a.txt"), lines({ 2: "mine" }));
    await writeFile(join(record.path, "b.txt"), "theirs\n");
    await writeFile(join(real.app, "b.txt"), "mine\n");
    const entries = await changes.entries(record);
    assert.deepEqual(
      entries.map(({ path, plan }) => [path, plan.places.length]),
      [
        ["a.txt", 1],
        ["b.txt", 1],
      ],
    );
    await show("a.txt");
    assert.equal(sides.activeConflict(), undefined);
    await sides.show(record, entries.slice(0, 1));
    await until(() => sides.activeConflict() !== undefined);
    const conflict = sides.activeConflict();
    assert.ok(conflict);
    await changes.keepMine(conflict);
    assert.equal(sides.activeConflict(), undefined);
    assert.deepEqual(
      (await changes.entries(record)).map(({ path }) => path),
      ["b.txt"],
    );
    assert.equal(await here("a.txt"), lines({ 2: "mine" }));
    // What the user saw is not what the worktree has now.
    const [other] = entries.slice(1);
    assert.ok(other);
    await writeFile(join(record.path, "b.txt"), "again\n");
    await assert.rejects(changes.keepMine({ record, entry: other }), /b\.txt/);
    assert.equal((await changes.entries(record)).length, 1);
  });
});
