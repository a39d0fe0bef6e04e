// The spawn arguments of an agent on either system, and stopping an agent on Windows.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { launch, type AgentProcess } from "../../src/agents/launch.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { agentEnvironment, agentSpawn, locateAgent } from "../../src/agents/locateAgent.ts";
import { agentPresets, type AgentDefinition } from "../../src/agents/registry.ts";
import { asProblem, type Problem } from "../../src/base/errors.ts";

const definition = (command: string, ...args: string[]): AgentDefinition => ({
  id: "one",
  name: "One",
  command,
  args,
  env: {},
  missingFiles: "error",
  startTimeout: 20,
});

describe("the command line of an agent", () => {
  const cmd = "C:\\Windows\\System32\\cmd.exe";
  const files = ["C:\\Program Files\\nodejs\\npx", "C:\\Program Files\\nodejs\\npx.CMD", "C:\\One\\one.EXE", cmd];
  const spawnOf = (one: AgentDefinition) =>
    agentSpawn(one, { Path: "C:\\Program Files\\nodejs" }, "windows", path =>
      files.includes(path) ? "program" : undefined,
    );
  const problem = (one: AgentDefinition): Problem => {
    try {
      spawnOf(one);
    } catch (error) {
      return asProblem(error);
    }
    return assert.fail("it was found");
  };

  it("goes through cmd.exe on Windows for a batch file, with every argument quoted", () => {
    const batches = agentPresets.filter(preset => preset.command === "npx");
    assert.ok(batches.length > 0);
    for (const preset of batches) {
      const path = "C:\\Program Files\\nodejs\\npx.CMD";
      const line = [path, ...preset.args].map(word => `"${word}"`).join(" ");
      assert.deepEqual(spawnOf(preset), { path, file: cmd, args: ["/d", "/s", "/c", `"${line}"`], verbatim: true });
    }
  });

  it("runs the program itself on other systems", () => {
    const path = "C:\\One\\one.EXE";
    const one = definition("C:\\One\\one", "a b", "%PATH%");
    assert.deepEqual(spawnOf(one), { path, file: path, args: ["a b", "%PATH%"], verbatim: false });
    const posix = agentSpawn(definition("one.cmd", "a b", '"'), { PATH: "/opt" }, "posix", () => "program");
    assert.deepEqual(posix, { path: "/opt/one.cmd", file: "/opt/one.cmd", args: ["a b", '"'], verbatim: false });
  });

  it("is refused with the reason when a batch file would interpret an argument", () => {
    assert.match(
      problem(definition("npx", "%PATH%")).message,
      /contain characters that the Windows shell would interpret/,
    );
  });

  it("is refused with the reason when the program does not exist", () => {
    assert.match(problem(definition("gti")).message, /`gti` was not found on the PATH/);
    assert.match(problem(definition("C:\\gti")).message, /there is no program at `C:\\gti`/);
    assert.match(problem(definition(".\\npx")).message, /there is no program at `.\\npx`/);
  });
});

describe("an agent's environment on Windows", () => {
  it("merges names that differ in case only", () => {
    const base = { Path: "a", Home: "b" };
    assert.deepEqual(agentEnvironment(base, { PATH: "c" }, "windows"), { PATH: "c", Home: "b" });
    assert.deepEqual(agentEnvironment(base, { PATH: "c" }, "posix"), { Path: "a", PATH: "c", Home: "b" });
  });
});

describe("stopping an agent on Windows", function () {
  const bad = join(process.cwd(), "test/support/agents/bad.mjs");
  const { platform } = process;
  const path = process.env["PATH"];
  let folder: string;
  let log: string;

  before(function () {
    // Runs only on systems where a script can stand in for taskkill.
    if (platform === "win32") this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-stop-"));
    log = join(folder, "log");
    writeFileSync(join(folder, "taskkill"), `#!/bin/sh\necho "$@" >> "${log}"\nkill -9 "$2"\n`);
    chmodSync(join(folder, "taskkill"), 0o755);
  });
  afterEach(async () => {
    Object.defineProperty(process, "platform", descriptor);
    for (const launched of all.splice(0)) await launched.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const all: AgentProcess[] = [];
  async function start(behaviour: string): Promise<AgentProcess> {
    const agent = definition(process.execPath, bad, behaviour);
    const launched = await launch(agent, folder, () => {}, await locateAgent(agent, hostEnvironment));
    all.push(launched);
    return launched;
  }
  async function stopAsOnWindows(launched: AgentProcess): Promise<void> {
    Object.defineProperty(process, "platform", { ...descriptor, value: "win32" });
    process.env["PATH"] = [folder, path].join(delimiter);
    try {
      await launched.stop();
    } finally {
      Object.defineProperty(process, "platform", descriptor);
      process.env["PATH"] = path;
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;

  it("ends the process tree of an agent that keeps running", async () => {
    const launched = await start("ignores-end");
    await stopAsOnWindows(launched);
    assert.equal(readFileSync(log, "utf8"), `/pid ${launched.pid} /t /f\n`);
    assert.equal((await launched.whenExited).wasStopped, true);
  });

  it("does not use the process id of an agent that has exited", async () => {
    const launched = await start("exit");
    await launched.whenExited;
    await stopAsOnWindows(launched);
    assert.ok(!existsSync(log));
    const polite = await start("none");
    await stopAsOnWindows(polite);
    assert.equal((await polite.whenExited).signal, null);
    assert.ok(!existsSync(log));
  });
});
