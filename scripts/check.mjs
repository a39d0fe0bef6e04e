// Types, lint and format, each with a line that says whether it holds:
//   npm run check [-- --results=file]
// Types and lint ask the same programs, so each file is read and its types are worked out once.
import { spawn } from "node:child_process";
import { ESLint } from "eslint";
import ts from "typescript";
import { ensureInstalled } from "./tools/install.mjs";
import { inProject, main, option, root, say } from "./tools/project.mjs";
import { newResults, resultLine } from "./tools/results.mjs";

/** @typedef {{ ok: boolean, output: string }} Finding */

/** A file is linted with the first project that has it. */
const projects = [
  { title: "types: extension and demo agent", file: "tsconfig.json" },
  { title: "types: panel", file: "webview-ui/tsconfig.json" },
  { title: "types: tests and benchmarks", file: "test/tsconfig.json" },
  { title: "types: scripts", file: "scripts/tsconfig.json" },
];

/** @type {ts.FormatDiagnosticsHost} */
const formatHost = {
  getCanonicalFileName: name => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n",
};

await main(async () => {
  ensureInstalled();
  const file = option("results");
  const results = file ? newResults(file) : undefined;
  /** @param {string} title @param {() => Finding | Promise<Finding>} find */
  const check = async (title, find) => {
    const started = performance.now();
    const { ok, output } = await find();
    const ms = Math.round(performance.now() - started);
    /** @type {import("./tools/results.d.mts").TestResult} */
    const result = ok ? { title, state: "passed", ms } : { title, state: "failed", ms, error: output.trim() };
    results?.add(result);
    say(resultLine(result));
    if (!ok) process.exitCode = 1;
  };
  const format = check("format", () => outputOf(["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."])); // prettier-ignore
  /** @type {ts.Program[]} */
  const programs = [];
  for (const { title, file: project } of projects) {
    await check(title, () => {
      const program = programOf(project);
      programs.push(program);
      return typesOf(program);
    });
  }
  await check("lint", () => lint(programs));
  await format;
  results?.finish();
});

/** @param {string} project @returns {ts.Program} what `tsc -p` makes of it */
function programOf(project) {
  /** @type {ts.ParseConfigFileHost} */
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

/** @param {ts.Program} program @returns {Finding} */
function typesOf(program) {
  const found = ts.getPreEmitDiagnostics(program);
  return { ok: found.length === 0, output: ts.formatDiagnostics(found, formatHost) };
}

/** @param {readonly ts.Program[]} programs @returns {Promise<Finding>} */
async function lint(programs) {
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
