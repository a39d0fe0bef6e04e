// The time from `git clone` to the first answer of the demo agent, as a newcomer has it: clone, `npm start`, a prompt.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endTree, killTree, whenExiting } from "../../scripts/tools/processes.mjs";
import { root, waitFor } from "../../scripts/tools/project.mjs";
import { launchBrowser, restored, webview } from "../../scripts/vscode/workbench.mjs";
import type { Report } from "./report.ts";

/** Two downloads of a few hundred megabytes at most. */
const limitMs = 600_000;

/** The seconds of each step of one start. */
interface Start {
  readonly clone: number;
  readonly install: number;
  readonly build: number;
  readonly server: number;
  readonly chat: number;
  readonly answer: number;
}

const steps: readonly (readonly [keyof Start, string])[] = [
  ["clone", "`git clone` of a repository on the same disk"],
  ["install", "`npm start`: install the packages"],
  ["build", "`npm start`: build"],
  ["server", "`npm start`: install VS Code if it is not there, and start it"],
  ["chat", "the window, until the chat accepts a prompt"],
  ["answer", "the prompt, until the first words of the answer"],
];

/** Starts once with what this machine has cached, and once with an empty cache of npm and of VS Code. */
export async function run(): Promise<Report> {
  const cached = await start();
  const empty = await start({ isCacheEmpty: true });
  const sum = (times: Start): number => steps.reduce((total, [step]) => total + times[step], 0);
  const rows = steps.map(([step, words]) => [words, seconds(cached[step]), seconds(empty[step])]);
  rows.push(["together", seconds(sum(cached)), seconds(sum(empty))]);
  return { tables: [{ columns: ["step", "with caches", "with empty caches"], rows }] };
}

const seconds = (value: number): string => `${value.toFixed(1)} s`;

async function start({ isCacheEmpty = false } = {}): Promise<Start> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-bench-start-")));
  const emptyCaches = {
    npm_config_cache: join(folder, "npm-cache"),
    PARLEY_CACHE: join(folder, "vscode-cache"),
  };
  const tmp = join(folder, "tmp");
  mkdirSync(tmp);
  const env = { ...process.env, TMPDIR: tmp, ...(isCacheEmpty && emptyCaches) };
  let at = performance.now();
  const lap = (): number => {
    const before = at;
    at = performance.now();
    return (at - before) / 1000;
  };
  const clone = join(folder, "parley");
  let npm: ChildProcess | undefined;
  try {
    const git = spawn("git", ["clone", "-q", root, clone], { stdio: "inherit" });
    assert.deepEqual(await once(git, "exit"), [0, null], "git clone failed.");
    const cloned = lap();

    npm = spawn("npm", ["start", "--", "--browser", "--no-open"], {
      cwd: clone,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { pid } = npm;
    if (pid) whenExiting(() => killTree(pid));
    let output = "";
    for (const stream of [npm.stdout, npm.stderr]) stream?.on("data", data => (output += String(data)));
    const reads = async (pattern: RegExp): Promise<string> => {
      let found: string | undefined;
      const isThere = (): boolean => (found = pattern.exec(output)?.[0]) !== undefined;
      if (!(await waitFor(isThere, limitMs)) || found === undefined)
        throw new Error(`npm start did not write ${String(pattern)}:\n${output}`);
      return found;
    };
    await reads(/Installed \(/);
    const installed = lap();
    await reads(/Built \(/);
    const built = lap();
    const address = await reads(/http:\/\/127\.0\.0\.1:\S+(?=\s)/);
    const served = lap();
    const browser = await launchBrowser();
    try {
      at = performance.now();
      const page = await browser.newPage();
      await page.goto(address);
      await restored(page);
      const panel = webview(page, "parley.parley");
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.fill("Explain this project");
      const chat = lap();
      await composer.press("Enter");
      await panel.locator("parley-message[data-kind=agent] p").first().waitFor();
      return { clone: cloned, install: installed, build: built, server: served, chat, answer: lap() };
    } finally {
      await browser.close();
    }
  } finally {
    if (npm?.pid) await endTree(npm.pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
