// Hooks with real programs: their environment, their limits, and failures.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/base/log.ts";
import { systemClock } from "../../src/base/log.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { WindowEnvironment } from "../../src/base/windowEnvironment.ts";
import { HookRunner, maxHookTime, maxRunningHooks, maxWaitingHooks } from "../../src/hooks/hookRunner.ts";
import type { HookCommands } from "../../src/hooks/hookSetting.ts";
import { isAlive, until } from "../support/fakes/until.ts";

/** Writes its environment, its arguments and its folder into the file, whole or not at all. */
const report = `
const fs = require("node:fs");
const [file, ...args] = process.argv.slice(1);
fs.writeFileSync(file + ".new", JSON.stringify({ env: process.env, args, cwd: process.cwd() }));
fs.renameSync(file + ".new", file);
`;

interface Reported {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly cwd: string;
}

describe("a hook", () => {
  let folder: string;
  let runners: HookRunner[];
  let logged: string[];
  let shown: string[];
  let commands: HookCommands;
  let isTrusted: boolean;
  /** How many programs got an environment. */
  let started: number;
  /** The time limits that have not passed. */
  let limits: (() => void)[];

  beforeEach(async () => {
    trackLeaks();
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-hooks-")));
    [runners, logged, shown, limits] = [[], [], [], []];
    commands = {};
    isTrusted = true;
    started = 0;
  });
  afterEach(async () => {
    await Promise.all(runners.map(runner => runner.close()));
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(findLeaks(), []);
  });

  /** The tests end the time limit of a hook. All shorter times are real. */
  const clock: Clock = {
    now: () => systemClock.now(),
    after: (ms, run) => {
      if (ms !== maxHookTime) return systemClock.after(ms, run);
      limits.push(run);
      return { dispose: () => void (limits = limits.filter(each => each !== run)) };
    },
  };
  const note =
    (level: string) =>
    (message: string, data?: unknown): void =>
      void logged.push(`${level} ${message}${data === undefined ? "" : ` ${String(data)}`}`);

  function runner(): HookRunner {
    const made = new HookRunner({
      commands: () => commands,
      hasTrust: () => isTrusted,
      environment: {
        of: withOwn => {
          started++;
          return new WindowEnvironment({ host: { ...process.env, VSCODE_IPC_HOOK: "x" } }).of(withOwn);
        },
      },
      folder,
      showFailure: sentence => shown.push(sentence),
      clock,
      log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    });
    runners.push(made);
    return made;
  }
  const node = (script: string, ...args: readonly string[]) => ({
    program: process.execPath,
    args: ["-e", script, "--", ...args],
  });
  const reported = (file: string): Reported => JSON.parse(readFileSync(file, "utf8")) as Reported;

  it("gets the words of the event in its environment only, and starts in the given folder", async () => {
    const file = join(folder, "report.json");
    commands = { turnEnd: node(report, file, "$PARLEY_TEXT", "%PARLEY_TEXT%") };
    const hostile = `"; touch ${join(folder, "hit")}; $(touch hit) \`touch hit\` %PATH% & | > -rf é`;
    runner().run("turnEnd", { PARLEY_EVENT: "turnEnd", PARLEY_TEXT: hostile });
    await until(() => existsSync(file));
    const { env, args, cwd } = reported(file);
    assert.deepEqual([env["PARLEY_EVENT"], env["PARLEY_TEXT"]], ["turnEnd", hostile]);
    assert.deepEqual(args, ["$PARLEY_TEXT", "%PARLEY_TEXT%"]);
    assert.equal(cwd, folder);
    assert.equal(env["VSCODE_IPC_HOOK"], undefined, "a variable of VS Code's own process");
    assert.ok(!existsSync(join(folder, "hit")));
  });

  it("runs through the shell that the user writes, which quotes the words", async function () {
    if (process.platform === "win32") this.skip();
    commands = { question: { program: "sh", args: ["-c", 'printf "%s" "$PARLEY_TEXT" > out && mv out done'] } };
    const hostile = `"; touch hit; $(touch hit) \`touch hit\` '`;
    runner().run("question", { PARLEY_TEXT: hostile });
    const file = join(folder, "done");
    await until(() => existsSync(file));
    assert.equal(readFileSync(file, "utf8"), hostile);
    assert.ok(!existsSync(join(folder, "hit")));
  });

  it("does not run without a command, in an untrusted workspace, and after the window has closed", async () => {
    const made = runner();
    made.run("failure", {});
    commands = { question: node(report, join(folder, "report.json")) };
    isTrusted = false;
    made.run("question", {});
    isTrusted = true;
    await made.close();
    made.run("question", {});
    assert.equal(started, 0);
    assert.deepEqual([logged, shown], [[], []]);
  });

  it("has the end of its output in the log, without secrets and control characters", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    commands = { question: node(`console.log("x\\n".repeat(100000) + "a\\u202eb \\x1b[31m${secret}")`) };
    runner().run("question", {});
    await until(() => logged.length > 0);
    const [line = ""] = logged;
    assert.match(line, /^info Output of the command of parley\.hooks → question: (?:x\n)+a\[U\+202E\]b •••$/);
    assert.ok(line.length < 200);
    assert.deepEqual(shown, []);
  });

  it("that fails is logged each time, and shown once until the setting changes", async () => {
    const made = runner();
    commands = { failure: node("console.log('no sound'); process.exitCode = 3") };
    const failure = "The command of parley.hooks → failure failed: it ended with exit code 3.";
    for (const count of [1, 2]) {
      made.run("failure", {});
      await until(() => logged.length === count);
    }
    assert.deepEqual(logged, Array(2).fill(`warn ${failure} no sound`));
    assert.deepEqual(shown, [failure]);
    commands = { failure: node("process.exitCode = 4") };
    made.run("failure", {});
    await until(() => shown.length === 2);
    assert.match(shown[1] ?? "", /exit code 4/);
  });

  it("whose program is missing says so", async () => {
    for (const [program, reason] of [
      ["no-such-program", "“no-such-program” was not found on the PATH"],
      ["./notify", "“./notify” does not exist; a path must be absolute"],
      [folder, `“${folder}” is not a program`],
    ] as const) {
      commands = { question: { program, args: [] } };
      runner().run("question", {});
      await until(() => shown.length > 0);
      assert.equal(shown.pop(), `The command of parley.hooks → question failed: ${reason}.`);
    }
  });

  it("is stopped with all that it has started when its time is over", async function () {
    if (process.platform === "win32") this.skip();
    const file = join(folder, "pids");
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    const script = `
      const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}]);
      require("node:fs").writeFileSync(${JSON.stringify(file)} + ".new", process.pid + " " + child.pid);
      require("node:fs").renameSync(${JSON.stringify(file)} + ".new", ${JSON.stringify(file)});
      ${stubborn}`;
    commands = { turnEnd: node(script) };
    runner().run("turnEnd", {});
    await until(() => existsSync(file) && limits.length === 1);
    const pids = readFileSync(file, "utf8").split(" ").map(Number);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    limits[0]?.();
    await until(() => shown.length > 0);
    assert.deepEqual(shown, ["The command of parley.hooks → turnEnd failed: it was stopped after 10 seconds."]);
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });

  it("may leave programs running until its time is over", async function () {
    if (process.platform === "win32") this.skip();
    const file = join(folder, "pid");
    commands = { turnEnd: { program: "sh", args: ["-c", "sleep 600 & echo $! > new && mv new pid"] } };
    runner().run("turnEnd", {});
    await until(() => existsSync(file));
    const pid = Number(readFileSync(file, "utf8"));
    assert.ok(isAlive(pid));
    limits[0]?.();
    await until(() => !isAlive(pid));
    assert.deepEqual(shown, []);
  });

  it("waits while several run, and is left out if too many wait", async () => {
    const made = runner();
    commands = { question: node(`process.stdin.resume(); setInterval(() => {}, 1000); ${report}`, join(folder, "a")) };
    for (let n = 0; n < maxRunningHooks + maxWaitingHooks + 1; n++) made.run("question", {});
    await until(() => limits.length === maxRunningHooks);
    assert.deepEqual(logged, [
      `warn The command of parley.hooks → question was not run, because ${maxWaitingHooks} are waiting already.`,
    ]);
    const [first] = limits;
    first?.();
    // The time of the next one begins.
    await until(() => limits.length === maxRunningHooks && limits[0] !== first);
  });

  it("ends when the window closes, without a message", async () => {
    const file = join(folder, "a");
    commands = { question: node(`setInterval(() => {}, 1000); ${report}`, file) };
    const made = runner();
    made.run("question", {});
    await until(() => existsSync(file));
    await made.close();
    assert.deepEqual([logged, shown], [[], []]);
  });
});
