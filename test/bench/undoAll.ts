// Undo All of 200 closed files in the real VS Code, measured inside the extension host.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import { median, ms, range, type Report } from "./report.ts";
import { undoneFiles, type UndoAllTimes } from "./undoneFiles.ts";
import { withVscode } from "./vscode.ts";

/** The limit of Undo All (ms). */
const limit = 2000;

/** Opens a window whose helper does the work. */
export function undoAll(): Promise<Report> {
  const outcome = (folder: string): string => join(folder, "undo.json");
  return withVscode(
    folder => ({ PARLEY_BENCH_UNDO: outcome(folder) }),
    async ({ folder, versions, open }) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      await open(workspace, { helper: true });
      const file = outcome(folder);
      if (!(await waitFor(() => existsSync(file), 120_000))) throw new Error("The helper measured nothing.");
      const measured = JSON.parse(readFileSync(file, "utf8")) as UndoAllTimes | { readonly error: string };
      if ("error" in measured) throw new Error(measured.error);
      const { undo, back, tabs } = measured;
      const row = (what: string, times: readonly number[]): readonly string[] => [
        what,
        ms(median(times)),
        range(times),
        `${tabs}`,
      ];
      const columns = [`${undoneFiles} closed files of 200 lines, in VS Code`, "p50", "range", "tabs left open"];
      const failures = [
        ...(median(undo) > limit ? [`Undo All took ${ms(median(undo))}, ${limit} ms is the limit.`] : []),
        ...(tabs > 0 ? [`Undo All left ${tabs} tabs open.`] : []),
      ];
      const rows = [row("Undo All", undo), row("Undo Last Review Decision", back)];
      return { tables: [{ columns, rows }], failures, versions };
    },
  );
}
