// Following an agent: from the update that tells its place, inside the extension host, to the name beside the line in the
// real VS Code's window.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import { agentName, type Told } from "./followPlaces.ts";
import { median, ms, p95, range, type Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

/** When an update came, in milliseconds since the epoch. */
const limit = 50;
const warmUp = 3;

/** Notes in the page when the agent's name is first seen beside each line. */
const watchPage = `window.seenNames = {};
const look = () => {
  for (const line of document.querySelectorAll(".editor-instance .view-line")) {
    const named = [...line.querySelectorAll("span")].some(part =>
      getComputedStyle(part, "::after").content.includes(${JSON.stringify(agentName)}));
    const number = /value(\\d+)\\b/.exec(line.textContent)?.[1];
    if (named && number) window.seenNames[number] ??= performance.timeOrigin + performance.now();
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);`;

/** Opens a window whose helper moves the agent. */
export function run(): Promise<Report> {
  const outcome = (folder: string): string => join(folder, "follow.json");
  return withVscode(
    folder => ({ PARLEY_BENCH_FOLLOW: outcome(folder) }),
    async ({ folder, versions, open }) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      writeFileSync(
        join(workspace, "long.ts"),
        Array.from({ length: 10_000 }, (_, i) => `export const value${i + 1} = ${i + 1};\n`).join(""),
      );
      const page = await open(workspace, { helper: true });
      await page.evaluate(watchPage);
      const file = outcome(folder);
      if (!(await waitFor(() => existsSync(file), 120_000))) throw new Error("The helper measured nothing.");
      const told = JSON.parse(readFileSync(file, "utf8")) as readonly Told[] | { readonly error: string };
      if ("error" in told) throw new Error(told.error);
      const seen = await page.evaluate<Readonly<Record<number, number>>>("window.seenNames");
      const times = told.slice(warmUp).map(({ line, at }) => {
        const when = seen[line];
        if (when === undefined) throw new Error(`The agent was never seen at line ${line}.`);
        return when - at;
      });
      const columns = ["a document of 10,000 lines, in sight", "p50", "p95", "range"];
      const row = [
        "from a tool call's update to the agent's name at its line",
        ms(median(times)),
        ms(p95(times)),
        range(times),
      ];
      const late = median(times) > limit;
      return {
        tables: [{ columns, rows: [row] }],
        versions,
        ...(late && { failures: [`An agent's place was painted after ${ms(median(times))}, more than ${limit} ms.`] }),
      };
    },
  );
}
