// What a command of the agent deletes or creates, in the real editor, with and without git: the turn's end is compared with
// its start.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { createGate } from "../../src/base/async.ts";
import { maxReportDelay } from "../../src/history/turnTimes.ts";
import { until } from "../support/fakes/until.ts";
import { lines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);

for (const git of [true, false]) {
  describe(`the end of a turn, ${git ? "in a repository" : "without git"}`, () => {
    const {
      path,
      onDisk,
      put,
      open,
      show,
      file,
      prepare,
      noticed,
      end,
      edit,
      tool,
      write,
      type,
      review,
      watch,
      turnBegan,
      folder,
      reopen,
    } = useReviewedFolder({ git });
    const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
    const paths = (): readonly string[] => review().files.map(one => one.path);
    const isDeleted = (name: string): boolean => file(name)?.changes.text === null;
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
    };
    const putAll = async (...names: readonly string[]): Promise<void> => {
      for (const name of names) await put(name, lines(name));
      // VS Code does not report a file at all that is created and deleted within its delay.
      await noticed();
    };

    it("lists the files of a deleted folder, and Undo restores them", async () => {
      const names = ["pkg/a.txt", "pkg/b.txt", "pkg/in/c.txt", "pkg/in/in/d.txt"];
      await putAll(...names, "other.txt");
      if (git) await sh("git add . && git -c user.name=a -c user.email=b commit -qm all");
      await prepare();
      await sh("rm -rf pkg");
      await until(() => names.every(isDeleted));
      await ended();
      assert.deepEqual(paths(), names.map(path));
      await review().undo({ kind: "all" });
      for (const name of names) assert.equal(await onDisk(name), lines(name));
      assert.deepEqual(paths(), []);
    });

    it("lists a folder that is deleted as the last action of the turn", async () => {
      await putAll("pkg/a.txt", "pkg/in/b.txt");
      await open("pkg/a.txt");
      await prepare();
      await sh("rm -rf pkg");
      await ended();
      assert.deepEqual(paths(), [path("pkg/a.txt"), path("pkg/in/b.txt")]);
      await review().undo({ kind: "all" });
      for (const name of ["pkg/a.txt", "pkg/in/b.txt"]) assert.equal(await onDisk(name), lines(name));
    });

    it("lists a file that is deleted as the last action of the turn, whether it is open or not", async () => {
      await putAll("open.txt", "closed.txt");
      if (git) await sh("git add .");
      await show("open.txt");
      await prepare();
      await rm(path("open.txt"));
      const remove = git ? "git rm -qf closed.txt" : "rm closed.txt";
      tool({ kind: "execute", title: remove, status: "in_progress" });
      await sh(remove);
      await ended();
      assert.deepEqual(paths(), [path("closed.txt"), path("open.txt")]);
      await review().undo({ kind: "all" });
      for (const name of ["open.txt", "closed.txt"]) assert.equal(await onDisk(name), lines(name));
    });

    it("keeps a binary file that an earlier turn deleted under review", async () => {
      await putAll("pkg/data.bin");
      await put("pkg/data.bin", "\0\u0001");
      await prepare();
      await sh("rm -rf pkg");
      await ended();
      await prepare("turn 2");
      await put("other.txt", "1\n");
      await ended();
      assert.deepEqual(paths(), [path("other.txt"), path("pkg/data.bin")]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("pkg/data.bin"), "\0\u0001");
    });

    it("keeps what the user types into a file of which the agent changed only the mode", async () => {
      await putAll("a.sh", "b.sh");
      await prepare();
      await sh("chmod +x a.sh b.sh");
      await until(() => paths().length === 2);
      for (const name of ["a.sh", "b.sh"]) {
        const { document } = await show(name);
        await type(name, 0, "mine\n");
        assert.ok(await document.save());
      }
      await edit("b.sh", `mine\n${lines("b.sh")}agent's\n`);
      await until(() => file("b.sh")?.unknown === undefined);
      await ended();
      await review().undo({ kind: "all" });
      for (const name of ["a.sh", "b.sh"]) {
        assert.equal(await onDisk(name), `mine\n${lines(name)}`);
        assert.equal((await stat(path(name))).mode & 0o111, 0);
      }
    });

    it("lists the last write to the file in the active editor, which the editor loads later", async () => {
      await put("a.txt", lines(1, 2, 3));
      await show("a.txt");
      await prepare();
      await writeFile(path("a.txt"), lines(1, "two", 3));
      await ended();
      assert.deepEqual(paths(), [path("a.txt")]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), lines(1, 2, 3));
    });

    // Parley waits 2 s for the editor, whether there is a repository or not.
    if (!git)
      it("lists the last write to the file in the active editor, also if the editor never notices it", async () => {
        const files = vscode.workspace.getConfiguration("files");
        await files.update("watcherExclude", { "**/unwatched/**": true }, vscode.ConfigurationTarget.Global);
        try {
          await put("unwatched/a.txt", lines(1, 2, 3));
          await noticed();
          await show("unwatched/a.txt");
          await prepare();
          await writeFile(path("unwatched/a.txt"), lines(1, "two", 3));
          await ended();
          assert.deepEqual(paths(), [path("unwatched/a.txt")]);
          await review().undo({ kind: "all" });
          assert.equal(await onDisk("unwatched/a.txt"), lines(1, 2, 3));
          assert.deepEqual(paths(), []);
        } finally {
          await files.update("watcherExclude", undefined, vscode.ConfigurationTarget.Global);
        }
      });

    it("lists what the agent changed in files before it named or wrote them", async () => {
      for (const name of ["named.txt", "in/written.txt", "gone.txt"]) await put(name, lines(name));
      await noticed();
      await prepare();
      for (const name of ["named.txt", "in/written.txt"]) await writeFile(path(name), lines("first"));
      await rm(path("gone.txt"));
      await edit("named.txt", lines("second"));
      await edit("gone.txt", lines("second"));
      await write("in/written.txt", lines("second"));
      await ended();
      await review().undo({ kind: "all" });
      for (const name of ["named.txt", "in/written.txt", "gone.txt"]) assert.equal(await onDisk(name), lines(name));
      assert.deepEqual(paths(), []);
    });

    it("lists no temporary files and folders", async () => {
      await putAll("work.txt");
      await prepare();
      for (let round = 0; round < 3; round++) {
        await put("temporary", "1\n");
        await mkdir(path("folder"));
        await put("folder/in/file.txt", "1\n");
        await put("folder/in/binary", "\0");
        await until(() => file("folder/in/file.txt") !== undefined && file("folder/in/binary") !== undefined);
        await rename(path("temporary"), path("work.txt"));
        await rm(path("folder"), { recursive: true });
        await until(() => paths().length === 1);
      }
      await ended();
      assert.deepEqual(paths(), [path("work.txt")]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("work.txt"), lines("work.txt"));
    });

    it("lists no `git:` document of a changed file, such as work.txt.git", async () => {
      await putAll("work.txt");
      // The Git extension has `git:` for itself. Its documents have the path of the file, often with this ending.
      const uri = vscode.Uri.file(path("work.txt.git")).with({ scheme: "test-git", query: "HEAD" });
      const changed = new vscode.EventEmitter<vscode.Uri>();
      let text = lines(1);
      const provider = vscode.workspace.registerTextDocumentContentProvider(uri.scheme, {
        onDidChange: changed.event,
        provideTextDocumentContent: () => text,
      });
      try {
        await prepare();
        const document = await vscode.workspace.openTextDocument(uri);
        text = lines(1, 2);
        changed.fire(uri);
        await until(() => document.getText() === text);
        await put("work.txt", lines("two"));
        await until(() => file("work.txt") !== undefined);
        await ended();
        assert.deepEqual(paths(), [path("work.txt")]);
      } finally {
        provider.dispose();
        changed.dispose();
      }
    });

    it("does not attribute what the user moves and deletes in the editor to the agent", async () => {
      await putAll("a.txt", "b.txt", "c/d.txt", "e/f.txt");
      await prepare();
      const changes = new vscode.WorkspaceEdit();
      changes.deleteFile(vscode.Uri.file(path("a.txt")));
      changes.renameFile(vscode.Uri.file(path("b.txt")), vscode.Uri.file(path("b2.txt")));
      changes.renameFile(vscode.Uri.file(path("c")), vscode.Uri.file(path("c2")));
      changes.deleteFile(vscode.Uri.file(path("e")), { recursive: true });
      assert.ok(await vscode.workspace.applyEdit(changes));
      await edit("barrier.txt", "1\n");
      await until(() => file("barrier.txt") !== undefined);
      await ended();
      assert.deepEqual(paths(), [path("barrier.txt")]);
    });

    it("does not attribute open files that the user edited and moves in the editor to the agent", async () => {
      const names = Array.from({ length: 8 }, (_, index) => `${index}.txt`);
      await putAll(...names);
      await prepare();
      for (const name of names) {
        await show(name);
        await type(name, 0, "mine ");
        await (await open(name)).save();
        const changes = new vscode.WorkspaceEdit();
        changes.renameFile(vscode.Uri.file(path(name)), vscode.Uri.file(path(`moved-${name}`)));
        assert.ok(await vscode.workspace.applyEdit(changes));
      }
      await edit("barrier.txt", "1\n");
      await until(() => file("barrier.txt") !== undefined);
      await ended();
      assert.deepEqual(paths(), [path("barrier.txt")]);
    });

    it("does not attribute what the user creates and moves in the editor to the agent, if the disk reports it first", async () => {
      await putAll("a.txt");
      await prepare();
      const attributed: string[] = [];
      /** Puts there what the editor is about to put there, and waits until the disk has reported it. */
      const reported = async (name: string, text: string): Promise<void> => {
        const pattern = new vscode.RelativePattern(folder(), name);
        const watcher = vscode.workspace.createFileSystemWatcher(pattern);
        let isNoticed = false;
        watcher.onDidCreate(() => (isNoticed = true));
        await writeFile(path(name), text);
        await until(() => isNoticed);
        watcher.dispose();
        await noticed();
        await watch().settled();
        attributed.push(...(file(name) ? [name] : []));
      };
      const links = [
        vscode.workspace.onWillCreateFiles(event => event.waitUntil(reported("made.txt", lines("user")))),
        vscode.workspace.onWillRenameFiles(event => event.waitUntil(reported("moved.txt", lines("a.txt")))),
      ];
      try {
        const changes = new vscode.WorkspaceEdit();
        const contents = Buffer.from(lines("user"));
        changes.createFile(vscode.Uri.file(path("made.txt")), { contents, overwrite: true });
        changes.renameFile(vscode.Uri.file(path("a.txt")), vscode.Uri.file(path("moved.txt")), { overwrite: true });
        assert.ok(await vscode.workspace.applyEdit(changes));
      } finally {
        for (const link of links) link.dispose();
      }
      assert.deepEqual(attributed, []);
      await ended();
      assert.deepEqual([file("made.txt"), file("moved.txt")], [undefined, undefined]);
    });

    it("does not attribute what is deleted before and after the turn to the agent", async () => {
      await putAll("before.txt", "after.txt", "in/after.txt");
      await rm(path("before.txt"));
      await prepare();
      await ended();
      await rm(path("after.txt"));
      await rm(path("in"), { recursive: true });
      await put("barrier.txt", "1\n");
      await prepare("turn 2");
      await edit("barrier.txt", "2\n");
      await until(() => file("barrier.txt") !== undefined);
      await ended();
      assert.deepEqual(paths(), [path("barrier.txt")]);
    });

    it("does not list what is as it was when the turn began", async () => {
      await putAll("a.txt", "pkg/b.txt");
      await prepare();
      await sh("rm -rf pkg a.txt");
      await until(() => isDeleted("pkg/b.txt") && isDeleted("a.txt"));
      for (const name of ["a.txt", "pkg/b.txt"]) await put(name, lines(name));
      await ended();
      assert.deepEqual(paths(), []);
    });

    it("does not attribute a deleted folder to the agent that the user deletes after files in it were reported", async () => {
      await prepare();
      await put("e/f.txt", lines(1));
      await ended();
      await review().keep({ kind: "all" });
      await prepare("turn 2");
      await put("e/g.txt", lines(1));
      await ended();
      assert.deepEqual(paths(), [path("e/g.txt")]);
      const changes = new vscode.WorkspaceEdit();
      changes.deleteFile(vscode.Uri.file(path("e")), { recursive: true });
      await prepare("turn 3");
      assert.ok(await vscode.workspace.applyEdit(changes));
      await ended();
      assert.deepEqual(paths(), []);
    });

    it("lists what is deleted and created as the last action before the window is reloaded", async () => {
      await putAll("a.txt", "pkg/b.txt");
      await prepare();
      await sh("rm -rf a.txt pkg && printf 'new\\n' > new.txt");
      end();
      await reopen(() => Promise.resolve());
      await until(() => paths().length === 3);
      assert.deepEqual(paths(), ["a.txt", "new.txt", "pkg/b.txt"].map(path));
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), lines("a.txt"));
      assert.equal(await onDisk("pkg/b.txt"), lines("pkg/b.txt"));
      await assert.rejects(onDisk("new.txt"), { code: "ENOENT" });
    });

    it("does not attribute what is changed while the window is closed to the agent", async () => {
      await putAll("a.txt", "b.txt", "pkg/b.txt");
      await prepare();
      await edit("a.txt", "1\n");
      await until(() => file("a.txt") !== undefined);
      end();
      const ended = Date.now();
      await reopen(async () => {
        await until(() => Date.now() > ended + 100);
        await put("b.txt", "user's\n");
        await rm(path("pkg"), { recursive: true });
      });
      await watch().settled();
      assert.deepEqual(paths(), [path("a.txt")]);
    });

    if (git) {
      it("lists what was deleted if the window is killed before the comparison", async () => {
        await putAll("a.txt", "pkg/b.txt");
        await prepare();
        await sh("rm -rf a.txt pkg");
        end();
        await reopen(() => Promise.resolve(), { killed: true });
        await until(() => paths().length === 2);
        assert.deepEqual(paths(), [path("a.txt"), path("pkg/b.txt")]);
        await review().undo({ kind: "all" });
        assert.equal(await onDisk("pkg/b.txt"), lines("pkg/b.txt"));
        await reopen(() => Promise.resolve());
        assert.deepEqual(paths(), []);
      });
    }

    it("lists a deletion although the next turn begins at once", async () => {
      await putAll("a.txt");
      await prepare();
      await rm(path("a.txt"));
      end();
      await turnBegan("turn 2", "next");
      await ended();
      assert.deepEqual(paths(), [path("a.txt")]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), lines("a.txt"));
    });
  });
}

describe("a comparison at the end of a turn that takes long", () => {
  let gate = createGate();
  const { put, path, trees, begin, end, hunksAre, watch } = useReviewedFolder({
    differences: () => gate.settled.then(() => []),
  });
  beforeEach(() => (gate = createGate()));

  it("leaves changes the agent's that are noticed meanwhile, although they are noticed late", async () => {
    await put("a.txt", lines(1, 2));
    await begin();
    trees.set(`turn 1 ${path("a.txt")}`, lines(1, 2));
    await put("a.txt", lines(1, "two"));
    end();
    const { now } = Date;
    Date.now = () => now() + 2 * maxReportDelay;
    try {
      await hunksAre("a.txt", "line 2 → line two");
    } finally {
      Date.now = now;
      gate.settle();
    }
    await watch().settled();
    await hunksAre("a.txt", "line 2 → line two");
  });
});

describe("a file that a turn created and deleted", () => {
  const { put, path, trees, begin, end, loseEventsOf, review, watch } = useReviewedFolder();

  it("is not listed if its deletion is not reported before the review knows the file", async () => {
    const [asked, gate] = [createGate(), createGate()];
    await begin();
    trees.set(`turn 1 ${path("made.txt")}`, async () => {
      asked.settle();
      await gate.settled;
      await rm(path("made.txt"));
      return null;
    });
    await put("made.txt", lines(1));
    await asked.settled;
    loseEventsOf("made.txt");
    end();
    gate.settle();
    await watch().settled();
    assert.deepEqual(review().files, []);
  });
});
