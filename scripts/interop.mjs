// Tests Parley with real agents: installs them from the npm registry, starts a model server for them on the loopback
// interface, and runs each agent through Parley's real components and through the panel in a real VS Code:
//   npm run test:interop                          everything; writes the table into docs/INTEROP.md
//   npm run test:interop -- --agent=gemini,qwen   these agents
//   npm run test:interop -- --only=stop,mode      scenarios whose ID contains one of these; no panel
//   npm run test:interop -- --only=panel          only the panel tests; --no-panel omits them
//   npm run test:interop -- --only=daemon         only the agents that run as servers; --no-daemon omits them
//   npm run test:interop -- --only=panel --grep=x only the panel tests whose title contains this
// Results of such a part replace those of earlier runs, and --table writes the tables of all of them.
// The traffic is recorded in out/interop/. No account is needed, and only the npm registry is contacted.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { formatted } from "./tools/format.mjs";
import { ensureInstalled } from "./tools/install.mjs";
import { mochaCommand } from "./tools/mocha.mjs";
import { killTree, whenExiting } from "./tools/processes.mjs";
import { flag, inProject, main, npm, option, Problem, root, run, say, secondsSince } from "./tools/project.mjs";
import { readResults } from "./tools/results.mjs";
import { cached, cacheRoot } from "./vscode/cache.mjs";
import { ensureChromium } from "./vscode/chromium.mjs";
import { vscodeForTests } from "./vscode/vscodeForTests.mjs";

/** @typedef {import("../test/interop/agents.ts").RealAgent} RealAgent */

const out = inProject("out", "interop");
const documentFile = inProject("docs", "INTEROP.md");
const only = option("only");
const chosen = option("agent");
const isWhole = !only && !chosen && !flag("no-panel") && !flag("no-daemon");

/** The environment variables that the agents get: no API key, no proxy and no setting of an agent. */
const kept =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TMPDIR|TEMP|TMP|SYSTEMROOT|SYSTEMDRIVE|COMSPEC|PATHEXT|WINDIR|USERPROFILE|APPDATA|LOCALAPPDATA|PARLEY_\w+|CHROMIUM_PATH|CI)$/i;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));

await main(async () => {
  ensureInstalled();
  await bundle();
  /** @type {typeof import("../test/interop/agents.ts")} */
  const { agents, nodePackage, nodeVersion } = await import(inOut("agents.mjs"));
  const tried = agents.filter(({ id }) => !chosen || chosen.split(",").includes(id));
  if (tried.length === 0)
    throw new Problem(`There is no agent "${chosen}". The agents are ${agents.map(a => a.id).join(", ")}.`);
  const node = await installNode(nodePackage, nodeVersion);
  /** @type {Record<string, string>} */
  const installed = {};
  for (const agent of tried) installed[agent.id] = await installAgent(agent);
  const model = await startModelServer();
  try {
    const trial = {
      model: model.origin,
      node,
      installed,
      workspace: inProject("examples/sample-workspace"),
      out,
    };
    const file = path.join(out, "trial.json");
    fs.writeFileSync(file, JSON.stringify({ ...trial, ...(only && { only }) }, null, 2));
    /** @param {string} program */
    const runTrial = program => run(process.execPath, [path.join(out, program), file], { env: environment });
    const isOnlyPart = only === "panel" || only === "daemon";
    const stack = isOnlyPart ? 0 : await runTrial("run.mjs");
    const daemon = (only && only !== "daemon") || flag("no-daemon") ? 0 : await runTrial("daemon.mjs");
    const panel = (only && only !== "panel") || flag("no-panel") ? 0 : await runPanel(file);
    if (isWhole || flag("table")) await writeTables();
    process.exitCode = stack || daemon || panel;
  } finally {
    model.stop();
  }
});

/** The address of a built module. @param {string} name */
function inOut(name) {
  return pathToFileURL(path.join(out, name)).href;
}

/** Builds the interop tests, which `npm test` doesn't build. */
async function bundle() {
  fs.mkdirSync(out, { recursive: true });
  for (const file of isWhole ? ["results.json", "daemon.json", "panel.json", "tools.json"] : [])
    fs.rmSync(path.join(out, file), { force: true });
  const esbuild = await import("esbuild"); // In a new clone, esbuild has only just been installed.
  await esbuild.build({
    entryPoints: {
      agents: inProject("test/interop/agents.ts"),
      run: inProject("test/interop/run.ts"),
      daemon: inProject("test/interop/daemon/run.ts"),
      daemonTable: inProject("test/interop/daemon/daemonTable.ts"),
      table: inProject("test/interop/table.ts"),
      toolRuns: inProject("test/interop/toolRuns.ts"),
      panel: inProject("test/e2e/realAgent.ts"),
      panelTools: inProject("test/e2e/realAgentTools.ts"),
    },
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "linked",
    logLevel: "warning",
  });
}

/** The agents' cache lies beside that of VS Code, or within PARLEY_CACHE. @param {string} name */
function inCache(name) {
  const folder = process.env["PARLEY_CACHE"] ? "interop" : path.join("..", "parley-interop");
  fs.mkdirSync(path.join(cacheRoot(), folder), { recursive: true });
  return path.join(folder, name);
}

/**
 * Installs a Node.js that is newer than the one that runs Parley's own tests, because some agents require it.
 * @param {string} name @param {string} version @returns {Promise<string>}
 */
async function installNode(name, version) {
  const folder = await install(`node-${version}`, `${name}@${version}`);
  const binary = process.platform === "win32" ? "node.exe" : "bin/node";
  return path.join(folder, "node_modules", name, binary);
}

/** @param {RealAgent} agent @returns {Promise<string>} */
function installAgent({ id, preset = id, spec, setUp }) {
  return install(`${preset}-${spec.slice(spec.lastIndexOf("@") + 1)}`, spec, setUp);
}

/**
 * Installs one package into a folder of the cache, unless it is installed. Its scripts don't run, except for `setUp`.
 * @param {string} name @param {string} spec @param {string} [setUp] @returns {Promise<string>}
 */
function install(name, spec, setUp) {
  const recipe = { spec, setUp, platform: `${process.platform}-${process.arch}` };
  return cached(inCache(name), recipe, async folder => {
    const started = performance.now();
    say(`Installing ${spec} from the npm registry (once).`);
    fs.writeFileSync(path.join(folder, "package.json"), '{ "private": true }');
    npm(["install", spec, "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"], { cwd: folder });
    if (setUp) {
      const code = await run(process.execPath, [path.join(folder, "node_modules", setUp)], { cwd: folder });
      if (code !== 0) throw new Problem(`${spec} was installed, but its ${setUp} exited with code ${code}.`);
    }
    say(`Installed (${secondsSince(started)}).`);
  });
}

/** @returns {Promise<{ origin: string, stop: () => void }>} */
async function startModelServer() {
  const args = ["--port", "0", "--quiet", "--log", path.join(out, "model-server.log")];
  fs.rmSync(path.join(out, "model-server.log"), { force: true });
  const child = spawn(process.execPath, [inProject("test/interop/model-server.mjs"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => {
    if (child.pid) killTree(child.pid);
  };
  const forget = whenExiting(stop);
  const origin = await new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", text => {
      printed += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", code => reject(new Problem(`The model server exited with code ${code} before it was ready.`)));
  });
  say(`The model server runs at ${origin}.`);
  return {
    origin,
    stop: () => {
      forget();
      stop();
    },
  };
}

/** @param {string} trial @returns {Promise<number>} */
async function runPanel(trial) {
  await vscodeForTests();
  const built = await run(process.execPath, ["esbuild.mjs"]);
  if (built !== 0) throw new Problem("The extension could not be built.");
  const env = { ...environment, CHROMIUM_PATH: ensureChromium(), PARLEY_TRIAL: trial };
  const results = path.join(out, "panel-run.json");
  const command = mochaCommand(
    ["panel.mjs", "panelTools.mjs"].map(name => path.join(out, name)),
    { results, grep: option("grep"), timeout: 120_000 },
  );
  const code = await run(process.execPath, command, { env });
  const { tests } = readResults(results);
  const titles = new Set(tests.map(({ title }) => title));
  const merged = [...panelTests().filter(({ title }) => !titles.has(title)), ...tests];
  fs.writeFileSync(path.join(out, "panel.json"), JSON.stringify(merged, null, 2));
  return code;
}

/** The latest result of each panel test. */
function panelTests() {
  /** @type {import("./tools/results.d.mts").TestResult[]} */
  const tests = resultsIn("panel.json") ?? [];
  return tests;
}

/** Writes each table for which there are results between its markers in the document. */
async function writeTables() {
  const results = resultsIn("results.json");
  if (results) {
    /** @type {typeof import("../test/interop/table.ts")} */
    const { table } = await import(inOut("table.mjs"));
    writeBetween("table", table({ results, panel: panelTests(), day: new Date().toISOString().slice(0, 10) }));
  }
  const daemons = resultsIn("daemon.json");
  if (daemons) {
    /** @type {typeof import("../test/interop/daemon/daemonTable.ts")} */
    const { daemonTable } = await import(inOut("daemonTable.mjs"));
    writeBetween("daemon", daemonTable(daemons));
  }
  const pair = resultsIn("tools.json");
  if (pair) {
    /** @type {typeof import("../test/interop/toolRuns.ts")} */
    const { toolTable } = await import(inOut("toolRuns.mjs"));
    writeBetween("tools", toolTable(pair));
  }
}

/** The results in a file. Undefined: there are none. @param {string} name @returns {any} */
function resultsIn(name) {
  const file = path.join(out, name);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined;
}

/** Writes a table between its markers in the document. @param {string} name @param {string} written */
function writeBetween(name, written) {
  const text = fs.readFileSync(documentFile, "utf8");
  const markers = new RegExp(`(<!-- ${name}: begin[^>]*-->)[\\s\\S]*(<!-- ${name}: end -->)`);
  if (!markers.test(text)) throw new Error(`${documentFile} has no markers for its table “${name}”.`);
  const filled = text.replace(markers, (_, begin, end) => `${begin}\n\n${written}\n\n${end}`);
  fs.writeFileSync(documentFile, formatted(filled, documentFile));
  say(`\nThe table “${name}” is in ${path.relative(root, documentFile)}.`);
}
