// Prompt files in the real VS Code: where they are, in which folders they are read, and what their variables stand for.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { updateUserSetting } from "../../src/editor/userSettings.ts";
import { FileEvents } from "../../src/files/vscode/fileEvents.ts";
import { PromptFiles } from "../../src/promptFiles/promptFiles.ts";
import { EditorPromptPlace } from "../../src/promptFiles/vscode/editorPromptPlace.ts";
import { until } from "../support/fakes/until.ts";

describe("the prompt files of VS Code's window", () => {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert.ok(root);
  const folder = root.fsPath;
  const user = realpathSync(mkdtempSync(join(tmpdir(), "parley-user-prompts-")));
  const github = vscode.Uri.joinPath(root, ".github");
  const fileEvents = new FileEvents();
  const rootsChanged = new Emitter<void>();
  let place: EditorPromptPlace;
  let files: PromptFiles;
  let isTrusted: boolean;

  const write = (name: string, text: string): Thenable<void> =>
    vscode.workspace.fs.writeFile(vscode.Uri.joinPath(github, "prompts", name), Buffer.from(text));
  /** The prompts as the session in the workspace folder has them. */
  const listed = (): string =>
    files
      .list(folder)
      .map(found => `${found.label}=${"file" in found ? found.file.body : found.problem}`)
      .join();

  beforeEach(() => {
    isTrusted = true;
    place = new EditorPromptPlace({
      fileEvents,
      hasTrust: () => isTrusted,
      roots: () => [folder],
      onDidChangeRoots: rootsChanged.event,
      sensitive: () => ["**/*.hidden"],
    });
    files = new PromptFiles(place, nullLog);
  });
  afterEach(async () => {
    files.dispose();
    place.dispose();
    await updateUserSetting("promptFiles.folder", undefined);
    await vscode.workspace.fs.delete(github, { recursive: true }).then(undefined, () => {
      // The test has not made it, or has deleted it.
    });
  });
  after(() => {
    fileEvents.dispose();
    rmSync(user, { recursive: true, force: true });
  });

  it("appear when a file is written, change with it, and go with its folder", async () => {
    assert.equal(listed(), "");
    await files.refresh();
    await write("a.prompt.md", "A");
    await until(() => listed() === ".github/prompts/a.prompt.md=A");
    await write("a.prompt.md", "B");
    await until(() => listed() === ".github/prompts/a.prompt.md=B");
    await vscode.workspace.fs.delete(github, { recursive: true });
    await until(() => listed() === "");
  });

  it("are also those in the folder of the user's setting, first, which is followed too", async () => {
    writeFileSync(join(user, "mine.prompt.md"), "Mine");
    await write("a.prompt.md", "A");
    await updateUserSetting("promptFiles.folder", user);
    await until(() => listed() === `${user}/mine.prompt.md=Mine,.github/prompts/a.prompt.md=A`);
    // A watcher needs time to start, and reports only what changes afterwards.
    let writes = 0;
    await until(() => {
      writeFileSync(join(user, "mine.prompt.md"), `Changed ${++writes}`);
      return listed().includes("mine.prompt.md=Changed");
    });
    await updateUserSetting("promptFiles.folder", "~/no-such-folder");
    await until(() => listed().startsWith("~/no-such-folder=There is no such folder."));
    assert.equal(place.folders(folder)[0]?.path, join(homedir(), "no-such-folder"));
    await updateUserSetting("promptFiles.folder", "relative");
    await until(() => listed().startsWith("relative=The setting needs a full path"));
  });

  it("are none in a workspace that is not trusted, and none come from the settings of a folder", async () => {
    await vscode.workspace
      .getConfiguration("parley")
      .update("promptFiles.folder", user, vscode.ConfigurationTarget.Workspace)
      .then(undefined, () => {
        // VS Code refuses it, because of its scope.
      });
    assert.deepEqual(
      place.folders(folder).map(({ source }) => source),
      ["workspace"],
    );
    isTrusted = false;
    await write("a.prompt.md", "A");
    await updateUserSetting("promptFiles.folder", user);
    assert.deepEqual(place.folders(folder), []);
    await files.refresh();
    assert.equal(listed(), "");
  });

  it("have the file and the selection of the active editor, but nothing of a secret", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    assert.deepEqual(await place.values(""), {
      file: { reason: "No file is open in an editor." },
      selection: { reason: "Nothing is selected." },
      workspaceFolder: { reason: "The session has no folder." },
    });
    const texts = { "notes.txt": "one two", "key.hidden": "secret" };
    for (const [name, text] of Object.entries(texts)) {
      const path = join(user, name);
      writeFileSync(path, text);
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
      editor.selection = new vscode.Selection(0, 0, 0, 3);
      await until(() => !editor.selection.isEmpty);
      assert.deepEqual(await place.values(folder), {
        file: { text: path },
        selection:
          name === "notes.txt" ? { text: "one" } : { reason: "The selection is in a file that looks like a secret." },
        workspaceFolder: { text: folder },
      });
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("are shown if they cannot be used, and the setting if the folder cannot", async () => {
    await write("bad.prompt.md", "---\nname: a\n");
    files.list(folder);
    await files.refresh();
    const [bad] = files.list(folder);
    assert.ok(bad && "problem" in bad);
    await place.show(bad);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, bad.path);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
});
