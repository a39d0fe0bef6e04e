// Types, lint and format, each with a line that says whether it holds:
//   npm run check [-- --results=file] [--workers=1]
import { spawn } from "node:child_process";
import { ensureInstalled } from "./tools/install.mjs";
import { main, option, root, say } from "./tools/project.mjs";
import { newResults, resultLine } from "./tools/results.mjs";

/** @typedef {{ title: string, command: readonly string[] }} Check */

const tsc = "node_modules/typescript/bin/tsc";

/**
 * The slow ones first: they run two at a time, if nothing else is said.
 * @type {readonly Check[]}
 */
const checks = [
  { title: "lint", command: ["node_modules/eslint/bin/eslint.js", "--max-warnings=0", "."] },
  { title: "types: extension, tests and demo agent", command: [tsc, "-p", "tsconfig.json"] },
  { title: "format", command: ["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."] },
  { title: "types: panel", command: [tsc, "-p", "webview-ui/tsconfig.json"] },
  { title: "types: end-to-end tests", command: [tsc, "-p", "test/e2e/tsconfig.json"] },
  { title: "types: benchmarks", command: [tsc, "-p", "test/bench/tsconfig.json"] },
  { title: "types: panel tests", command: [tsc, "-p", "test/webview/tsconfig.json"] },
  { title: "types: scripts", command: [tsc, "-p", "scripts/tsconfig.json"] },
];

await main(async () => {
  ensureInstalled();
  const file = option("results");
  const results = file ? newResults(file) : undefined;
  const waiting = [...checks];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const result = await perform(check);
      results?.add(result);
      say(resultLine(result));
      if (result.state === "failed") process.exitCode = 1;
    }
  };
  await Promise.all(Array.from({ length: Number(option("workers") ?? 2) }, work));
  results?.finish();
});

/** @param {Check} check @returns {Promise<import("./tools/results.d.mts").TestResult>} */
async function perform({ title, command }) {
  const started = performance.now();
  const { code, output } = await outputOf(command);
  const ms = Math.round(performance.now() - started);
  return code === 0 ? { title, state: "passed", ms } : { title, state: "failed", ms, error: output.trim() };
}

/** @param {readonly string[]} command @returns {Promise<{ code: number, output: string }>} */
function outputOf(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", text => (output += text));
    child.stderr.setEncoding("utf8").on("data", text => (output += text));
    child.on("error", reject);
    child.on("close", code => resolve({ code: code ?? 1, output }));
  });
}
