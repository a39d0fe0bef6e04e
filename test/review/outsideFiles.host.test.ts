// Files outside the workspace folders that the user allowed an agent to write, in the real editor: they are reviewed,
// undone and stored like the files inside.
import assert from "node:assert/strict";
import { chmod, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { currentFiles } from "../../src/checkpoints/vscode/applyRestore.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { nullLog } from "../../src/base/log.ts";
import { clockTick } from "../../src/history/turnTimes.ts";
import { LinkedReview } from "../../src/review/vscode/linkedReview.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const changed = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);

/** The test writes a file again after this time (ms). */
const pauseBetweenWrites = 1000;

describe("a file outside the workspace folders", () => {
  const bench = useReviewedFolder({ checkpoints: true });
  const { path, onDisk, put, show, file, hunksAre, prepare, end, tool, review, watch, reviews, reopen, touches } =
    bench;
  let tests = 0;
  /**
   * A folder outside, relative to the workspace folder. Each test has its own, because VS Code can miss what happens in a
   * folder that was deleted and created again, and can keep the text of a file that was.
   */
  let outside: string;
  let name: string;
  beforeEach(() => {
    outside = `../outside-${++tests}`;
    name = `${outside}/a.txt`;
  });
  const documents = new EditorDocuments(nodePaths());
  afterEach(() => rm(path(outside), { recursive: true, force: true, maxRetries: 10 }));

  /** The agent writes through Parley, and the user allows it or not. */
  const write = (to: string, content: string, isAllowed = true): Promise<unknown> =>
    watch().aroundWrite(path(to), content, async () => {
      if (!isAllowed) throw new Error("The user did not allow this.");
      const real = (await nodePaths().real(path(to))) ?? path(to);
      await watch().allowedOutside(real);
      return documents.write(real, content);
    });
  const ended = async (): Promise<void> => {
    end();
    await watch().settled();
    await reviews().settled();
  };
  const undoAll = (): Promise<void> => review().undo({ kind: "all" });

  it("is reviewed and marked if the user allows the write, and Undo and Keep work", async () => {
    await put(name, tenLines);
    await prepare();
    await write(name, changed);
    await ended();
    await hunksAre(name, "line 2 → line two");
    assert.equal(file(name)?.isOutside, true);
    await undoAll();
    assert.equal(await onDisk(name), tenLines);
    assert.ok(await review().undoLast());
    assert.equal(await onDisk(name), changed);
    await review().keep({ kind: "file", path: path(name) });
    assert.deepEqual(review().files, []);
    assert.equal(await onDisk(name), changed);
  });

  it("is neither read nor followed if the user does not allow the write", async () => {
    await put(name, tenLines);
    await prepare();
    await assert.rejects(write(name, changed, false), /did not allow/);
    await put(name, changed);
    tool({ kind: "edit", status: "completed", locations: [{ path: path(name) }] });
    await ended();
    assert.deepEqual(review().files, []);
    assert.deepEqual(touches, []);
  });

  it("is reviewed if the agent writes it to disk by itself after the user allowed it, also in later turns", async () => {
    await put(name, tenLines);
    await prepare();
    tool({ kind: "edit", status: "in_progress", locations: [{ path: path(name) }] });
    await watch().allowedOutside(path(name));
    await put(name, changed);
    tool({ status: "completed" });
    await ended();
    await hunksAre(name, "line 2 → line two");
    await review().keep({ kind: "all" });
    await prepare("turn 2");
    await put(name, lines(1, "two", 3, 4, 5, 6, 7, 8, 9, "ten"));
    await ended();
    await hunksAre(name, "line 10 → line ten");
    await undoAll();
    assert.equal(await onDisk(name), changed);
  });

  it("gets back its exact bytes and its mode, whether it is open or not", async () => {
    const bytes = Buffer.from("caf\u00e9\r\ntwo\nthree\rfour", "latin1");
    for (const isOpen of [false, true]) {
      const exact = `${outside}/exact-${isOpen}.txt`;
      await put(exact, "");
      await writeFile(path(exact), bytes);
      await chmod(path(exact), 0o755);
      if (isOpen) await show(exact);
      await prepare(`turn ${isOpen}`);
      await watch().allowedOutside(path(exact));
      // The editor could load the file while it is written, and not save it then.
      await put(`${outside}/other.txt`, "other\n");
      await rename(path(`${outside}/other.txt`), path(exact));
      tool({ kind: "edit", status: "completed", locations: [{ path: path(exact) }] });
      await until(() => file(exact) !== undefined);
      await ended();
      await undoAll();
      assert.deepEqual(await readFile(path(exact)), bytes);
      assert.equal((await stat(path(exact))).mode & 0o111, 0o111);
    }
  });

  it("changes in the editor if it is open, and keeps what the user typed", async () => {
    await put(name, tenLines);
    const editor = await show(name);
    await prepare();
    await write(name, changed);
    await ended();
    await until(() => editor.document.getText() === changed);
    await bench.type(name, 6, "mine ");
    await undoAll();
    assert.equal(editor.document.getText(), tenLines.replace("line 7", "mine line 7"));
  });

  it("is deleted with its folders if the agent created it", async () => {
    await prepare();
    await write(`${outside}/new/in/b.txt`, "new\n");
    await ended();
    assert.equal(file(`${outside}/new/in/b.txt`)?.changes.base, null);
    await undoAll();
    await assert.rejects(stat(path(outside)), { code: "ENOENT" });
  });

  it("is deleted and comes back", async () => {
    await put(name, tenLines);
    await prepare();
    await watch().allowedOutside(path(name));
    tool({ kind: "delete", status: "in_progress", locations: [{ path: path(name) }] });
    await rm(path(name));
    tool({ status: "completed" });
    await until(() => file(name)?.changes.text === null);
    await ended();
    await undoAll();
    assert.equal(await onDisk(name), tenLines);
  });

  it("is reviewed through a symbolic link in the workspace, and shown there", async () => {
    await put(name, tenLines);
    await symlink(path(outside), path("link"));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path("link/a.txt")));
    const linked = new LinkedReview(review(), nullLog);
    await prepare();
    await write("link/a.txt", changed);
    await ended();
    await hunksAre(name, "line 2 → line two");
    await until(() => editor.document.getText() === changed);
    await linked.undo({ kind: "all" });
    assert.equal(await onDisk(name), tenLines);
    await until(() => editor.document.getText() === tenLines);
    linked.dispose();
  });

  it("is not written any more if a folder in its path has become a link", async () => {
    await put(`${outside}/in/a.txt`, tenLines);
    await prepare();
    await write(`${outside}/in/a.txt`, changed);
    await ended();
    await put(`${outside}/other/a.txt`, changed);
    await rm(path(`${outside}/in`), { recursive: true });
    await symlink(path(`${outside}/other`), path(`${outside}/in`));
    await assert.rejects(undoAll(), /no longer in this session's folders/);
    assert.equal(await onDisk(`${outside}/other/a.txt`), changed);
  });

  it("is reviewed and can be undone after a reload", async () => {
    await put(name, tenLines);
    await prepare();
    await write(name, changed);
    await ended();
    await reopen(() => Promise.resolve());
    await hunksAre(name, "line 2 → line two");
    assert.equal(file(name)?.isOutside, true);
    await undoAll();
    assert.equal(await onDisk(name), tenLines);
  });

  it("follows what another program writes between turns", async () => {
    await put(name, tenLines);
    await prepare();
    await write(name, changed);
    await ended();
    // By the clock of the file system, a file that is written just after a turn may belong to it.
    const endedAt = Date.now();
    await until(() => Date.now() > endedAt + 2 * clockTick);
    // VS Code can begin to watch after a write.
    let written = 0;
    await until(async () => {
      if (Date.now() > written + pauseBetweenWrites) {
        await put(name, changed.replace("line 8", "eight"));
        written = Date.now();
      }
      return (file(name)?.changes.base ?? "").includes("eight");
    });
    await hunksAre(name, "line 2 → line two");
  });

  it("is restored with a checkpoint, also after it was kept", async () => {
    await put(name, tenLines);
    await prepare();
    await write(name, changed);
    await ended();
    await review().keep({ kind: "all" });
    const plan = await bench.checkpoints().planRestore(
      "turn 1",
      currentFiles(documents, () => [bench.folder()]),
    );
    assert.deepEqual(
      plan.files.map(one => [one.path, one.to, one.changedSince]),
      [[path(name), tenLines, false]],
    );
    const steps = plan.files.map(({ path, now, to, state }) => ({
      path,
      before: now,
      after: to,
      ...(state && { state }),
    }));
    const { failed } = await reviews().restoreFiles(steps, await bench.checkpoints().reviewAt("turn 1"));
    assert.deepEqual([...failed], []);
    assert.equal(await onDisk(name), tenLines);
  });
});
