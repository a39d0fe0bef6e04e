// Changes that are applied for a session outside of its turns, in the real editor: what waits for review, and that an undo
// brings back each byte.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { isSameState, readFileState, type FileState } from "../../src/files/fileState.ts";
import type { AppliedChange } from "../../src/review/appliedChanges.ts";
import { currentFiles } from "../../src/checkpoints/vscode/applyRestore.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

for (const withGit of [true, false]) {
  describe(`changes that are applied for a session, ${withGit ? "with" : "without"} git`, () => {
    const {
      path,
      show,
      open,
      file,
      put,
      onDisk,
      noticed,
      prepare,
      end,
      write,
      review,
      reviews,
      watch,
      hunksAre,
      reopen,
      checkpoints,
      folder,
    } = useReviewedFolder({ git: withGit });
    const turn = { id: "back", title: "Brought back from one", session: { id: "s", title: "A session" } };
    const what = "Another mode.";

    const bytes = (name: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
    };
    const stateOf = async (name: string): Promise<FileState> => {
      const found = await readFileState(path(name));
      assert.ok(found, name);
      return found;
    };
    const apply = async (
      ...changes: readonly (Omit<AppliedChange, "path" | "what"> & { name: string })[]
    ): Promise<void> => {
      const steps = changes.map(({ name, ...step }) => ({ ...step, path: path(name), what }));
      const { failed } = await reviews().applyChanges(steps, turn);
      assert.deepEqual([...failed.values()], []);
      await watch().settled();
    };
    const bin = (...numbers: readonly number[]): FileState => ({
      ...{ kind: "file", bytes: Buffer.from(numbers), executable: false },
    });

    it("come back byte for byte after an undo, and go again with the decision", async () => {
      bytes("crlf.txt", tenLines.replaceAll("\n", "\r\n"));
      bytes("mixed.txt", "line 1\r\nline 2\nline 3\r");
      bytes("latin1.txt", Buffer.from("Bl\xfcten\nline 2\n", "latin1"));
      bytes("exact.txt", tenLines);
      bytes("old.bin", Buffer.from([0, 1, 255]));
      bytes("gone.bin", Buffer.from([0, 2]));
      bytes("gone.txt", "gone\r\n");
      bytes("run.sh", "#!/bin/sh\n");
      bytes("was.txt", "a text\n");
      symlinkSync("crlf.txt", path("link"));
      await show("exact.txt");
      await noticed();
      const names = [
        "crlf.txt",
        "mixed.txt",
        "exact.txt",
        "old.bin",
        "gone.bin",
        "gone.txt",
        "run.sh",
        "was.txt",
        "link",
      ];
      const all = [...names, "new/in/made.txt", "new/in/made.bin", "new/link"];
      const were = await Promise.all(all.map(stateOf));
      const executable: FileState = { ...(await stateOf("run.sh")), executable: true } as FileState;
      const crlf: FileState = { kind: "file", bytes: Buffer.from(lines("one\r", 2)), executable: false };
      await apply(
        { name: "crlf.txt", before: tenLines, after: tenLines.replace("line 2", "two") },
        { name: "mixed.txt", before: "line 1\nline 2\nline 3\n", after: "line 1\nline two\nline 3\n" },
        { name: "exact.txt", before: tenLines, after: lines("one", 2), state: crlf },
        { name: "old.bin", before: undefined, after: undefined, state: bin(0, 7) },
        { name: "gone.bin", before: undefined, after: null, state: { kind: "missing" } },
        { name: "gone.txt", before: "gone\n", after: null },
        { name: "run.sh", before: "#!/bin/sh\n", after: "#!/bin/sh\n", state: executable },
        { name: "was.txt", before: "a text\n", after: undefined, state: { kind: "link", target: "run.sh" } },
        { name: "link", before: undefined, after: undefined, state: { kind: "link", target: "run.sh" } },
        { name: "new/in/made.txt", before: null, after: "made\n" },
        { name: "new/in/made.bin", before: null, after: undefined, state: bin(0, 9) },
        { name: "new/link", before: null, after: undefined, state: { kind: "link", target: "../run.sh" } },
      );
      assert.deepEqual(
        review().files.map(one => one.path),
        all.map(path).toSorted(),
      );
      assert.deepEqual(review().turns, [turn]);
      const are = await Promise.all(all.map(stateOf));
      assert.equal(await onDisk("crlf.txt"), tenLines.replace("line 2", "two").replaceAll("\n", "\r\n"));
      assert.equal(await onDisk("exact.txt"), "line one\r\nline 2\n");
      await review().undo({ kind: "turn", turn: "back" });
      await review().undo({ kind: "all" });
      for (const [i, name] of all.entries())
        assert.ok(isSameState(await stateOf(name), were[i] as FileState), `${name} is back`);
      assert.equal(existsSync(path("new")), false, "folders that were created are removed");
      assert.deepEqual(review().files, []);
      assert.ok(await review().undoLast());
      for (const path of ["old.bin", "gone.bin", "new/in/made.bin", "link"])
        assert.ok(
          isSameState(await stateOf(path), are[all.indexOf(path)] as FileState),
          `${path} is again as it was applied`,
        );
    });

    it("change unsaved text in the editor, which stays unsaved and keeps what the user typed", async () => {
      await put("a.txt", tenLines);
      await noticed();
      const { document } = await show("a.txt");
      const typing = new vscode.WorkspaceEdit();
      typing.insert(document.uri, new vscode.Position(10, 0), "typed\n");
      assert.ok(await vscode.workspace.applyEdit(typing));
      await apply({
        name: "a.txt",
        before: `${tenLines}typed\n`,
        after: `${tenLines.replace("line 2", "two")}typed\n`,
      });
      assert.equal(document.getText(), `${tenLines.replace("line 2", "two")}typed\n`);
      assert.ok(document.isDirty);
      assert.equal(await onDisk("a.txt"), tenLines);
      await hunksAre("a.txt", "line 2 → two");
      await vscode.commands.executeCommand("undo");
      await until(() => document.getText() === `${tenLines}typed\n`);
      await watch().settled();
      await hunksAre("a.txt");
      await vscode.commands.executeCommand("redo");
      await until(() => document.getText() !== `${tenLines}typed\n`);
      await hunksAre("a.txt", "line 2 → two");
      // The user saves, and an undo brings back what the user saved, not an older text of the disk.
      await document.save();
      await watch().settled();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), `${tenLines}typed\n`);
    });

    it("leave a file that changed at the same moment", async () => {
      await put("a.txt", "other\n");
      await put("b.txt", "b\n");
      await noticed();
      const changes = [
        { path: path("a.txt"), before: "one\n", after: "two\n", what },
        { path: path("b.txt"), before: "b\n", after: "B\n", what },
      ];
      const { failed } = await reviews().applyChanges(changes, turn);
      assert.deepEqual([...failed.keys()], [path("a.txt")]);
      assert.equal(await onDisk("a.txt"), "other\n");
      assert.deepEqual(
        review().files.map(one => one.path),
        [path("b.txt")],
      );
    });

    if (withGit)
      it("are kept by the restore of an earlier checkpoint, which lists them as changed since", async () => {
        await put("a.txt", tenLines);
        await put("b.txt", tenLines);
        await noticed();
        await prepare();
        await write("a.txt", tenLines.replace("line 9", "nine"));
        end();
        await watch().settled();
        await review().keep({ kind: "all" });
        await apply(
          {
            name: "a.txt",
            before: tenLines.replace("line 9", "nine"),
            after: tenLines.replace("line 9", "nine").replace("line 2", "two"),
          },
          { name: "b.txt", before: tenLines, after: tenLines.replace("line 2", "two") },
        );
        const documents = new EditorDocuments(nodePaths());
        const plan = await checkpoints().planRestore(
          "turn 1",
          currentFiles(documents, () => [folder()]),
        );
        documents.dispose();
        assert.deepEqual(
          plan.files.filter(one => !one.changedSince),
          [],
        );
      });

    it("stay those of their session beside a turn of another one, and after a reload", async () => {
      await put("a.txt", tenLines);
      await put("b.txt", tenLines);
      bytes("x.bin", Buffer.from([0, 1]));
      await open("b.txt");
      await noticed();
      await prepare();
      await write("a.txt", tenLines.replace("line 9", "nine"));
      await apply(
        {
          name: "a.txt",
          before: tenLines.replace("line 9", "nine"),
          after: lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10).replace("line nine", "nine"),
        },
        { name: "b.txt", before: tenLines, after: tenLines.replace("line 2", "two") },
        { name: "x.bin", before: undefined, after: undefined, state: bin(0, 2) },
      );
      end();
      await watch().settled();
      assert.deepEqual(
        file("a.txt")?.changes.hunks.map(({ turns }) => turns),
        [["back"], ["turn 1"]],
      );
      assert.deepEqual(file("b.txt")?.turns, ["back"]);
      await reopen(async () => {});
      assert.deepEqual(file("b.txt")?.turns, ["back"]);
      assert.deepEqual(review().turns.find(({ id }) => id === "back")?.session?.id, "s");
      await review().undo({ kind: "turn", turn: "back" });
      assert.equal(await onDisk("a.txt"), tenLines.replace("line 9", "nine"));
      assert.equal(await onDisk("b.txt"), tenLines);
      await review().undo({ kind: "file", path: path("x.bin") });
      assert.ok(isSameState(await stateOf("x.bin"), bin(0, 1)));
      chmodSync(path("a.txt"), 0o644);
    });
  });
}
