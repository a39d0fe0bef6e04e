// One row for each step of a start and each fault there: the panel and the check show one sentence with a next step.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { AgentTransport } from "../../src/agents/agentTransport.ts";
import { checkAgent, type AgentCheck, type CheckOptions } from "../../src/agents/checkAgent.ts";
import { checkReport, nextStepText } from "../../src/agents/checkReport.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { startAgent } from "../../src/agents/startAgent.ts";
import type { NextStep } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { Session } from "../../src/session/session.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { until } from "../support/fakes/until.ts";

const bad = join(process.cwd(), "test/support/agents/bad.mjs");
const definition = (more: Partial<AgentDefinition>): AgentDefinition => ({
  id: "bad",
  name: "Bad Agent",
  command: process.execPath,
  args: [],
  env: {},
  missingFiles: "error",
  startTimeout: 1,
  ...more,
});

/** `panel` is absent for an agent that keeps the panel waiting: the status line offers to wait or to stop then. */
interface Row {
  readonly start: string;
  readonly agent: Partial<AgentDefinition>;
  readonly panel?: { readonly says: RegExp; readonly first: NextStep };
  readonly check: RegExp;
  readonly next: string;
}

const settings = "Correct its entry in the setting parley.agents.";
const restart = "Read its last output, then restart it.";
const at = (value: string): Partial<AgentDefinition> => ({ args: [bad, "at-start", value] });
const crash = /^Bad Agent ended with code 5 before it was ready\. Check that its command starts an ACP agent\.$/;
const exited = /^Bad Agent ended with code 5\. Restart it to continue\. The conversation is kept\.$/;
const silent = (request: string): RegExp => new RegExp(`^Bad Agent did not answer ${request} within 1 second\\. `);
const noise = / It printed \d+ lines that are not messages, so its command may not start an ACP agent\.$/;
const both = (one: RegExp, two: RegExp): RegExp => new RegExp(`${one.source}.*${two.source}`);
const first = silent("its first message, `initialize`,");
const session = silent("the request for a new session");

const rows = (folder: string): readonly Row[] => {
  const notFound = /^Could not start Bad Agent: `no-such-agent` was not found on the PATH that VS Code sees/;
  const notExecutable = /^Could not start Bad Agent: `.*plain` is not executable\. Make it executable, or set parley/;
  const noInterpreter =
    /^Could not start Bad Agent: `.*broken` could not be run\. The program, the interpreter it names/;
  const toSettings = (says: RegExp): Pick<Row, "panel" | "check" | "next"> => ({
    panel: { says, first: "openSettings" },
    check: says,
    next: settings,
  });
  const crashed = { panel: { says: crash, first: "restartAgent" as const }, check: crash, next: restart };
  return [
    { start: "its program is missing", agent: { command: "no-such-agent" }, ...toSettings(notFound) },
    {
      start: "its program is a folder",
      agent: { command: folder },
      ...toSettings(/^Could not start Bad Agent: `.*` is a folder\. Set/),
    },
    { start: "its program is not executable", agent: { command: join(folder, "plain") }, ...toSettings(notExecutable) },
    { start: "its interpreter is missing", agent: { command: join(folder, "broken") }, ...toSettings(noInterpreter) },
    { start: "it crashes at launch", agent: at("launch:crash"), ...crashed },
    { start: "it hangs at launch", agent: at("launch:hang"), check: first, next: restart },
    { start: "it floods its output at launch", agent: at("launch:flood"), check: both(first, noise), next: restart },
    { start: "it prints garbage at launch", agent: at("launch:garbage"), check: both(first, noise), next: restart },
    { start: "it crashes at the first message", agent: at("initialize:crash"), ...crashed },
    { start: "it hangs at the first message", agent: at("initialize:hang"), check: first, next: restart },
    {
      start: "it floods at the first message",
      agent: at("initialize:flood"),
      check: both(first, noise),
      next: restart,
    },
    {
      start: "it answers garbage to the first message",
      agent: at("initialize:garbage"),
      check: both(first, noise),
      next: restart,
    },
    {
      start: "it crashes while it opens a session",
      agent: at("session/new:crash"),
      ...crashed,
      panel: { says: exited, first: "restartAgent" },
    },
    { start: "it hangs while it opens a session", agent: at("session/new:hang"), check: session, next: restart },
    {
      start: "it floods while it opens a session",
      agent: at("session/new:flood"),
      check: both(session, noise),
      next: restart,
    },
    {
      start: "it answers garbage instead of a session",
      agent: at("session/new:garbage"),
      check: both(session, noise),
      next: restart,
    },
  ];
};

describe("a start of an agent", function () {
  const folder = mkdtempSync(join(tmpdir(), "parley-starts-"));
  writeFileSync(join(folder, "plain"), "x", { mode: 0o644 });
  writeFileSync(join(folder, "broken"), "#!/no/such/interpreter\n", { mode: 0o755 });
  mkdirSync(join(folder, "start"));
  let pool: AgentPool;
  beforeEach(() => (pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"))));
  afterEach(() => pool.dispose());
  after(() => rmSync(folder, { recursive: true, force: true }));

  function newSession(agent: AgentDefinition): Session {
    let ids = 0;
    const newId = (): string => `id${++ids}`;
    return new Session({
      id: "session",
      agent,
      workspaceFolder: folder,
      clock: systemClock,
      log: nullLog,
      newId,
      connection: {
        connect: onProgress => pool.get(agent, ({ state, detail }) => onProgress(state, detail)),
        restart: () => pool.stop(agent.id),
      },
      createServices: report => questionServices(new PermissionBroker({ report, newId }), () => {}),
    });
  }
  const check = (agent: AgentDefinition, more: Partial<CheckOptions> = {}): Promise<AgentCheck> =>
    checkAgent(
      agent,
      {
        startFolder: join(folder, "start"),
        workspaceFolder: folder,
        clientVersion: "0.0.0",
        environment: hostEnvironment,
        clock: systemClock,
        log: nullLog,
        onOutput: () => {},
        ...more,
      },
      new AbortController().signal,
    );

  /** The limit passes once the agent has reached its fault, however slow the machine is. */
  async function checkLate(agent: AgentDefinition, printsNoise: boolean): Promise<AgentCheck> {
    const clock = new FakeClock();
    let isAtFault = false;
    let noise = 0;
    let isDone = false;
    const checked = check(agent, {
      clock,
      log: { ...nullLog, debug: () => noise++ },
      onOutput: () => (isAtFault = true),
    }).finally(() => (isDone = true));
    await until(() => isAtFault && (!printsNoise || noise > 0));
    await until(() => {
      clock.advance(500);
      return isDone;
    });
    return checked;
  }

  for (const { start, agent, panel, check: says, next } of rows(folder)) {
    it(`in which ${start} has one sentence and a next step in the panel`, async () => {
      const bench = newSession(definition(agent));
      const opened = bench.open();
      if (panel) {
        await opened;
        const { message, next: steps } = bench.state.lost ?? assert.fail("the panel shows no problem");
        assert.match(message, panel.says);
        assert.ok(!message.includes("\n"));
        assert.deepEqual([steps[0], steps.at(-1)], [panel.first, "checkAgent"]);
      } else {
        const step = agent.args?.at(-1)?.startsWith("session") ? "opening" : "connecting";
        await until(() => bench.state.connection?.state === step);
        // The status line asks after the limit. Stop ends the start.
        assert.notEqual(bench.state.connection?.since, undefined);
        await bench.cancelConnecting();
        assert.match(
          bench.state.lost?.message ?? "",
          /^Connecting to Bad Agent was cancelled\. Retry, or send a message/,
        );
        assert.equal(bench.state.lost?.next.at(-1), "checkAgent");
      }
      bench.dispose();
      await opened;
    });

    it(`in which ${start} has one sentence and a next step in the check`, async () => {
      const agentDefinition = definition(agent);
      const result = await (panel
        ? check({ ...agentDefinition, startTimeout: 60 })
        : checkLate(agentDefinition, !agent.args?.at(-1)?.endsWith("hang")));
      assert.match(result.problem?.message ?? "", says);
      assert.equal(nextStepText(result), next);
      const report = checkReport([{ definition: agentDefinition, started: agentDefinition, check: result }], "Parley", {
        host: {},
        programs: {},
      });
      assert.match(report, /^Bad Agent — does not work$/m);
      assert.match(report, /^ {2}Problem +\S.*\.$/m);
      assert.match(report, new RegExp(`^  Next step +${next.replace(/\./g, "\\.")}$`, "m"));
    });
  }

  it("that works has its times, its version and what it accepts in the check", async () => {
    const result = await check(definition({ args: [bad, "none"], startTimeout: 20 }));
    assert.equal(result.problem, undefined);
    assert.ok((result.initializeTime ?? 0) > 0 && result.sessionTime !== undefined);
    assert.deepEqual([result.info?.name, result.info?.version, result.signIn], ["Bad Agent", "1.0.0", "done"]);
    assert.equal(nextStepText(result), "Nothing to do.");
  });

  it("that needs a sign-in lists the ways in the check", async () => {
    const result = await check(definition({ args: [bad, "auth-required"], startTimeout: 20 }));
    assert.deepEqual(
      [result.signIn, result.signInMethods],
      ["needed", ["Log in", "Log in at the terminal", "Use a key"]],
    );
    assert.equal(nextStepText(result), "Start a session with the agent and sign in.");
  });

  it("has no keys in its last output, also if it prints them in color", async () => {
    const key = `ghp_${"a1B2".repeat(9)}`;
    const lines: string[] = [];
    const options = {
      ...{ startFolder: () => Promise.resolve(folder), environment: hostEnvironment },
      onStderr: (line: string) => void lines.push(line),
    };
    const script = `console.error("\\x1b[38;2;1;2;3;48;2;4;5;6m${key}\\x1b[0m"); console.error("apiKey: \\x1b[32m'zzzz1234abcd'\\x1b[39m")`;
    const agent = await startAgent(definition({ command: process.execPath, args: ["-e", script] }), options);
    await agent.whenEnded;
    await until(() => lines.length === 2);
    assert.deepEqual(lines, ["•••", "apiKey: '•••'"]);
  });

  it("ends when the user cancels the check, with its process", async () => {
    const cancel = new AbortController();
    const options = {
      startFolder: folder,
      workspaceFolder: folder,
      clientVersion: "0.0.0",
      environment: hostEnvironment,
      clock: systemClock,
      log: nullLog,
      onOutput: () => {},
    };
    const checked = checkAgent(definition({ ...at("initialize:hang"), startTimeout: 100 }), options, cancel.signal);
    setImmediate(() => cancel.abort(new Error("cancelled by the user")));
    await assert.rejects(checked, /cancelled by the user/);
  });

  it("ends when the user cancels the check while the agent starts", async () => {
    const cancel = new AbortController();
    const hanging = { ...at("initialize:hang"), startTimeout: 100 };
    const options = { startFolder: () => Promise.resolve(folder), environment: hostEnvironment, onStderr: () => {} };
    const transport = await startAgent(definition(hanging), options);
    const connect = (): AgentTransport => {
      cancel.abort(new Error("cancelled by the user"));
      return transport;
    };
    const agent = { ...definition(hanging), remote: { url: "wss://a.example", headers: {}, sameFolder: false } };
    const checked = checkAgent(
      agent,
      {
        ...{ startFolder: folder, workspaceFolder: folder, clientVersion: "0.0.0", environment: hostEnvironment },
        ...{ clock: systemClock, log: nullLog, onOutput: () => {}, remote: { connect } },
      },
      cancel.signal,
    );
    await assert.rejects(checked, /cancelled by the user/);
  });
});
