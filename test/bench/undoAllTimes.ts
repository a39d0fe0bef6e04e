// Measures Undo All of many closed files inside the extension host, on the product's own path, for undoAll.ts.
import { writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { editorReviewPort } from "../../src/files/vscode/editorReviewPort.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { undoneFiles, type UndoAllTimes } from "./undoneFiles.ts";

const rounds = 6;

/** Works in the workspace, and writes the times, or the error, to the file. */
export async function measureUndoAll(outcome: string): Promise<void> {
  try {
    writeFileSync(outcome, JSON.stringify(await measured()));
  } catch (error) {
    writeFileSync(outcome, JSON.stringify({ error: String(error) }));
  }
}

async function measured(): Promise<UndoAllTimes> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const paths = Array.from({ length: undoneFiles }, (_, i) => join(folder, `file${i}.ts`));
  const base = Array.from({ length: 200 }, (_, i) => `export const value${i} = ${i};\n`).join("");
  const text = base.replace("value7 =", "changed =").replace("value150 =", "changedToo =");
  const undo: number[] = [];
  const back: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const review = new WindowReview({
      port: editorReviewPort(() => [folder]),
      schedule: run => void setImmediate(run),
    });
    await Promise.all(paths.map(path => writeFile(path, text)));
    review.turnBegan("turn", "Change everything");
    for (const path of paths) await review.agentChanged(path, base, text, "turn");
    undo.push(await timeOf(() => review.undo({ kind: "all" })));
    if (!(await haveText(paths, base))) throw new Error("Not every file was undone.");
    back.push(await timeOf(() => review.undoLast()));
    if (!(await haveText(paths, text))) throw new Error("Not every file was brought back.");
    review.dispose();
  }
  const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
  const left = tabs.filter(({ label }) => label.startsWith("file")).length;
  return { undo, back, tabs: left };
}

const haveText = async (paths: readonly string[], text: string): Promise<boolean> =>
  (await Promise.all(paths.map(path => readFile(path, "utf8")))).every(one => one === text);

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
