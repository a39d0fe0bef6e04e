// What became of the tests of one suite, as a JSON file that is whole after every test: a suite that crashes or hangs
// still tells how far it came.
import fs from "node:fs";

/**
 * @typedef {import("./results.d.mts").TestResult} TestResult
 * @typedef {import("./results.d.mts").SuiteResults} SuiteResults
 */

/** @param {import("mocha").Runner} runner @param {string} file */
export function recordResults(runner, file) {
  const results = newResults(file);
  runner.on("pass", test => results.add({ title: test.fullTitle(), state: "passed", ms: test.duration ?? 0 }));
  runner.on("pending", test => results.add({ title: test.fullTitle(), state: "skipped" }));
  runner.on("fail", (test, error) => results.add({ title: test.fullTitle(), state: "failed", error: describe(error) }));
  runner.on("end", () => results.finish());
}

/** @param {string} file */
export function newResults(file) {
  /** @type {TestResult[]} */
  const tests = [];
  /** @param {boolean} finished */
  const write = finished => {
    fs.writeFileSync(`${file}.new`, JSON.stringify({ finished, tests }, null, 1));
    fs.renameSync(`${file}.new`, file);
  };
  write(false);
  return {
    /** @param {TestResult} test */
    add(test) {
      tests.push(test);
      write(false);
    },
    finish: () => write(true),
  };
}

/** @param {string} file @returns {SuiteResults} */
export function readResults(file) {
  if (!fs.existsSync(file)) return { finished: false, tests: [] };
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

/**
 * One line for people, with the error below it.
 * @param {TestResult} test
 */
export function resultLine(test) {
  if (test.state === "passed") return `  ✔ ${test.title}${test.ms && test.ms > 75 ? ` (${test.ms} ms)` : ""}`;
  if (test.state === "skipped") return `  - ${test.title}`;
  return `  ✘ ${test.title}\n${(test.error ?? "").replace(/^/gm, "      ")}`;
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
