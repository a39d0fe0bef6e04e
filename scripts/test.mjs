// The tests, all or some, from a fresh clone on:
//   npm test                                      everything
//   node scripts/test.mjs unit host               some suites
//   node scripts/test.mjs e2e --grep="a prompt"   some tests
//   node scripts/test.mjs host --vscode=minimum   in the oldest VS Code that is supported
// The last line printed is "N passed, N failed", and the exit code is 0 only if nothing failed.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { endingSignals, killTree, whenExiting } from "./tools/processes.mjs";
import { inProject, main, option, Problem, root, run, say, secondsSince } from "./tools/project.mjs";
import { readResults } from "./tools/results.mjs";
import { ensureChromium } from "./vscode/chromium.mjs";
import { fetchVscode } from "./vscode/fetch.mjs";

/** @typedef {import("./tools/results.d.mts").TestResult} TestResult */

/**
 * @typedef {object} Suite
 * @property {string} about
 * @property {number} limitMinutes after which it is ended, and has failed
 * @property {(resultsFile: string) => readonly string[]} command what Node.js is to run
 * @property {readonly (() => unknown)[]} needs what has to be there first
 */

/** @typedef {{ name: string, tests: readonly TestResult[], ms: number }} Outcome */

const vscodeName = option("vscode");
const grep = option("grep");
const chromium = () => (process.env["CHROMIUM_PATH"] = ensureChromium());
const vscode = () => fetchVscode(vscodeName);

/** @type {Readonly<Record<string, Suite>>} */
const suites = {
  check: {
    about: "types, lint and format",
    limitMinutes: 10,
    command: results => ["scripts/check.mjs", `--results=${results}`],
    needs: [],
  },
  unit: {
    about: "everything that needs no editor",
    limitMinutes: 10,
    command: results =>
      mocha(
        results,
        10,
        testFiles(folder => !["webview", "host", "e2e"].includes(folder)),
      ),
    needs: [],
  },
  webview: {
    about: "the panel in Chromium",
    limitMinutes: 10,
    command: results =>
      mocha(
        results,
        30,
        testFiles(folder => folder === "webview"),
      ),
    needs: [chromium],
  },
  host: {
    about: "inside the extension host of a real VS Code",
    limitMinutes: 10,
    command: results => ["scripts/test-host.mjs", `--results=${results}`, ...(grep ? [`--grep=${grep}`] : [])],
    needs: [chromium, vscode],
  },
  e2e: {
    about: "the workbench of a real VS Code, as a person uses it",
    limitMinutes: 20,
    command: results =>
      mocha(
        results,
        120,
        testFiles(folder => folder === "e2e"),
      ),
    needs: [chromium, vscode],
  },
};

await main(async () => {
  const names = chosenSuites();
  ensureInstalled();
  if (vscodeName) process.env["PARLEY_VSCODE"] = vscodeName;
  /** @type {Outcome[]} */
  const outcomes = [];
  if (names.includes("check")) outcomes.push(await runSuite("check"));
  const build = await buildAll();
  outcomes.push(build);
  const built = build.tests.every(step => step.state === "passed");
  for (const name of names.filter(name => name !== "check")) {
    outcomes.push(built ? await runSuite(name) : notRun(name, "The build failed."));
  }
  summarize(outcomes);
});

/** @returns {string[]} */
function chosenSuites() {
  const named = process.argv.slice(2).filter(arg => !arg.startsWith("--"));
  const unknown = named.find(name => !(name in suites));
  if (!unknown) return named.length > 0 ? named : Object.keys(suites);
  const known = Object.entries(suites).map(([name, suite]) => `  ${name}: ${suite.about}`);
  throw new Problem(`There is no suite "${unknown}". The suites are:\n${known.join("\n")}`);
}

/**
 * Builds what is tested, as users get it, and the tests.
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

/** @param {string} results @param {number} seconds for one test @param {readonly string[]} files */
function mocha(results, seconds, files) {
  const options = [`--results=${results}`, `--timeout=${seconds * 1000}`, ...(grep ? [`--grep=${grep}`] : [])];
  return ["scripts/tools/mocha.mjs", ...options, ...files];
}

/**
 * The built tests whose folder inside test/ is wanted.
 * @param {(folder: string) => boolean} wanted
 */
function testFiles(wanted) {
  const files = fs.readdirSync(inProject("out", "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter(file => file.endsWith(".test.mjs") && wanted(file.split(path.sep)[0] ?? ""))
    .sort()
    .map(file => inProject("out", "test", file));
}

/** @param {string} name @returns {Promise<Outcome>} */
async function runSuite(name) {
  const suite = /** @type {Suite} */ (suites[name]);
  heading(`${name}: ${suite.about}`);
  const started = performance.now();
  const results = inProject("out", "results", `${name}.json`);
  fs.mkdirSync(path.dirname(results), { recursive: true });
  fs.rmSync(results, { force: true });
  try {
    for (const need of suite.needs) await need();
  } catch (error) {
    const reason = error instanceof Problem ? error.message : String(error);
    say(reason);
    return notRun(name, reason);
  }
  const code = await runLimited(suite.command(results), suite.limitMinutes);
  const ms = performance.now() - started;
  return { name, tests: [...readResults(results).tests, ...misfortunes(name, results, code)], ms };
}

/** @param {string} name @param {string} error @returns {Outcome} */
function notRun(name, error) {
  return { name, tests: [{ title: `${name} could not be run`, state: "failed", error }], ms: 0 };
}

/**
 * What can go wrong with a whole suite, with no test failing.
 * @param {string} name
 * @param {string} file
 * @param {number | "late"} code
 * @returns {TestResult[]}
 */
function misfortunes(name, file, code) {
  const { finished, tests } = readResults(file);
  /** @param {string} title @returns {TestResult[]} */
  const failed = title => [{ title, state: "failed" }];
  if (code === "late") return failed(`${name} did not end in ${suites[name]?.limitMinutes} minutes`);
  if (!finished) return failed(`${name} broke off (exit code ${code})`);
  if (tests.length === 0 && !grep) return failed(`${name} has no tests`);
  const explained = tests.some(test => test.state === "failed");
  return code !== 0 && !explained ? failed(`${name} ended with exit code ${code}`) : [];
}

/** @param {readonly string[]} command @param {number} minutes @returns {Promise<number | "late">} */
function runLimited(command, minutes) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: "inherit" });
  const end = () => {
    if (child.pid) killTree(child.pid);
  };
  const forget = whenExiting(end);
  const passed = passSignalsTo(child);
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end();
    }, minutes * 60_000);
    child.on("error", reject);
    child.on("close", code => {
      clearTimeout(timer);
      forget();
      if (passed.stop()) process.exit(130);
      resolve(late ? "late" : (code ?? 1));
    });
  });
}

/**
 * Lets a suite end in order at Ctrl+C: it has servers to stop and folders to remove. `stop` tells whether it was asked.
 * @param {import("node:child_process").ChildProcess} child
 */
function passSignalsTo(child) {
  let asked = false;
  const pass = () => {
    // The second time it is killed.
    if (asked) process.exit(130);
    asked = true;
    child.kill("SIGTERM");
  };
  for (const name of endingSignals) process.on(name, pass);
  const stop = () => {
    for (const name of endingSignals) process.removeListener(name, pass);
    return asked;
  };
  return { stop };
}

/** @param {readonly Outcome[]} outcomes */
function summarize(outcomes) {
  heading("result");
  for (const { name, tests, ms } of outcomes) {
    say(`${name.padEnd(8)} ${counts(tests).padEnd(28)} ${secondsSince(performance.now() - ms).padStart(8)}`);
  }
  for (const { name, tests } of outcomes) {
    for (const test of tests.filter(test => test.state === "failed")) say(`failed: ${name}: ${test.title}`);
  }
  const all = outcomes.flatMap(outcome => outcome.tests);
  if (grep && outcomes.every(outcome => outcome.name === "build" || outcome.tests.length === 0)) {
    all.push({ title: "grep", state: "failed" });
    say(`failed: no test has "${grep}" in its name.`);
  }
  process.exitCode = all.some(test => test.state === "failed") ? 1 : 0;
  say(counts(all));
}

/** @param {readonly TestResult[]} tests */
function counts(tests) {
  /** @param {TestResult["state"]} state */
  const count = state => tests.filter(test => test.state === state).length;
  const skipped = count("skipped");
  return `${count("passed")} passed, ${count("failed")} failed${skipped ? `, ${skipped} skipped` : ""}`;
}

/** @param {string} text */
function heading(text) {
  say(`\n── ${text}`);
}
