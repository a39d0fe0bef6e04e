// The tools of the editor in the real VS Code, over HTTP: calls with large results, and how long they keep the extension
// host busy.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { inProject, waitFor } from "../../scripts/tools/project.mjs";
import { helperRun } from "./helperRun.ts";
import { openPanel } from "./panelSides.ts";
import { kB, median, ms, p95, type Report } from "./report.ts";
import { placeCount, placeFiles, problemCount, symbol, symbolFile, toolFile, toolLine } from "./toolFiles.ts";
import { withVscode } from "./vscode.ts";
import type { Stretches } from "./reviewedFiles.ts";

/** The longest time that Parley blocks other work of the extension host (ms). */
const maxStretch = 50;
const calls = 20;
const watchedRounds = 5;
/** The offset of a page in the middle. */
const middle = 2400;

interface Server {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

interface Case {
  readonly title: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** What the result counts. */
  readonly total: number;
}

export function run(): Promise<Report> {
  const outcomeIn = (folder: string): string => join(folder, "outcome.json");
  const agent = { name: "Tools", command: process.execPath, args: [inProject("test", "bench", "toolsAgent.mjs")] };
  const serversIn = (folder: string): string => join(folder, "servers.json");
  return withVscode(
    folder => ({ PARLEY_BENCH_REVIEW: outcomeIn(folder), PARLEY_BENCH_TOOLS: "1" }),
    async vscode => {
      const { page, frame, workspace, box } = await openPanel(vscode, fillWorkspace);
      await frame.getByRole("button", { name: /^Agent: / }).click();
      await frame.getByRole("menu", { name: "Agent" }).locator('[data-value="tools"]').click();
      await frame.getByRole("button", { name: "Agent: Tools" }).waitFor();
      await box.fill("begin");
      await box.press("Enter");
      await frame.getByRole("heading", { name: "You: begin" }).waitFor();
      await frame.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      const client = await connect(serversIn(vscode.folder));
      const command = helperRun(page, outcomeIn(vscode.folder));
      const at = { path: join(workspace, symbolFile), line: 1, symbol, kind: "references" };
      const cases: readonly Case[] = [
        { title: "the first page of problems", tool: "diagnostics", given: {}, total: problemCount },
        { title: "a later page of problems", tool: "diagnostics", given: { offset: middle }, total: problemCount },
        { title: "the first page of references", tool: "find_code", given: at, total: placeCount },
        { title: "a later page of references", tool: "find_code", given: { ...at, offset: middle }, total: placeCount },
      ];
      const rows: string[][] = [];
      const failures: string[] = [];
      for (const one of cases) {
        const times: number[] = [];
        let size = 0;
        // The first one is not compiled yet.
        await measuredCall(client, one);
        for (let call = 0; call < calls; call++) {
          const measured = await measuredCall(client, one);
          times.push(measured.time);
          size = Math.max(size, measured.size);
        }
        const stretches: Stretches[] = [];
        for (let round = 0; round < watchedRounds; round++) {
          await command("watch");
          await measuredCall(client, one);
          const { stretches: found } = await command("report");
          if (!found) throw new Error("The helper measured nothing.");
          stretches.push(found);
        }
        const own = Math.max(...stretches.map(stretch => stretch.own));
        const whole = median(stretches.map(stretch => stretch.whole));
        rows.push([one.title, ms(median(times)), ms(p95(times)), kB(size), ms(own), ms(whole)]);
        if (own > maxStretch)
          failures.push(
            `${one.title}: Parley blocked the extension host for ${ms(own)}, ${maxStretch} ms is the limit.`,
          );
      }
      await client.close();
      const columns = [
        `${problemCount.toLocaleString("en")} problems, ${placeCount.toLocaleString("en")} references, in VS Code`,
        ...["a call, p50", "p95", "answer", "Parley, longest", "all, p50"],
      ];
      return { tables: [{ columns, rows }], failures, versions: vscode.versions };
    },
    { "parley.editorTools": "read", "parley.agents": { tools: agent } },
  );
}

function fillWorkspace(workspace: string): void {
  writeFileSync(join(workspace, symbolFile), toolLine);
  for (let file = 0; file < placeFiles; file++)
    writeFileSync(join(workspace, toolFile(file)), toolLine.repeat(placeCount / placeFiles));
}

/** A client of the server that the agent got. */
async function connect(file: string): Promise<Client> {
  if (!(await waitFor(() => existsSync(file), 30_000, 50))) throw new Error("The agent got no servers.");
  const [server] = JSON.parse(readFileSync(file, "utf8")) as readonly Server[];
  if (!server) throw new Error("The agent got no server of the tools.");
  const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
  const client = new Client({ name: "bench", version: "0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  return client;
}

async function measuredCall(client: Client, { tool, given, total }: Case): Promise<{ time: number; size: number }> {
  const began = performance.now();
  const result = await client.callTool({ name: tool, arguments: { ...given } });
  const time = performance.now() - began;
  const found = result.structuredContent as { readonly total?: unknown } | undefined;
  if (found?.total !== total)
    throw new Error(`${tool} did not find everything: ${JSON.stringify(result).slice(0, 500)}`);
  return { time, size: Buffer.byteLength(JSON.stringify(result)) };
}
