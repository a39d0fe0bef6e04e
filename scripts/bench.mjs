// Runs the benchmarks of test/bench, prints the results and writes them into docs/BENCHMARKS.md:
//   npm run bench [-- name …] [--no-write]
// The exit code is 1 if a benchmark failed or a limit was exceeded.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { formatted } from "./tools/format.mjs";
import { ensureInstalled } from "./tools/install.mjs";
import { flag, inProject, main, Problem, run, say, secondsSince } from "./tools/project.mjs";

/** @typedef {import("../test/bench/report.ts").Report} Report */
/** @typedef {import("../test/bench/report.ts").Table} Table */

/** The benchmarks in the order of the document. Those that need VS Code are last. */
const names = [
  "sizes",
  "model",
  "wire",
  "boundary",
  "mentions",
  "terminal",
  "diffs",
  "review",
  "checkpoints",
  "worktrees",
  "sessions",
  "search",
  "inspector",
  "sessionsPainted",
  "start",
  "activation",
  "files",
  "follow",
  "tools",
  "panel",
];
const document = inProject("docs", "BENCHMARKS.md");
const built = inProject("out", "bench");

await main(async () => {
  ensureInstalled();
  const given = process.argv.slice(2).filter(arg => !arg.startsWith("-"));
  const wanted = given.includes("sessions") ? [...given, "sessionsPainted"] : given;
  const unknown = wanted.find(name => !names.includes(name));
  if (unknown) throw new Problem(`There is no benchmark "${unknown}". The benchmarks are ${names.join(", ")}.`);
  await build();
  const failures = [];
  for (const name of names.filter(name => wanted.length === 0 || wanted.includes(name))) {
    failures.push(...(await perform(name)));
  }
  for (const failure of failures) say(`✘ ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
});

async function build() {
  const esbuild = await import("esbuild");
  const common = /** @type {const} */ ({ bundle: true, platform: "node", target: "node20", logLevel: "warning" });
  rmSync(built, { recursive: true, force: true });
  await esbuild.build({
    ...common,
    entryPoints: ["main", "floodAgent"].map(name => inProject("test", "bench", `${name}.ts`)),
    outdir: built,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    packages: "external",
    // A script that checks whether it is the entry point must not be bundled into another entry point.
    splitting: true,
  });
  await esbuild.build({
    ...common,
    entryPoints: [inProject("test", "bench", "helper.ts"), inProject("src", "search", "searchWorker.ts")],
    outdir: built,
    entryNames: "[name]",
    format: "cjs",
    external: ["vscode"],
  });
}

/**
 * Runs one benchmark in a separate process, so that benchmarks don't affect each other.
 * @param {string} name
 * @returns {Promise<readonly string[]>} the failures
 */
async function perform(name) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "parley-bench-"));
  const file = path.join(folder, "report.json");
  const load = os.loadavg()[0] ?? 0;
  const started = performance.now();
  try {
    const code = await run(process.execPath, [path.join(built, "main.mjs"), name, file]);
    if (code !== 0) return [`The benchmark ${name} failed.`];
    /** @type {Report} */
    const report = JSON.parse(readFileSync(file, "utf8"));
    const text = formatted([...report.tables.map(markdown), circumstances(report, load)].join("\n\n"), document);
    say(`\n${name} (${secondsSince(started)})\n\n${text}`);
    // A run of some parts would remove the other parts from the document.
    if (!flag("no-write") && !process.env["PARLEY_BENCH_PARTS"]) write(name, text);
    return report.failures ?? [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Table} table */
function markdown({ columns, rows }) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** What the numbers depend on. @param {Report} report @param {number} load */
function circumstances(report, load) {
  const date = new Date().toISOString().slice(0, 10);
  const cores = os.cpus().length;
  const machine = `${process.platform} ${process.arch}, ${cores} cores, load average ${load.toFixed(1)} at the start`;
  return `_${[date, `Node.js ${process.versions.node}`, ...(report.versions ?? []), machine].join(", ")}._`;
}

/** Puts the text between the markers of its name. @param {string} name @param {string} text */
function write(name, text) {
  const old = readFileSync(document, "utf8");
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [old.indexOf(begin), old.indexOf(end)];
  if (from < 0 || to < from) throw new Problem(`docs/BENCHMARKS.md has no markers for ${name}: ${begin} … ${end}.`);
  writeFileSync(document, formatted(`${old.slice(0, from + begin.length)}\n\n${text}\n\n${old.slice(to)}`, document));
}
