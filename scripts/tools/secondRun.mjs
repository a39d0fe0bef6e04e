// The second run of the tests that failed in a run of all tests. In such a run, thousands of tests share a machine with
// several windows of VS Code, and a result that depends on chance says little about the change that is being tested.
// A test that fails and then passes alone is a fault of the test or a race of the product. So it stays visible.

/** @typedef {import("./results.d.mts").TestResult} TestResult */

/** If more tests failed, it was not by chance. */
export const maxUnstable = 3;

/** The regular expression that matches only this title. @param {string} title */
export function onlyTitle(title) {
  return `^${title.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`;
}

/**
 * The results, in which a failed test is `unstable` if it passed when it ran again. It keeps the reason of its failure.
 * What is not a test, as the end of a suite, has no second result and stays as it is.
 * @param {readonly TestResult[]} tests
 * @param {(title: string) => Promise<readonly TestResult[]>} runAgain runs the test, and returns the results of that run
 * @returns {Promise<TestResult[]>}
 */
export async function withSecondResults(tests, runAgain) {
  /** @type {TestResult[]} */
  const results = [];
  for (const test of tests) {
    const second = test.state === "failed" ? await runAgain(test.title) : [];
    const passed = second.some(({ title, state }) => title === test.title && state === "passed");
    const failed = second.some(({ state }) => state === "failed");
    results.push(passed && !failed ? { ...test, state: "unstable" } : test);
  }
  return results;
}
