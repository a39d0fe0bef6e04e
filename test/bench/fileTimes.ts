// Measures reads and writes inside the extension host, for files.ts.
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import type { FileTimes } from "./files.ts";

const reads = 200;
const writes = 40;

/** Opens the workspace's `long.ts`, works on it, and writes the times, or the error, to the file. */
export async function measureFiles(outcome: string): Promise<void> {
  try {
    writeFileSync(outcome, JSON.stringify(await measured()));
  } catch (error) {
    writeFileSync(outcome, JSON.stringify({ error: String(error) }));
  }
}

async function measured(): Promise<FileTimes> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const path = join(folder, "long.ts");
  const document = await vscode.workspace.openTextDocument(path);
  await vscode.window.showTextDocument(document);
  const files = new SessionFiles(new EditorDocuments(nodePaths()), new Confinement(nodePaths(), [folder]));

  const decode = await times(reads, async () =>
    vscode.workspace.decode(await readFile(path), { encoding: document.encoding }),
  );
  const read = await times(reads, () => files.read({ path }));
  const readWindow = await times(reads, () => files.read({ path, line: 5000, limit: 100 }));
  const middle = Math.floor(document.lineCount / 2);
  const editAndSave = await times(writes, async round => {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(middle).range, `export const changed = ${round};`);
    await vscode.workspace.applyEdit(edit);
    await document.save();
  });
  const texts = document.getText().split("\n");
  const write = await times(writes, round =>
    files.write({ path, content: texts.with(middle, `export const written = ${round};`).join("\n") }),
  );
  if (!document.getText().includes(`written = ${writes - 1};`) || document.isDirty) {
    throw new Error("The writes did not arrive.");
  }
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), "// unsaved\n");
  await vscode.workspace.applyEdit(edit);
  const readUnsaved = await times(reads, () => files.read({ path }));
  return { read, readWindow, readUnsaved, decode, write, editAndSave };
}

/** The time of each round (ms). The first tenth is a warm-up and is excluded. */
async function times(rounds: number, work: (round: number) => Promise<unknown>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await work(round);
    seen.push(performance.now() - started);
  }
  return seen.slice(Math.floor(rounds / 10));
}
