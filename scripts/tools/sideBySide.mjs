// Runs several programs of Node.js at the same time, each with a time limit. Their output is printed one program after
// the other, as if they had run one after the other.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { endingSignals, killTree, whenExiting } from "./processes.mjs";
import { root } from "./project.mjs";

/** Output is accepted for this long after the end of its program. */
const lastWordsMs = 2000;

/**
 * Runs tasks at the same time as long as the processors that they need are free. The others wait, and start in the order in
 * which they were added.
 * @param {number} processors
 */
export function newLanes(processors) {
  let free = processors;
  /** @type {{ readonly needed: number, start(): void }[]} */
  const waiting = [];
  const startNext = () => {
    for (let next = waiting[0]; next && next.needed <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.needed;
      next.start();
    }
  };
  /**
   * @template T
   * @param {() => Promise<T>} work
   * @param {number} [count] of the processors that the task needs, at most all of them
   * @returns {Promise<T>}
   */
  return async (work, count = 1) => {
    const needed = Math.min(count, processors);
    await new Promise(resolve => {
      waiting.push({ needed, start: () => resolve(undefined) });
      startNext();
    });
    try {
      return await work();
    } finally {
      free += needed;
      startNext();
    }
  };
}

/** @typedef {{ print(text: string): void, end(): void }} Turn */

/** Hands out turns to print. Output before its turn is kept until all earlier turns have ended. */
export function newTurns() {
  /** @type {{ kept: string[], ended: boolean }[]} */
  const turns = [];
  const flush = () => {
    for (let first = turns[0]; first; first = turns[0]) {
      for (const text of first.kept.splice(0)) process.stdout.write(text);
      if (!first.ended) return;
      turns.shift();
    }
  };
  /** @returns {Turn} */
  return () => {
    /** @type {typeof turns[number]} */
    const turn = { kept: [], ended: false };
    turns.push(turn);
    return {
      print(text) {
        turn.kept.push(text);
        flush();
      },
      end() {
        turn.ended = true;
        flush();
      },
    };
  };
}

/**
 * Runs a program. When `watch` calls the function that it gets, ends the program with all processes that it started.
 * @param {readonly string[]} command
 * @param {(end: () => void) => () => void} watch starts to watch, and returns a function that stops it
 * @param {(text: string) => void} print
 * @param {{ inBackground?: boolean, folder?: string }} [how] `inBackground`: other programs have priority if there are too
 *   few processors. `folder`: where the program runs
 * @returns {Promise<number | "late">}
 */
export function runLimited(command, watch, print, { inBackground = false, folder = root } = {}) {
  const detached = inBackground && process.platform !== "win32";
  const child = spawn(process.execPath, command, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], detached });
  if (inBackground && child.pid) letOthersFirst(child.pid);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", print);
  const end = () => {
    if (child.pid) killTree(child.pid);
  };
  const forget = whenExiting(end);
  running.add(child);
  if (running.size === 1) for (const name of endingSignals) process.on(name, passSignal);
  return new Promise((resolve, reject) => {
    let late = false;
    const stopWatching = watch(() => {
      late = true;
      end();
    });
    /** @param {number | null} code */
    const ended = code => {
      stopWatching();
      forget();
      if (!running.delete(child)) return;
      if (running.size === 0) {
        for (const name of endingSignals) process.removeListener(name, passSignal);
        if (asked) process.exit(130);
      }
      resolve(late ? "late" : (code ?? 1));
    };
    child.on("error", reject);
    child.on("close", ended);
    // A process that was left behind can keep the output open forever.
    child.on("exit", code => setTimeout(ended, lastWordsMs, code).unref());
  });
}

/** For {@link runLimited}: ends the program after so many minutes. @param {number} minutes */
export function afterMinutes(minutes) {
  /** @param {() => void} end */
  return end => {
    const timer = setTimeout(end, minutes * 60_000);
    return () => clearTimeout(timer);
  };
}

/** The Unix niceness of background programs: they get a tenth of the processor time of the others. */
const niceness = 10;

/**
 * Lowers the priority of a program and of all that it will start. The program leads its own session, because Linux can
 * be configured to divide processor time between sessions first.
 * @param {number} pid
 */
function letOthersFirst(pid) {
  try {
    os.setPriority(pid, niceness);
    const group = `/proc/${pid}/autogroup`;
    if (fs.existsSync(group)) fs.writeFileSync(group, `${niceness}`);
  } catch (error) {
    // If the priority can't be changed, or the program has ended, the run only takes longer.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
let asked = false;

/** Lets the programs clean up on Ctrl+C: they stop servers and remove folders. */
function passSignal() {
  // The second Ctrl+C kills them.
  if (asked) process.exit(130);
  asked = true;
  for (const child of running) child.kill("SIGTERM");
}
