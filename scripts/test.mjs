// Runs all tests or some of them, also in a new clone:
//   npm test                                      everything
//   node scripts/test.mjs unit host               some suites
//   node scripts/test.mjs e2e --grep="a prompt"   some tests
//   node scripts/test.mjs host --vscode=minimum   in the oldest supported VS Code
// Suites and their parts run at the same time as long as there are processors for them. The output of each is printed
// as one block, and meanwhile how far each one is. At the end come the slowest tests and the titles of the
// failed ones with their reasons. The last line printed is "N passed, N failed", and the exit code is 0 only if nothing
// failed. All results are in out/test/results.json.
// If few tests of a whole run failed, each of them runs once more, alone. One that passes there is unstable: it is
// printed with the reason of its failure, counted apart, and does not fail the run.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { mochaCommand } from "./tools/mocha.mjs";
import { inProject, main, option, Problem, run, say, secondsSince } from "./tools/project.mjs";
import { maxQuietSeconds, whenQuiet } from "./tools/quiet.mjs";
import { notRunTests, readResults } from "./tools/results.mjs";
import { maxUnstable, onlyTitle, withSecondResults } from "./tools/secondRun.mjs";
import { newLanes, newTurns, runLimited } from "./tools/sideBySide.mjs";
import { ensureChromium } from "./vscode/chromium.mjs";
import { vscodeForTests } from "./vscode/vscodeForTests.mjs";

/**
 * The linter reports nothing until it has seen all files, which takes minutes beside other suites.
 * @param {string} name of the suite
 */
const quietSecondsOf = name => (name === "check" ? 3 * maxQuietSeconds : maxQuietSeconds);

/** @typedef {import("./tools/results.d.mts").TestResult} TestResult */

/**
 * @typedef {object} Suite
 * @property {string} about
 * @property {(resultsFile: string, share: Share) => readonly string[]} command the arguments for Node.js
 * @property {readonly (() => unknown)[]} needs the preparations
 * @property {number} [parts] the number of programs that share the tests
 * @property {number} [processors] that each of these programs keeps busy. Default: 1
 * @property {boolean} [inBackground] whether it runs beside the others, with the processor time that they leave
 */

/**
 * The tests of a suite that a program runs: one of the parts, and of it the tests whose titles match `grep`.
 * @typedef {{ readonly part: number, readonly parts: number, readonly grep: string | undefined }} Share
 */

/**
 * `ms`: how long the parts of the suite took, added up.
 * @typedef {{ name: string, tests: readonly TestResult[], ms: number, notRun?: readonly string[] }} Outcome
 */

const vscodeName = option("vscode");
const grep = option("grep");
const chromium = () => (process.env["CHROMIUM_PATH"] = ensureChromium());
/** @type {ReturnType<typeof vscodeForTests> | undefined} */
let preparedVscode;
/** Several parts need it, and it is installed once. */
const vscode = () => (preparedVscode ??= vscodeForTests(vscodeName));

/** These tests often wait for the file system, so a window keeps less than one processor busy. */
const hostParts = grep ? 1 : 2;

/** Several parts of similar length, so that all lanes finish at about the same time. */
const unitParts = 2;
const webviewParts = 4;

/** VS Code consists of several processes. With one processor, its tests take twice as long, and some fail. */
const vscodeProcessors = 2;

/** Each part opens the windows that its tests share. Parts that run one after the other would only open them again. */
const e2eParts = os.availableParallelism() < 2 * vscodeProcessors ? 1 : 2;

/** The suites start in this order: those whose parts take longest first. @type {Readonly<Record<string, Suite>>} */
const suites = {
  host: {
    about: "inside the extension host of a real VS Code",
    command: (results, { part, parts, grep }) => [
      "scripts/test-host.mjs",
      `--results=${results}`,
      `--part=${part + 1}/${parts}`,
      ...(grep ? [`--grep=${grep}`] : []),
    ],
    needs: [chromium, vscode],
    parts: hostParts,
    processors: vscodeProcessors / hostParts,
  },
  e2e: {
    about: "the workbench of a real VS Code, as a person uses it",
    command: (results, share) =>
      mocha(
        results,
        testFiles(folder => folder === "e2e"),
        share,
      ),
    needs: [chromium, vscode],
    parts: e2eParts,
    processors: vscodeProcessors,
  },
  joined: {
    about: "real agents and the panel in Chromium, without VS Code",
    command: (results, share) =>
      mocha(
        results,
        testFiles(folder => folder === "joined"),
        share,
      ),
    needs: [chromium],
  },
  unit: {
    about: "everything that needs no editor",
    command: (results, share) =>
      mocha(
        results,
        testFiles(folder => !["webview", "joined", "host", "e2e"].includes(folder)),
        share,
      ),
    needs: [],
    parts: unitParts,
  },
  webview: {
    about: "the panel in Chromium",
    command: (results, share) =>
      mocha(
        results,
        testFiles(folder => folder === "webview"),
        share,
      ),
    needs: [chromium],
    parts: webviewParts,
  },
  check: {
    about: "types, lint and format",
    command: results => ["scripts/check.mjs", `--results=${results}`],
    needs: [],
    inBackground: true,
  },
};

/** The results of all suites. */
const resultsFile = "out/test/results.json";

/** A suite that watches itself for silence, as `host` does, has this long to report and clean up. Seconds. */
const reportSeconds = 30;

/** How often the progress of the running suites is printed. Milliseconds. */
const progressInterval = 30_000;

/** Of the reason for a failure, this much is repeated at the end. All of it is in the results. */
const maxReasonLines = 12;
const maxReasonWidth = 300;

/** The suites that run, or parts of them, with their files of results. @type {Map<string, string>} */
const inProgress = new Map();

const lanes = newLanes(Math.max(2, os.availableParallelism()));
const newTurn = newTurns();

await main(async () => {
  const names = chosenSuites();
  ensureInstalled();
  if (vscodeName) process.env["PARLEY_VSCODE"] = vscodeName;
  const build = await buildAll();
  const built = build.tests.every(step => step.state === "passed");
  /** @param {string} name @returns {Promise<Outcome>} */
  const outcomeOf = async name => (built || name === "check" ? runSuite(name) : couldNotRun(name, "The build failed."));
  const progress = printProgress();
  const outcomes = await Promise.all(names.map(outcomeOf));
  clearInterval(progress);
  summarize(await runFailedAgain([build, ...outcomes]));
});

/** @returns {string[]} */
function chosenSuites() {
  const named = process.argv.slice(2).filter(arg => !arg.startsWith("--"));
  const unknown = named.find(name => !(name in suites));
  if (!unknown) return Object.keys(suites).filter(name => named.length === 0 || named.includes(name));
  const known = Object.entries(suites).map(([name, suite]) => `  ${name}: ${suite.about}`);
  throw new Problem(`There is no suite "${unknown}". The suites are:\n${known.join("\n")}`);
}

/**
 * Builds the extension as users get it, and the tests.
 * @returns {Promise<Outcome>}
 */
async function buildAll() {
  heading("build");
  const started = performance.now();
  const title = "the extension and its tests";
  const code = await run(process.execPath, ["esbuild.mjs", "--production", "--tests"]);
  /** @type {TestResult} */
  const step =
    code === 0 ? { title, state: "passed" } : { title, state: "failed", error: `esbuild.mjs ended with ${code}.` };
  return { name: "build", tests: [step], ms: performance.now() - started };
}

/** @param {string} results @param {readonly string[]} files @param {Share} share */
function mocha(results, files, { part, parts, grep }) {
  return mochaCommand(inPart(files, part, parts), { results, grep });
}

/**
 * The built tests whose folder inside test/ matches.
 * @param {(folder: string) => boolean} wanted
 */
function testFiles(wanted) {
  const files = fs.readdirSync(inProject("out", "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter(file => file.endsWith(".test.mjs") && wanted(file.split(path.sep)[0] ?? ""))
    .sort()
    .map(file => inProject("out", "test", file));
}

/** Each part gets files from the whole list. @param {readonly string[]} files @param {number} part @param {number} parts */
function inPart(files, part, parts) {
  return files.filter((_, at) => at % parts === part);
}

/** @param {string} name @returns {Promise<Outcome>} */
async function runSuite(name) {
  const suite = /** @type {Suite} */ (suites[name]);
  const parts = await Promise.all(Array.from({ length: suite.parts ?? 1 }, (_, part) => runPart(name, suite, part)));
  const tests = parts.flatMap(part => part.tests);
  const empty = tests.length === 0 && !grep;
  return {
    name,
    tests: empty ? failure(`${name} has no tests`) : tests,
    ms: parts.reduce((sum, part) => sum + part.ms, 0),
    notRun: parts.flatMap(part => part.notRun ?? []),
  };
}

/**
 * Runs the failed tests once more, each in a process of its own, unless the user chose tests or too many failed.
 * @param {readonly Outcome[]} outcomes
 * @returns {Promise<readonly Outcome[]>}
 */
async function runFailedAgain(outcomes) {
  const failed = outcomes.flatMap(({ tests }) => tests.filter(({ state }) => state === "failed"));
  if (grep || failed.length === 0 || failed.length > maxUnstable) return outcomes;
  heading("the failed tests once more, alone");
  /** @param {Outcome} outcome @returns {Promise<Outcome>} */
  const again = async outcome => {
    const suite = suites[outcome.name];
    if (!suite || (outcome.notRun ?? []).length > 0) return outcome;
    const tests = await withSecondResults(outcome.tests, async title => {
      const file = inProject("out", "results", `${outcome.name}-again.json`);
      fs.rmSync(file, { force: true });
      const share = { part: 0, parts: 1, grep: onlyTitle(title) };
      const watch = (/** @type {() => void} */ end) => whenQuiet(file, end, maxQuietSeconds + reportSeconds);
      const print = (/** @type {string} */ text) => void process.stdout.write(text);
      const code = await runLimited(suite.command(file, share), watch, print, { inBackground: false });
      return code === 0 ? readResults(file).tests : [];
    });
    return { ...outcome, tests };
  };
  /** @type {Outcome[]} */
  const repeated = [];
  for (const outcome of outcomes) repeated.push(await again(outcome));
  return repeated;
}

/**
 * @param {string} name
 * @param {Suite} suite
 * @param {number} part
 * @returns {Promise<Omit<Outcome, "name">>}
 */
async function runPart(name, suite, part) {
  const turn = newTurn();
  if (part === 0) turn.print(titleOf(`${name}: ${suite.about}`));
  const results = inProject("out", "results", suite.parts ? `${name}-${part + 1}.json` : `${name}.json`);
  const share = { part, parts: suite.parts ?? 1, grep };
  fs.mkdirSync(path.dirname(results), { recursive: true });
  fs.rmSync(results, { force: true });
  const perform = async () => {
    for (const need of suite.needs) await need();
    started = performance.now();
    const how = { inBackground: suite.inBackground === true };
    /** @param {() => void} end */
    const watch = end => whenQuiet(results, end, quietSecondsOf(name) + reportSeconds);
    /** @param {string} text */
    const print = text => {
      lastOutput = (lastOutput + text).slice(-2000);
      turn.print(text);
    };
    inProgress.set(path.basename(results, ".json"), results);
    return runLimited(suite.command(results, share), watch, print, how);
  };
  let lastOutput = "";
  let started = performance.now();
  try {
    const code = await (suite.inBackground ? perform() : lanes(perform, suite.processors));
    const notRun = notRunTests(readResults(results));
    for (const title of notRun) turn.print(`  not run: ${title}\n`);
    const tests = [...readResults(results).tests, ...misfortunes(name, results, code, lastOutput)];
    return { tests, ms: performance.now() - started, notRun };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    turn.print(`${error.message}\n`);
    return couldNotRun(name, error.message);
  } finally {
    inProgress.delete(path.basename(results, ".json"));
    turn.end();
  }
}

/** Prints regularly how far each running suite is, and which of its tests runs. */
function printProgress() {
  /** When the running test of each suite was first seen. @type {Map<string, { title: string, since: number }>} */
  const seen = new Map();
  const timer = setInterval(() => {
    for (const [name, file] of inProgress) {
      const { tests, planned, running = "" } = readResults(file);
      const known = seen.get(name);
      const test = known?.title === running ? known : { title: running, since: performance.now() };
      seen.set(name, test);
      const failed = tests.filter(({ state }) => state === "failed").length;
      const counted = `${tests.length} of ${planned.length} done${failed > 0 ? `, ${failed} failed` : ""}`;
      const now = running === "" ? "" : `, now for ${secondsSince(test.since)}: ${running}`;
      process.stderr.write(`… ${name}: ${counted}${now}\n`);
    }
  }, progressInterval);
  // After an error, nothing must keep this process alive.
  return timer.unref();
}

/** @param {string} name @param {string} error @returns {Outcome} */
function couldNotRun(name, error) {
  return { name, tests: failure(`${name} could not be run`, error), ms: 0 };
}

/** @param {string} title @param {string} [error] @returns {TestResult[]} */
function failure(title, error) {
  return [{ title, state: "failed", ...(error === undefined ? {} : { error }) }];
}

/**
 * The failures of a suite as a whole, in which no test failed.
 * @param {string} name
 * @param {string} file
 * @param {number | "late"} code
 * @param {string} lastOutput
 * @returns {TestResult[]}
 */
function misfortunes(name, file, code, lastOutput) {
  const { finished, tests, running } = readResults(file);
  if (!finished) {
    const last = tests.at(-1)?.title;
    // It is no result of that test, so the test does not run once more in its place.
    const place = running ?? (last === undefined ? `the start of ${name}` : `what follows "${last}"`);
    const title = `${name} broke off: ${place}`;
    const how =
      code === "late" ? `No test has ended for ${quietSecondsOf(name)} s.` : `${name} broke off (exit code ${code}).`;
    return failure(title, `${how} Its last output:\n${lastOutput.trim()}`);
  }
  const explained = tests.some(test => test.state === "failed");
  return code !== 0 && !explained ? failure(`${name} ended with exit code ${code}`) : [];
}

/** @param {readonly Outcome[]} outcomes */
function summarize(outcomes) {
  heading("result");
  for (const { name, tests, ms } of outcomes) {
    say(`${name.padEnd(8)} ${counts(tests).padEnd(28)} ${secondsSince(performance.now() - ms).padStart(8)}`);
  }
  say(`The run took ${secondsSince(0)}.`);
  const timed = outcomes.flatMap(({ name, tests }) => tests.map(test => ({ name, ...test })));
  timed.sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  say("the slowest tests");
  for (const { name, title, ms = 0 } of timed.slice(0, 10)) {
    say(`${(ms / 1000).toFixed(1).padStart(8)} s  ${name}: ${title}`);
  }
  for (const { name, notRun = [] } of outcomes) {
    if (notRun.length > 0) say(`not run: ${notRun.length} tests of ${name}, listed above and in ${resultsFile}`);
  }
  fs.mkdirSync(path.dirname(inProject(resultsFile)), { recursive: true });
  fs.writeFileSync(inProject(resultsFile), JSON.stringify(outcomes, undefined, 1));
  for (const { name, tests } of outcomes) {
    for (const test of tests.filter(({ state }) => state === "failed" || state === "unstable")) {
      say(`${test.state}: ${name}: ${test.title}`);
      for (const line of (test.error ?? "").split("\n", maxReasonLines)) say(`    ${line.slice(0, maxReasonWidth)}`);
    }
  }
  const all = outcomes.flatMap(outcome => outcome.tests);
  if (grep && outcomes.every(outcome => outcome.name === "build" || outcome.tests.length === 0)) {
    all.push({ title: "grep", state: "failed" });
    say(`failed: no test title contains "${grep}".`);
  }
  process.exitCode = all.some(test => test.state === "failed") ? 1 : 0;
  say(counts(all));
}

/** @param {readonly TestResult[]} tests */
function counts(tests) {
  /** @param {TestResult["state"]} state */
  const count = state => tests.filter(test => test.state === state).length;
  const others = /** @type {const} */ (["unstable", "skipped"]).filter(state => count(state) > 0);
  return [
    `${count("passed")} passed, ${count("failed")} failed`,
    ...others.map(state => `${count(state)} ${state}`),
  ].join(", ");
}

/** @param {string} text */
function heading(text) {
  process.stdout.write(titleOf(text));
}

/** @param {string} text */
function titleOf(text) {
  return `\n── ${text}\n`;
}
