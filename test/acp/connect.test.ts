// The handshake, with agents that follow the protocol and agents that do not.
import assert from "node:assert/strict";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";
import { until } from "../support/fakes/until.ts";

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return error.problem;
  }
  throw new assert.AssertionError({ message: "It was expected to fail." });
}

describe("the handshake with an agent", () => {
  let agent: WireAgent;
  beforeEach(() => {
    trackLeaks();
    agent = new WireAgent();
  });
  afterEach(() => assert.deepEqual(findLeaks(), []));

  it("requests version 1 and advertises the supported capabilities", async () => {
    const connecting = agent.connect();
    const request = await agent.request("initialize");
    assert.deepEqual(request.params, {
      protocolVersion: 1,
      clientInfo: { name: "parley", title: "Parley", version: "1.2.3" },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        elicitation: { form: {}, url: {} },
        session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
        plan: {},
        subagents: {},
        _meta: { terminal_output: true, "terminal-auth": true },
      },
    });
    agent.answer(request, {
      protocolVersion: 1,
      agentInfo: { name: "robo", title: "Robo One", version: "9" },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
    });
    const connected = await connecting;
    assert.deepEqual(connected.agent.info, {
      name: "Robo One",
      version: "9",
      protocolVersion: 1,
      capabilities: { image: true, audio: false, embeddedContext: false },
      mcpServers: { http: false, sse: false },
    });
    connected.dispose();
    await until(() => agent.stdin.writableEnded);
  });

  it("shortens a long name of an agent, and keeps it on one line", async () => {
    const connected = await agent.ready({ agentInfo: { name: `Good\nAgent ${"x".repeat(1000)} end` } });
    assert.match(connected.agent.info.name, /^Good⏎Agent x+ … \[935\] … x+ end$/);
    connected.dispose();
  });

  it("tolerates invalid agent information", async () => {
    const connected = await agent.ready({ agentInfo: "robo", agentCapabilities: [1], authMethods: { a: 1 } });
    assert.deepEqual(connected.agent.info.capabilities, {
      image: false,
      audio: false,
      embeddedContext: false,
    });
    assert.equal(connected.agent.info.name, "Robo");
    connected.dispose();
  });

  it("skips banners and broken lines, and counts them", async () => {
    const connecting = agent.connect();
    agent.line("Welcome to Robo!");
    agent.line("\u001b[2J{broken");
    agent.send({ id: null, error: { code: -32700, message: "Parse error" } });
    agent.answer(await agent.request("initialize"), { protocolVersion: 1 });
    const connected = await connecting;
    assert.equal(agent.badLines, 3);
    assert.deepEqual(
      agent.recorder.records.filter(record => record.dir === "out").map(record => record.text),
      [
        "Welcome to Robo!",
        "\u001b[2J{broken",
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      ],
    );
    connected.dispose();
  });

  const older = "Update the agent or select another one.";
  const newer =
    "The agent is newer than Parley. Update Parley, use an earlier version of the agent, or select another agent.";
  const notAcp = "Check that its command starts an ACP agent, or select another one.";
  const speaks = (versions: string): string =>
    `Robo speaks ${versions} of the Agent Client Protocol; Parley speaks version 1.`;
  for (const [version, words, advice] of [
    [0, "version 0", older],
    [3, "version 3", newer],
    ["1", 'version "1" (a string)', notAcp],
    [1.5, "no version", notAcp],
    [undefined, "no version", notAcp],
    [null, "no version", notAcp],
  ] as const) {
    it(`fails with a clear message when the agent answers with ${JSON.stringify(version) ?? "no"} as its version`, async () => {
      const failing = problemOf(agent.connect());
      agent.answer(await agent.request("initialize"), { protocolVersion: version });
      const { message, next } = await failing;
      assert.equal(message, `${speaks(words)} ${advice}`);
      assert.ok(next.length > 0);
      await until(() => agent.stdin.writableEnded);
    });
  }

  for (const [data, message] of [
    [{ requested: 1, supported: [3] }, `${speaks("version 3")} ${newer}`],
    [{ requested: 1, supported: [4, 3, 3, "5", null] }, `${speaks("versions 3, 4")} ${newer}`],
    [{ requested: 1, supported: [0, 3] }, `${speaks("versions 0, 3")} ${newer}`],
    [{ requested: 1, supported: [0] }, `${speaks("version 0")} ${older}`],
    [
      { requested: 1, supported: [1, 2] },
      `${speaks("versions 1, 2")} This is an error in the agent. Select another one.`,
    ],
    [
      undefined,
      "Robo does not speak version 1 of the Agent Client Protocol, the version that Parley speaks. Try another version of the agent, or select another agent.",
    ],
  ] as const) {
    it(`fails with a clear message when the agent refuses the version with ${JSON.stringify(data) ?? "no data"}`, async () => {
      const failing = problemOf(agent.connect());
      agent.fail(await agent.request("initialize"), -32022, "Unsupported protocol version", data);
      const problem = await failing;
      assert.deepEqual(problem, { message, next: ["selectAgent", "openSettings", "showTraffic"] });
      await until(() => agent.stdin.writableEnded);
    });
  }

  it("fails with a clear message when the agent answers with an error, with nothing, or with something else", async () => {
    const failing = problemOf(agent.connect());
    agent.fail(await agent.request("initialize"), -32603, "Cannot read config");
    assert.match((await failing).message, /^Robo refused to start a conversation: Cannot read config\. Check/);
    for (const result of [null, "yes", 7, []]) {
      agent = new WireAgent();
      const other = problemOf(agent.connect());
      agent.answer(await agent.request("initialize"), result);
      assert.match((await other).message, /^Robo speaks no version/);
    }
  });

  it("fails with a clear message when the agent never answers", async () => {
    const { message, next } = await problemOf(agent.connect(undefined, { timeout: 20 }));
    assert.match(message, /^Robo did not answer its first message, `initialize`, within/);
    assert.ok(next.includes("restartAgent"));
    await until(() => agent.stdin.writableEnded);
  });

  it("fails with a clear message when the agent closes its output", async () => {
    for (const close of [
      () => agent.stdout.end(),
      () => agent.stdout.destroy(),
      () => agent.stdout.end("Usage: robo [file]\n"),
    ]) {
      agent = new WireAgent();
      const failing = problemOf(agent.connect());
      await agent.request("initialize");
      close();
      assert.match((await failing).message, /^Robo closed its output before it answered\. Check/);
    }
  });

  it("fails with a clear message when the agent closes its input", async () => {
    agent.stdin.destroy();
    assert.match((await problemOf(agent.connect())).message, /^Robo closed its output before it answered\. Check/);
  });

  it("stops waiting when it is aborted, and reports the reason of the abort", async () => {
    const stop = new AbortController();
    const failing = problemOf(agent.connect(stop.signal));
    await agent.request("initialize");
    const reason: Problem = { message: "Robo ended with code 3 before it was ready.", next: ["restartAgent"] };
    stop.abort(new ProblemError(reason));
    assert.deepEqual(await failing, reason);
    const stopped = new AbortController();
    stopped.abort(new ProblemError(reason));
    assert.deepEqual(await problemOf(new WireAgent().connect(stopped.signal)), reason);
  });
});
