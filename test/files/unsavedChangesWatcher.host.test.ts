// Detects differences between editor and disk in the real editor: reported, never without cause, and withdrawn.
import assert from "node:assert/strict";
import { rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import type { SessionEvent, ToolFields } from "../../src/session/events.ts";
import { settleFile } from "../../src/files/vscode/settleFile.ts";
import { until } from "../support/fakes/until.ts";
import { discardAll, replace, type, useUnsavedFiles, type Report } from "../support/host/unsavedFiles.ts";

/** VS Code's own settings exclude the files in this folder from watching, so VS Code does not reload them either. */
const unwatched = join(".git", "objects");

const tool = (patch: Partial<ToolFields>): SessionEvent => ({ type: "tool", toolCallId: "t1", patch });

describe("UnsavedChangesWatcher", () => {
  const {
    reports,
    folders,
    path,
    onDisk,
    watch,
    put,
    remove,
    open,
    unsavedFile,
    divergedFile,
    reported,
    everythingSeen,
  } = useUnsavedFiles();

  describe("reports", () => {
    it("a write under unsaved text, once", async () => {
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await put("a.txt", "agent's\n");
      await reported([path("a.txt"), "diverged"]);
      await put("a.txt", "agent's second\n");
      await everythingSeen();
      assert.deepEqual(reports, [[path("a.txt"), "diverged"]]);
    });

    it("a change that the file watcher missed, at the end of a tool call", async () => {
      const name = join(unwatched, "a.txt");
      const session = watch(reports, path(unwatched));
      await unsavedFile(name, "was\n", "mine\n");
      for (const status of ["completed", "failed", "cancelled"]) {
        await put(name, "agent's\n");
        session.observe(tool({ status }));
        await reported([path(name), "diverged"]);
        await put(name, "was\n");
        session.observe(tool({ status }));
        await reported([path(name), null]);
        reports.length = 0;
      }
    });

    it("that the user types into a text which is older than the disk's", async () => {
      const name = join(unwatched, "a.txt");
      watch(reports, path(unwatched));
      await put(name, "was\n");
      const document = await open(name);
      await put(name, "agent's\n");
      await type(document, "mine\n");
      await reported([path(name), "diverged"]);
    });

    it("a changed text of the same length", async () => {
      watch();
      await divergedFile("a.txt", "saw\n", "mine\n");
    });

    it("a file deleted under unsaved text", async () => {
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await remove("a.txt");
      await reported([path("a.txt"), "diverged"]);
    });

    it("a file that is no longer text", async () => {
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await put("a.txt", new Uint8Array([0, 1, 2, 3, 0, 255, 254]));
      await reported([path("a.txt"), "diverged"]);
    });

    it("a write under text that was unsaved before the session, and no write from before the session", async () => {
      const first = watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await put("a.txt", "somebody's\n");
      await reported([path("a.txt"), "diverged"]);
      first.dispose();
      reports.length = 0;
      watch();
      await everythingSeen();
      assert.deepEqual(reports, []);
      await put("a.txt", "agent's\n");
      await reported([path("a.txt"), "diverged"]);
    });

    it("a file to every session, under the path that its agent used", async () => {
      const others: Report[] = [];
      watch(others);
      const session = watch();
      await symlink(folders.own(), join(folders.root(), `${basename(folders.own())}-link`));
      try {
        const linked = join(folders.root(), `${basename(folders.own())}-link`, "a.txt");
        await unsavedFile("a.txt", "was\n", "mine\n");
        session.observe(tool({ status: "in_progress", locations: [{ path: linked }, { path: "relative.txt" }] }));
        await put("a.txt", "agent's\n");
        await reported([linked, "diverged"]);
        await until(() => others.length > 0);
        assert.deepEqual(others, [[path("a.txt"), "diverged"]]);
        assert.deepEqual(reports, [[linked, "diverged"]]);
      } finally {
        await rm(join(folders.root(), `${basename(folders.own())}-link`));
      }
    });
  });

  describe("does not report", () => {
    it("the user's own save, even while typing continues", async () => {
      const session = watch();
      const document = await unsavedFile("a.txt", "was\n", "mine\n");
      for (let round = 0; round < 5; round++) {
        let isSaved = false;
        const saving = document.save().then(() => (isSaved = true));
        for (let more = 0; !isSaved; more++) {
          await replace(document, `mine ${round} ${more}\n`);
          session.observe(tool({ status: "completed" }));
        }
        await saving;
        assert.match(await onDisk("a.txt"), new RegExp(`^mine${round > 0 ? ` ${round}` : ""}`));
        await replace(document, `mine ${round + 1}\n`);
        session.observe(tool({ status: "completed" }));
      }
      await everythingSeen();
      assert.deepEqual(reports, []);
      assert.ok(document.isDirty);
    });

    it("files with a byte-order mark, other line endings and other encodings", async () => {
      watch();
      const utf16 = Buffer.from("\uFEFFwas één\n", "utf16le");
      await unsavedFile("bom.txt", "\uFEFFwas\n", "mine\n");
      await unsavedFile("crlf.txt", "was\r\nwas\r\n", "mine\n");
      await unsavedFile("utf16.txt", utf16, "mine\n");
      await put("latin1.txt", Buffer.from("caf\xe9\n", "latin1"));
      const latin1 = await vscode.workspace.openTextDocument(path("latin1.txt"), { encoding: "windows1252" });
      await type(latin1, "thé\n");
      // The same text again, partly in other bytes.
      await put("bom.txt", "was\n");
      await put("crlf.txt", "was\nwas\n");
      await put("utf16.txt", utf16);
      await put("latin1.txt", Buffer.from("caf\xe9\n", "latin1"));
      await everythingSeen();
      assert.deepEqual(reports, []);
    });

    it("a write that makes the disk equal to the editor", async () => {
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      await put("a.txt", "mine\n");
      await everythingSeen();
      assert.deepEqual(reports, []);
    });

    it("a document without unsaved text, which VS Code reloads", async () => {
      watch();
      await put("a.txt", "was\n");
      const document = await open("a.txt");
      await put("a.txt", "agent's\n");
      await until(() => document.getText() === "agent's\n");
      await type(document, "mine\n");
      await everythingSeen();
      assert.deepEqual(reports, []);
    });

    it("files outside the session's folders", async () => {
      watch();
      const file = join(folders.outside(), "a.txt");
      await writeFile(file, "was\n");
      await type(await vscode.workspace.openTextDocument(file), "mine\n");
      await writeFile(file, "agent's\n");
      await everythingSeen();
      assert.deepEqual(reports, []);
    });

    it("anything after it is disposed", async () => {
      const others: Report[] = [];
      const session = watch(others);
      watch();
      await unsavedFile("a.txt", "was\n", "mine\n");
      session.dispose();
      session.reportUnsaved(path("a.txt"));
      await put("a.txt", "agent's\n");
      session.observe(tool({ status: "completed" }));
      await reported([path("a.txt"), "diverged"]);
      await everythingSeen();
      assert.deepEqual(others, []);
    });
  });

  describe("withdraws its report", () => {
    it("when the disk has its previous text again", async () => {
      watch();
      await divergedFile("a.txt", "agent's\n", "mine\n");
      await put("a.txt", "was\n");
      await reported([path("a.txt"), null]);
    });

    it("when the user has made the text equal to the disk", async () => {
      watch();
      const document = await divergedFile("a.txt", "agent's\n", "mine\n");
      await type(document, "agent's\n");
      await reported([path("a.txt"), null]);
    });

    it("when the document is closed without saving", async () => {
      watch();
      await divergedFile("a.txt", "agent's\n", "mine\n");
      await discardAll();
      await reported([path("a.txt"), null]);
    });
  });

  describe("and text in the editor only", () => {
    it("is reported at once, and withdrawn when it is saved", async () => {
      const session = watch();
      const document = await unsavedFile("a.txt", "was\n", "mine and the agent's\n");
      session.reportUnsaved(path("a.txt"));
      assert.deepEqual(reports, [[path("a.txt"), "unsaved"]]);
      assert.ok(await document.save());
      await reported([path("a.txt"), null]);
      assert.equal(reports.length, 2);
    });

    it("is reported and settled under the path that the agent used", async () => {
      const session = watch();
      await unsavedFile("a.txt", "was\n", "mine and the agent's\n");
      await symlink(path("a.txt"), path("link.txt"));
      session.reportUnsaved(path("link.txt"));
      await settleFile(path("link.txt"), "save");
      await reported([path("link.txt"), null]);
      assert.equal(await onDisk("a.txt"), "mine and the agent's\n");
      assert.equal(reports.length, 2);
    });

    it("is withdrawn when the document is closed", async () => {
      const session = watch();
      await unsavedFile("a.txt", "was\n", "mine and the agent's\n");
      session.reportUnsaved(path("a.txt"));
      await discardAll();
      await reported([path("a.txt"), null]);
    });

    it("is withdrawn at once if it was already saved", async () => {
      const session = watch();
      await put("a.txt", "was\n");
      await open("a.txt");
      session.reportUnsaved(path("a.txt"));
      await reported([path("a.txt"), null]);
      assert.equal(reports.length, 2);
    });

    it("becomes a conflict when the disk changes under it, and both are over when it is settled", async () => {
      const session = watch();
      await unsavedFile("a.txt", "was\n", "mine and the agent's\n");
      session.reportUnsaved(path("a.txt"));
      await put("a.txt", "agent's\n");
      await reported([path("a.txt"), "diverged"]);
      await settleFile(path("a.txt"), "take");
      await reported([path("a.txt"), null]);
      assert.deepEqual(
        reports.map(([, note]) => note),
        ["unsaved", "diverged", null],
      );
    });
  });
});
