// Undo All and Undo Last Review Decision for many files in the real editor: bytes on disk, tabs, progress, cancelling,
// and files that cannot be undone.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";
import { until } from "../support/fakes/until.ts";

describe("the review of many files", () => {
  const { path, onDisk, put, show, file, begin, end, write, edit, type, review, watch, factsOf } = useReviewedFolder();

  // More than Parley compares, undoes or restores at the same time.
  const count = 40;
  const changed = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
  const names = Array.from({ length: count }, (_, i) => `${i}.txt`);
  const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap(group => group.tabs);
  const contents = (): Promise<readonly string[]> => Promise.all(names.map(onDisk));

  const changeAll = async (how: "through the client" | "on disk"): Promise<void> => {
    for (const name of names) await put(name, tenLines);
    await begin();
    for (const name of names) await (how === "on disk" ? edit : write)(name, changed);
    await until(() => review().files.length === count);
    await watch().settled();
    end();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  };

  for (const how of ["through the client", "on disk"] as const) {
    it(`undoes and brings back all files that an agent wrote ${how}, and opens no tab`, async function () {
      await changeAll(how);
      await review().undo({ kind: "all" });
      const undone = await contents();
      const wrong = names.filter((_, at) => undone[at] !== tenLines);
      if (wrong.length > 0) this["details"] = () => factsOf(wrong);
      assert.deepEqual(wrong, []);
      assert.deepEqual(review().files, []);
      assert.deepEqual(tabs(), []);
      assert.ok(await review().undoLast());
      assert.deepEqual(new Set(await contents()), new Set([changed]));
      assert.equal(review().files.length, count);
      assert.deepEqual(tabs(), []);
      await watch().settled();
      assert.deepEqual(new Set(review().files.map(({ changes }) => changes.hunks.length)), new Set([1]));
    });
  }

  it("keeps the tabs that the user opened, and these files can be undone there", async function () {
    await changeAll("on disk");
    await show("1.txt");
    await review().undo({ kind: "all" });
    assert.deepEqual(
      tabs().map(tab => tab.label),
      ["1.txt"],
    );
    assert.equal(await onDisk("1.txt"), tenLines);
    await vscode.commands.executeCommand("undo");
    await until(() => file("1.txt")?.changes.hunks.length === 1);
  });

  it("stops between two files when it is cancelled, and what was undone can be brought back", async function () {
    await changeAll("on disk");
    const cancel = new AbortController();
    const progress: number[] = [];
    const onProgress = (done: number): void => {
      progress.push(done);
      if (done === 20) cancel.abort();
    };
    await assert.rejects(
      review().undo({ kind: "all" }, { signal: cancel.signal, onProgress }),
      /You cancelled before \d+ files/,
    );
    const undone = (await contents()).filter(text => text === tenLines).length;
    assert.ok(undone >= 20 && undone < count, `${undone} files were undone`);
    assert.equal(review().files.length, count - undone);
    assert.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    );
    assert.ok(await review().undoLast());
    assert.deepEqual(new Set(await contents()), new Set([changed]));
    assert.equal(review().files.length, count);
  });

  it("does not take a text that was read before a decision for the text after it", async function () {
    await changeAll("on disk");
    for (const name of names.toReversed()) {
      await begin(`turn of ${name}`);
      // At its end the files are read, which is under way when the decision is carried out.
      end();
      await review().undo({ kind: "file", path: path(name) });
      assert.equal(file(name), undefined, name);
      await watch().settled();
      assert.equal(file(name), undefined, name);
    }
    assert.deepEqual(new Set(await contents()), new Set([tenLines]));
  });

  it("undoes what it can and names the rest", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await put(name, tenLines);
    await begin();
    for (const name of ["a.txt", "b.txt", "c.txt"]) await edit(name, changed);
    await edit("new.txt", "new\n");
    await until(() => review().files.length === 4);
    await show("new.txt");
    await type("new.txt", 0, "mine ");
    end();
    await assert.rejects(review().undo({ kind: "all" }), /Line 1 of .*new\.txt.* has your text/);
    for (const name of ["a.txt", "b.txt", "c.txt"]) assert.equal(await onDisk(name), tenLines);
    assert.equal(await onDisk("new.txt"), "new\n");
    assert.deepEqual(
      review().files.map(one => one.path),
      [path("new.txt")],
    );
  });
});
