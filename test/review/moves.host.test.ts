// Files and folders that an agent's command moves, in the real editor, with and without git: a move is reviewed as a
// move, and its undo moves the file back.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);

for (const git of [true, false]) {
  describe(`a move by the agent, ${git ? "in a repository" : "without git"}`, () => {
    const {
      path,
      onDisk,
      put,
      show,
      file,
      hunks,
      prepare,
      noticed,
      end,
      edit,
      tool,
      write,
      type,
      review,
      reviews,
      watch,
      reopen,
      folder,
    } = useReviewedFolder({ git });
    const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
    const rows = (): readonly string[] =>
      review().files.map(one => `${one.movedFrom ?? ""} → ${one.path}`.replaceAll(`${folder()}/`, ""));
    const ended = async (): Promise<void> => {
      end();
      await watch().settled();
    };
    const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);
    const isMissing = (name: string): Promise<boolean> =>
      access(path(name)).then(
        () => false,
        () => true,
      );

    it("of a folder, with an edit and files that are no text, is undone byte for byte", async () => {
      const bytes: Readonly<Record<string, Uint8Array>> = {
        "pkg/a.txt": Buffer.from(tenLines),
        "pkg/empty.txt": Buffer.from(""),
        "pkg/in/binary": Buffer.from([0, 1, 2, 255, 0]),
        "pkg/in/crlf.txt": Buffer.from("a\r\nb\r\n"),
        "pkg/in/latin.txt": Buffer.from([0xe4, 0xf6, 0x0a]),
      };
      for (const name of Object.keys(bytes)) await put(name, "");
      for (const [name, content] of Object.entries(bytes)) await writeFile(path(name), content);
      await noticed();
      if (git) await sh("git add . && git -c user.name=a -c user.email=b commit -qm all");
      await prepare();
      const move = git ? "git mv" : "mv";
      tool({ kind: "execute", title: `${move} pkg lib`, status: "in_progress" });
      await sh(`${move} pkg lib`);
      await put("lib/a.txt", edited);
      await ended();
      assert.deepEqual(
        rows(),
        ["a.txt", "empty.txt", "in/binary", "in/crlf.txt", "in/latin.txt"].map(name => `pkg/${name} → lib/${name}`),
      );
      assert.deepEqual(hunks("lib/a.txt"), ["line 2 → line two"]);
      await review().undo({ kind: "all" });
      for (const [name, content] of Object.entries(bytes)) assert.deepEqual(await readFile(path(name)), content, name);
      assert.ok(await isMissing("lib"));
      assert.deepEqual(rows(), []);
      // The decision is undone, too.
      assert.ok(await review().undoLast());
      assert.equal(await onDisk("lib/a.txt"), edited);
      assert.deepEqual(await readFile(path("lib/in/binary")), bytes["pkg/in/binary"]);
      assert.equal(rows().length, 5);
      assert.deepEqual(await filesIn("pkg"), []);
    });

    const filesIn = async (name: string): Promise<readonly string[]> => {
      const found = await readdir(path(name), { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter(one => one.isFile()).map(one => one.name);
    };

    it("as the last action of a turn is one row, and its undo moves the file back", async () => {
      await put("data.json", tenLines);
      await put("other.txt", tenLines);
      await prepare();
      await sh("mv data.json data2.json");
      await ended();
      assert.deepEqual(rows(), ["data.json → data2.json"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("data.json"), tenLines);
      assert.ok(await isMissing("data2.json"));
      assert.deepEqual(rows(), []);
    });

    it("is kept with the file, and the decision can be undone", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await ended();
      await review().keep({ kind: "file", path: path("b.txt") });
      assert.deepEqual(rows(), []);
      assert.ok(await review().undoLast());
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      await review().undo({ kind: "file", path: path("b.txt") });
      assert.equal(await onDisk("a.txt"), tenLines);
    });

    it("of a binary file stays kept when it is reported after the decision", async () => {
      await put("pkg/in/a.txt", "");
      await writeFile(path("pkg/in/binary"), Buffer.from([0, 1]));
      await noticed();
      await prepare();
      await sh("chmod +x pkg/in/binary && mv pkg lib");
      await ended();
      assert.ok(review().files.some(one => one.path === path("lib/in/binary")));
      await review().keep({ kind: "all" });
      await noticed();
      await prepare("turn 2");
      await sh("echo new > lib/new.txt");
      await ended();
      await noticed();
      assert.deepEqual(rows(), [" → lib/new.txt"]);
      await review().undo({ kind: "all" });
      assert.deepEqual(await readFile(path("lib/in/binary")), Buffer.from([0, 1]));
    });

    it("that goes on in the next turn is undone to the first place", async () => {
      await put("a.txt", tenLines);
      await put("binary", "");
      await writeFile(path("binary"), Buffer.from([0, 1]));
      await noticed();
      await prepare();
      await sh("mkdir made && mv a.txt binary made");
      await ended();
      assert.deepEqual(rows(), ["a.txt → made/a.txt", "binary → made/binary"]);
      await prepare("turn 2");
      await sh("mv made lib && mv lib/a.txt lib/b.txt");
      await put("lib/b.txt", edited);
      await ended();
      assert.deepEqual(rows(), ["a.txt → lib/b.txt", "binary → lib/binary"]);
      assert.deepEqual(hunks("lib/b.txt"), ["line 2 → line two"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.deepEqual(await readFile(path("binary")), Buffer.from([0, 1]));
      assert.deepEqual([await isMissing("made"), await isMissing("lib")], [true, true]);
      assert.deepEqual(rows(), []);
    });

    it("of a binary file and a link that it deletes instead stay deleted when that is reported after Keep All", async () => {
      await put("pkg/a.txt", tenLines);
      await writeFile(path("pkg/binary"), Buffer.from([0, 1]));
      await sh("ln -s pkg/a.txt link");
      await noticed();
      for (const turn of ["turn 1", "turn 2"]) {
        await prepare(turn);
        if (turn === "turn 1") await sh("rm pkg/binary link");
        await ended();
        if (turn === "turn 1") assert.deepEqual(rows(), [" → link", " → pkg/binary"]);
        await review().keep({ kind: "all" });
        await noticed();
        assert.deepEqual(rows(), [], turn);
      }
    });

    it("of no text, and a deletion, stay kept when they are noticed at the moment of Keep All", async () => {
      for (const name of ["binary", "changed", "gone"]) {
        await put(name, "");
        await writeFile(path(name), Buffer.from([0, 1]));
      }
      await noticed();
      await prepare();
      const locations = ["moved", "changed", "gone"].map(name => ({ path: path(name) }));
      tool({ kind: "execute", status: "in_progress", locations });
      await watch().settled();
      await sh("mv binary moved && chmod +x changed && rm gone");
      const changedAt = Date.now();
      tool({ status: "completed" });
      await ended();
      const all = [" → changed", " → gone", "binary → moved"];
      assert.deepEqual(rows(), all);
      // By the file system's clock, an earlier decision could be before the change.
      await until(() => Date.now() > changedAt + 30);
      for (let ticks = 0; ticks < 40; ticks++) {
        tool({ status: "completed" });
        for (let tick = 0; tick < ticks; tick++) await new Promise<void>(resolve => setImmediate(resolve));
        await review().keep({ kind: "all" });
        await watch().settled();
        await reviews().settled();
        assert.deepEqual(rows(), [], `after ${ticks} ticks`);
        assert.ok(await review().undoLast());
        assert.deepEqual(rows(), all);
      }
    });

    it("that was undone is undone again when the agent does it again", async () => {
      await put("pkg/a.txt", tenLines);
      await writeFile(path("pkg/binary"), Buffer.from([0, 1]));
      await noticed();
      for (const turn of ["turn 1", "turn 2", "turn 3"]) {
        await prepare(turn);
        await sh("mv pkg lib");
        await ended();
        assert.deepEqual(rows(), ["pkg/a.txt → lib/a.txt", "pkg/binary → lib/binary"], turn);
        await review().undo({ kind: "all" });
        assert.equal(await onDisk("pkg/a.txt"), tenLines);
        assert.deepEqual(await readFile(path("pkg/binary")), Buffer.from([0, 1]));
        assert.ok(await isMissing("lib"));
        if (turn === "turn 2") await noticed();
      }
    });

    it("and then deletes, with another file in its first place, is a change of that file", async () => {
      for (const name of ["a.txt", "binary"]) await put(name, tenLines);
      await writeFile(path("binary"), Buffer.from([0, 1]));
      await noticed();
      await prepare();
      await sh("mkdir made && mv a.txt binary made");
      await ended();
      await prepare("turn 2");
      await put("a.txt", edited);
      await put("binary", "text");
      await until(() => review().files.length === 4);
      await sh("rm -r made");
      await ended();
      assert.deepEqual(rows(), [" → a.txt", " → binary"]);
      assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.deepEqual(await readFile(path("binary")), Buffer.from([0, 1]));
      assert.deepEqual(rows(), []);
    });

    const isNoticed = { "in this turn": true, "at its end": false };
    for (const [when, inTurn] of Object.entries(isNoticed))
      it(`of a binary file, whose folder the agent deletes in the next turn, is a deletion, noticed ${when}`, async () => {
        await put("pkg/binary", "");
        await writeFile(path("pkg/binary"), Buffer.from([0, 1]));
        await noticed();
        await prepare();
        await sh("mkdir made && mv pkg/binary made/binary");
        await ended();
        assert.deepEqual(rows(), ["pkg/binary → made/binary"]);
        await prepare("turn 2");
        await sh("rm -r made");
        if (inTurn) await noticed();
        await ended();
        // The file by which the test knows that changes are noticed is created in the turn, too.
        assert.deepEqual(
          rows().filter(row => row !== " → watched"),
          [" → pkg/binary"],
        );
        await review().undo({ kind: "all" });
        assert.deepEqual(await readFile(path("pkg/binary")), Buffer.from([0, 1]));
        assert.deepEqual(rows(), []);
      });

    it("of a binary file, which the user deletes, leaves the review", async () => {
      await put("binary", "");
      await writeFile(path("binary"), Buffer.from([0, 1]));
      await noticed();
      await prepare();
      await sh("mv binary other");
      await ended();
      assert.deepEqual(rows(), ["binary → other"]);
      const change = new vscode.WorkspaceEdit();
      change.deleteFile(vscode.Uri.file(path("other")));
      assert.ok(await vscode.workspace.applyEdit(change));
      await watch().settled();
      assert.deepEqual(rows(), []);
    });

    it("is undone with the edits that the user made since", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await put("b.txt", edited);
      await ended();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      const editor = await show("b.txt");
      await type("b.txt", 8, "mine ");
      assert.ok(await editor.document.save());
      await watch().settled();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), lines(1, 2, 3, 4, 5, 6, 7, 8).concat("mine line 9\nline 10\n"));
      assert.ok(await isMissing("b.txt"));
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, path("a.txt"));
    });

    it("with changes that are no text is undone byte for byte", async () => {
      await put("a.sh", tenLines);
      await put("b.bin", "");
      await writeFile(path("b.bin"), Buffer.from([0, 1, 2]));
      await noticed();
      await prepare();
      await sh("chmod +x a.sh && mv a.sh c.sh && printf x >> b.bin && mv b.bin c.bin");
      await ended();
      const isExecutable = async (name: string): Promise<boolean> => ((await stat(path(name))).mode & 0o111) !== 0;
      for (let round = 0; round < 2; round++) {
        assert.ok(rows().includes("a.sh → c.sh"));
        await review().undo({ kind: "all" });
        assert.equal(await onDisk("a.sh"), tenLines);
        assert.equal(await isExecutable("a.sh"), false);
        assert.deepEqual(await readFile(path("b.bin")), Buffer.from([0, 1, 2]));
        assert.deepEqual([await isMissing("c.sh"), await isMissing("c.bin")], [true, true]);
        assert.deepEqual(rows(), []);
        assert.ok(await review().undoLast());
        assert.ok(await isExecutable("c.sh"));
        assert.deepEqual(await readFile(path("c.bin")), Buffer.from([0, 1, 2, 120]));
        assert.deepEqual([await isMissing("a.sh"), await isMissing("b.bin")], [true, true]);
      }
    });

    it("of a folder is one move, also if the agent edits a file by name before the move is reported", async () => {
      await put("lib/a.txt", tenLines);
      await noticed();
      await prepare();
      await sh("mv lib other");
      await edit("other/a.txt", edited);
      await sh("mv other last");
      await ended();
      assert.deepEqual(rows(), ["lib/a.txt → last/a.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("lib/a.txt"), tenLines);
      assert.deepEqual([await isMissing("other"), await isMissing("last")], [true, true]);
      assert.deepEqual(rows(), []);
    });

    it("of a file that the agent writes through Parley before the move is reported is one move", async () => {
      await put("a.txt", tenLines);
      await noticed();
      await prepare();
      await sh("mv a.txt b.txt");
      await write("b.txt", edited);
      await ended();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.ok(await isMissing("b.txt"));
    });

    it("of a link is undone, and the link keeps its target", async () => {
      await put("a.txt", tenLines);
      await sh("ln -s a.txt link");
      await noticed();
      await prepare();
      await sh("mkdir in && mv link in/link");
      await ended();
      await review().undo({ kind: "all" });
      assert.equal(await readlink(path("link")), "a.txt");
      assert.ok(await isMissing("in"));
      assert.deepEqual(rows(), []);
    });

    it("keeps what the user typed before it", async () => {
      await put("a.txt", tenLines);
      const editor = await show("a.txt");
      await prepare();
      await type("a.txt", 0, "mine\n");
      assert.ok(await editor.document.save());
      await watch().settled();
      await sh("mv a.txt b.txt");
      await ended();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      assert.deepEqual(hunks("b.txt"), []);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), `mine\n${tenLines}`);
    });

    it("moves nothing over another file", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await ended();
      await put("a.txt", "mine\n");
      await assert.rejects(review().undo({ kind: "all" }), /exists/);
      assert.equal(await onDisk("a.txt"), "mine\n");
      assert.equal(await onDisk("b.txt"), tenLines);
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
    });

    it("of a file that an earlier turn created is undone with its turn only", async () => {
      await prepare();
      await put("a.txt", tenLines);
      await ended();
      await until(() => file("a.txt") !== undefined);
      await prepare("turn 2");
      await sh("mv a.txt b.txt");
      await ended();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      await review().undo({ kind: "turn", turn: "turn 2" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.deepEqual(rows(), [" → a.txt"]);
      await review().undo({ kind: "all" });
      assert.ok((await isMissing("a.txt")) && (await isMissing("b.txt")));
    });

    it("keeps the changes that waited before it", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await put("a.txt", edited);
      await ended();
      await prepare("turn 2");
      await sh("mv a.txt b.txt");
      await put("b.txt", lines(1, "two", 3, 4, 5, 6, 7, 8, "nine", 10));
      await ended();
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      assert.deepEqual(hunks("b.txt"), ["line 2 → line two", "line 9 → line nine"]);
      await review().undo({ kind: "turn", turn: "turn 2" });
      assert.equal(await onDisk("a.txt"), edited);
      assert.deepEqual(hunks("a.txt"), ["line 2 → line two"]);
    });

    it("and then deletes is a deletion of the file where it was", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await ended();
      await prepare("turn 2");
      await sh("rm b.txt");
      await ended();
      assert.deepEqual(rows(), [" → a.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.ok(await isMissing("b.txt"));
    });

    it("waits for review in the next window", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await ended();
      await reopen(async () => {});
      assert.deepEqual(rows(), ["a.txt → b.txt"]);
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.ok(await isMissing("b.txt"));
    });

    it("by the user back to the earlier path leaves nothing to review", async () => {
      await put("a.txt", tenLines);
      await prepare();
      await sh("mv a.txt b.txt");
      await ended();
      const back = new vscode.WorkspaceEdit();
      back.renameFile(vscode.Uri.file(path("b.txt")), vscode.Uri.file(path("a.txt")));
      assert.ok(await vscode.workspace.applyEdit(back));
      await until(() => rows().length === 0);
    });
  });
}
