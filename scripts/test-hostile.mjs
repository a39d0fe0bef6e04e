// Attacks Parley with random cases, class by class, until the time is over or a class fails:
//   npm run test:hostile                                  10 minutes
//   npm run test:hostile -- --minutes=60 [--class=wire,log]   longer, or some classes only
//   npm run test:hostile -- --seconds=30
//   npm run test:hostile -- --class=folder --stalls       stops processes of VS Code for a moment, as a busy machine does
//   SEED=7 npm run test:hostile                           begins with this seed
// The classes consist of test files that `npm test` also runs, once, with fewer seeds and with a sample of long tables.
// Each round uses the next ten seeds, or the first of them.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { mochaCommand } from "./tools/mocha.mjs";
import { killTree, processesWith } from "./tools/processes.mjs";
import { flag, inProject, main, option, Problem, run, say, secondsSince, waitFor } from "./tools/project.mjs";
import { readResults, resultLine } from "./tools/results.mjs";
import { afterMinutes, runLimited } from "./tools/sideBySide.mjs";
import { ensureChromium } from "./vscode/chromium.mjs";
import { vscodeForTests } from "./vscode/vscodeForTests.mjs";

/**
 * @typedef {object} Class
 * @property {string} about
 * @property {readonly string[]} files the test files, without their ending
 * @property {boolean} [isFixed] whether one round is enough
 * @property {Readonly<Record<string, string>>} [variables] of the environment
 * @property {boolean} [needsChromium]
 * @property {boolean} [needsVscode]
 * @property {string} [hostTests] the words in the titles of tests that also run inside VS Code
 */

/** @type {Readonly<Record<string, Class>>} */
const classes = {
  wire: {
    about: "messages of an agent",
    files: [
      ...["hostile/wire", "acp/ndjson", "acp/v1Updates", "acp/v2Updates"],
      ...["base/jsonDepth", "panel/panelChannel", "panel/projector"],
    ],
  },
  messages: {
    about: "20,000 changed messages in each version of the protocol",
    files: ["hostile/wire"],
    variables: { FUZZ_MESSAGES: "20000" },
    isFixed: true,
  },
  lifecycle: {
    about: "five kinds of correct agents of version 2 that choose any allowed order",
    files: ["acp/v2Properties"],
  },
  log: {
    about: "stored sessions with damage",
    files: ["hostile/sessionLog", "session/sessionStore"],
  },
  intents: { about: "messages of a panel", files: ["hostile/intents", "panel/intents"] },
  turns: {
    about: "texts that imitate other turns, and long texts",
    files: ["session/forgedTurns", "base/isolatedMarkdown", "hostile/longTexts"],
  },
  commands: {
    about: "command lines, compared with real shells, and rules",
    files: ["permissions/parseCommandLine", "permissions/rules", "permissions/questionFacts"],
  },
  review: {
    about: "changes of agent, user and disk in any order",
    files: ["review/fileChangesProperties", "review/comparisonProperties", "files/mergeTexts", "files/sessionFiles"],
  },
  folder: {
    about: "commands of an agent and a user in a real folder, in VS Code",
    files: [],
    hostTests: "random commands of an agent and a user in a folder",
  },
  kills: {
    about: "processes that are killed, hang or ignore signals",
    files: ["agents/pool", "agents/startWatchdog", "terminals/sessionTerminals"],
    isFixed: true,
  },
  disk: {
    about: "full disks, cut files and single wrong bytes",
    files: ["session/storageOnDisk", "session/damagedLog", "checkpoints/gitTrees"],
    isFixed: true,
  },
  requests: {
    about: "invalid requests, planted files, protected files and secrets",
    files: [
      "acp/badRequests",
      "agents/plantedFiles",
      "permissions/protectedFiles",
      "permissions/protectedWrites",
      "permissions/gitFolders",
      "permissions/sensitiveFiles",
      "permissions/commandSecrets",
    ],
    isFixed: true,
  },
  settings: {
    about: "values of settings, and what limits remove in windows that are killed",
    files: [
      ...["window/settingScopes", "permissions/sensitiveFiles", "library/retention", "library/sessionTrash"],
      ...["library/storedSessions", "checkpoints/checkpointRetention", "checkpoints/checkpoints"],
    ],
    hostTests: "the settings of a folder|the user's environment of terminals|the user's numbers",
    needsVscode: true,
  },
  programs: {
    about: "what a sign-in, a server and an allowed command run, and the secrets that they get",
    files: [
      ...["agents/signInProgram", "base/programVariables", "base/secret", "session/maskStreams"],
      ...["mcp/serverContent", "mcp/envFile", "permissions/programHazards", "permissions/commandWrites"],
      ...["permissions/wordRoles", "permissions/everyday", "agents/plantedFiles", "e2e/secrets"],
    ],
    hostTests: "signing in to an agent|the consent to an MCP server of the workspace",
    needsVscode: true,
  },
  editor: {
    about: "texts that the editor shows, also in a real window",
    files: ["base/inertText", "base/visibleText", "e2e/hostileTexts"],
    needsVscode: true,
  },
  markup: {
    about: "texts in the panel, in Chromium",
    files: ["webview/hostile", "webview/safety", "webview/links"],
    isFixed: true,
    needsChromium: true,
  },
  themes: {
    about: "the accessibility of the panel in all four themes, in Chromium",
    files: ["webview/access"],
    isFixed: true,
    needsChromium: true,
  },
};

/** @typedef {{ tests: number, cases: number, rounds: number, failures: string[] }} Total */

/** The time limits of a test (ms) and of a class (minutes), for a slow and busy machine. */
const maxTestTime = 240_000;
const maxClassTime = 20;
/** The variable that marks the processes of a class. */
const markName = "PARLEY_HOSTILE_RUN";
/** A test in VS Code has a case for each of these seeds: a window takes longer to open than three cases. */
const seedsOfRound = 10;
/** A process of a test may end this long after its test. Milliseconds. */
const maxEndTime = 10_000;

await main(async () => {
  const wanted = option("class")?.split(",");
  const unknown = wanted?.find(name => !(name in classes));
  if (unknown !== undefined) {
    throw new Problem(`There is no class "${unknown}". The classes are ${Object.keys(classes).join(", ")}.`);
  }
  const seconds = Number(option("seconds") ?? Number(option("minutes") ?? 10) * 60);
  const firstSeed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  if (!(seconds > 0) || !Number.isSafeInteger(firstSeed)) throw new Problem("The time and SEED must be numbers.");
  ensureInstalled();
  if ((await run(process.execPath, ["esbuild.mjs", "--tests"])) !== 0) throw new Problem("The build failed.");

  const started = performance.now();
  const names = Object.keys(classes).filter(name => wanted === undefined || wanted.includes(name));
  /** @type {Map<string, Total>} */
  const totals = new Map(names.map(name => [name, { tests: 0, cases: 0, rounds: 0, failures: [] }]));
  let seed = firstSeed;
  for (; seed === firstSeed || performance.now() - started < seconds * 1000; seed += seedsOfRound) {
    const open = [...totals].filter(([name, total]) => isOpen(name, total));
    if (open.length === 0) break;
    for (const [name, total] of open) await perform(name, total, seed);
  }
  say(`\nseeds ${firstSeed} to ${seed - 1}, ${secondsSince(started)}`);
  for (const [name, { tests, cases, rounds, failures }] of totals) {
    const counts = `rounds: ${rounds}, tests: ${tests}, random cases: ${cases}, failures: ${failures.length}`;
    say(`${name.padEnd(9)} ${counts.padEnd(60)} ${classes[name]?.about}`);
  }
  if ([...totals.values()].some(({ failures }) => failures.length > 0)) process.exitCode = 1;
});

/** Whether another round of the class can find something. @param {string} name @param {Total} total */
function isOpen(name, total) {
  return total.failures.length === 0 && !(classes[name]?.isFixed && total.rounds > 0);
}

/** Runs the tests of a class once. @param {string} name @param {Total} total @param {number} seed */
async function perform(name, total, seed) {
  const { files, needsChromium, needsVscode, hostTests, variables = {} } = /** @type {Class} */ (classes[name]);
  if (needsChromium || needsVscode) process.env["CHROMIUM_PATH"] = ensureChromium();
  if (needsVscode) await vscodeForTests();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "parley-hostile-"));
  const casesFile = path.join(folder, "cases");
  const started = performance.now();
  // Processes of the tests inherit it, so that those that are left can be found.
  const mark = `${process.pid}-${name}-${seed}`;
  process.env["FUZZ_MESSAGES"] = "0";
  process.env["ALL_CASES"] = "1";
  process.env["CASES"] = String(seedsOfRound);
  Object.assign(process.env, variables, { SEED: String(seed), PARLEY_CASES_FILE: casesFile, [markName]: mark });
  const setUp = ["--import", new URL("tools/countCases.mjs", import.meta.url).href];
  /** @type {((results: string) => readonly string[])[]} */
  const commands = [];
  if (files.length > 0) {
    const tests = files.map(file => inProject("out", "test", `${file}.test.mjs`));
    commands.push(results => [...setUp, ...mochaCommand(tests, { results, timeout: maxTestTime })]);
  }
  if (hostTests !== undefined) {
    const options = ["--repositories", ...(flag("stalls") ? ["--stalls"] : [])];
    commands.push(results => ["scripts/test-host.mjs", `--grep=${hostTests}`, `--results=${results}`, ...options]);
  }
  try {
    let output = "";
    let tests = 0;
    /** @type {string[]} */
    const failures = [];
    for (const [at, command] of commands.entries()) {
      const results = path.join(folder, `results-${at}.json`);
      const code = await runLimited(command(results), afterMinutes(maxClassTime), text => (output += text));
      const { tests: found, finished } = readResults(results);
      const failed = found.filter(test => test.state === "failed").map(resultLine);
      if (code === "late") failed.push(`The class did not finish within ${maxClassTime} minutes.`);
      else if (!finished || (code !== 0 && failed.length === 0)) failed.push(`It broke off with exit code ${code}.`);
      tests += found.length;
      failures.push(...failed);
    }
    const left = () => processesWith(markName, mark);
    if (!(await waitFor(() => left().length === 0, maxEndTime))) {
      for (const { pid, command } of left()) {
        failures.push(`A process is left: ${command}`);
        killTree(pid);
      }
    }
    const cases = fs.existsSync(casesFile) ? Number(fs.readFileSync(casesFile, "utf8")) : 0;
    total.rounds++;
    total.tests += tests;
    total.cases += cases;
    total.failures.push(...failures);
    for (const [line] of output.matchAll(/version \d: \d+ changed messages.*/g)) say(`${name}: ${line}`);
    const result = failures.length > 0 ? `✘ ${failures.length} failures` : "✔";
    say(`${name}: seed ${seed}, ${tests} tests, ${cases} random cases, ${secondsSince(started)} ${result}`);
    if (failures.length > 0) {
      say(`${output}\n${failures.join("\n")}\nTo repeat it: SEED=${seed} npm run test:hostile -- --class=${name}`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
