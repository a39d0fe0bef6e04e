// What an agent does to files that are open with unsaved text, or in an encoding that the user chose, and how Undo gets
// out of it: the text of the user stays in the editor.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

for (const git of [true, false]) {
  describe(`files with text that is only in the editor, ${git ? "in a repository" : "without git"}`, () => {
    const {
      path,
      onDisk,
      put,
      open,
      show,
      file,
      hunks,
      prepare,
      end,
      write,
      edit,
      type,
      review,
      watch,
      noticed,
      folder,
    } = useReviewedFolder({ git });
    const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
    const mine = `mine\n${tenLines}`;
    const sh = (command: string): Promise<unknown> => promisify(execFile)("sh", ["-c", command], { cwd: folder() });
    const rows = (): readonly string[] =>
      review().files.map(one => `${one.movedFrom ?? ""} → ${one.path}`.replaceAll(`${folder()}/`, ""));
    const exists = (name: string): Promise<boolean> =>
      access(path(name)).then(
        () => true,
        () => false,
      );
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
    };

    describe("that the agent deletes", () => {
      let document: vscode.TextDocument;
      beforeEach(async () => {
        await put("a.txt", tenLines);
        await noticed();
        ({ document } = await show("a.txt"));
        await type("a.txt", 0, "mine\n");
      });

      for (const when of ["before the turn", "during the turn"]) {
        it(`are listed, and Undo brings the file back below the text that was typed ${when}`, async () => {
          if (when === "before the turn") await prepare();
          else {
            await vscode.commands.executeCommand("undo");
            await prepare();
            await type("a.txt", 0, "mine\n");
          }
          await rm(path("a.txt"));
          await ended();
          await until(() => file("a.txt") !== undefined);
          assert.deepEqual([file("a.txt")?.changes.base, file("a.txt")?.changes.text], [tenLines, null]);
          await review().undo({ kind: "all" });
          await watch().settled();
          assert.equal(await onDisk("a.txt"), tenLines);
          assert.deepEqual([document.getText(), document.isDirty], [mine, true]);
          assert.deepEqual(rows(), []);
          assert.ok(await document.save());
          await watch().settled();
          assert.equal(await onDisk("a.txt"), mine);
          assert.deepEqual(rows(), []);
        });
      }

      it("stay listed while the user types, and saving the text creates the file again", async () => {
        await prepare();
        await rm(path("a.txt"));
        await ended();
        await until(() => file("a.txt") !== undefined);
        await type("a.txt", 0, "more\n");
        assert.equal(file("a.txt")?.changes.text, null);
        assert.ok(await document.save());
        await until(() => rows().length === 0);
        assert.equal(await onDisk("a.txt"), `more\n${mine}`);
      });

      it("can be kept as deleted, and the text stays in the editor", async () => {
        await prepare();
        await rm(path("a.txt"));
        await ended();
        await until(() => file("a.txt") !== undefined);
        await review().keep({ kind: "all" });
        assert.deepEqual([rows(), await exists("a.txt")], [[], false]);
        assert.deepEqual([document.getText(), document.isDirty], [mine, true]);
        assert.ok(await review().undoLast());
        assert.equal(file("a.txt")?.changes.text, null);
      });

      it("have the agent's earlier change again after Undo, which can be undone in the editor", async () => {
        await prepare();
        await write("a.txt", `mine\n${edited}`);
        await watch().settled();
        assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
        await rm(path("a.txt"));
        await ended();
        await until(() => file("a.txt")?.changes.text === null);
        await review().undo({ kind: "all" });
        await until(() => file("a.txt")?.changes.text === `mine\n${edited}`);
        assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
        await review().undo({ kind: "all" });
        assert.deepEqual([document.getText(), rows()], [mine, []]);
      });

      it("are not listed if the agent writes them again before the turn ends", async () => {
        await prepare();
        await rm(path("a.txt"));
        await noticed();
        await put("a.txt", tenLines);
        await ended();
        await noticed();
        await watch().settled();
        assert.deepEqual(file("a.txt"), undefined);
        assert.deepEqual([document.getText(), document.isDirty], [mine, true]);
      });
    });

    describe("in a folder that the agent moves", () => {
      for (const change of ["and edits", "and does not edit"]) {
        it(`${change} are moved back below the text`, async () => {
          await put("pkg/a.txt", tenLines);
          await put("pkg/b.txt", tenLines);
          await noticed();
          const { document } = await show("pkg/a.txt");
          await prepare();
          await type("pkg/a.txt", 0, "mine\n");
          await sh("mv pkg lib");
          if (change === "and edits") await edit("lib/a.txt", edited);
          await ended();
          await until(() => rows().includes("pkg/a.txt → lib/a.txt") && rows().length === 2);
          await review().undo({ kind: "all" });
          await watch().settled();
          assert.deepEqual([await onDisk("pkg/a.txt"), await onDisk("pkg/b.txt")], [tenLines, tenLines]);
          assert.deepEqual([await exists("lib"), rows()], [false, []]);
          assert.deepEqual([document.getText(), document.isDirty], [mine, true]);
          assert.ok(await document.save());
          assert.equal(await onDisk("pkg/a.txt"), mine);
        });
      }

      it("can be moved back after the user has typed at the new place and saved", async () => {
        await put("pkg/a.txt", tenLines);
        await noticed();
        await prepare();
        await sh("mv pkg lib");
        await edit("lib/a.txt", edited);
        await ended();
        await until(() => rows().includes("pkg/a.txt → lib/a.txt"));
        const { document } = await show("lib/a.txt");
        await type("lib/a.txt", 0, "mine\n");
        await assert.rejects(review().undo({ kind: "all" }), /has unsaved changes\. Save it first/);
        assert.deepEqual([document.getText(), rows()], [`mine\n${edited}`, ["pkg/a.txt → lib/a.txt"]]);
        assert.ok(await document.save());
        await watch().settled();
        await review().undo({ kind: "all" });
        assert.equal(await onDisk("pkg/a.txt"), mine);
        assert.deepEqual([await exists("lib"), rows()], [false, []]);
      });
    });

    describe("reopened in another encoding", () => {
      const utf8 = Buffer.from(`é\n${tenLines}`);
      const latin1 = Buffer.from(`é\n${tenLines}`, "latin1");
      const reopen = async (name: string, encoding: string): Promise<void> => {
        const uri = vscode.Uri.file(path(name));
        const bytes = await readFile(uri.fsPath);
        const document = await vscode.workspace.openTextDocument(uri, { encoding });
        const text = await vscode.workspace.decode(bytes, { encoding });
        // VS Code reports the encoding and the text one after the other.
        await until(() => document.encoding === encoding && document.getText() === text.replace(/^\uFEFF/, ""));
        await watch().settled();
      };

      for (const [what, bytes, encoding] of [
        ["which is wrong", utf8, "windows1252"],
        ["which is right", latin1, "windows1252"],
        ["which has two bytes for each character", Buffer.from(`\uFEFFé\n${tenLines}`, "utf16le"), "utf16be"],
      ] as const) {
        for (const when of ["before the change", "after the change"]) {
          it(`${what}, ${when}, are undone byte for byte`, async () => {
            await put("a.txt", "");
            await writeFile(path("a.txt"), bytes);
            await noticed();
            await open("a.txt");
            await show("a.txt");
            if (when === "before the change") await reopen("a.txt", encoding);
            await prepare();
            const is16 = bytes[0] === 0xff;
            const changed = is16
              ? Buffer.from(bytes.toString("utf16le").replace("line 2", "line two"), "utf16le")
              : Buffer.from(bytes.toString("latin1").replace("line 2", "line two"), "latin1");
            await writeFile(path("a.txt"), changed);
            await ended();
            await until(() => rows().length === 1);
            if (when === "after the change") await reopen("a.txt", encoding);
            assert.deepEqual(rows(), [" → a.txt"]);
            await review().undo({ kind: "all" });
            assert.deepEqual(await readFile(path("a.txt")), bytes);
            assert.deepEqual(rows(), []);
            // VS Code saves another mark than the file has, so the bytes are written again behind it. It then loads them in
            // the encoding that the file was first opened with.
            if (is16 && when === "after the change") return;
            assert.ok(await review().undoLast());
            assert.deepEqual(await readFile(path("a.txt")), changed);
            await watch().settled();
            await review().undo({ kind: "all" });
            assert.deepEqual(await readFile(path("a.txt")), bytes);
          });
        }
      }
    });
  });
}
