// Paths of the project, and helpers of the scripts for running other programs.
// Uses only Node built-ins, because this module runs in a new clone before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the project: the nearest one above this file that contains package-lock.json.
 * It is searched because the bundles of the end-to-end tests in out/ contain this module.
 */
export const root = findRoot(path.dirname(fileURLToPath(import.meta.url)));

/** @param {string} folder @returns {string} */
function findRoot(folder) {
  if (fs.existsSync(path.join(folder, "package-lock.json"))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error("Parley's scripts must be inside the project folder.");
  return findRoot(parent);
}

/**
 * A path inside the project.
 * @param {...string} parts
 */
export const inProject = (...parts) => path.join(root, ...parts);

/**
 * Prints a message to the terminal.
 * @param {string} sentence
 */
export function say(sentence) {
  console.log(sentence);
}

/** A problem that the user can act on. Entry points print its message without a stack. */
export class Problem extends Error {}

/**
 * Runs the main function of a script. A Problem prints its message, any other error prints its stack; both set exit
 * code 1.
 * @param {() => Promise<void>} work
 */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * The value of `--name=value` among the arguments, or undefined.
 * @param {string} name
 * @param {readonly string[]} [args]
 */
export function option(name, args = process.argv.slice(2)) {
  return args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/**
 * True if `--name` is one of the arguments.
 * @param {string} name
 */
export function flag(name) {
  return process.argv.slice(2).includes(`--${name}`);
}

/**
 * The full path of a command on the PATH, or undefined.
 * @param {string} command
 */
export function findOnPath(command) {
  const endings = process.platform === "win32" ? [".cmd", ".exe"] : [""];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean);
  const files = folders.flatMap(folder => endings.map(ending => path.join(folder, command + ending)));
  return files.find(file => fs.existsSync(file));
}

/**
 * Runs a program with its output in this terminal. Resolves with its exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

/**
 * Runs npm quietly. Throws a Problem with npm's output if it fails.
 * @param {readonly string[]} args
 * @param {{ cwd?: string, loud?: boolean }} [options]
 */
export function npm(args, { cwd = root, loud = false } = {}) {
  const [command, ...first] = npmCommand();
  const result = spawnSync(command, [...first, ...args], {
    cwd,
    env: npmEnvironment(),
    stdio: ["ignore", loud ? "inherit" : "ignore", loud ? "inherit" : "pipe"],
    encoding: "utf8",
    shell: command === "npm" && process.platform === "win32",
  });
  if (result.status === 0) return;
  const reason = result.error?.message ?? result.stderr ?? "";
  throw new Problem(`npm ${args.join(" ")} failed in ${cwd}.\n${reason}`.trim());
}

/**
 * The npm that started this process, if any. It can differ from the npm on the PATH.
 * @returns {[string, ...string[]]}
 */
function npmCommand() {
  const started = process.env["npm_execpath"];
  return started && /npm-cli\.c?js$/.test(started) ? [process.execPath, started] : ["npm"];
}

/** Removes the variables of `npm test`: an npm that inherits them would use the folder of this project as its own. */
function npmEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_local_prefix)/i.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_loglevel: "error" };
}

/**
 * Formats the elapsed seconds with one decimal.
 * @param {number} since a value of performance.now()
 */
export function secondsSince(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/**
 * Waits until a condition holds, checking every few milliseconds. Resolves with false after the time limit.
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} limitMs
 * @param {number} [everyMs]
 */
export async function waitFor(condition, limitMs, everyMs = 50) {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
  return true;
}
