// Several sessions in a real VS Code: how soon the shown one is painted while others of its process stream or flood, how
// soon a long open session is painted after a click in the Sessions view, how soon the view lists 1,000 sessions, and the
// memory of an idle session.
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { chunksPerSecond, longWords } from "../support/agents/streamWords.mjs";
import type { StreamWatch } from "./paintedStreams.ts";
import { heapFile, heapOf } from "./extensionHostHeap.ts";
import { median, ms, p95, range, ratio, type Report, type Table } from "./report.ts";
import { SessionsWindow } from "./sessionsWindow.ts";
import { withVscode, type Vscode } from "./vscode.ts";

const streamCount = 16;
const storedCount = 1000;
const idleCount = 20;
/** Sessions that need so much memory that what else changes in the extension host does not count. */
const longCount = 8;
const rounds = 7;
/** Milliseconds, bytes, and a part. */
const limits = { task: 50, paint: 100, switch: 150, list: 50, session: 2_000_000, freed: 0.9 };

/** The parts to measure during development: `PARLEY_BENCH_PARTS=streams,switching,list,memory`; all by default. */
const parts = process.env["PARLEY_BENCH_PARTS"]?.split(",");
const measures = (part: string): boolean => parts?.includes(part) ?? true;

/** Runs the benchmark. */
export function run(): Promise<Report> {
  const agent = inProject("test", "support", "agents", "streams.mjs");
  const stream = { name: "Stream", command: process.execPath, args: [agent] };
  return withVscode(
    folder => ({ PARLEY_BENCH_HEAP: heapFile(folder) }),
    async vscode => {
      const reports: Report[] = [];
      if (measures("streams")) reports.push(await measureStreams(vscode));
      if (measures("switching")) reports.push(await measureSwitching(vscode));
      if (measures("memory")) reports.push(await measureMemory(vscode));
      if (measures("list")) reports.push(await measureList(vscode));
      return {
        tables: reports.flatMap(({ tables }) => tables),
        failures: reports.flatMap(({ failures }) => failures ?? []),
        versions: vscode.versions,
      };
    },
    { "parley.agents": { stream }, "parley.sessions.maxCount": 0 },
  );
}

async function openWindow(vscode: Vscode, name: string): Promise<{ window: SessionsWindow; folder: string }> {
  const folder = join(vscode.folder, name);
  mkdirSync(folder, { recursive: true });
  const page = await vscode.open(folder, { helper: true });
  await page.getByRole("button", { name: "Extensions started" }).waitFor({ timeout: 30_000 });
  const window = new SessionsWindow(page);
  await window.start();
  return { window, folder };
}

async function measureStreams(vscode: Vscode): Promise<Report> {
  const { window } = await openWindow(vscode, "streams");
  await window.send("stream");
  const alone = await window.watch();
  for (let opened = 1; opened < streamCount; opened++) await window.streamInNew("stream");
  const among = await window.watch();
  await window.answerInNew("stop");
  await window.streamInNew("flood");
  await window.streamInNew("stream");
  const flooded = await window.watch();
  await window.answerInNew("stop");
  await window.page.close();
  return streamReport([alone, among, flooded]);
}

function streamReport(sides: readonly StreamWatch[]): Report {
  const names = ["alone", `with ${streamCount - 1} others that stream`, "with one that floods"];
  const longest = (side: StreamWatch): number => Math.max(0, ...side.longTasks);
  const task = (side: StreamWatch): string => (longest(side) <= limits.task ? "≤ 50 ms" : ms(longest(side)));
  const [alone] = sides as [StreamWatch];
  const row = (title: string, of: (latencies: readonly number[]) => number, limit = ""): readonly string[] => [
    title,
    ...sides.map(({ latencies }, at) => {
      const value = of(latencies);
      return at === 0 ? ms(value) : `${ms(value)} (${ratio(value / of(alone.latencies))})`;
    }),
    limit,
  ];
  const failures = sides.flatMap((side, at) => [
    ...(p95(side.latencies) > limits.paint ? [`Text ${names[at]} is painted after ${ms(p95(side.latencies))}.`] : []),
    ...(longest(side) > limits.task ? [`A task of the panel ${names[at]} takes ${ms(longest(side))}.`] : []),
  ]);
  const table: Table = {
    columns: [`the shown session, ${chunksPerSecond} chunks a second`, ...names, "limit"],
    rows: [
      row("agent's write → paint, median", median),
      row("agent's write → paint, p95", p95, ms(limits.paint)),
      row("agent's write → paint, longest", latencies => Math.max(...latencies)),
      ["longest task of the panel", ...sides.map(task), ms(limits.task)],
      ["paints", ...sides.map(({ latencies }) => latencies.length.toString()), ""],
    ],
  };
  return { tables: [table], failures };
}

async function measureSwitching(vscode: Vscode): Promise<Report> {
  const { window } = await openWindow(vscode, "switching");
  await window.send("tiny");
  await window.ended();
  await window.answerInNew("long", longWords);
  const pane = await window.expand("Sessions");
  const short: number[] = [];
  const long: number[] = [];
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const there = await window.switchTime(pane, "tiny", "tiny");
    const back = await window.switchTime(pane, "long", longWords);
    if (round > 0) {
      short.push(there);
      long.push(back);
    }
  }
  await window.page.close();
  const [of, time] = [median(short), median(long)];
  return {
    tables: [
      {
        columns: ["click in the Sessions view → the session's end is painted", "median", "range", "ratio", "limit"],
        rows: [
          ["an open session of 2 messages", ms(of), range(short), ratio(1), ""],
          ["an open session of 10,000 updates", ms(time), range(long), ratio(time / of), ms(limits.switch)],
        ],
      },
    ],
    failures: time > limits.switch ? [`A long session is painted ${ms(time)} after the click.`] : [],
  };
}

/** Each list has one row more while it shows done sessions. The rows are in groups by day. */
async function measureList(vscode: Vscode): Promise<Report> {
  const { window: first, folder } = await openWindow(vscode, "list");
  await first.send("tiny");
  await first.ended();
  await first.page.close();
  writeEntries(newestStorage(join(vscode.dataDir, "data")), folder);
  const { window } = await openWindow(vscode, "list");
  const pane = await window.expand("Sessions");
  const rows = await window.expand("Rows");
  const parley: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round <= rounds * 2; round++) {
    const floor = await window.listTime(rows, "Bench: Toggle Row", "The toggled row");
    const own = await window.listTime(
      pane,
      round % 2 === 0 ? "Show Done Sessions" : "Hide Done Sessions",
      "Done session",
    );
    if (round > 0) {
      parley.push(own);
      alone.push(floor);
    }
  }
  await window.page.close();
  const [own, floor] = [median(parley), median(alone)];
  const more = own - floor;
  return {
    tables: [
      {
        columns: [
          `${storedCount.toLocaleString("en")} rows in a tree view, click → another row`,
          "median",
          "range",
          "ratio",
          "limit",
        ],
        rows: [
          ["VS Code with rows that are ready", ms(floor), range(alone), ratio(1), ""],
          ["the Sessions view", ms(own), range(parley), ratio(own / floor), `${ms(limits.list)} more`],
        ],
      },
    ],
    failures: more > limits.list ? [`Listing ${storedCount} sessions takes ${ms(more)}.`] : [],
  };
}

/** The folder in which the newest window stores its sessions. */
function newestStorage(data: string): string {
  const records = readdirSync(data, { recursive: true, encoding: "utf8" })
    .filter(file => /parley\.parley\/sessions\/window-[^/]+\.json$/.test(file))
    .map(file => ({ file: join(data, file), at: statSync(join(data, file)).mtimeMs }));
  const [newest] = records.sort((a, b) => b.at - a.at);
  if (!newest) throw new Error("No session was remembered.");
  return dirname(newest.file);
}

function writeEntries(storage: string, folder: string): void {
  const hour = 3_600_000;
  for (let i = 0; i < storedCount; i++) {
    const entry: SessionEntry = {
      ...{ id: `s${i}`, agent: "stream", agentName: "Stream", folder, status: "idle" },
      ...{ title: i === 0 ? "Done session" : `Fix the parser, part ${i}`, updated: Date.now() - i * hour },
      ...(i === 0 && { done: true }),
    };
    writeFileSync(join(storage, entryFileName(entry.id)), JSON.stringify(entry));
    writeFileSync(join(storage, `${entry.id}.jsonl`), '{"parley":2}\n');
  }
}

async function measureMemory(vscode: Vscode): Promise<Report> {
  const { window } = await openWindow(vscode, "memory");
  const file = heapFile(vscode.folder);
  const repeat = async (times: number, step: () => Promise<void>): Promise<void> => {
    for (let done = 0; done < times; done++) await step();
  };
  /** The memory before, with and after the sessions. The first sessions also load code, and fill the recorded traffic. */
  const memoryOf = async (count: number, make: () => Promise<void>): Promise<[number, number, number]> => {
    await repeat(count, make);
    await repeat(count, () => window.delete());
    const before = await heapOf(window.page, file);
    await repeat(count, make);
    const full = await heapOf(window.page, file);
    await repeat(count, () => window.delete());
    return [before, full, await heapOf(window.page, file)];
  };
  const idle = await memoryOf(idleCount, () => window.makeIdle());
  const long = await memoryOf(longCount, () => window.answerInNew("long", longWords));
  await window.page.close();
  const each = (idle[1] - idle[0]) / idleCount;
  const [before, full, after] = long;
  const freed = (full - after) / (full - before);
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
  return {
    tables: [
      {
        columns: ["sessions in the extension host, after garbage collection", "value", "limit"],
        rows: [
          [`each of ${idleCount} idle sessions (10 prompts, 200 updates)`, mb(each), mb(limits.session)],
          [`each of ${longCount} sessions of 10,000 updates`, mb((full - before) / longCount), ""],
          ["part of these that closing them frees", `${Math.round(freed * 100)}%`, `${limits.freed * 100}%`],
        ],
      },
    ],
    failures: [
      ...(each > limits.session ? [`An idle session needs ${mb(each)}.`] : []),
      ...(freed < limits.freed ? [`Closing a session frees ${Math.round(freed * 100)}% of its memory.`] : []),
    ],
  };
}
