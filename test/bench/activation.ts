// The duration of Parley's activation in the real VS Code, from VS Code's own startup report.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import { reloadWindow } from "../../scripts/vscode/workbench.mjs";
import { median, ms, range, type Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

const rounds = 7;
const parley = "parley.parley";
/** Milliseconds, with the chat closed. */
const limit = 40;
/**
 * Extensions that are part of VS Code, as a reference for this machine. The second waits for the same event as Parley,
 * and VS Code loads it immediately before Parley.
 */
const yardsticks = ["vscode.git-base", "vscode.merge-conflict"];

interface Activation {
  readonly load: number;
  readonly activate: number;
}

/** Opens a window with the packed extension several times. */
export function run(): Promise<Report> {
  const startup = (folder: string): string => join(folder, "startup.md");
  return withVscode(
    folder => ({ PARLEY_BENCH_STARTUP: startup(folder) }),
    async ({ folder, versions, open }) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      const page = await open(workspace, { helper: true });
      const seen: Record<string, readonly Activation[]> = Object.fromEntries(
        [parley, ...yardsticks].map(id => [id, []]),
      );
      for (let round = 0; round < rounds; round++) {
        if (round > 0) {
          rmSync(startup(folder));
          await reloadWindow(page);
        }
        for (const [id, activations] of Object.entries(seen))
          seen[id] = [...activations, await activationOf(id, startup(folder))];
      }
      const rows = Object.entries(seen).map(([id, activations]) => {
        const sums = activations.map(({ load, activate }) => load + activate);
        return [
          id === parley ? "Parley" : `\`${id}\`, for comparison`,
          ms(median(activations.map(({ load }) => load))),
          ms(median(activations.map(({ activate }) => activate))),
          ms(median(sums)),
          range(sums),
        ];
      });
      const columns = ["extension", "load code", "call `activate`", "together", "range"];
      const own = median((seen[parley] ?? []).map(({ load, activate }) => load + activate));
      const failures = own > limit ? [`The activation takes ${ms(own)}.`] : [];
      return { tables: [{ columns, rows }], versions, failures };
    },
  );
}

/** The extension's row of the table "Extension Activation Stats". */
async function activationOf(id: string, file: string): Promise<Activation> {
  let found: Activation | undefined;
  const isThere = (): boolean => {
    found = existsSync(file) ? parsed(readFileSync(file, "utf8"), id) : undefined;
    return found !== undefined;
  };
  if (!(await waitFor(isThere, 60_000)) || !found) {
    throw new Error(
      `VS Code did not say when ${id} was activated.\n${existsSync(file) ? readFileSync(file, "utf8") : ""}`,
    );
  }
  return found;
}

function parsed(text: string, id: string): Activation | undefined {
  const rows = text.split("\n").map(line =>
    line
      .split("|")
      .map(cell => cell.trim())
      .slice(1, -1),
  );
  const columns = rows.find(cells => cells.includes("Load Code"));
  const row = rows.find(cells => cells[0] === id);
  const load = Number(row?.[columns?.indexOf("Load Code") ?? -1]);
  const activate = Number(row?.[columns?.indexOf("Call Activate") ?? -1]);
  return Number.isFinite(load) && Number.isFinite(activate) ? { load, activate } : undefined;
}
