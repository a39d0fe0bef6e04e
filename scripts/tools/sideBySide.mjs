// Several programs of Node.js at the same time, each with a limit, and each heard on its own: what they print comes one
// after the other, as if they had run so.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { endingSignals, killTree, whenExiting } from "./processes.mjs";
import { root } from "./project.mjs";

/** For how long output may come after the end of the program that it belongs to. */
const lastWordsMs = 2000;

/**
 * Lets that many pieces of work go on at once. The others wait, and begin in the order in which they came.
 * @param {number} count
 */
export function newLanes(count) {
  let free = count;
  /** @type {(() => void)[]} */
  const waiting = [];
  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  return async work => {
    if (free > 0) free--;
    else await new Promise(resolve => waiting.push(() => resolve(undefined)));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** @typedef {{ print(text: string): void, end(): void }} Turn */

/** Gives out turns to speak. What is said out of turn is kept until all turns before it have ended. */
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
 * Runs a program to its end, or ends it and all that it has started after so many minutes.
 * @param {readonly string[]} command
 * @param {number} minutes
 * @param {(text: string) => void} print
 * @param {{ inBackground?: boolean }} [how] whether others go first where there are too few processors
 * @returns {Promise<number | "late">}
 */
export function runLimited(command, minutes, print, { inBackground = false } = {}) {
  const detached = inBackground && process.platform !== "win32";
  const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached });
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
    const timer = setTimeout(() => {
      late = true;
      end();
    }, minutes * 60_000);
    /** @param {number | null} code */
    const ended = code => {
      clearTimeout(timer);
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
    // A process that was left behind may hold the output open for ever.
    child.on("exit", code => setTimeout(ended, lastWordsMs, code).unref());
  });
}

/** How far behind programs in the background are, as Unix counts: ten times less of a processor than the others. */
const niceness = 10;

/**
 * Puts a program, and all that it will start, behind the others. It leads a session of its own: Linux shares processors
 * out between sessions first, where it is set up so.
 * @param {number} pid
 */
function letOthersFirst(pid) {
  try {
    os.setPriority(pid, niceness);
    const group = `/proc/${pid}/autogroup`;
    if (fs.existsSync(group)) fs.writeFileSync(group, `${niceness}`);
  } catch (error) {
    // Where it may not be, or it has ended, everything only takes longer.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
let asked = false;

/** Lets the programs end in order at Ctrl+C: they have servers to stop and folders to remove. */
function passSignal() {
  // The second time they are killed.
  if (asked) process.exit(130);
  asked = true;
  for (const child of running) child.kill("SIGTERM");
}
