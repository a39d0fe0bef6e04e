// Kills a process and all its descendants: first with SIGTERM, then with SIGKILL, within a bounded time. It is in
// `base` because agents and terminals both need it.
import { execFile, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { toDisposable, type Disposable } from "./lifecycle.ts";

/** How long to wait for processes to exit after SIGTERM (`grace`) and after SIGKILL (`force`), in milliseconds. */
export interface KillTimes {
  readonly grace: number;
  readonly force: number;
}

export const killTimes: KillTimes = { grace: 2000, force: 1000 };
const pollInterval = 25;

/**
 * Kills the process group that `pid` leads and all descendants that left the group. Resolves when all have exited, or
 * after the time limit. On POSIX, `pid` must have been started as a group leader (`detached`).
 */
export async function killTree(pid: number, times: KillTimes = killTimes): Promise<void> {
  if (process.platform === "win32") return taskkill(pid);
  const first = await descendantsOf([pid]);
  signalAll(pid, first, "SIGTERM");
  if (await waitUntilGone(pid, first, times.grace)) return;
  const survivors = first.filter(isStillRunning);
  // Also kill the processes that the survivors have started in the meantime.
  const rest = [...survivors, ...(await descendantsOf([pid, ...survivors.map(one => one.pid)]))];
  signalAll(pid, rest, "SIGKILL");
  await waitUntilGone(pid, rest, times.force);
}

/** Whether the group that `pid` leads or led still has a process. POSIX only. */
export function isGroupAlive(pid: number): boolean {
  if (process.platform === "win32" || !sendSignal(-pid, 0)) return false;
  return process.platform !== "linux" || listLinuxProcesses().some(one => one.group === pid && one.state !== zombie);
}

/**
 * Kills the tree when this process exits or, with a {@link ProcessGuard}, when it is killed. Dispose when the tree has
 * exited.
 */
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

/** Another process that kills the trees when this process is killed. */
export interface ProcessGuard {
  add(pid: number): void;
  delete(pid: number): void;
}

/** Adds every tree of {@link killAtExit} to the guard, now and in the future. */
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
  // A stopped process handles SIGTERM only after it continues.
  for (const target of [-pid, ...descendants.map(one => one.pid)])
    if (sendSignal(target, signal) && signal === "SIGTERM") sendSignal(target, "SIGCONT");
}

/** Sends a signal. False if there is no such process. Signal 0 only checks. */
function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user (a setuid program). It counts as alive, and the wait is bounded.
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

/** Whether the process still runs, and its id was not reused by another process. */
function isStillRunning(one: ProcessStat): boolean {
  if (process.platform !== "linux") return sendSignal(one.pid, 0);
  const now = readProcessStat(one.pid);
  return now !== undefined && now.started === one.started && now.state !== zombie;
}

/**
 * Has exited, but its parent has not read its status. In a container without an init process, that may never happen.
 */
const zombie = "Z";

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  /** The start time in ticks since boot. Linux only. */
  readonly started: string;
}

async function descendantsOf(pids: readonly number[]): Promise<readonly ProcessStat[]> {
  const all = process.platform === "linux" ? listLinuxProcesses() : await listProcessesWithPs();
  const known = new Set(pids);
  // Include the other members of their groups: after a leader has exited, no process names it as its parent.
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

/** All processes, from /proc. */
function listLinuxProcesses(): readonly ProcessStat[] {
  return readdirSync("/proc").flatMap(name => (/^\d+$/.test(name) ? (readProcessStat(Number(name)) ?? []) : []));
}

function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in parentheses and may itself contain parentheses.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group] = fields;
    return { pid, parent: Number(parent), group: Number(group), state, started: fields[19] ?? "" };
  } catch {
    return undefined; // The process has exited in the meantime.
  }
}

/** All processes, from ps, on other systems. Without ps only the group is known, which is nearly always enough. */
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
