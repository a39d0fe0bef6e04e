// Which links and paths a click in the panel may open. Agents write them, so only files of the workspace, and the web.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as vscode from "vscode";
import { openFile, openLink } from "../../src/window/code/openFile.ts";

describe("a link or path of an agent", () => {
  let root: string;
  /** In the workspace, contains a.txt with three lines. */
  let inside: string;
  /** Next to the workspace, contains secret.txt. */
  let outside: string;

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(folder, "the tests run in a workspace");
    root = await realpath(folder);
    inside = await mkdtemp(join(root, "intents-"));
    outside = await mkdtemp(join(await realpath(tmpdir()), "parley-outside-"));
    await writeFile(join(inside, "a.txt"), "one\ntwo\nthree\n");
    await mkdir(join(inside, "folder"));
    await writeFile(join(outside, "secret.txt"), "secret\n");
    await symlink(outside, join(inside, "way-out"), "junction");
  });
  after(async () => {
    await rm(inside, { recursive: true, force: true });
    await rm(outside, { recursive: true, force: true });
  });
  beforeEach(closeAll);
  after(closeAll);

  const opened = (): readonly string[] =>
    vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .map(tab => (tab.input instanceof vscode.TabInputText ? tab.input.uri.fsPath : tab.label));

  /** Without a line, VS Code restores the last cursor position. */
  function assertShown(line?: number): void {
    assert.deepEqual(opened(), [join(inside, "a.txt")]);
    if (line !== undefined) assert.equal(vscode.window.activeTextEditor?.selection.active.line, line - 1);
  }

  async function assertRefused(work: Promise<void>, sentence: RegExp): Promise<void> {
    await assert.rejects(work, (error: Error) => {
      assert.match(error.message, sentence);
      assert.match(error.message, /^[“\w/.\\].*\.$/s, "it is a sentence");
      return true;
    });
    assert.deepEqual(opened(), []);
  }

  const liesOutside = /is outside this workspace/;

  it("opens a file of the workspace at its line", async () => {
    await openFile(join(inside, "a.txt"), 2, root);
    assertShown(2);
  });

  it("is resolved against the session's folder", async () => {
    await openFile(join(basename(inside), "folder", "..", "a.txt"), 3, root);
    assertShown(3);
  });

  it("opens a file without a line, and also before the first session", async () => {
    await openFile(join(inside, "a.txt"), undefined, "");
    assertShown();
  });

  it("opens the file that exists among those that a text can mean", async () => {
    const folder = basename(inside);
    await openFile(join(folder, "a.txt"), 2, root, { leading: "打开" });
    assertShown(2);
    await openFile(`请看${join(folder, "a.txt")}`, 3, root);
    assertShown(3);
  });

  it("is refused if it leads out with ..", async () => {
    await assertRefused(openFile(join("..", basename(outside), "secret.txt"), 1, root), liesOutside);
    const written = `${inside}/../../${basename(outside)}/secret.txt`;
    await assertRefused(openFile(written, 1, root), liesOutside);
  });

  it("is refused if it is a symbolic link that leads out", async () => {
    await assertRefused(openFile(join(inside, "way-out", "secret.txt"), 1, root), liesOutside);
  });

  it("is refused if it is an absolute path outside, without a hint whether it exists", async () => {
    await assertRefused(openFile(join(outside, "secret.txt"), 1, root), liesOutside);
    await assertRefused(openFile(join(outside, "no-such-file.txt"), 1, root), liesOutside);
  });

  it("is refused outside before the first session, too", async () => {
    await assertRefused(openFile(join(outside, "secret.txt"), 1, ""), liesOutside);
  });

  it("is refused for a missing file and a folder, with the reason", async () => {
    await assertRefused(openFile(join(inside, "b.txt"), 1, root), /The file .*b\.txt does not exist/);
    await assertRefused(openFile(join(inside, "a.txt", "b.txt"), 1, root), /does not exist/);
    await assertRefused(openFile(join(inside, "folder"), 1, root), /does not exist/);
  });

  it("is refused if it is a path of another machine", async () => {
    await assertRefused(openFile("//host.invalid/share/a.txt", 1, root), liesOutside);
    await assertRefused(openFile("\\\\host.invalid\\share\\a.txt", 1, root), /is outside|does not exist/);
    await assertRefused(openLink("file://host.invalid/share/a.txt", root), liesOutside);
  });

  it("is refused if it is not a path", async () => {
    await assertRefused(openFile("a\0.txt", 1, root), /NUL/);
  });

  it("opens a file link at its line, for any case of its scheme", async () => {
    const link = pathToFileURL(join(inside, "a.txt")).href;
    await openLink(`${link}#L3`, root);
    assertShown(3);
    await closeAll();
    await openLink(link.replace("file:", "FILE:") + "#L2", root);
    assertShown(2);
  });

  it("is refused if it is a file link that leads out", async () => {
    await assertRefused(openLink(pathToFileURL(join(outside, "secret.txt")).href, root), liesOutside);
  });

  for (const href of [
    "javascript:alert(1)",
    "command:workbench.action.terminal.new",
    "vscode://parley.parley/x",
    "vscode-remote://host.invalid/a",
    "data:text/html,hello",
    "ftp://host.invalid/a",
    "smb://host.invalid/share",
  ]) {
    it(`is refused: ${href}`, async () => {
      const sent = await openedOutside(() =>
        assertRefused(openLink(href, root), /^Links with the scheme [\w-]+ cannot be opened/),
      );
      assert.deepEqual(sent, []);
    });
  }

  it("is refused without a scheme", async () => {
    await assertRefused(openLink("a.txt", root), /has no scheme/);
  });

  it("is passed to the system if it is a web or mail link", async () => {
    const links = [
      "https://example.com/a?b=c#d",
      "http://example.com/",
      "HTTPS://example.com/",
      "mailto:ada@example.com",
    ];
    const sent = await openedOutside(async () => {
      for (const link of links) await openLink(link, root);
    });
    assert.deepEqual(
      sent.map(uri => uri.scheme),
      ["https", "http", "https", "mailto"],
    );
    assert.equal(sent[0]?.toString(true), links[0]);
  });
});

async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** The links that were opened outside of VS Code while `work` ran. In tests, VS Code allows changes of `env`. */
async function openedOutside(work: () => Promise<void>): Promise<readonly vscode.Uri[]> {
  const sent: vscode.Uri[] = [];
  const original = vscode.env.openExternal;
  const env = vscode.env as { openExternal: typeof original };
  env.openExternal = uri => Promise.resolve(sent.push(uri) > 0);
  try {
    await work();
    return sent;
  } finally {
    env.openExternal = original;
  }
}
