// Finds and ends process trees. VS Code's terminals and agents lead their own process groups, so ending one group is
// not enough.
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
 * The process and its descendants, parents first. On Windows, the tree is unknown and the list is empty.
 * @param {number} pid
 * @returns {Process[]}
 */
export function processTree(pid) {
  const all = processes();
  /** @param {Process} process @returns {Process[]} */
  const below = process => [process, ...all.filter(each => each.parent === process.pid).flatMap(below)];
  return all.filter(each => each.pid === pid).flatMap(below);
}

/**
 * The processes that were started with this value of an environment variable. Known on Linux only.
 * @param {string} name
 * @param {string} value
 * @returns {Process[]}
 */
export function processesWith(name, value) {
  if (process.platform !== "linux") return [];
  return processes().filter(({ pid }) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${name}=${value}`);
    } catch {
      return false; // It has ended, or belongs to another user.
    }
  });
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
        return []; // The process ended during the read.
      }
    });
}

/** @param {string} pid @returns {Process} */
function readProc(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before the last parenthesis can contain spaces and parentheses.
  const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z") throw new Error("A zombie has already ended.");
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
 * Kills a process and its descendants immediately. It also works while the process is exiting.
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
 * Asks a process group to end, waits, and kills the processes of its tree that still run. Resolves with the commands of
 * the killed processes.
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
 * Whether that process still runs. A process with the same ID but another command is a different process.
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
    // If the process has already ended, there is nothing to do.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

/** The signals that request a process to end. */
export const endingSignals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Stores the actions at exit in the global object. Every end-to-end test file is a bundle with a copy of this module,
 * and the copies must not wait for each other to handle a signal.
 */
const holder = /** @type {{ parleyAtExit?: Set<() => void> }} */ (/** @type {unknown} */ (globalThis));

/**
 * Runs the action when this process ends, except by SIGKILL. Returns a function that removes the action.
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
  // Without a handler, a signal ends the process with no "exit" event. Code that cleans up first adds another handler.
  for (const name of endingSignals) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(130);
    });
  }
  return actions;
}
