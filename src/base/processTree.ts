// Ends a process with everything it started: politely, then by force, always within a bounded time. Stands in `base`
// because agents and terminals need it alike; the one file there that touches the system.
import { execFile, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { toDisposable, type Disposable } from "./lifecycle.ts";

/** How long processes have after SIGTERM, and how long we wait for them to be gone after SIGKILL. */
export interface KillTimes {
  readonly grace: number;
  readonly force: number;
}

export const killTimes: KillTimes = { grace: 2000, force: 1000 };
const pollInterval = 25;

/**
 * Ends the process group that `pid` leads and every descendant that left it. Resolves when all are gone, or when
 * nothing more can be done. `pid` must have been started as a group leader (`detached`) on POSIX.
 */
export async function killTree(pid: number, times: KillTimes = killTimes): Promise<void> {
  if (process.platform === "win32") return taskkill(pid);
  const first = await descendantsOf([pid]);
  signalAll(pid, first, "SIGTERM");
  if (await waitUntilGone(pid, first, times.grace)) return;
  const survivors = first.filter(isStillRunning);
  // And what those who do not listen started meanwhile.
  const rest = [...survivors, ...(await descendantsOf([pid, ...survivors.map(one => one.pid)]))];
  signalAll(pid, rest, "SIGKILL");
  await waitUntilGone(pid, rest, times.force);
}

/** Whether the group that `pid` leads, or led, has any process left. POSIX. */
export function isGroupAlive(pid: number): boolean {
  if (process.platform === "win32" || !sendSignal(-pid, 0)) return false;
  return process.platform !== "linux" || listLinuxProcesses().some(one => one.group === pid && one.state !== zombie);
}

/** Ends the tree by force when this process ends, by itself or, with a {@link ProcessGuard}, killed. Dispose when it is gone. */
export function killAtExit(pid: number): Disposable {
  if (atExit.size === 0) process.on("exit", killRemaining);
  atExit.add(pid);
  processGuard?.add(pid);
  return toDisposable(() => {
    atExit.delete(pid);
    processGuard?.delete(pid);
    if (atExit.size === 0) process.off("exit", killRemaining);
  });
}

/** Somebody else who ends the trees when this process is killed. */
export interface ProcessGuard {
  add(pid: number): void;
  delete(pid: number): void;
}

/** Tells `next` of every tree that {@link killAtExit} knows, now and later. */
export function setProcessGuard(next: ProcessGuard): Disposable {
  processGuard = next;
  for (const pid of atExit) next.add(pid);
  return toDisposable(() => {
    if (processGuard === next) processGuard = undefined;
  });
}
let processGuard: ProcessGuard | undefined;

const atExit = new Set<number>();
function killRemaining(): void {
  for (const pid of atExit) {
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    else sendSignal(-pid, "SIGKILL");
  }
}

function signalAll(pid: number, descendants: readonly ProcessStat[], signal: NodeJS.Signals): void {
  // A stopped process acts on SIGTERM only once it goes on.
  for (const target of [-pid, ...descendants.map(one => one.pid)])
    if (sendSignal(target, signal) && signal === "SIGTERM") sendSignal(target, "SIGCONT");
}

/** Sends a signal; false when there is nobody to get it. Signal 0 only asks. */
function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // EPERM: it is there, but another user's (a setuid program). It counts as alive, and we wait no longer than bounded.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function waitUntilGone(pid: number, descendants: readonly ProcessStat[], within: number): Promise<boolean> {
  for (const end = Date.now() + within; ;) {
    if (!isGroupAlive(pid) && !descendants.some(isStillRunning)) return true;
    if (Date.now() >= end) return false;
    await new Promise(resolve => setTimeout(resolve, pollInterval));
  }
}

/** Whether it lives, and is not another process that got its number. */
function isStillRunning(one: ProcessStat): boolean {
  if (process.platform !== "linux") return sendSignal(one.pid, 0);
  const now = readProcessStat(one.pid);
  return now !== undefined && now.started === one.started && now.state !== zombie;
}

/** Dead, but nobody has asked for its status yet: in a container without an init, perhaps never. */
const zombie = "Z";

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  /** When it started, in ticks since boot. Linux only. */
  readonly started: string;
}

async function descendantsOf(pids: readonly number[]): Promise<readonly ProcessStat[]> {
  const all = process.platform === "linux" ? listLinuxProcesses() : await listProcessesWithPs();
  const known = new Set(pids);
  // What is left of their groups, too: they may be gone themselves, and then nobody names them as a parent.
  const found = all.filter(one => known.has(one.group) && !known.has(one.pid));
  for (const { pid } of found) known.add(pid);
  for (let parents = new Set(known); parents.size > 0;) {
    const children = all.filter(one => parents.has(one.parent) && !known.has(one.pid));
    found.push(...children);
    parents = new Set(children.map(one => one.pid));
    for (const pid of parents) known.add(pid);
  }
  return found;
}

/** Linux: every process, from /proc. */
function listLinuxProcesses(): readonly ProcessStat[] {
  return readdirSync("/proc").flatMap(name => (/^\d+$/.test(name) ? (readProcessStat(Number(name)) ?? []) : []));
}

function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name, in parentheses, may hold anything, also parentheses.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group] = fields;
    return { pid, parent: Number(parent), group: Number(group), state, started: fields[19] ?? "" };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** Elsewhere: every process, from ps. Without ps only the group is known, which is nearly always enough. */
function listProcessesWithPs(): Promise<readonly ProcessStat[]> {
  return new Promise(resolve => {
    execFile("ps", ["-A", "-o", "pid=,ppid=,pgid="], { timeout: 1000 }, (_error, output) => {
      const rows = output.split("\n").map(line => line.trim().split(/\s+/).map(Number));
      const all = rows.map(([pid = 0, parent = 0, group = 0]) => ({ pid, parent, group, state: "", started: "" }));
      resolve(all.filter(one => one.pid > 1));
    });
  });
}

function taskkill(pid: number): Promise<void> {
  return new Promise(resolve => {
    execFile("taskkill", ["/pid", String(pid), "/t", "/f"], { timeout: 5000, windowsHide: true }, () => resolve());
  });
}
