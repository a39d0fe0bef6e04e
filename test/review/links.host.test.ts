// What stands at a path counts, not where it leads: links, folders and files in the place of each other, with and without
// git. And a folder that is opened through a link has one name per file.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { applyRestore, currentFiles } from "../../src/checkpoints/vscode/applyRestore.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { until } from "../support/fakes/until.ts";
import { lines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);

/** What stands at a path, and below a folder. */
const tree = async (folder: string): Promise<string> => {
  const script = `find . -path ./.git -prune -o -type l -printf '%P -> %l\\n' -o -type f -printf '%P: ' -exec cat {} ';' -o -mindepth 1 -type d -printf '%P/\\n'`;
  const { stdout } = await run("sh", ["-c", script], { cwd: folder });
  return stdout.trim().split("\n").toSorted().join("\n");
};

/** A folder without files is not brought back. */
const withoutFolders = (all: string): string =>
  all
    .split("\n")
    .filter(line => !line.endsWith("/"))
    .join("\n");

interface Case {
  readonly title: string;
  readonly command: string;
  /** The paths that the review lists. */
  readonly listed: readonly string[];
}

/** `$OUT`: a folder outside the workspace, with a file `secret`, `a.txt` and `in/b.txt`. */
const cases: readonly Case[] = [
  { title: "a link to another file in the place of a file", command: "ln -sf other.txt a.txt", listed: ["a.txt"] },
  { title: "a link to a file outside in the place of a file", command: 'ln -sf "$OUT/a.txt" a.txt', listed: ["a.txt"] },
  { title: "a link that leads nowhere in the place of a file", command: "ln -sf nowhere a.txt", listed: ["a.txt"] },
  {
    title: "a link to another folder in the place of a folder",
    command: "rm -rf pkg && ln -s twin pkg",
    listed: ["pkg", "pkg/a.txt", "pkg/in/b.txt"],
  },
  {
    title: "a link to a folder outside in the place of a folder",
    command: 'rm -rf pkg && ln -s "$OUT" pkg',
    listed: ["pkg", "pkg/a.txt", "pkg/in/b.txt"],
  },
  {
    title: "a folder in the place of a file",
    command: "rm a.txt && mkdir a.txt && echo x > a.txt/in.txt",
    listed: ["a.txt", "a.txt/in.txt"],
  },
  { title: "an empty folder in the place of a file", command: "rm a.txt && mkdir a.txt", listed: ["a.txt"] },
  {
    title: "a file in the place of a folder",
    command: "rm -rf pkg && echo x > pkg",
    listed: ["pkg", "pkg/a.txt", "pkg/in/b.txt"],
  },
  {
    title: "a folder in the place of a link",
    command: "rm link && mkdir link && echo x > link/in.txt",
    listed: ["link", "link/in.txt"],
  },
  { title: "a file in the place of a link to a folder", command: "rm link && echo x > link", listed: ["link"] },
  { title: "a new link to a folder outside", command: 'ln -s "$OUT" new', listed: ["new"] },
];

for (const git of [true, false]) {
  describe(`links and folders in the place of each other, ${git ? "in a repository" : "without git"}`, () => {
    const { path, put, show, open, prepare, noticed, end, tool, write, review, reviews, watch, folder, checkpoints } =
      useReviewedFolder({ git, checkpoints: true });
    let outside: string;
    const sh = (command: string): Promise<unknown> =>
      run("sh", ["-c", command], { cwd: folder(), env: { ...process.env, OUT: outside } });
    const listed = (): readonly string[] => review().files.map(one => one.path.slice(folder().length + 1));
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
      await reviews().settled();
    };
    const type = async (name: string, text: string): Promise<void> => {
      const { document } = await show(name);
      const change = new vscode.WorkspaceEdit();
      change.insert(document.uri, new vscode.Position(0, 0), text);
      assert.ok(await vscode.workspace.applyEdit(change));
      assert.ok(await document.save());
      await watch().settled();
    };

    beforeEach(async () => {
      outside = await mkdtemp(join(tmpdir(), "parley-outside-"));
      await run("sh", ["-c", "echo s > secret; echo out > a.txt; mkdir in; echo out > in/b.txt"], { cwd: outside });
      await put("a.txt", lines(1, 2, 3));
      await put("other.txt", lines("other"));
      for (const name of ["pkg", "twin"]) {
        await put(`${name}/a.txt`, lines(name, "a"));
        await put(`${name}/in/b.txt`, lines(name, "b"));
      }
      await symlink("twin", path("link"));
    });
    afterEach(async () => {
      assert.equal(await readFile(join(outside, "a.txt"), "utf8"), "out\n", "nothing outside is written");
      await rm(outside, { recursive: true });
    });

    for (const { title, command, listed: wanted } of cases) {
      for (const isShown of [false, true]) {
        it(`list and bring back ${title}${isShown ? " that the user shows" : ""}`, async () => {
          if (isShown) await show("a.txt");
          if (isShown) await open("pkg/a.txt");
          await noticed();
          const before = await tree(folder());
          await prepare();
          await sh(command);
          if (isShown) await until(() => listed().length > 0 || !wanted.includes("a.txt"));
          await ended();
          assert.deepEqual(listed(), wanted);
          const agents = await tree(folder());
          assert.deepEqual(await review().undoLosses({ kind: "all" }), []);
          await review().undo({ kind: "all" });
          assert.equal(await tree(folder()), before);
          await watch().settled();
          assert.deepEqual(listed(), []);
          assert.ok(await review().undoLast());
          assert.equal(withoutFolders(await tree(folder())), withoutFolders(agents));
          await watch().settled();
          await review().undo({ kind: "all" });
          assert.equal(await tree(folder()), before);
        });
      }

      it(`restore a checkpoint from before ${title}`, async () => {
        await noticed();
        const before = await tree(folder());
        await prepare();
        await sh(command);
        await ended();
        await checkpoints().flush();
        const agents = await tree(folder());
        const now = currentFiles(new EditorDocuments(nodePaths()), () => [folder()]);
        const plan = await checkpoints().planRestore("turn 1", now);
        assert.deepEqual(plan.unknown, []);
        await applyRestore(checkpoints(), reviews(), plan, plan.files, () => [folder()]);
        assert.equal(await tree(folder()), before);
        const restore = checkpoints().lastRestore;
        assert.ok(restore !== undefined);
        const undo = await checkpoints().planUndo(restore, now);
        await applyRestore(checkpoints(), reviews(), undo, undo.files, () => [folder()]);
        assert.equal(withoutFolders(await tree(folder())), withoutFolders(agents));
      });
    }

    it("bring back a file that the agent first edited and then replaced by a link", async () => {
      await noticed();
      await prepare();
      await write("a.txt", lines(1, "two", 3));
      await watch().settled();
      await sh("ln -sf other.txt a.txt");
      await ended();
      assert.deepEqual(listed(), ["a.txt"]);
      await review().undo({ kind: "all" });
      assert.equal((await lstat(path("a.txt"))).isFile(), true);
      assert.equal(await readFile(path("a.txt"), "utf8"), lines(1, 2, 3));
      assert.equal(await readFile(path("other.txt"), "utf8"), lines("other"));
    });

    for (const isNamed of [true, false])
      it(`bring back a link and a binary file that one turn replaced by a text and another edited${isNamed ? " in a tool call" : ""}`, async () => {
        await symlink("a.txt", path("to-a"));
        await writeFile(path("binary.bin"), Buffer.from([0, 1, 2, 255]));
        await noticed();
        const before = await tree(folder());
        await prepare("turn 1");
        if (!git) tool({ kind: "edit", status: "in_progress", locations: [{ path: path("binary.bin") }] }, "call 1");
        await watch().settled();
        await sh("rm to-a; for one in to-a binary.bin; do echo first > $one; done");
        await ended();
        const paths = ["binary.bin", "to-a"];
        assert.deepEqual([...listed()].sort(), paths);
        await prepare("turn 2");
        const locations = paths.map(name => ({ path: path(name) }));
        if (isNamed) tool({ kind: "edit", status: "in_progress", locations }, "call 2");
        await watch().settled();
        await sh("for one in to-a binary.bin; do echo second > $one; done");
        if (isNamed) tool({ status: "completed" }, "call 2");
        await ended();
        assert.deepEqual([...listed()].sort(), paths);
        await review().undo({ kind: "all" });
        assert.equal(await tree(folder()), before);
      });

    it("restore the mode of a file that replaced a link in an earlier turn", async () => {
      await symlink("a.txt", path("to-a"));
      await noticed();
      await prepare("turn 1");
      await sh("rm to-a && echo first > to-a");
      await ended();
      assert.deepEqual(listed(), ["to-a"]);
      await prepare("turn 2");
      tool({ kind: "read", status: "in_progress", locations: [{ path: path("to-a") }] }, "call 1");
      await watch().settled();
      tool({ status: "completed" }, "call 1");
      await watch().settled();
      await sh("chmod +x to-a");
      await noticed();
      await ended();
      await checkpoints().flush();
      const now = currentFiles(new EditorDocuments(nodePaths()), () => [folder()]);
      const plan = await checkpoints().planRestore("turn 2", now);
      await applyRestore(checkpoints(), reviews(), plan, plan.files, () => [folder()]);
      assert.equal((await lstat(path("to-a"))).mode & 0o111, 0);
    });

    for (const isFirst of [true, false])
      it(`keep what the user typed into ${isFirst ? "a link that was a file" : "a file that was a link"} in an earlier turn`, async () => {
        await symlink("a.txt", path("to-a"));
        await noticed();
        await prepare("turn 1");
        const locations = ["a.txt", "to-a"].map(name => ({ path: path(name) }));
        tool({ kind: "read", status: "in_progress", locations }, "call 1");
        await watch().settled();
        await sh("echo first > other.txt");
        await ended();
        await review().keep({ kind: "all" });
        await prepare("turn 2");
        await sh(isFirst ? "ln -sf other.txt a.txt" : "rm to-a && echo first > to-a");
        await ended();
        await review().keep({ kind: "all" });
        await prepare("turn 3");
        await type(isFirst ? "a.txt" : "to-a", "user\n");
        const written = isFirst ? "other.txt" : "to-a";
        assert.equal(await readFile(path(written), "utf8"), "user\nfirst\n");
        await sh(`echo second >> ${written}`);
        await ended();
        assert.deepEqual(listed(), [written]);
        await review().undo({ kind: "all" });
        assert.equal(await readFile(path(written), "utf8"), "user\nfirst\n");
      });

    it("list a write of the agent through a link as a change of the file to which the link leads", async () => {
      await noticed();
      await prepare();
      await write("link/a.txt", lines("twin", "changed"));
      await ended();
      assert.deepEqual(listed(), ["twin/a.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await readFile(path("twin/a.txt"), "utf8"), lines("twin", "a"));
      assert.equal(await readlink(path("link")), "twin");
    });
  });
}

describe("a folder that is opened through a link", () => {
  const { path, onDisk, put, file, prepare, noticed, end, edit, review, watch, folder } = useReviewedFolder({
    throughLink: true,
  });
  const realPath = (name: string): string => join(`${folder()}-real`, name);
  const showReal = async (name: string): Promise<vscode.TextDocument> =>
    (await vscode.window.showTextDocument(vscode.Uri.file(realPath(name)))).document;
  const type = async (name: string, text: string): Promise<void> => {
    const change = new vscode.WorkspaceEdit();
    change.insert(vscode.Uri.file(realPath(name)), new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(change));
    await watch().settled();
  };

  it("has one name for a file: a write on disk below unsaved text under the other name is not taken for the text", async () => {
    await put("a.txt", lines(1, 2, 3));
    await noticed();
    const document = await showReal("a.txt");
    await prepare();
    await type("a.txt", "mine\n");
    await edit("a.txt", lines(1, 2, "three"));
    end();
    await watch().settled();
    assert.equal(document.isDirty, true);
    assert.equal(file("a.txt"), undefined, "the user's text is the text of the file until it is saved or discarded");
    assert.equal(document.getText(), `mine\n${lines(1, 2, 3)}`);
  });

  it("has one name for a file: Undo keeps unsaved text under the other name", async () => {
    await put("a.txt", lines(1, 2, 3));
    await noticed();
    await prepare();
    await edit("a.txt", lines(1, 2, "three"));
    end();
    await watch().settled();
    const document = await showReal("a.txt");
    await type("a.txt", "mine\n");
    await review().undo({ kind: "all" });
    await watch().settled();
    assert.equal(document.getText(), `mine\n${lines(1, 2, 3)}`);
    assert.equal(await onDisk("a.txt"), lines(1, 2, "three"));
    assert.equal(existsSync(path("a.txt")), true);
    await document.save();
    assert.equal(await onDisk("a.txt"), `mine\n${lines(1, 2, 3)}`);
    await writeFile(path("a.txt"), "end\n");
  });
});
