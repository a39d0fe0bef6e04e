// Runs the tests of one suite with mocha in this process:
//   node scripts/tools/mocha.mjs --results=file [--timeout=ms] [--grep=words] [--color] file...
// The default time limit of a test is the one of all suites, which no machine is too slow for.
import Mocha from "mocha";
import { flag, main, option } from "./project.mjs";
import { maxTestTime } from "./quiet.mjs";
import { newResults, readResults, recordResults } from "./results.mjs";

/** Handles can stay open for this long after the last test, in milliseconds. */
const maxOpenHandleTime = 10_000;

await main(async () => {
  const files = process.argv.slice(2).filter(arg => !arg.startsWith("--"));
  const resultsFile = option("results");
  const grep = option("grep");
  const mocha = new Mocha({
    ui: "bdd",
    reporter: "spec",
    ...(flag("color") ? { color: true } : {}),
    timeout: Number(option("timeout") ?? maxTestTime),
    // On a build machine, a forgotten `.only` would silently skip tests.
    forbidOnly: Boolean(process.env["CI"]),
    ...(grep ? { grep } : {}),
  });
  mocha.files = files;
  await mocha.loadFilesAsync();
  const failures = await new Promise(resolve => {
    const runner = mocha.run(resolve);
    if (resultsFile) recordResults(runner, resultsFile, grep);
  });
  process.exitCode = failures > 0 ? 1 : 0;
  failIfSomethingStaysOpen(resultsFile);
});

/**
 * Fails if Node stays alive after the tests. A timer, process or connection that is still open is a defect.
 * @param {string | undefined} resultsFile
 */
function failIfSomethingStaysOpen(resultsFile) {
  const timer = setTimeout(() => {
    const error = `Still open: ${process.getActiveResourcesInfo().join(", ")}`;
    console.error(`The tests finished, but the process did not exit. ${error}`);
    if (resultsFile) addFailure(resultsFile, error);
    process.exit(1);
  }, maxOpenHandleTime);
  timer.unref();
}

/** @param {string} file @param {string} error */
function addFailure(file, error) {
  const { tests, planned } = readResults(file);
  const results = newResults(file);
  results.plan(planned);
  for (const test of tests) results.add(test);
  results.add({ title: "no handle stays open after the last test", state: "failed", error });
  results.finish();
}
