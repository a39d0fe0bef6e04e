// The command line that runs test files with mocha in a process of its own. `.mocharc.mjs` has the options of all runs.

/**
 * The arguments for Node.js.
 * @param {readonly string[]} files
 * @param {{ results: string, grep?: string | undefined, bail?: boolean, timeout?: number }} options `results`: the file for
 *   the results. `grep`: the titles that run. `bail`: ends after the first failed test. `timeout`: of a test (ms)
 * @returns {string[]}
 */
export function mochaCommand(files, { results, grep, bail = false, timeout }) {
  return [
    ...["node_modules/mocha/bin/mocha.js", "--reporter-option", `results=${results}`],
    ...(process.stdout.isTTY ? ["--color"] : []),
    ...(grep ? [`--grep=${grep}`] : []),
    ...(bail ? ["--bail"] : []),
    ...(timeout === undefined ? [] : [`--timeout=${timeout}`]),
    ...files,
  ];
}
