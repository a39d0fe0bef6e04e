// The reporter that .mocharc.mjs names: prints as mocha's reporter "spec" does, and writes the results of the run into
// the file of the option `results`. Without this option, it only prints. The option `maxOpenHandleTime` replaces the
// time limit below.
import Mocha from "mocha";
import { newResults, readResults, recordResults } from "./results.mjs";

/** Handles can stay open for this long after the last test, in milliseconds. */
const maxOpenHandleTime = 60_000;

export default class ResultsReporter extends Mocha.reporters.Spec {
  /** @type {string | undefined} */
  #file;
  #maxOpenHandleTime = maxOpenHandleTime;

  /** @param {import("mocha").Runner} runner @param {import("mocha").MochaOptions} options */
  constructor(runner, options) {
    super(runner, options);
    const { results, maxOpenHandleTime: time } = options.reporterOptions ?? {};
    this.#file = results;
    if (time !== undefined) this.#maxOpenHandleTime = Number(time);
    if (this.#file) recordResults(runner, this.#file, options.grep);
  }

  /**
   * Mocha calls it after the last test.
   * @override
   * @param {number} failures
   * @param {((failures: number) => void) | undefined} end
   */
  done(failures, end) {
    end?.(failures);
    setTimeout(() => this.#failBecauseOfOpenHandles(), this.#maxOpenHandleTime).unref();
  }

  /** Node.js is still alive. A timer, process or connection that is still open is a defect. */
  #failBecauseOfOpenHandles() {
    const error = `Still open: ${process.getActiveResourcesInfo().join(", ")}`;
    console.error(`The tests finished, but the process did not exit. ${error}`);
    if (this.#file) addFailure(this.#file, error);
    // At the exit, mocha sets the code to the number of failed tests.
    process.once("exit", () => (process.exitCode = 1));
    process.exit();
  }
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
