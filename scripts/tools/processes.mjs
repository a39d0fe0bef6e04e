// Process trees: finding all that a process has started, and ending it. VS Code's terminals and agents lead process
// groups of their own, so that ending one group is not enough.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { waitFor } from "./project.mjs";

/**
 * @typedef {object} Process
 * @property {number} pid
 * @property {number} parent
 * @property {number} memoryMb resident memory
 * @property {string} command
 */

/**
 * The process and everything below it, parents first. On Windows it is not known, and the list is empty.
 * @param {number} pid
 * @returns {Process[]}
 */
export function processTree(pid) {
  const all = processes();
  /** @param {Process} process @returns {Process[]} */
  const below = process => [process, ...all.filter(each => each.parent === process.pid).flatMap(below)];
  return all.filter(each => each.pid === pid).flatMap(below);
}

/** @returns {Process[]} */
function processes() {
  if (process.platform === "linux") return fromProc();
  return process.platform === "win32" ? [] : fromPs();
}

/** @returns {Process[]} */
function fromProc() {
  return fs
    .readdirSync("/proc")
    .filter(entry => /^\d+$/.test(entry))
    .flatMap(pid => {
      try {
        return [readProc(pid)];
      } catch {
        return []; // It ended while we were reading.
      }
    });
}

/** @param {string} pid @returns {Process} */
function readProc(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before the last parenthesis may hold spaces and parentheses itself.
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z") throw new Error("A zombie has ended already.");
  const memory = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  return { pid: Number(pid), parent: Number(parent), memoryMb: Math.round(Number(memory) / 1024), command };
}

/** @returns {Process[]} */
function fromPs() {
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,rss=,command="], { encoding: "utf8" }).trim().split("\n");
  return lines.flatMap(line => {
    const [, pid, parent, memory, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid
      ? [{ pid: Number(pid), parent: Number(parent), memoryMb: Math.round(Number(memory) / 1024), command }]
      : [];
  });
}

/**
 * Ends a process and all below it at once. It works while the process is exiting too.
 * @param {number} pid
 */
export function killTree(pid) {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    return;
  }
  for (const each of processTree(pid).reverse()) signal(each.pid, "SIGKILL");
}

/**
 * Asks a process group to end, waits, and kills what of its tree is still there. Resolves with the commands of those
 * that had to be killed.
 * @param {number} pid
 * @param {number} [limitMs]
 * @returns {Promise<string[]>}
 */
export async function endTree(pid, limitMs = 5000) {
  if (process.platform === "win32") {
    killTree(pid);
    return [];
  }
  const tree = processTree(pid);
  signal(-pid, "SIGTERM");
  const left = () => tree.filter(each => isSame(each));
  await waitFor(() => left().length === 0, limitMs);
  const killed = left();
  for (const each of killed) signal(each.pid, "SIGKILL");
  return killed.map(each => each.command);
}

/**
 * Whether that process still runs; a number used again by another program is not it.
 * @param {Process} process
 */
function isSame({ pid, command }) {
  return processes().some(each => each.pid === pid && each.command === command);
}

/** @param {number} pid @param {NodeJS.Signals} name */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone already is what was wanted.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/** The signals that ask a process to end. */
export const endingSignals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Where it is noted what is to be done at exit: outside of this module, because every end-to-end test file is a bundle
 * with a copy of it, and the copies must not each wait for the others to answer a signal.
 */
const holder = /** @type {{ parleyAtExit?: Set<() => void> }} */ (/** @type {unknown} */ (globalThis));

/**
 * Does something when this process ends, however it ends short of SIGKILL. Returns a function that takes it back.
 * @param {() => void} action
 */
export function whenExiting(action) {
  const actions = (holder.parleyAtExit ??= watchForExit());
  actions.add(action);
  return () => void actions.delete(action);
}

/** @returns {Set<() => void>} */
function watchForExit() {
  /** @type {Set<() => void>} */
  const actions = new Set();
  process.on("exit", () => actions.forEach(action => action()));
  // Without a handler a signal ends the process with no "exit" event. Whoever wants to end in order adds one more.
  for (const name of endingSignals) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(130);
    });
  }
  return actions;
}
