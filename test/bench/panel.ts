// The real panel in the real VS Code: floods of text and of tool calls, typing while an answer streams, opening a long
// session, and its memory.
import { measureFlood } from "./panelFlood.ts";
import { heapOf, measureHeap } from "./panelHeap.ts";
import { measureOpening } from "./panelOpening.ts";
import { openFloor, openPanel } from "./panelSides.ts";
import { measureToolCalls } from "./panelToolCalls.ts";
import { measureTyping } from "./panelTyping.ts";
import type { Report } from "./report.ts";
import { withVscode } from "./vscode.ts";

/** The parts to measure during development: `PARLEY_BENCH_PARTS=opening,typing,flood,toolCalls`; all by default. */
const parts = process.env["PARLEY_BENCH_PARTS"]?.split(",");

/** Measures all parts, in one VS Code. */
export function run(): Promise<Report> {
  if (parts) return runParts(parts);
  return withVscode(
    () => ({ PARLEY_BENCH_STAMPS: "1" }),
    async vscode => {
      const opening = await measureOpening(vscode);
      const floor = await openFloor(vscode);
      const panel = await openPanel(vscode);
      const typing = await measureTyping(panel, floor);
      const afterTyping = await heapOf(panel.page);
      const flood = await measureFlood(panel, floor);
      const flooded = await heapOf(panel.page);
      const toolCalls = await measureToolCalls(panel);
      const heap = await measureHeap(panel, [
        ["(a), one answer of 240 kB", flooded],
        ["(b), one answer of 144 kB", afterTyping],
        ["(c), a session of 10,000 updates", opening.heap],
      ]);
      const reports = [flood, typing, opening, heap, toolCalls];
      return {
        tables: reports.flatMap(report => report.tables),
        failures: reports.flatMap(report => report.failures ?? []),
        versions: vscode.versions,
      };
    },
  );
}

function runParts(wanted: readonly string[]): Promise<Report> {
  return withVscode(
    () => ({ PARLEY_BENCH_STAMPS: "1" }),
    async vscode => {
      const reports: Report[] = [];
      if (wanted.includes("opening")) reports.push(await measureOpening(vscode));
      if (wanted.some(part => part !== "opening")) {
        const floor = await openFloor(vscode);
        const panel = await openPanel(vscode);
        if (wanted.includes("typing")) reports.push(await measureTyping(panel, floor));
        if (wanted.includes("flood")) reports.push(await measureFlood(panel, floor));
        if (wanted.includes("toolCalls")) reports.push(await measureToolCalls(panel));
      }
      return {
        tables: reports.flatMap(report => report.tables),
        failures: reports.flatMap(report => report.failures ?? []),
        versions: vscode.versions,
      };
    },
  );
}
