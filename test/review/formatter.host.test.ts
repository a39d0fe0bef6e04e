// A formatter that moves lines of the agent when the user saves, in the real editor: they stay under review.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { useReviewedFolder } from "../support/host/reviewedFolder.ts";

describe("a formatter that moves the agent's lines", () => {
  const { put, onDisk, open, show, file, begin, end, write, type, watch, review } = useReviewedFolder();
  const before = "b\n}\nc\n}\n";
  const agents = /^agent|^\}$/;

  for (const how of ["as several edits", "as a replacement of the whole text"] as const) {
    it(`${how} puts none of them into the base, although other lines repeat`, async () => {
      await put("a.txt", before);
      await begin();
      await write("a.txt", `${before}agent 1\n}\nagent 2\n}\n`);
      end();
      await watch().settled();
      const editor = await show("a.txt");
      // Moves the last four lines to the start.
      const formatter = vscode.languages.registerDocumentFormattingEditProvider("plaintext", {
        provideDocumentFormattingEdits: document => {
          const all = document.getText().match(/[^\n]*\n/g) ?? [];
          const moved = all.slice(-4);
          if (!moved.every(line => agents.test(line.trimEnd()))) return [];
          const end = document.lineAt(document.lineCount - 1).range.end;
          const from = new vscode.Position(all.length - 4, 0);
          const start = new vscode.Position(0, 0);
          return how === "as several edits"
            ? [vscode.TextEdit.insert(start, moved.join("")), vscode.TextEdit.delete(new vscode.Range(from, end))]
            : [vscode.TextEdit.replace(new vscode.Range(start, end), [...moved, ...all.slice(0, -4)].join(""))];
        },
      });
      const settings = vscode.workspace.getConfiguration("editor");
      await settings.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
      try {
        await type("a.txt", 0, "mine\n");
        assert.ok(await editor.document.save());
        await watch().settled();
      } finally {
        formatter.dispose();
        await settings.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
      }
      assert.equal(await onDisk("a.txt"), `agent 1\n}\nagent 2\n}\nmine\n${before}`);
      assert.doesNotMatch(file("a.txt")?.changes.base ?? "", /agent/);
      await review().undo({ kind: "all" });
      const text = (await open("a.txt")).getText();
      assert.equal(text, `mine\n${before}`);
      assert.deepEqual(review().files, []);
    });
  }
});
