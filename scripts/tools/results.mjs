// The test results of one suite, as a file with one JSON text per line. Each line is written when its test ends, so
// that the file also shows the progress of a suite that crashed or hangs.
import fs from "node:fs";

/**
 * @typedef {import("./results.d.mts").TestResult} TestResult
 * @typedef {import("./results.d.mts").SuiteResults} SuiteResults
 */

/** The last line of a suite that finished. */
const END = "end";

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
  fs.writeFileSync(file, "");
  /** @param {TestResult | typeof END} line */
  const write = line => fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    /** @param {TestResult} test */
    add: test => write(test),
    finish: () => write(END),
  };
}

/** @param {string} file @returns {SuiteResults} */
export function readResults(file) {
  if (!fs.existsSync(file)) return { finished: false, tests: [] };
  // The text after the last line break is a line that is still being written.
  const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
  /** @type {(TestResult | typeof END)[]} */
  const read = lines.map(line => JSON.parse(line));
  return { finished: read.at(-1) === END, tests: read.filter(line => line !== END) };
}

/**
 * Formats the result as one line, with the error below it.
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
