// The real panel in the real VS Code: a flood, typing while an answer streams, opening a long session, and what it holds.
import { measureFlood } from "./panelFlood.ts";
import { heapOf, measureHeap } from "./panelHeap.ts";
import { measureOpening } from "./panelOpening.ts";
import { openFloor, openPanel } from "./panelSides.ts";
import { measureTyping } from "./panelTyping.ts";
import type { Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

/** Measures all of it, in one VS Code. */
export function run(): Promise<Report> {
  const wanted = (process.env["PARLEY_BENCH_PARTS"] ?? "abcd").split("");
  return withVscode(
    () => ({ PARLEY_BENCH_STAMPS: "1" }),
    async vscode => {
      const say = <R extends Report>(report: R): R => (
        console.error(JSON.stringify([report.tables, report.failures])),
        report
      );
      const none: Report = { tables: [] };
      const opening = wanted.includes("c") ? say(await measureOpening(vscode)) : undefined;
      const floor = await openFloor(vscode);
      const panel = await openPanel(vscode);
      const typing = wanted.includes("b") ? say(await measureTyping(panel, floor)) : none;
      const afterTyping = await heapOf(panel.page);
      const flood = wanted.includes("a") ? say(await measureFlood(panel, floor)) : none;
      const afterFlood = await heapOf(panel.page);
      const heap = wanted.includes("d")
        ? await measureHeap(panel, [
            ["(a), one answer of 240 kB", afterFlood],
            ["(b), one answer of 144 kB", afterTyping],
            ...(opening ? [["(c), a session of 10,000 updates", opening.heap] as const] : []),
          ])
        : none;
      const reports = [flood, typing, opening ?? none, heap];
      return {
        tables: reports.flatMap(report => report.tables),
        failures: reports.flatMap(report => report.failures ?? []),
        versions: vscode.versions,
      };
    },
  );
}
