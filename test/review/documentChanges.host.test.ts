// Whether a change of a document is a reload or the user's, in the real editor.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { DocumentChanges, type DocumentChange } from "../../src/review/vscode/documentChanges.ts";
import { type as replaceText, useUnsavedFiles } from "../support/host/unsavedFiles.ts";

describe("a change of a document that has no unsaved changes yet", () => {
  const { path, put, open } = useUnsavedFiles();
  const changes = new DocumentChanges({ isWanted: () => true, onChange: () => {}, onDirtied: () => {} });
  after(() => changes.dispose());

  const changed = async (text: string): Promise<DocumentChange> => {
    await put("a.txt", "was\n");
    const document = await open("a.txt");
    const { version } = document;
    const how = { clean: true, reason: undefined, edits: [], isAgents: false, isTyped: false };
    return { document, version: version + 1, text, ...how };
  };

  it("is the user's although VS Code reports late that the document is dirty", async () => {
    const change = await changed("mine\n");
    const reload = changes.isReload(path("a.txt"), change);
    // This one ends once it has read the file, which the other one did before.
    await changes.isReload(path("a.txt"), { ...change, reason: vscode.TextDocumentChangeReason.Undo });
    await replaceText(change.document, "mine\n");
    assert.equal(change.document.version, change.version);
    assert.equal(await reload, false);
  });

  it("is a reload if the file has the text", async () => {
    const change = await changed("agent's\n");
    await writeFile(path("a.txt"), "agent's\n");
    assert.equal(await changes.isReload(path("a.txt"), change), true);
  });

  it("is a reload if the file has changed again and the document stays clean", async () => {
    const change = await changed("agent's\n");
    const reload = changes.isReload(path("a.txt"), { ...change, version: change.document.version });
    await writeFile(path("a.txt"), "agent's second\n");
    assert.equal(await reload, true);
  });

  it("is no reload if an undo of the user made it and the file has another text", async () => {
    const change = await changed("older\n");
    const undone = { ...change, reason: vscode.TextDocumentChangeReason.Undo };
    assert.equal(await changes.isReload(path("a.txt"), undone), false);
  });
});
