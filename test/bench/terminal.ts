// 100 MB of a command's output at full speed, through a terminal of Parley into the session, compared with `cat` to a
// pipe whose data is dropped. Memory is measured during the run and after garbage collection.
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { systemClock } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession } from "../../src/session/state.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionTerminals } from "../../src/terminals/sessionTerminals.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";

const megabyte = 1024 * 1024;
const size = 100 * megabyte;
const ring = megabyte;
const rounds = 5;
/** The maximum memory beyond the ring, in bytes: after garbage collection, and at the peak. */
const limits = { retained: 16 * megabyte, peak: 64 * megabyte };
const mostEvents = 30;

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

/** The memory of JavaScript and its buffers. */
function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Run {
  readonly wall: number;
  readonly peak: number;
  readonly retained: number;
  readonly mostUpdates: number;
}

/** Runs the flood several times, alternating with the floor. */
export async function run(): Promise<Report> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-bench-terminal-")));
  try {
    const file = join(folder, "output.txt");
    writeFileSync(file, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n".repeat(size / 64));
    const floors: number[] = [];
    const runs: Run[] = [];
    for (let round = 0; round <= rounds; round++) {
      const floor = await toPipe(file);
      const one = await toTerminal(folder, file);
      // The first run is a warm-up.
      if (round === 0) continue;
      floors.push(floor);
      runs.push(one);
    }
    const walls = runs.map(({ wall }) => wall);
    const retained = Math.max(...runs.map(one => one.retained));
    const peak = Math.max(...runs.map(one => one.peak));
    const events = Math.max(...runs.map(one => one.mostUpdates));
    const mb = (bytes: number): string => `${(bytes / megabyte).toFixed(1)} MB`;
    return {
      tables: [
        {
          columns: [
            "100 MB of output",
            "median",
            "range",
            "ratio",
            "held after",
            "peak",
            "updates in the busiest second",
          ],
          rows: [
            ["`cat` to a pipe, thrown away", ms(median(floors)), range(floors), ratio(1), "", "", ""],
            [
              "terminal, ring of 1 MB, session",
              ms(median(walls)),
              range(walls),
              ratio(median(walls) / median(floors)),
              mb(retained),
              mb(peak),
              String(events),
            ],
          ],
        },
      ],
      failures: [
        ...(retained > ring + limits.retained ? [`A terminal holds ${mb(retained)} after 100 MB of output.`] : []),
        ...(peak > ring + limits.peak ? [`A terminal needs ${mb(peak)} during 100 MB of output.`] : []),
        ...(events > mostEvents ? [`A terminal reports ${events} updates in a second.`] : []),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function toPipe(file: string): Promise<number> {
  const started = performance.now();
  const child = spawn("cat", [file], { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.resume();
  await new Promise<void>((resolve, reject) => child.on("error", reject).on("close", () => resolve()));
  return performance.now() - started;
}

async function toTerminal(cwd: string, file: string): Promise<Run> {
  collect();
  const before = held();
  let state = emptySession;
  let seq = 0;
  const updates: number[] = [];
  const report = (event: SessionEvent): void => {
    state = reduce(state, { seq: seq++, at: Date.now(), event });
    updates.push(performance.now());
  };
  const confinement = new Confinement(nodePaths(), [cwd]);
  const terminals = new SessionTerminals({
    confinement,
    workspaceFolder: cwd,
    environment: hostEnvironment,
    report,
    clock: systemClock,
  });
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, held())), 5);
  const started = performance.now();
  const id = await terminals.createTerminal({ command: "cat", args: [file], outputByteLimit: ring });
  const exit = await terminals.waitForTerminalExit(id, new AbortController().signal);
  const wall = performance.now() - started;
  clearInterval(watch);
  most = Math.max(most, held());
  const { output, truncated } = await terminals.terminalOutput(id);
  const shown = state.terminals.get(id)?.output ?? "";
  if (exit.exitCode !== 0 || !truncated || output.length !== ring || !shown.endsWith(output.slice(-1000))) {
    throw new Error("The terminal did not keep the end of the output.");
  }
  collect();
  const retained = held() - before;
  await terminals.close();
  const busiest = updates.map(from => updates.filter(at => at >= from && at < from + 1000).length);
  return { wall, peak: most - before, retained, mostUpdates: Math.max(...busiest) };
}
