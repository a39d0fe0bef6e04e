// The memory of the extension host of a window with the helper. The variable PARLEY_BENCH_HEAP names the file for it.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand } from "../../scripts/vscode/workbench.mjs";

/** Where the helper writes it. */
export const heapFile = (folder: string): string => join(folder, "heap.txt");

/** The memory of the extension host after garbage collection, in bytes. */
export async function heapOf(page: Page, file: string): Promise<number> {
  rmSync(file, { force: true });
  await runCommand(page, "Bench: Measure Heap");
  const text = (): string => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  if (!(await waitFor(() => text().endsWith("\n"), 30_000))) throw new Error("The heap was not measured.");
  return Number(text());
}
