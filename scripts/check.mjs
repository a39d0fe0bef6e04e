// Checks types, lint and format, and prints one line for each:
//   npm run check [-- --results=file]
// The type check and the linter share their programs, so each file is read and its types are computed once.
import { spawn } from "node:child_process";
import { ensureInstalled } from "./tools/install.mjs";
import { inProject, main, option, root, say } from "./tools/project.mjs";
import { newResults, resultLine } from "./tools/results.mjs";

/** @typedef {{ ok: boolean, output: string }} Finding */
/** @typedef {import("typescript").Program} Program */
/** @typedef {typeof import("typescript")} TypeScript */

/** A file is linted with the first project that contains it. */
const projects = [
  { title: "types: extension and demo agent", file: "tsconfig.json" },
  { title: "types: panel", file: "webview-ui/tsconfig.json" },
  { title: "types: tests and benchmarks", file: "test/tsconfig.json" },
  { title: "types: scripts", file: "scripts/tsconfig.json" },
];

/** @type {import("typescript").FormatDiagnosticsHost} */
const formatHost = {
  getCanonicalFileName: name => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};

await main(async () => {
  ensureInstalled();
  // Imported after the installation, because this script can be the first one that runs in a clone.
  const { default: ts } = await import("typescript");
  const file = option("results");
  const results = file ? newResults(file) : undefined;
  results?.plan(["format", ...projects.map(({ title }) => title), "lint"]);
  /** @param {string} title @param {() => Finding | Promise<Finding>} find */
  const check = async (title, find) => {
    const started = performance.now();
    results?.start(title);
    const { ok, output } = await find();
    const ms = Math.round(performance.now() - started);
    /** @type {import("./tools/results.d.mts").TestResult} */
    const result = ok ? { title, state: "passed", ms } : { title, state: "failed", ms, error: output.trim() };
    results?.add(result);
    say(resultLine(result));
    if (!ok) process.exitCode = 1;
  };
  const format = check("format", () =>
    outputOf(["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."]),
  );
  /** @type {Program[]} */
  const programs = [];
  for (const { title, file: project } of projects) {
    await check(title, () => {
      const program = programOf(ts, project);
      programs.push(program);
      return typesOf(ts, program);
    });
  }
  await check("lint", () => lint(programs));
  await format;
  results?.finish();
});

/** @param {TypeScript} ts @param {string} project @returns {Program} the program as `tsc -p` creates it */
function programOf(ts, project) {
  /** @type {import("typescript").ParseConfigFileHost} */
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: diagnostic => {
      throw new Error(ts.formatDiagnostic(diagnostic, formatHost));
    },
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(inProject(...project.split("/")), {}, host);
  if (!parsed) throw new Error(`There is no ${project}.`);
  const { fileNames: rootNames, options, errors: configFileParsingDiagnostics } = parsed;
  return ts.createProgram({ rootNames, options, configFileParsingDiagnostics });
}

/** @param {TypeScript} ts @param {Program} program @returns {Finding} */
function typesOf(ts, program) {
  const found = ts.getPreEmitDiagnostics(program);
  return { ok: found.length === 0, output: ts.formatDiagnostics(found, formatHost) };
}

/** @param {readonly Program[]} programs @returns {Promise<Finding>} */
async function lint(programs) {
  const { ESLint } = await import("eslint");
  const parserOptions = { projectService: false, programs };
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: [{ files: ["**/*.ts"], languageOptions: { parserOptions } }],
  });
  const found = await eslint.lintFiles(["."]);
  const formatter = await eslint.loadFormatter("stylish");
  const ok = found.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
  return { ok, output: await formatter.format(found) };
}

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
