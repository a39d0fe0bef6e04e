// Runs the extension-host tests and then the end-to-end tests in a desktop VS Code: the one in
// VSCODE_EXECUTABLE_PATH, otherwise a downloaded one.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { inProject, main, Problem, root, run, say } from "./tools/project.mjs";
import { readResults, resultLine } from "./tools/results.mjs";
import { cacheRoot } from "./vscode/cache.mjs";
import { pinned } from "./vscode/versions.mjs";

await main(async () => {
  ensureInstalled();
  if ((await run(process.execPath, ["esbuild.mjs", "--production", "--tests"])) !== 0)
    throw new Problem("The build failed.");
  const executable = process.env["VSCODE_EXECUTABLE_PATH"] || (await downloaded());
  const tmp = fs.mkdtempSync(path.join(os.tmpdir(), "parley-desktop-"));
  try {
    const hostPasses = await passes(executable, tmp);
    // The harness of the end-to-end tests opens the windows, each with its own data folder.
    process.env["PARLEY_DESKTOP"] = executable;
    const endToEnd = await run(process.execPath, ["scripts/test.mjs", "e2e", ...process.argv.slice(2)]);
    process.exitCode = hostPasses && endToEnd === 0 ? 0 : 1;
  } finally {
    fs.rmSync(tmp, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** @returns {Promise<string>} */
async function downloaded() {
  const { downloadAndUnzipVSCode } = await import("@vscode/test-electron");
  try {
    return await downloadAndUnzipVSCode({ version: pinned().vscode, cachePath: path.join(cacheRoot(), "desktop") });
  } catch (error) {
    throw new Problem(
      "No desktop VS Code could be downloaded. Set VSCODE_EXECUTABLE_PATH to an installed one, " +
        `or run "npm run test:host", which needs none.\n${error}`,
    );
  }
}

/** @param {string} executable @param {string} tmp */
async function passes(executable, tmp) {
  const { runTests } = await import("@vscode/test-electron");
  const workspace = path.join(tmp, "workspace");
  const results = path.join(tmp, "results.json");
  fs.cpSync(inProject("examples", "sample-workspace"), workspace, { recursive: true });
  // The promise rejects if a test fails. The results contain the failed tests and their errors.
  const ended = await runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: root,
    extensionTestsPath: inProject("out", "test", "host", "index.js"),
    extensionTestsEnv: { PARLEY_TEST_RESULTS: results },
    launchArgs: [workspace, "--disable-extensions", `--user-data-dir=${path.join(tmp, "user")}`],
  }).catch(error => String(error));
  const { tests, finished } = readResults(results);
  const failed = tests.filter(test => test.state === "failed");
  for (const test of tests) say(resultLine(test));
  if (ended !== 0) say(`The tests failed: ${ended}`);
  say(`${tests.filter(test => test.state === "passed").length} passed, ${failed.length} failed`);
  return ended === 0 && finished && failed.length === 0 && tests.length > 0;
}
