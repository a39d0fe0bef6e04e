// Undo brings files back byte for byte, in the real editor, with real git and without: line endings, encodings, modes,
// links, folders, binary and large files. Undo Last Review Decision brings back what the agent had made of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { isSameState, readFileState, type FileState } from "../../src/files/fileState.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

for (const withGit of [true, false]) {
  describe(`exact bytes in a folder ${withGit ? "with" : "without"} git`, () => {
    const { path, show, file, noticed, prepare, end, write, type, review, watch, tool, reopen, folder } =
      useReviewedFolder({
        git: withGit,
      });

    const bytes = (name: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
    };
    const state = async (name: string): Promise<FileState> => {
      const found = await readFileState(path(name));
      assert.ok(found);
      return found;
    };
    const states = async (names: readonly string[]): Promise<readonly FileState[]> => Promise.all(names.map(state));
    const assertSame = (names: readonly string[], are: readonly FileState[], were: readonly FileState[]): void => {
      for (const [i, name] of names.entries()) {
        const [a, b] = [are[i], were[i]];
        assert.ok(a && b && isSameState(a, b), `${name}: ${shown(a)} instead of ${shown(b)}`);
      }
    };
    const shown = (one: FileState | undefined): string =>
      one?.kind === "file"
        ? `${JSON.stringify(Buffer.from(one.bytes.subarray(0, 60)).toString("latin1"))}${one.executable ? " (executable)" : ""}`
        : JSON.stringify(one);

    const mixed = "line 1\r\nline 2\nline 3\rline 4\n";
    const utf16 = Buffer.from("\uFEFFline 1\r\nline 2\r\n", "utf16le");
    const latin1 = Buffer.from("line 1\nBl\xfcten\nline 3\n", "latin1");
    const before: Readonly<Record<string, string | Uint8Array>> = {
      "crlf.txt": tenLines.replaceAll("\n", "\r\n"),
      "mixed.txt": mixed,
      "bom.txt": `\uFEFF${tenLines}`,
      "utf16.txt": utf16,
      "latin1.txt": latin1,
      "noend.txt": "line 1\nline 2",
      "binary.bin": Buffer.from([0, 1, 2, 255, 0]),
      "large.txt": "x\n".repeat(600_000),
      "run.sh": "#!/bin/sh\necho 1\n",
      "deep/er/gone.txt": "gone\r\n",
      "odd [na]me ü.txt": "odd\r\n",
    };
    const names = Object.keys(before);
    /** A command of the agent, which names no file. */
    const change = (): void => {
      for (const name of ["crlf.txt", "mixed.txt", "noend.txt"]) bytes(name, lines(1, "two", 3));
      bytes("bom.txt", tenLines.replace("line 2", "line two"));
      bytes("utf16.txt", "line 1\nline two\n");
      bytes("latin1.txt", "line 1\nBlüten\nline three\n");
      bytes("binary.bin", Buffer.from([0, 9]));
      bytes("large.txt", "y\n".repeat(600_000));
      bytes("run.sh", "#!/bin/sh\necho 2\n");
      chmodSync(path("run.sh"), 0o644);
      rmSync(path("deep"), { recursive: true });
      unlinkSync(path("odd [na]me ü.txt"));
      bytes("new/in/made.txt", "made\n");
      bytes("new/in/made.bin", Buffer.from([0, 7]));
    };
    const all = [...names, "new/in/made.txt", "new/in/made.bin"];

    it("come back after a command has changed, deleted and created files, and go again", async function () {
      for (const [name, content] of Object.entries(before)) bytes(name, content);
      chmodSync(path("run.sh"), 0o755);
      const were = await states(all);
      await noticed();
      await prepare();
      change();
      end();
      await until(() => review().files.length === all.length);
      await watch().settled();
      const agents = await states(all);
      await review().undo({ kind: "all" });
      assertSame(all, await states(all), were);
      assert.equal(existsSync(path("new")), false, "folders that the agent created are removed");
      assert.deepEqual(review().files, []);
      assert.ok(await review().undoLast());
      assertSame(all, await states(all), agents);
      await watch().settled();
      assert.deepEqual(
        review()
          .files.map(one => one.path)
          .toSorted(),
        all.map(path).toSorted(),
      );
      await review().undo({ kind: "all" });
      assertSame(all, await states(all), were);
    });

    it("come back after a reload", async function () {
      for (const [name, content] of Object.entries(before)) bytes(name, content);
      chmodSync(path("run.sh"), 0o755);
      const were = await states(all);
      await noticed();
      await prepare();
      change();
      end();
      await until(() => review().files.length === all.length);
      await watch().settled();
      await reopen(() => Promise.resolve());
      await review().undo({ kind: "all" });
      assertSame(all, await states(all), were);
      assert.deepEqual(review().files, []);
    });

    it("come back after a change of only line endings, mode or link", async function () {
      const links = ["replaced", "retargeted", "deleted", "created"];
      const changed = ["crlf.txt", "mixed.txt", "run.sh", ...links];
      for (const name of ["crlf.txt", "mixed.txt", "run.sh"]) bytes(name, before[name] ?? "");
      for (const name of links.slice(0, 3)) symlinkSync("crlf.txt", path(name));
      const were = await states(changed);
      await noticed();
      await prepare();
      bytes("crlf.txt", tenLines);
      bytes("mixed.txt", mixed.replace(/\r\n?/g, "\n"));
      chmodSync(path("run.sh"), 0o755);
      for (const name of links.slice(0, 3)) unlinkSync(path(name));
      bytes("replaced", "line 1\n");
      symlinkSync("mixed.txt", path("retargeted"));
      symlinkSync("mixed.txt", path("created"));
      end();
      await until(() => review().files.length === changed.length);
      assert.deepEqual(await review().undoLosses({ kind: "all" }), []);
      assert.match(file("crlf.txt")?.unknown ?? "", /line endings/);
      assert.match(file("run.sh")?.unknown ?? "", /executable/);
      await review().undo({ kind: "all" });
      assertSame(changed, await states(changed), were);
      assert.deepEqual(review().files, []);
      assert.ok(await review().undoLast());
      assert.equal(review().files.length, changed.length);
    });

    it("come back in a file that the user shows, and the editor's undo still works", async () => {
      for (const name of ["crlf.txt", "mixed.txt", "bom.txt"]) bytes(name, before[name] ?? "");
      const shownFiles = ["crlf.txt", "mixed.txt", "bom.txt"];
      const were = await states(shownFiles);
      await noticed();
      await prepare();
      for (const name of shownFiles) await show(name);
      for (const name of shownFiles) await write(name, lines(1, "two", 3, 4));
      end();
      await until(() => review().files.length === shownFiles.length);
      await review().undo({ kind: "all" });
      assertSame(shownFiles, await states(shownFiles), were);
      await vscode.commands.executeCommand("undo");
      await until(() => file("bom.txt") !== undefined);
    });

    if (withGit) {
      it("come back in files that git converts or filters, and in a committed file of 9 MiB", async function () {
        const converted: Readonly<Record<string, string | Uint8Array>> = {
          "a.up": "lower and UPPER\n",
          "b.crlf": "one\ntwo\r\n",
          "c.id": "$Id: of the user $\n",
          "huge.txt": "x\n".repeat(4_718_592),
        };
        const git = (...args: readonly string[]): void => void execFileSync("git", args, { cwd: folder() });
        git("config", "filter.up.clean", "tr a-z A-Z");
        git("config", "filter.up.smudge", "tr A-Z a-z");
        bytes(".gitattributes", "*.up filter=up\n*.crlf text eol=crlf\n*.id ident\n");
        for (const [name, content] of Object.entries(converted)) bytes(name, content);
        git("add", ".");
        git("-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "x");
        const files = Object.keys(converted);
        const were = await states(files);
        await noticed();
        await prepare();
        for (const name of ["a.up", "b.crlf", "huge.txt"]) bytes(name, "agent\n");
        rmSync(path("c.id"));
        end();
        await until(() => review().files.length === files.length);
        await watch().settled();
        await review().undo({ kind: "all" });
        assertSame(files, await states(files), were);
        assert.deepEqual(review().files, []);
      });
    }

    it("stay around the user's own lines", async () => {
      bytes("mixed.txt", mixed);
      await noticed();
      await prepare();
      await write("mixed.txt", "line 1\nline two\nline 3\nline 4\n");
      end();
      await type("mixed.txt", 3, "mine\n");
      await (await vscode.workspace.openTextDocument(path("mixed.txt"))).save();
      await until(() => file("mixed.txt")?.changes.base?.includes("mine") ?? false);
      await review().undo({ kind: "all" });
      assertSame(["mixed.txt"], await states(["mixed.txt"]), [
        { kind: "file", bytes: Buffer.from("line 1\r\nline 2\nline 3\rmine\rline 4\n"), executable: false },
      ]);
    });

    for (const opens of [false, true]) {
      const who = opens ? "the user opens" : "a tool call names";
      it(`of a binary file come back if ${who} it after a command made a text of it, and before that is noticed`, async () => {
        const binary = Buffer.from([0, 1, 2, 255]);
        bytes("binary.bin", binary);
        await noticed();
        await prepare();
        bytes("binary.bin", "head\nother\n");
        if (opens) await show("binary.bin");
        else tool({ kind: "edit", status: "in_progress", locations: [{ path: path("binary.bin") }] }, "edit");
        await watch().settled();
        bytes("binary.bin", "head\nchanged\n");
        if (!opens) tool({ status: "completed" }, "edit");
        await noticed();
        end();
        await watch().settled();
        assert.ok(file("binary.bin"));
        await review().undo({ kind: "all" });
        assertSame(["binary.bin"], [await state("binary.bin")], [{ kind: "file", bytes: binary, executable: false }]);
        assert.deepEqual(review().files, []);
      });
    }
  });
}
