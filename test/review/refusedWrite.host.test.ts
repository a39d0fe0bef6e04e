// A write that is refused because its text cannot be stored, in the real editor: it leaves nothing behind.
import { existsSync } from "node:fs";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

describe("a write of a text that cannot be stored", () => {
  const { path, put, onDisk, begin, end, watch, review, folder } = useReviewedFolder();
  const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);

  for (const [what, content, why] of [
    ["a lone surrogate", "one\nhalf \ud83d\n", /half of a character .* in line 2/],
    ["a NUL character", "one\n\0\n", /a NUL character in line 2/],
  ] as const) {
    it(`with ${what} leaves no document, file, folder or row, and Undo All undoes the other files`, async () => {
      const documents = new EditorDocuments(nodePaths());
      const files = new SessionFiles(documents, new Confinement(nodePaths(), [folder()]));
      const write = (name: string, text: string): Promise<unknown> =>
        watch().aroundWrite(path(name), text, () => files.write({ path: path(name), content: text }));
      await put("a.txt", tenLines);
      await begin();
      await write("a.txt", edited);
      for (const name of ["a.txt", "new/in/made.txt"]) await rejectsWithRefusal("invalid", why, write(name, content));
      await watch().settled();
      assert.deepEqual([await onDisk("a.txt"), existsSync(path("new"))], [edited, false]);
      const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, isUntitled }) => isDirty || isUntitled);
      assert.deepEqual(unsaved, []);
      assert.deepEqual(
        review().files.map(one => one.path),
        [path("a.txt")],
      );
      end();
      await watch().settled();
      await review().undo({ kind: "all" });
      assert.equal(await onDisk("a.txt"), tenLines);
      assert.deepEqual(review().files, []);
      documents.dispose();
    });
  }
});
