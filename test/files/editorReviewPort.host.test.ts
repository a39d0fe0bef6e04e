// What a review applies to files that VS Code does not know as they are on disk, in the real editor.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { FileTextStep } from "../../src/files/ports.ts";
import { editorReviewPort } from "../../src/files/vscode/editorReviewPort.ts";

describe("the files that a review changes in the editor", () => {
  let folder: string;
  beforeEach(async () => {
    // Outside of the workspace, VS Code watches only the files in visible editors.
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-port-")));
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes a file whose time is some seconds ago, as `cp -p` does. */
  const put = async (path: string, text: string, secondsAgo: number): Promise<void> => {
    await writeFile(path, text);
    const time = Date.now() / 1000 - secondsAgo;
    await utimes(path, time, time);
  };

  /** Opens a file in an editor behind another one. */
  const openBehind = async (path: string): Promise<vscode.TextDocument> => {
    const document = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(document, { preview: false });
    await put(join(folder, "front.txt"), "front\n", 0);
    await vscode.window.showTextDocument(vscode.Uri.file(join(folder, "front.txt")));
    return document;
  };

  /** Why the step failed. */
  const failure = async (step: FileTextStep): Promise<string> =>
    String((await editorReviewPort(() => [folder]).apply([step])).failed.get(step.path));

  const revert = async (document: vscode.TextDocument): Promise<void> => {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  };

  it("are saved although their line endings changed and VS Code has not read them again", async () => {
    const path = join(folder, "ends.txt");
    await put(path, "one\r\ntwo\r\n", 3600);
    const document = await openBehind(path);
    await put(path, "one\ntwo\n", 10);

    const { failed } = await editorReviewPort(() => [folder]).apply([
      { path, before: "one\ntwo\n", after: "one\n2\n" },
    ]);

    assert.deepEqual([...failed.values()], []);
    assert.equal(await readFile(path, "utf8"), "one\n2\n");
    assert.equal(document.isDirty, false);
    assert.ok(Date.now() - (await stat(path)).mtimeMs < 60_000);
  });

  it("keep what another program writes while they are saved", async () => {
    const path = join(folder, "other.txt");
    await put(path, "one\r\ntwo\r\n", 3600);
    const document = await openBehind(path);
    await put(path, "one\ntwo\n", 10);
    let saves = 0;
    // VS Code refuses the first save, because the file is newer than it knows. The program writes during the second one.
    const busy = vscode.workspace.onWillSaveTextDocument(event => {
      if (++saves > 1) event.waitUntil(put(path, "one\nother text\n", 5));
    });
    try {
      assert.match(await failure({ path, before: "one\ntwo\n", after: "one\n2\n" }), /could not be saved/);
      assert.equal(await readFile(path, "utf8"), "one\nother text\n");
    } finally {
      busy.dispose();
      await revert(document);
    }
  });
});
