#!/usr/bin/env node
// Runs out/test/host with mocha inside the extension host of the downloaded VS Code:
//   node scripts/test-host.mjs [--grep=words] [--bail] [--results=file] [--part=1/2] [--repeat=20] [--stalls]
//     [--repositories] [workspace]
// --repeat runs each test that often. With --stalls, processes are stopped at random for a moment, as on a busy machine:
// tests that fail then depend on speed, or show a fault. With --repositories, the git extension of VS Code opens each
// repository of the tests, as it does for a user: a test in a repository then takes a third more processor time. None of
// these builds the tests: run "node esbuild.mjs --tests" first.
// It also accepts the command line of @vscode/test-electron, so that it can be its `vscodeExecutablePath`.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { processTree, whenExiting } from "./tools/processes.mjs";
import { flag, inProject, main, option, Problem, root, say } from "./tools/project.mjs";
import { maxQuietSeconds, whenQuiet } from "./tools/quiet.mjs";
import { readResults, resultLine } from "./tools/results.mjs";
import { stallProcesses } from "./tools/stalls.mjs";
import { startServer } from "./vscode/server.mjs";
import { harmlessErrors, launchBrowser, shortWindowArgs, workbenchUrl } from "./vscode/workbench.mjs";

/**
 * @typedef {import("./vscode/server.mjs").Server} Server
 * @typedef {import("playwright-core").Page} Page
 */

await main(async () => {
  const tmp = fs.mkdtempSync(path.join(os.tmpdir(), "parley-host-"));
  const removeTmp = () => fs.rmSync(tmp, { recursive: true, force: true });
  const forget = whenExiting(removeTmp);
  try {
    process.exitCode = await runHostTests(
      copyWorkspace(tmp),
      option("results") ?? process.env["PARLEY_TEST_RESULTS"] ?? path.join(tmp, "results.json"),
    );
  } finally {
    removeTmp();
    forget();
  }
});

/**
 * Copies the workspace, so that tests can write into it.
 * @param {string} tmp
 */
function copyWorkspace(tmp) {
  const named = process.argv.slice(2).find(arg => !arg.startsWith("-"));
  const folder = path.join(tmp, "workspace");
  fs.cpSync(named ?? inProject("examples", "sample-workspace"), folder, { recursive: true });
  return folder;
}

/** @param {string} folder @param {string} resultsFile @returns {Promise<number>} the exit code */
async function runHostTests(folder, resultsFile) {
  const grep = option("grep") ?? process.env["PARLEY_TEST_GREP"];
  const part = option("part");
  const repeat = option("repeat");
  const server = await startServer({
    settings: {
      // In a browser, VS Code saves automatically, unlike on a desktop.
      "files.autoSave": "off",
      "git.autoRepositoryDetection": flag("repositories"),
    },
    ownHome: true,
    // Its tools are called by the tests of the tools of other extensions.
    extensions: [inProject("test", "support", "toolExtension")],
    env: {
      PARLEY_TEST_RESULTS: resultsFile,
      ...(grep ? { PARLEY_TEST_GREP: grep } : {}),
      ...(part ? { PARLEY_TEST_PART: part } : {}),
      ...(repeat ? { PARLEY_TEST_REPEAT: repeat } : {}),
      ...(flag("bail") ? { PARLEY_TEST_BAIL: "1" } : {}),
    },
  });
  // The results of an earlier run would be printed first.
  fs.rmSync(resultsFile, { force: true });
  const browser = await launchBrowser(shortWindowArgs);
  const printing = printAsTheyCome(resultsFile);
  const endStalls = flag("stalls") ? stallProcesses(() => processTree(process.pid).slice(1)) : () => {};
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
    const outcome = await testsEnded(page, server, folder, resultsFile);
    printing.finish();
    return conclude(server, resultsFile, outcome);
  } finally {
    printing.finish();
    endStalls();
    await browser.close();
    const killed = await server.stop();
    if (killed.length > 0) say(`These processes had to be killed:\n${killed.join("\n")}`);
  }
}

/**
 * Opens the window that runs the tests. Resolves with the exit code of the runner, or with the reason why there is
 * none.
 * @param {Page} page
 * @param {Server} server
 * @param {string} folder
 * @param {string} resultsFile
 * @returns {Promise<number | string>}
 */
async function testsEnded(page, server, folder, resultsFile) {
  /** @type {(outcome: number | string) => void} */
  let settle = () => {};
  /** @type {Promise<number | string>} */
  const ended = new Promise(resolve => (settle = resolve));
  // When the workbench runs tests, it calls these two functions of the page.
  await page.exposeFunction("codeAutomationExit", settle);
  await page.exposeFunction("codeAutomationLog", printLog);
  page.on("crash", () => settle("The window of VS Code crashed."));
  void server.exited.then(() => settle("The VS Code server exited."));
  // The results stay unfinished, so test.mjs names the test that hangs.
  const stopWatching = whenQuiet(resultsFile, () => settle(`No test has ended for ${maxQuietSeconds} s.`));
  await page.goto(workbenchUrl(server, { folder, extension: extensionPath(), tests: testsPath() }));
  const outcome = await ended;
  stopWatching();
  return outcome;
}

function extensionPath() {
  return option("extensionDevelopmentPath") ?? root;
}

/** Resolves a folder to its index.js, as @vscode/test-electron does. */
function testsPath() {
  const named = option("extensionTestsPath") ?? inProject("out", "test", "host", "index.js");
  if (!fs.existsSync(named)) throw new Problem(`${named} doesn't exist. Run "node esbuild.mjs --tests" first.`);
  return fs.statSync(named).isDirectory() ? path.join(named, "index.js") : named;
}

/**
 * Prints the console output of VS Code and the tests: warnings and errors, or everything with --verbose.
 * @param {string} type
 * @param {readonly unknown[]} args
 */
function printLog(type, args) {
  const text = args.join(" ").replace(/%c|color: ?#?\w*/g, "");
  if (!flag("verbose") && (type === "info" || harmlessErrors.test(text))) return;
  say(`  [${type}] ${text.trim().slice(0, 400)}`);
}

/** @param {string} file */
function printAsTheyCome(file) {
  let printed = 0;
  const print = () => {
    const { tests } = readResults(file);
    for (const test of tests.slice(printed)) say(resultLine(test));
    printed = tests.length;
  };
  const timer = setInterval(print, 200);
  const finish = () => {
    clearInterval(timer);
    print();
  };
  return { finish };
}

/** @param {Server} server @param {string} resultsFile @param {number | string} outcome */
function conclude(server, resultsFile, outcome) {
  const { tests, finished } = readResults(resultsFile);
  const failed = tests.filter(test => test.state === "failed").length;
  if (typeof outcome === "string") say(outcome);
  if (outcome !== 0) say(fs.readFileSync(server.logFile, "utf8").trim().split("\n").slice(-10).join("\n"));
  say(`VS Code ${server.version}: ${tests.length} tests, ${failed} failed.`);
  return outcome === 0 && finished && failed === 0 && tests.length > 0 ? 0 : 1;
}
