// Plants the faults of test/faults, one after the other, in a copy of the project, and checks that the tests find them:
//   npm run test:faults                        all faults
//   npm run test:faults -- --part=1/4          the first quarter of them
//   npm run test:faults -- --only=unsaved      those with this in their name
//   npm run test:faults -- --only=unsaved --by=test/e2e/reviewEditor.test.ts,test/mcp/envFile.test.ts
//                                              whether these test files find it
// For each fault, the copy is built once, with only the test files that found the fault (`foundBy` in faults.json). They
// run suite by suite, the fastest suite first, until a test fails. The last line printed is "N found, N not found", and
// the exit code is 0 only if all were found.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { mochaCommand } from "./tools/mocha.mjs";
import { faultSuites, patchOf, readFaults, suiteOf } from "./tools/plantedFaults.mjs";
import { whenExiting } from "./tools/processes.mjs";
import { inProject, main, option, Problem, root, say, secondsSince } from "./tools/project.mjs";
import { maxQuietSeconds, whenQuiet } from "./tools/quiet.mjs";
import { readResults } from "./tools/results.mjs";
import { runLimited } from "./tools/sideBySide.mjs";
import { ensureChromium } from "./vscode/chromium.mjs";
import { vscodeForTests } from "./vscode/vscodeForTests.mjs";

/** @typedef {import("./tools/plantedFaults.mjs").PlantedFault} PlantedFault */
/** @typedef {{ isFound: boolean, how: string }} Outcome `how`: the test that failed, or why none did */

/** A suite that watches itself for silence has this long to report and clean up. Seconds. */
const reportSeconds = 30;

await main(async () => {
  const faults = chosenFaults();
  ensureInstalled();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "parley-faults-"));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forget = whenExiting(remove);
  let found = 0;
  try {
    const copy = copyProject(path.join(folder, "project"));
    for (const fault of faults) {
      const started = performance.now();
      const { isFound, how } = await plant(fault, copy, path.join(folder, "results.json"));
      if (isFound) found++;
      say(`${isFound ? "found    " : "NOT FOUND"} ${secondsSince(started).padStart(8)}  ${fault.name}: ${how}`);
    }
  } finally {
    remove();
    forget();
  }
  if (found < faults.length) process.exitCode = 1;
  say(`${found} found, ${faults.length - found} not found`);
});

/** @returns {readonly PlantedFault[]} */
function chosenFaults() {
  const all = readFaults();
  const only = option("only");
  const by = option("by")?.split(",");
  const missing = by?.find(file => !fs.existsSync(inProject(file)));
  if (missing !== undefined) throw new Problem(`There is no test file ${missing}.`);
  const [part = NaN, parts = NaN] = (option("part") ?? "1/1").split("/").map(Number);
  if (!(part >= 1 && part <= parts)) throw new Problem("The part must be like 1/4.");
  const chosen = all
    .slice(Math.floor(((part - 1) * all.length) / parts), Math.floor((part * all.length) / parts))
    .filter(({ name }) => only === undefined || name.includes(only));
  if (chosen.length === 0) throw new Problem(`No fault${only === undefined ? "" : ` is named ${only}`}.`);
  return chosen.map(fault => (by ? { ...fault, foundBy: by } : fault));
}

/**
 * Copies the project as it is now, without its tests.
 * @param {string} copy
 */
function copyProject(copy) {
  const listed = spawnSync("git", ["ls-files", "-coz", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  if (listed.status !== 0) throw new Problem(`The files could not be listed. ${listed.stderr}`);
  const files = listed.stdout.split("\0").filter(file => file !== "" && !/\.(?:test|bench)\.ts$/.test(file));
  for (const file of files) if (fs.existsSync(inProject(file))) copyFile(file, copy);
  fs.symlinkSync(inProject("node_modules"), path.join(copy, "node_modules"), "junction");
  return copy;
}

/** @param {string} file @param {string} copy */
function copyFile(file, copy) {
  fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
  fs.copyFileSync(inProject(file), path.join(copy, file));
}

/**
 * Builds the copy with the fault, runs the tests, and removes both again.
 * @param {PlantedFault} fault
 * @param {string} copy
 * @param {string} results
 * @returns {Promise<Outcome>}
 */
async function plant({ name, foundBy }, copy, results) {
  const patch = inProject(patchOf(name));
  if (!apply(copy, patch)) return { isFound: false, how: "its patch does not apply" };
  for (const file of foundBy) copyFile(file, copy);
  try {
    const { code, output } = await runIn(copy, ["esbuild.mjs", "--production", "--tests"]);
    if (code !== 0) return { isFound: false, how: `it cannot be built\n${output}` };
    let passed = 0;
    for (const suite of faultSuites) {
      const files = foundBy.filter(file => suiteOf(file) === suite);
      if (files.length === 0) continue;
      const outcome = await runSuite(suite, files, copy, results);
      if ("how" in outcome) return outcome;
      passed += outcome.passed;
    }
    return { isFound: false, how: `${passed} tests passed` };
  } finally {
    for (const file of foundBy) fs.rmSync(path.join(copy, file));
    if (!apply(copy, patch, "--reverse")) throw new Error(`${name} could not be removed.`);
  }
}

/** @param {string} copy @param {string} patch @param {readonly string[]} options */
function apply(copy, patch, ...options) {
  return spawnSync("git", ["apply", ...options, patch], { cwd: copy, stdio: "ignore" }).status === 0;
}

/**
 * Runs test files of one suite until a test fails.
 * @param {typeof faultSuites[number]} suite
 * @param {readonly string[]} files
 * @param {string} copy
 * @param {string} results
 * @returns {Promise<Outcome | { passed: number }>}
 */
async function runSuite(suite, files, copy, results) {
  if (suite !== "unit") process.env["CHROMIUM_PATH"] = ensureChromium();
  if (suite === "host" || suite === "e2e") await vscodeForTests();
  const built = files.map(file => path.join(copy, "out", file.replace(/\.ts$/, ".mjs")));
  // The build of the copy has only these files of the host.
  const command =
    suite === "host"
      ? ["scripts/test-host.mjs", "--bail", `--results=${results}`]
      : mochaCommand(built, { results, bail: true });
  fs.rmSync(results, { force: true });
  const { code, output } = await runIn(copy, command, results);
  const { tests, finished } = readResults(results);
  const failed = tests.find(({ state }) => state === "failed");
  if (failed) return { isFound: true, how: `${suite}: ${failed.title}` };
  if (!finished || code !== 0) return { isFound: false, how: `${suite} broke off (${code})\n${output.slice(-2000)}` };
  return { passed: tests.filter(({ state }) => state === "passed").length };
}

/** @param {string} copy @param {readonly string[]} command @param {string} [results] the file that must keep growing */
async function runIn(copy, command, results) {
  let output = "";
  /** @param {() => void} end */
  const watch = end => (results ? whenQuiet(results, end, maxQuietSeconds + reportSeconds) : () => {});
  const code = await runLimited(command, watch, text => (output += text), { folder: copy });
  return { code, output };
}
