// Restores of checkpoints in the real editor, with and without git: bytes on disk, the review's state, Undo Restore and
// the editor's undo, and which files the default restores.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { applyRestore, currentFiles } from "../../src/checkpoints/vscode/applyRestore.ts";
import type { RestorePlan } from "../../src/checkpoints/restorePlanner.ts";
import { isSameState, readFileState, type FileState } from "../../src/files/fileState.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);

for (const git of [true, false]) {
  describe(`a restored checkpoint ${git ? "with" : "without"} git`, () => {
    const {
      path,
      onDisk,
      put,
      show,
      file,
      hunksAre,
      noticed,
      prepare,
      end,
      write,
      type,
      review,
      reviews,
      watch,
      folder,
      checkpoints,
      factsOf,
      reportEvent,
    } = useReviewedFolder({ git, checkpoints: true });
    const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
    const now = currentFiles(new EditorDocuments(nodePaths()), () => [folder()]);
    const turn = async (id: string, work: () => Promise<unknown>): Promise<void> => {
      await prepare(id);
      await work();
      end();
      await watch().settled();
      await reviews().settled();
    };
    /** Restores what the default restores. */
    const apply = async (plan: RestorePlan): Promise<void> => {
      const files = plan.files.filter(one => !one.changedSince);
      await applyRestore(checkpoints(), reviews(), plan, files, () => [folder()]);
    };
    const restore = async (id: string): Promise<void> => apply(await checkpoints().planRestore(id, now));
    const undoRestore = async (): Promise<void> =>
      apply(await checkpoints().planUndo(checkpoints().lastRestore ?? "", now));
    const text = (second: number | string, ninth: number | string = 9): string =>
      lines(1, second, 3, 4, 5, 6, 7, 8, ninth, 10);

    it("brings back what waited for review then, and Undo Restore brings back what waited before", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await turn("turn 1", () => write("a.txt", text("two")));
      await turn("turn 2", async () => {
        await write("a.txt", text("two", "nine"));
        await write("new.txt", "new\n");
      });
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await restore("turn 2");
      assert.deepEqual([await onDisk("a.txt"), existsSync(path("new.txt"))], [text("two"), false]);
      await hunksAre("a.txt", "line 2 → line two");
      assert.deepEqual(
        review().files.map(one => one.path),
        [path("a.txt")],
      );
      await undoRestore();
      assert.equal(await onDisk("a.txt"), text("two", "nine"));
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await hunksAre("new.txt", " → new");
      await restore("turn 1");
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.deepEqual(review().files, []);
      await undoRestore();
      await hunksAre("a.txt", "line 2 → line two", "line 9 → line nine");
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("puts moved files back under review when the restore is undone", async () => {
      await put("lib/a.txt", tenLines);
      await put("lib/binary", "");
      await writeFile(path("lib/binary"), Buffer.from([0, 1]));
      await noticed();
      await turn("turn 1", () => sh("mv lib other"));
      const moves = (): readonly (string | undefined)[] => review().files.map(one => one.movedFrom);
      assert.deepEqual(moves(), [path("lib/a.txt"), path("lib/binary")]);
      await restore("turn 1");
      assert.deepEqual([await onDisk("lib/a.txt"), existsSync(path("other"))], [tenLines, false]);
      assert.deepEqual(review().files, []);
      await undoRestore();
      assert.deepEqual(moves(), [path("lib/a.txt"), path("lib/binary")]);
      await review().undo({ kind: "all" });
      assert.deepEqual([await onDisk("lib/a.txt"), existsSync(path("other"))], [tenLines, false]);
      assert.deepEqual(await readFileState(path("lib/binary")), {
        kind: "file",
        bytes: Buffer.from([0, 1]),
        executable: false,
      });
      assert.deepEqual(review().files, []);
    });

    it("brings back 200 files, and opens no tab", async function () {
      const names = Array.from({ length: 200 }, (_, i) => `${i}.txt`);
      for (const name of names) await put(name, tenLines);
      await noticed();
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await turn("turn 1", async () => {
        for (const name of names) await put(name, text("two"));
        await until(() => review().files.length >= names.length);
      });
      const contents = async (): Promise<ReadonlySet<string>> => new Set(await Promise.all(names.map(onDisk)));
      const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap(group => group.tabs);
      await restore("turn 1");
      assert.deepEqual(await contents(), new Set([tenLines]));
      await undoRestore();
      assert.deepEqual(await contents(), new Set([text("two")]));
      assert.deepEqual(tabs(), []);
    });

    it("leaves nothing behind that hides the same change of a later turn", async () => {
      await put("a.txt", tenLines);
      await noticed();
      const change = async (): Promise<void> => {
        await write("a.txt", text("two"));
        await write("new/in/made.txt", "made\n");
      };
      const waiting = [path("a.txt"), path("new/in/made.txt")];
      const paths = (): readonly string[] => review().files.map(one => one.path);
      await turn("turn 1", change);
      await review().undo({ kind: "file", path: path("new/in/made.txt") });
      await review().undo({ kind: "all" });
      assert.ok(await review().undoLast());
      assert.ok(await review().undoLast());
      assert.deepEqual(paths(), waiting);
      await restore("turn 1");
      assert.deepEqual(paths(), []);
      await undoRestore();
      assert.deepEqual(paths(), waiting);
      await review().undo({ kind: "all" });
      assert.equal(existsSync(path("new")), false);
      await turn("turn 2", change);
      assert.deepEqual(paths(), waiting);
    });

    it("brings back decisions: kept lines wait again, and those kept before stay kept", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await turn("turn 1", () => write("a.txt", text("two")));
      await turn("turn 2", () => write("a.txt", text("two", "nine")));
      await review().keep({ kind: "all" });
      await restore("turn 2");
      await hunksAre("a.txt", "line 2 → line two");
      await undoRestore();
      assert.equal(file("a.txt"), undefined);
      assert.equal(await onDisk("a.txt"), text("two", "nine"));
    });

    it("can be undone in the editor, with what waited for review", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await turn("turn 1", () => write("a.txt", text("two")));
      await show("a.txt");
      await restore("turn 1");
      assert.equal(file("a.txt"), undefined);
      await vscode.commands.executeCommand("undo");
      await hunksAre("a.txt", "line 2 → line two");
      await vscode.commands.executeCommand("redo");
      await until(() => file("a.txt") === undefined);
    });

    it("restores by default what the agent's commands deleted, created, changed and moved, with odd names too", async function () {
      const odd = ["a b.txt", "[x] ü.txt", "'quoted\".txt", "-dash.txt", "in/deep/c.txt", "tab\there.txt"];
      for (const name of odd) await put(name, lines(name));
      await put("move.txt", lines("move"));
      await put("mine.txt", lines("mine"));
      await noticed();
      await turn("turn 1", async () => {
        await sh(`rm -rf -- *.txt in && mkdir made && echo 1 > 'made/$x?.txt' && echo mine > mine.txt`);
        await sh("printf 'line move\\n' > moved.txt");
      });
      await writeFile(path("mine.txt"), "the user's\n");
      const plan = await checkpoints().planRestore("turn 1", now);
      assert.deepEqual(
        plan.files.filter(one => one.changedSince).map(one => one.path),
        [path("mine.txt")],
      );
      await apply(plan);
      for (const name of [...odd, "move.txt"])
        assert.equal(await onDisk(name), lines(name === "move.txt" ? "move" : name));
      assert.deepEqual([existsSync(path("made")), existsSync(path("moved.txt"))], [false, false]);
      assert.equal(await onDisk("mine.txt"), "the user's\n");
    });

    for (const [how, change] of [
      ["through the client", (name: string, after: string) => write(name, after)],
      ["on disk", (name: string, after: string) => writeFile(path(name), after)],
    ] as const)
      it(`keeps by default what the user typed in the turn between two changes of the agent ${how}`, async () => {
        for (const name of ["a.txt", "b.txt"]) await put(name, tenLines);
        await show("a.txt");
        await noticed();
        await turn("turn 1", async () => {
          for (const name of ["a.txt", "b.txt"]) await write(name, text("two"));
          await type("a.txt", 3, "typed\n");
          await vscode.workspace.save(vscode.Uri.file(path("a.txt")));
          await change("a.txt", text("two", "nine").replace("line 4", "typed\nline 4"));
          await change("b.txt", text("two", "nine"));
          await noticed();
        });
        const plan = await checkpoints().planRestore("turn 1", now);
        assert.deepEqual(
          plan.files.flatMap(one => (one.path.endsWith("watched") ? [] : [[one.path, one.changedSince]])),
          [
            [path("a.txt"), true],
            [path("b.txt"), false],
          ],
        );
        await apply(plan);
        assert.match((await onDisk("a.txt")) ?? "", /^typed$/m);
        assert.equal(await onDisk("b.txt"), tenLines);
      });

    const twice: Readonly<Record<string, readonly [first: string, second: string]>> = {
      "moves and edits": ["mv a.txt b.txt", "echo more >> b.txt"],
      "deletes and creates": ["rm a.txt", "echo again > a.txt"],
      "edits and gives other line endings": ["echo more >> a.txt", "sed -i 's/$/\\r/' a.txt"],
      "edits and makes executable": ["echo more >> a.txt", "chmod +x a.txt && echo end >> a.txt"],
      "replaces by bytes that are no text and by a text": ["printf '\\000\\377' > a.txt", "echo text > a.txt"],
      "replaces by a link and by a text": ["ln -sf link.txt a.txt", "rm a.txt; echo text > a.txt"],
      "replaces by a folder and by a text": ["rm a.txt; mkdir a.txt", "rmdir a.txt; echo text > a.txt"],
    };
    for (const turns of ["one turn", "two turns"])
      for (const isShown of [false, true])
        for (const [what, [first, second]] of Object.entries(twice))
          it(`restores by default a file that the agent ${what} in ${turns}${isShown ? ", which the user shows" : ""}`, async () => {
            await put("a.txt", tenLines);
            await put("link.txt", lines("link"));
            if (isShown) await show("a.txt");
            await noticed();
            const change = async (command: string): Promise<void> => {
              await sh(command);
              await noticed();
              await watch().settled();
            };
            if (turns === "one turn")
              await turn("turn 1", async () => {
                await change(first);
                await change(second);
              });
            else {
              await turn("turn 1", () => change(first));
              await turn("turn 2", () => change(second));
            }
            const plan = await checkpoints().planRestore("turn 1", now);
            assert.deepEqual(
              plan.files.filter(one => one.changedSince && !one.path.endsWith("watched")).map(one => one.path),
              [],
            );
            await apply(plan);
            assert.equal(await onDisk("a.txt"), tenLines);
            assert.equal(existsSync(path("b.txt")), false);
          });

    for (const isNew of [true, false])
      it(`restores by default ${isNew ? "a new file" : "a file"} that the agent replaces by a text after the review listed it as no text`, async () => {
        if (!isNew) await put("a.txt", tenLines);
        await noticed();
        await turn("turn 1", async () => {
          await sh("printf '\\000\\377' > a.txt");
          await until(() => file("a.txt") !== undefined);
          await watch().settled();
          await sh("echo text > a.txt");
        });
        await restore("turn 1");
        assert.equal(existsSync(path("a.txt")), !isNew);
        if (!isNew) assert.equal(await onDisk("a.txt"), tenLines);
      });

    it("does not list again what Undo All left deleted when the editor reports only then that the agent deleted it", async () => {
      await noticed();
      await turn("turn 1", () => sh("mkdir new && printf '\\000\\377' > new/made"));
      await turn("turn 2", () => sh("rm -r new && echo x > b.txt"));
      assert.deepEqual(
        review().files.map(one => one.path),
        [path("b.txt"), path("new/made")],
      );
      await review().undo({ kind: "all" });
      const looks = (): number => factsOf(["new/made"]).split('"diskSeen"').length;
      const before = looks();
      reportEvent("deleted", "new/made");
      await until(() => looks() > before);
      await watch().settled();
      assert.deepEqual(review().files, []);
    });

    it("changes only the mode or the byte-order mark of a file that the editor shows", async () => {
      await put("run.sh", tenLines);
      await writeFile(path("mark.txt"), `\uFEFF${tenLines}`);
      for (const name of ["run.sh", "mark.txt"]) await show(name);
      await noticed();
      await turn("turn 1", () => sh("chmod +x run.sh"));
      await restore("turn 1");
      assert.deepEqual(await readFileState(path("run.sh")), {
        kind: "file",
        bytes: Buffer.from(tenLines),
        executable: false,
      });
      await turn("turn 2", () => writeFile(path("mark.txt"), tenLines));
      await restore("turn 2");
      assert.equal(await onDisk("mark.txt"), `\uFEFF${tenLines}`);
    });

    it("restores by default a binary file that the agent changed again before it was reviewed", async () => {
      const binary = Buffer.from([0, 1]);
      await turn("turn 1", () => writeFile(path("new.bin"), binary));
      await turn("turn 2", () => writeFile(path("new.bin"), Buffer.from([0, 1, 2])));
      const plan = await checkpoints().planRestore("turn 2", now);
      assert.deepEqual(
        plan.files.map(({ path, changedSince }) => [path, changedSince]),
        [[path("new.bin"), false]],
      );
      await apply(plan);
      assert.deepEqual(await readFileState(path("new.bin")), { kind: "file", bytes: binary, executable: false });
    });

    it("brings back bytes, modes and links, and Undo Restore the agent's", async function () {
      const contents: Readonly<Record<string, string | Uint8Array>> = {
        "crlf.txt": tenLines.replaceAll("\n", "\r\n"),
        "mixed.txt": "a\r\nb\nc\rd\n",
        "utf16.txt": Buffer.from("\uFEFFa\r\n", "utf16le"),
        "latin1.txt": Buffer.from("Bl\xfcten\n", "latin1"),
        "binary.bin": Buffer.from([0, 1, 255]),
        "run.sh": "#!/bin/sh\n",
        "gone/crlf.txt": "gone\r\n",
      };
      const bytes = (name: string, content: string | Uint8Array): void => {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), content);
      };
      for (const [name, content] of Object.entries(contents)) bytes(name, content);
      symlinkSync("crlf.txt", path("link"));
      const names = [...Object.keys(contents), "link"];
      const states = (): Promise<readonly (FileState | undefined)[]> =>
        Promise.all(names.map(one => readFileState(path(one))));
      const assertStates = async (wanted: readonly (FileState | undefined)[]): Promise<void> => {
        for (const [i, state] of (await states()).entries()) {
          const want = wanted[i];
          assert.ok(state && want && isSameState(state, want), names[i]);
        }
      };
      const were = await states();
      await noticed();
      await turn("turn 1", async () => {
        for (const name of ["crlf.txt", "mixed.txt", "utf16.txt", "latin1.txt"]) bytes(name, "b\n");
        bytes("binary.bin", Buffer.from([0, 2]));
        chmodSync(path("run.sh"), 0o755);
        await sh("rm -r gone link && ln -s mixed.txt link");
      });
      const agents = await states();
      await restore("turn 1");
      await assertStates(were);
      assert.deepEqual(review().files, []);
      await undoRestore();
      await assertStates(agents);
      assert.equal(review().files.length, names.length);
      await review().undo({ kind: "all" });
      await assertStates(were);
    });
  });
}
