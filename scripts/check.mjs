// Checks types, lint, format and unused code, and prints one line for each:
//   npm run check [-- --results=file]
// Oxlint computes the types once, for the type check and for the rules that need them.
import { spawn } from "node:child_process";
import { ensureInstalled } from "./tools/install.mjs";
import { main, option, root, say } from "./tools/project.mjs";
import { newResults, resultLine } from "./tools/results.mjs";

/** @typedef {{ ok: boolean, output: string }} Finding */

const steps = [
  { title: "types and lint", command: ["node_modules/oxlint/bin/oxlint"] },
  { title: "format", command: ["node_modules/oxfmt/bin/oxfmt", "--list-different"] },
  { title: "unused code", command: ["node_modules/knip/bin/knip.js", "--no-progress"] },
];

await main(async () => {
  ensureInstalled();
  const file = option("results");
  const results = file ? newResults(file) : undefined;
  results?.plan(steps.map(({ title }) => title));
  for (const { title, command } of steps) {
    const started = performance.now();
    results?.start(title);
    const { ok, output } = await outputOf(command);
    const ms = Math.round(performance.now() - started);
    /** @type {import("./tools/results.d.mts").TestResult} */
    const result = ok ? { title, state: "passed", ms } : { title, state: "failed", ms, error: output.trim() };
    results?.add(result);
    say(resultLine(result));
    // A warning is shown, and fails nothing.
    if (ok && output.includes("warning")) say(output.trim());
    if (!ok) process.exitCode = 1;
  }
  results?.finish();
});

/** @param {readonly string[]} command @returns {Promise<Finding>} */
function outputOf(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", text => (output += text));
    child.stderr.setEncoding("utf8").on("data", text => (output += text));
    child.on("error", reject);
    child.on("close", code => resolve({ ok: code === 0, output }));
  });
}
