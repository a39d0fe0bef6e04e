// Runs the tests inside the extension host. VS Code loads this file and calls run(). The results go into the JSON file
// that PARLEY_TEST_RESULTS names, because the console of the extension host is not accessible.
import Mocha from "mocha";
import { maxTestTime } from "../../../scripts/tools/quiet.mjs";
import { recordResults } from "../../../scripts/tools/results.mjs";

/** Called by VS Code. Rejects if a test failed, which gives VS Code its exit code. */
export async function run(): Promise<void> {
  const grep = process.env["PARLEY_TEST_GREP"];
  const bail = process.env["PARLEY_TEST_BAIL"] !== undefined;
  const mocha = new Mocha({ ui: "bdd", timeout: maxTestTime, color: false, bail, ...(grep ? { grep } : {}) });
  await loadTests(mocha);
  mocha.suite.suites = inPart(mocha.suite.suites, process.env["PARLEY_TEST_PART"]);
  repeatTests(mocha.suite, Number(process.env["PARLEY_TEST_REPEAT"] ?? 1));
  const earlier = process.listeners("uncaughtException");
  const failures = await new Promise<number>(resolve => {
    const runner = mocha.run(resolve);
    ignoreErrorsOfGitExtension(process.listeners("uncaughtException").filter(added => !earlier.includes(added)));
    const file = process.env["PARLEY_TEST_RESULTS"];
    if (file) recordResults(runner, file, grep);
  });
  if (failures > 0) throw new Error(`${failures} of the tests failed.`);
}

/**
 * VS Code's git extension has an uncaught error (EPIPE) if the folder of a repository disappears while git starts there.
 * No test is the cause of it.
 */
function ignoreErrorsOfGitExtension(listeners: readonly NodeJS.UncaughtExceptionListener[]): void {
  for (const listener of listeners) {
    process.off("uncaughtException", listener);
    process.on("uncaughtException", (error, origin) => {
      if (!/[\\/]extensions[\\/]git[\\/]dist[\\/]/.test(error.stack ?? "")) listener(error, origin);
    });
  }
}

/** The suites of a part: "1/2" are the first, the third and so on. */
function inPart(suites: readonly Mocha.Suite[], partOfParts = "1/1"): Mocha.Suite[] {
  const [part = 1, parts = 1] = partOfParts.split("/").map(Number);
  return suites.filter((_, at) => at % parts === part - 1);
}

function repeatTests(suite: Mocha.Suite, times: number): void {
  const { tests } = suite;
  suite.tests = tests.flatMap(test => [test, ...Array.from({ length: times - 1 }, () => copyOf(test, suite))]);
  for (const inner of suite.suites) repeatTests(inner, times);
}

function copyOf(test: Mocha.Test, suite: Mocha.Suite): Mocha.Test {
  const copy = test.clone();
  copy.parent = suite;
  copy.ctx = suite.ctx;
  return copy;
}

/** The tests are part of this bundle, so mocha cannot load them. It only defines `describe` and `it`. */
async function loadTests(mocha: Mocha): Promise<void> {
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  await import("suites:host");
}
