// Real processes: starting, failing to start, exiting, and stopping with all descendants.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { agentEnvironment, agentSpawn } from "../../src/agents/locateAgent.ts";
import { AgentPool, type StartProgress } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { asProblem, type Problem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";

/** The ending of a program's file name. */
const ending = process.platform === "win32" ? ".exe" : "";
const bad = join(process.cwd(), "test/support/agents/bad.mjs");
const agent = (behaviour: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  id: behaviour,
  name: "Bad Agent",
  command: process.execPath,
  args: [bad, behaviour],
  env: {},
  missingFiles: "error",
  startTimeout: 20,
  ...more,
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 10));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie process, which its parent has not reaped, counts as ended.
  return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
}

describe("the pool of agent processes", function () {
  let pool: AgentPool;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-pool-"));
    pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"));
  });
  afterEach(async () => {
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const get = (definition: AgentDefinition, onProgress: (progress: StartProgress) => void = () => {}) =>
    pool.get(definition, onProgress);
  const failure = async (definition: AgentDefinition): Promise<Problem> =>
    get(definition).then(
      () => assert.fail("it started"),
      (error: unknown) => asProblem(error),
    );

  it("starts an agent once for all callers, and reports the progress", async () => {
    const states: string[] = [];
    const [one, two] = await Promise.all([get(agent("none"), ({ state }) => states.push(state)), get(agent("none"))]);
    assert.equal(one, two);
    assert.deepEqual([...new Set(states)], ["starting", "connecting"]);
    assert.equal(one.agent.info.name, "Bad Agent");
  });

  it("names a missing program, and where to change it", async () => {
    const problem = await failure(agent("none", { command: "no-such-program-anywhere" }));
    assert.match(problem.message, /`no-such-program-anywhere` was not found on the PATH/);
    assert.ok(problem.next.includes("openSettings"));
  });

  it("reports that a file is not executable, and that a folder is not a program", async () => {
    const file = join(folder, "agent");
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 });
    const words = async (command: string): Promise<string> => (await failure(agent("none", { command }))).message;
    assert.ok((await words(file)).startsWith(`Could not start Bad Agent: \`${file}\` is not executable.`));
    assert.ok((await words(folder)).startsWith(`Could not start Bad Agent: \`${folder}\` is a folder.`));
  });

  it("reports that the working folder is missing", async () => {
    const problem = await failure(agent("none", { cwd: join(folder, "gone") }));
    assert.match(problem.message, /does not exist/);
  });

  it("reports the exit code and the last output of an agent that exits at once, and where to change it", async () => {
    const problem = await failure(agent("exit"));
    assert.match(problem.message, /ended with code 3 before it was ready/);
    assert.match(problem.detail ?? "", /no licence found/);
    assert.deepEqual(problem.next, ["restartAgent", "openSettings", "selectAgent", "showLog"]);
    assert.equal(pool.endOf("exit")?.facts["code"], 3);
    assert.equal(pool.endOf("exit")?.wasStopped, false);
  });

  for (const behaviour of ["initialize-never", "initialize-garbage"]) {
    it(`waits for an agent that does not answer until the user stops it: ${behaviour}`, async () => {
      const states: string[] = [];
      const failed = get(agent(behaviour, { startTimeout: 0.1 }), ({ state }) => states.push(state)).catch(asProblem);
      await until(() => states.includes("connecting"));
      await pool.stop(behaviour);
      assert.match(((await failed) as Problem).message, /^Bad Agent was stopped/);
    });
  }

  it("does not accept a wrong answer", async () => {
    assert.match((await failure(agent("version"))).message, /speaks version 0/);
    assert.match((await failure(agent("initialize-error"))).message, /The model store is corrupt\./);
  });

  it("works with an agent whose answer has the wrong types", async () => {
    const { agent: connected } = await get(agent("initialize-wrong-types"));
    assert.deepEqual(connected.info.capabilities, { image: false, audio: false, embeddedContext: false });
  });

  it("starts an agent again after it exited, and after its definition changed", async () => {
    const first = await get(agent("none"));
    await pool.stop("none");
    const second = await get(agent("none"));
    assert.notEqual(first, second);
    const third = await get(agent("none", { name: "Renamed" }));
    assert.notEqual(second, third);
    assert.equal(await get(agent("none", { name: "Renamed" })), third, "the end of the second leaves the third");
  });

  it("asks an agent of version 1 for that version at once the next time, until a start with it fails", async () => {
    const asked = join(folder, "asked");
    const fails = join(folder, "fails");
    const program = join(folder, "versions.mjs");
    writeFileSync(
      program,
      `import { appendFileSync, existsSync } from "node:fs";
       import { createInterface } from "node:readline";
       if (existsSync(${JSON.stringify(fails)})) process.exit(4);
       for await (const line of createInterface({ input: process.stdin })) {
         const { id, params } = JSON.parse(line);
         appendFileSync(${JSON.stringify(asked)}, params.protocolVersion + " ");
         console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } }));
       }`,
    );
    const offersTwo = agent("versions", { args: [program], protocol: "2" });
    const restart = async (): Promise<void> => {
      await pool.stop(offersTwo.id);
      await get(offersTwo);
    };
    await get(offersTwo);
    await restart();
    assert.equal(readFileSync(asked, "utf8"), "2 1 1 ", "the first start repeats `initialize` in version 1");
    await pool.stop(offersTwo.id);
    writeFileSync(fails, "");
    await failure(offersTwo);
    rmSync(fails);
    await get(offersTwo);
    await get({ ...offersTwo, args: [program, "--other"] });
    assert.equal(readFileSync(asked, "utf8"), "2 1 1 2 1 2 1 ", "another command line has its own version");
  });

  it("reports an exit once with its reason, also a stop and a change of the settings, but not the end of the window", async () => {
    const running = await get(agent("exit-after-initialize")).catch(() => undefined);
    if (running) {
      const deaths: Problem[] = [];
      running.onDidDie(problem => deaths.push(problem));
      await until(() => deaths.length > 0);
      assert.match(deaths[0]?.message ?? "", /ended with code 4/);
    }
    const reasons: string[] = [];
    const watch = async (name: string): Promise<void> => {
      const { onDidDie } = await get(agent("none", { name }));
      onDidDie(({ message }) => reasons.push(message));
    };
    await watch("One");
    await pool.stop("none");
    await watch("Removed");
    await pool.stop("none", "its installation was removed");
    await watch("Two");
    await watch("Three");
    await pool.dispose();
    assert.deepEqual(reasons, [
      "One was stopped because another session restarted it. Retry, or send a message, to continue.",
      "Removed was stopped because its installation was removed. Retry, or send a message, to continue.",
      "Two was stopped because its settings have changed. Retry, or send a message, to continue.",
    ]);
  });

  it("starts no agent after its end, although a session was still being opened", async () => {
    await pool.dispose();
    const running = await get(agent("none")).catch((error: unknown) => asProblem(error).message);
    await pool.stop("none");
    assert.equal(running, "Bad Agent was stopped.");
  });

  it("ends the whole tree, also descendants that ignore SIGTERM", async () => {
    const pids: number[] = [];
    const running = await get(agent("grandchild"));
    const client = {
      report: (event: { type: string; content?: unknown }) => {
        const text = JSON.stringify(event.content ?? "");
        for (const [, pid] of text.matchAll(/(\d{2,})/g)) pids.push(Number(pid));
      },
    };
    const session = await running.agent.open({ cwd: folder, connection: 1 }, client as never);
    await session.prompt([{ type: "text", text: "go" }]);
    await until(() => pids.some(isAlive));
    const alive = pids.filter(isAlive);
    await pool.dispose();
    await until(() => !alive.some(isAlive));
  });

  it("records the traffic, also of an agent that failed", async () => {
    await failure(agent("exit"));
    const lines = pool.tap("exit")?.records.map(record => record.dir) ?? [];
    assert.ok(lines.includes("c>a") && lines.includes("err"));
  });
});

describe("the search for an agent's program", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parley-find-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const program = (PATH: string, command = `tool${ending}`): string => agentSpawn(definition(command), { PATH }).path;
  const definition = (command: string): AgentDefinition => agent("none", { command });

  it("uses only the absolute folders of the PATH", () => {
    const tool = join(folder, `tool${ending}`);
    writeFileSync(tool, "#!/bin/sh\n", { mode: 0o755 });
    assert.equal(program(["relative", folder].join(delimiter)), tool);
    const cwd = process.cwd();
    process.chdir(folder);
    try {
      assert.throws(() => program([".", ""].join(delimiter)), /was not found on the PATH/);
      assert.throws(() => program(folder, `./tool${ending}`), /there is no program at/);
    } finally {
      process.chdir(cwd);
    }
  });

  it("does not accept a folder as a program", () => {
    mkdirSync(join(folder, `tool${ending}`));
    assert.throws(() => program(folder), /is a folder\. Set parley\.agents/);
  });
});

describe("an agent's environment", () => {
  it("is the environment of VS Code without the variables that VS Code adds, then the definition's", () => {
    const base = {
      PATH: "/bin",
      ELECTRON_RUN_AS_NODE: "1",
      VSCODE_IPC_HOOK: "x",
      NODE_OPTIONS: "--inspect",
      HOME: "/h",
    };
    assert.deepEqual(agentEnvironment(base, { HOME: "/other", A: "1" }), { PATH: "/bin", HOME: "/other", A: "1" });
  });
});
