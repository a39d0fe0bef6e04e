// Files through the editor: an agent's reads and writes of a document of 10,000 lines that is open in the real VS Code,
// measured inside the extension host, compared with the minimum that VS Code does for the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import { median, ms, range, ratio, type Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

/** Times as the helper measured them (ms). */
export interface FileTimes {
  readonly read: readonly number[];
  readonly readWindow: readonly number[];
  readonly readUnsaved: readonly number[];
  readonly decode: readonly number[];
  readonly write: readonly number[];
  readonly editAndSave: readonly number[];
}

export const lines = 10_000;

/** Opens a window whose helper does the work. */
export function run(): Promise<Report> {
  const outcome = (folder: string): string => join(folder, "files.json");
  return withVscode(
    folder => ({ PARLEY_BENCH_FILES: outcome(folder) }),
    async ({ folder, versions, open }) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      writeFileSync(
        join(workspace, "long.ts"),
        Array.from({ length: lines }, (_, i) => `export const value${i} = ${i}; // a line of the file\n`).join(""),
      );
      await open(workspace, { helper: true });
      const file = outcome(folder);
      if (!(await waitFor(() => existsSync(file), 120_000))) throw new Error("The helper measured nothing.");
      const measured = JSON.parse(readFileSync(file, "utf8")) as FileTimes | { readonly error: string };
      if ("error" in measured) throw new Error(measured.error);
      const { read, readWindow, readUnsaved, decode, write, editAndSave } = measured;
      const row = (what: string, times: readonly number[], base?: readonly number[]): readonly string[] => [
        what,
        ms(median(times)),
        range(times),
        base ? ratio(median(times) / median(base)) : "",
      ];
      const columns = ["a document of 10,000 lines, open", "p50", "range", "ratio"];
      const rows = [
        row("VS Code alone: `readFile`, `workspace.decode`", decode),
        row("read of the whole", read, decode),
        row("read of 100 lines in the middle", readWindow, decode),
        row("read of the whole, with unsaved text", readUnsaved, decode),
        row("VS Code alone: one `WorkspaceEdit` of one line, `save()`", editAndSave),
        row("write with one line changed, saved and read back", write, editAndSave),
      ];
      return { tables: [{ columns, rows }], versions };
    },
  );
}
