// The test results of one suite, as a file with one JSON text per line: first the titles of all tests that will run,
// then a line when each test starts and its result when it ends. So the file also shows the progress of a suite that
// crashed or hangs.
import fs from "node:fs";

/**
 * @typedef {import("./results.d.mts").TestResult} TestResult
 * @typedef {import("./results.d.mts").SuiteResults} SuiteResults
 */

/** The last line of a suite that finished. */
const END = "end";

/** @typedef {{ plan: readonly string[] }} Plan the titles of the tests that will run */
/** @typedef {{ started: string }} Start the title of a test, or of a hook that runs before or after all tests */
/** @typedef {TestResult | Plan | Start | typeof END} Line */

/**
 * @param {import("mocha").Runner} runner
 * @param {string} file
 * @param {string | RegExp} [grep] the titles that run
 */
export function recordResults(runner, file, grep = "") {
  const results = newResults(file);
  const wanted = new RegExp(grep);
  runner.on("start", () => {
    /** @type {string[]} */
    const titles = [];
    runner.suite.eachTest(test => titles.push(test.fullTitle()));
    results.plan(titles.filter(title => wanted.test(title)));
  });
  runner.on("test", test => results.start(test.fullTitle()));
  runner.on("hook", hook => {
    if (/^"(before|after) all" hook/.test(hook.title)) results.start(hook.fullTitle());
  });
  runner.on("pass", test => results.add({ title: test.fullTitle(), state: "passed", ms: test.duration ?? 0 }));
  runner.on("pending", test => results.add({ title: test.fullTitle(), state: "skipped" }));
  runner.on("fail", (test, error) =>
    results.add({
      title: test.fullTitle(),
      state: "failed",
      ms: test.duration ?? 0,
      error: describe(error) + detailsOf(test),
    }),
  );
  runner.on("end", () => results.finish());
}

/** The most characters of the details of a test. */
const maxDetails = 20_000;

/**
 * What a test adds to its error: its `details` function returns it.
 * @param {import("mocha").Runnable} test
 */
function detailsOf(test) {
  /** @type {unknown} */
  const details = test.ctx?.["details"];
  return typeof details === "function" ? `\n${String(details()).slice(-maxDetails)}` : "";
}

/** @param {string} file */
export function newResults(file) {
  fs.writeFileSync(file, "");
  /** @param {Line} line */
  const write = line => fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    /** @param {readonly string[]} titles */
    plan: titles => write({ plan: titles }),
    /** @param {string} title */
    start: title => write({ started: title }),
    /** @param {TestResult} test */
    add: test => write(test),
    finish: () => write(END),
  };
}

/** @param {string} file @returns {SuiteResults} */
export function readResults(file) {
  if (!fs.existsSync(file)) return { finished: false, tests: [], planned: [] };
  // The text after the last line break is a line that is still being written.
  const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
  /** @type {Line[]} */
  const read = lines.map(line => JSON.parse(line));
  const last = read.at(-1);
  const running = last !== undefined && last !== END && "started" in last ? last.started : undefined;
  return {
    finished: last === END,
    tests: read.flatMap(line => (line !== END && "state" in line ? [line] : [])),
    planned: read.flatMap(line => (line !== END && "plan" in line ? line.plan : [])),
    ...(running === undefined ? {} : { running }),
  };
}

/** The titles of the tests that have no result, apart from the running one. @param {SuiteResults} results */
export function notRunTests({ tests, planned, running }) {
  const ended = new Set(tests.map(({ title }) => title));
  return planned.filter(title => title !== running && !ended.has(title));
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
