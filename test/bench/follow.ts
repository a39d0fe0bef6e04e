// Follow mode: the time from the update with the agent's location, inside the extension host, to the agent's name next
// to the line in the window of the real VS Code.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../scripts/tools/project.mjs";
import { agentName, type AgentUpdate } from "./followPlaces.ts";
import { median, ms, p95, range, type Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

/** The maximum of the median (ms). */
const limit = 50;
const warmUp = 3;

/** Records in the page when the agent's name first appears next to each line. */
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
      const updates = JSON.parse(readFileSync(file, "utf8")) as readonly AgentUpdate[] | { readonly error: string };
      if ("error" in updates) throw new Error(updates.error);
      const seen = await page.evaluate<Readonly<Record<number, number>>>("window.seenNames");
      const times = updates.slice(warmUp).map(({ line, at }) => {
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
