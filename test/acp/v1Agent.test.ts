// An agent of version 1: requests in one direction, traffic in the other, and everything settled when the agent ends.
import assert from "node:assert/strict";
import { ProblemError, Refusal } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentConnection } from "../../src/acp/connect.ts";
import type { AgentClient, AgentSession } from "../../src/session/agent.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const say = (text: string): object => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const texts = (events: readonly SessionEvent[]): string =>
  events
    .map(event => (event.type === "messageChunk" && event.content.type === "text" ? event.content.text : ""))
    .join("");
const isIdle = (events: readonly SessionEvent[]): boolean =>
  events.some(event => event.type === "activity" && event.state === "idle");

describe("an agent of version 1", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  beforeEach(async () => {
    trackLeaks();
    agent = new WireAgent();
    connected = await agent.ready({
      authMethods: [{ id: "login", name: "Log in", type: "terminal", args: ["--login"] }, { id: "key" }, 7],
    });
  });
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  async function opened(client: AgentClient, sessionId = "s", result: object = {}): Promise<AgentSession> {
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    assert.deepEqual(request.params, { cwd: "/w", mcpServers: [] });
    agent.answer(request, { sessionId, ...result });
    return opening;
  }
  async function problem(promise: Promise<unknown>): Promise<ProblemError["problem"]> {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ProblemError, "it was expected to be refused");
    return error.problem;
  }

  it("may send updates before it has answered, also for two sessions at once", async () => {
    const [a, b] = [recordingClient(), recordingClient()];
    const both = [
      connected.agent.open({ cwd: "/a", connection: 1 }, a),
      connected.agent.open({ cwd: "/b", connection: 1 }, b),
    ];
    const [first, second] = [await agent.request("session/new"), await agent.request("session/new")];
    agent.update("b", say("for b"));
    agent.update("a", say("for a"));
    agent.answer(first, { sessionId: "a" });
    await both[0];
    agent.answer(second, { sessionId: "b" });
    await both[1];
    assert.deepEqual([texts(a.events), texts(b.events)], ["for a", "for b"]);
  });

  it("may send a limited number of updates before it has answered", async () => {
    const client = recordingClient();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    for (let i = 0; i < 10_100; i++) agent.update("s", say("."));
    agent.answer(request, { sessionId: "s" });
    await opening;
    assert.equal(texts(client.events).length, 10_000);
  });

  it("is read to its last message when it ends, although its input closes before its output is read", async () => {
    const client = recordingClient();
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    await agent.request("session/prompt");
    const closed = new Promise(resolve => agent.stdin.once("close", resolve));
    agent.stdin.destroy();
    await closed;
    for (let i = 0; i < 500; i++) agent.update("s", say(`${i} `));
    agent.stdout.end();
    await connected.closed;
    assert.equal(texts(client.events), Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
  });

  it("is disconnected when it only closes its input, because it cannot receive requests", async () => {
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    await agent.request("session/new");
    agent.stdin.destroy();
    assert.match((await problem(opening)).message, /Robo is no longer running/);
    await connected.closed;
  });

  it("has its messages delivered in order: all updates of a turn come before the end of the turn", async () => {
    const client = recordingClient();
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    const request = await agent.request("session/prompt");
    assert.deepEqual(request.params, { sessionId: "s", prompt: [{ type: "text", text: "go" }] });
    for (let i = 0; i < 500; i++) agent.update("s", say(`${i} `));
    agent.answer(request, { stopReason: "end_turn" });
    await until(() => isIdle(client.events));
    assert.equal(texts(client.events), Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
    assert.deepEqual(client.events.at(-1), { type: "activity", state: "idle", stopReason: "end_turn" });
  });

  it("cannot harm the session by a message that is nested without end: it is cut, and an error still ends its turn", async () => {
    const client = recordingClient();
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    const { id } = await agent.request("session/prompt");
    const nested = `${'{"a":['.repeat(20_000)}1${"]}".repeat(20_000)}`;
    const update = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Deep","rawInput":${nested}}`;
    agent.stdout.write(`{"method":"session/update","params":{"sessionId":"s","update":${update}}}\n`);
    agent.stdout.write(`{"id":${id},"error":{"code":-32000,"message":"No more","data":${nested}}}\n`);
    await until(() => isIdle(client.events));
    assert.equal(client.events.find(event => event.type === "tool")?.patch.title, "Deep");
    assert.ok(JSON.stringify(client.events).includes("nested more than 200 levels"));
  });

  it("may omit the stop reason of a turn", async () => {
    const client = recordingClient();
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    agent.answer(await agent.request("session/prompt"), null);
    await until(() => isIdle(client.events));
    assert.deepEqual(client.events.at(-1), { type: "activity", state: "idle", stopReason: "end_turn" });
  });

  it("ends the turn with a reason and details when it refuses a prompt", async () => {
    const client = recordingClient();
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    agent.fail(await agent.request("session/prompt"), -32603, "Internal error", { details: "No credit left" });
    await until(() => isIdle(client.events));
    assert.deepEqual(client.events.at(-1), {
      type: "activity",
      state: "idle",
      stopReason: "error",
      problem: {
        message: "Robo could not finish this turn: No credit left.",
        next: ["retry", "showTraffic", "showLog"],
      },
    });
  });

  it("gets a prompt of up to 30 MiB as one line, and the next prompt after a larger one was refused", async () => {
    const client = recordingClient();
    const session = await opened(client);
    const MiB = 1024 * 1024;
    // On the wire, a quotation mark takes two bytes, and base64 its own length.
    const prompt = (marks: number): ContentBlock[] => [
      { type: "text", text: '"'.repeat(marks) },
      { type: "resource", uri: "file:///w/a.bin", blob: "A".repeat(14 * MiB) },
      { type: "image", mimeType: "image/png", data: "A".repeat(12 * MiB) },
    ];
    const before = client.events.length;
    const { message, next } = await problem(session.prompt(prompt(2 * MiB)));
    assert.match(message, /its size is 30\.1 MiB, and the limit is 30 MiB\. Remove attachments/);
    assert.deepEqual([next, client.events.slice(before)], [[], []], "the agent has no part in it");
    await session.prompt(prompt(2 * MiB - 200));
    const request = await agent.request("session/prompt");
    const line = Buffer.byteLength(`${JSON.stringify(request)}\n`);
    assert.ok(line <= 30 * MiB && line > 30 * MiB - 200, `the line has ${30 * MiB - line} bytes less than the limit`);
  });

  for (const [code, what] of [
    [-32603, "any error"],
    [-32800, "the cancellation error"],
  ] as const) {
    it(`has cancelled the turn when it answers a cancelled prompt with ${what}`, async () => {
      const client = recordingClient();
      const session = await opened(client);
      await session.prompt([{ type: "text", text: "go" }]);
      const request = await agent.request("session/prompt");
      session.cancel();
      assert.deepEqual((await agent.request("session/cancel")).params, { sessionId: "s" });
      agent.fail(request, code, "aborted");
      await until(() => isIdle(client.events));
      assert.deepEqual(client.events.at(-1), { type: "activity", state: "idle", stopReason: "cancelled" });
    });
  }

  it("offers its ways to sign in when it requires a sign-in, also for an option", async () => {
    const failing = problem(connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()));
    agent.fail(await agent.request("session/new"), -32000, "Authentication required");
    const { message, command, signIn } = await failing;
    assert.equal(message, "Robo needs you to sign in.");
    assert.deepEqual(
      [command, signIn],
      [
        undefined,
        [
          { id: "login", name: "Log in" },
          { id: "key", name: "key" },
        ],
      ],
    );
    const client = recordingClient();
    const session = await opened(client);
    const setting = problem(session.setOption("x", "y"));
    agent.fail(await agent.request("session/set_config_option"), -32000, "Your login has expired");
    assert.equal((await setting).detail, "Your login has expired");
    assert.equal(client.events.at(-1)?.type, "signInNeeded");
  });

  it("names its account, which is in no recording, and can change it", async () => {
    connected.dispose();
    agent = new WireAgent();
    connected = await agent.ready({ agentCapabilities: { auth: { status: {} } } });
    const accounts = [{ label: "old@example.com" }, { label: "ada@example.com", active: true }];
    agent.answer(await agent.request("auth/status"), { state: "authenticated", accounts });
    await until(() => connected.agent.account === "ada@example.com");
    let changes = 0;
    const link = connected.agent.onDidChangeAccount?.(() => changes++);
    agent.send({ method: "auth/status_update", params: { state: "unauthenticated", accounts } });
    await until(() => connected.agent.account === undefined);
    assert.equal(changes, 1);
    link?.dispose();
    assert.ok(!JSON.stringify([agent.recorder.records, agent.warnings]).includes("example.com"));
  });

  it("signs in by its own method, asks for a form meanwhile, and says why it refuses", async () => {
    const asked: string[] = [];
    const client = {
      askForm: () => {
        asked.push("form");
        return Promise.resolve("cancelled" as const);
      },
      completeAddress: () => {},
    };
    const { signal } = new AbortController();
    const signingIn = connected.agent.authenticate("key", client, signal);
    const request = await agent.request("authenticate");
    assert.deepEqual(request.params, { methodId: "key" });
    const form = { mode: "form", message: "Code?", requestedSchema: { properties: {} }, requestId: request.id };
    agent.send({ id: "q", method: "elicitation/create", params: form });
    assert.deepEqual((await agent.response("q")).result, { action: "cancel" });
    assert.deepEqual(asked, ["form"]);
    agent.answer(request, {});
    await signingIn;
    const refused = problem(connected.agent.authenticate("key", client, signal));
    agent.fail(await agent.request("authenticate"), -32000, "Authentication required", "The account is closed");
    const { message, signIn } = await refused;
    assert.equal(message, "Robo did not sign you in: The account is closed.");
    assert.equal(signIn, undefined);
    const stop = new AbortController();
    const stopped = problem(connected.agent.authenticate("key", client, stop.signal));
    await agent.request("authenticate");
    stop.abort();
    assert.match((await stopped).message, /It was cancelled/);
  });

  it("gets a clear error message when it opens a session without an id, or not at all", async () => {
    for (const [answer, words] of [
      [{}, /without an id/],
      [null, /without an id/],
      [{ sessionId: 7 }, /without an id/],
    ] as const) {
      const failing = problem(connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()));
      agent.answer(await agent.request("session/new"), answer);
      assert.match((await failing).message, words);
    }
    const refused = problem(connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()));
    agent.fail(await agent.request("session/new"), -32602, "");
    assert.match((await refused).message, /could not open a session: It gave no reason\./);
  });

  it("receives options in the form that it offers them", async () => {
    const client = recordingClient();
    const modes = { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "code" }] };
    const session = await opened(client, "s", { modes });
    const setting = session.setOption("parley.mode", "code");
    const request = await agent.request("session/set_mode");
    assert.deepEqual(request.params, { sessionId: "s", modeId: "code" });
    agent.answer(request, null);
    await setting;
    assert.deepEqual(client.events.at(-1), { type: "option", id: "parley.mode", value: "code" });
  });

  it("may answer a changed setting with all options, with none, and with nothing", async () => {
    const client = recordingClient();
    const option = { id: "fast", name: "Fast", type: "boolean", currentValue: false };
    const session = await opened(client, "s", { configOptions: [option] });
    const setting = session.setOption("fast", true);
    const request = await agent.request("session/set_config_option");
    assert.deepEqual(request.params, { sessionId: "s", configId: "fast", type: "boolean", value: true });
    agent.answer(request, { configOptions: [] });
    await setting;
    assert.deepEqual(client.events.at(-1), { type: "options", options: [] });
    const silent = session.setOption("fast", false);
    agent.answer(await agent.request("session/set_config_option"), {});
    await silent;
    assert.deepEqual(client.events.at(-1), { type: "option", id: "fast", value: false });
    const refused = problem(session.setOption("fast", false));
    agent.fail(await agent.request("session/set_config_option"), -32602, "No");
    assert.match((await refused).message, /rejected this setting: No\./);
  });

  it("requests permission for a tool call that it has not reported", async () => {
    const client = recordingClient({ requestPermission: async () => ({ option: "y" }) });
    await opened(client);
    agent.send({
      id: 0,
      method: "session/request_permission",
      params: {
        sessionId: "s",
        toolCall: { toolCallId: "t", title: "Run", kind: "execute" },
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }, { name: "no id" }, null],
      },
    });
    assert.deepEqual((await agent.response(0)).result, { outcome: { outcome: "selected", optionId: "y" } });
    assert.deepEqual(client.events.slice(2), [
      { type: "tool", toolCallId: "t", patch: { title: "Run", kind: "execute" } },
    ]);
  });

  it("is refused a permission request without options, for no session, or with no params", async () => {
    await opened(recordingClient());
    agent.send({ id: 1, method: "session/request_permission", params: { sessionId: "s", options: [{}] } });
    agent.send({ id: 2, method: "session/request_permission", params: { sessionId: "gone", options: [] } });
    agent.send({ id: 3, method: "session/request_permission" });
    agent.send({ id: 4, method: "fs/read_text_file", params: [1, 2] });
    agent.send({ id: 5, method: "no/such_method", params: {} });
    const codes: unknown[] = [];
    for (const id of [1, 2, 3, 4, 5]) codes.push((await agent.response(id)).error?.code);
    assert.deepEqual(codes, [-32602, -32002, -32602, -32602, -32601]);
  });

  it("may withdraw its permission request", async () => {
    let asked = false;
    const client = recordingClient({
      requestPermission: (_, signal) =>
        new Promise(resolve => {
          asked = true;
          signal.addEventListener("abort", () => resolve("cancelled"));
        }),
    });
    await opened(client);
    const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
    agent.send({
      id: "uuid-1",
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "t" }, options },
    });
    await until(() => asked);
    agent.send({ method: "$/cancel_request", params: { requestId: "uuid-1" } });
    assert.deepEqual((await agent.response("uuid-1")).result, { outcome: { outcome: "cancelled" } });
  });

  it("reads and writes files, and gets the reason for a refusal", async () => {
    const client = recordingClient({
      readTextFile: async request => JSON.stringify(request),
      writeTextFile: () => Promise.reject(new Refusal("notFound", "There is no folder /x.", { path: "/x" })),
    });
    await opened(client);
    agent.send({ id: 1, method: "fs/read_text_file", params: { sessionId: "s", path: "/a", line: 2, limit: null } });
    assert.deepEqual((await agent.response(1)).result, { content: '{"path":"/a","line":2}' });
    agent.send({ id: 2, method: "fs/write_text_file", params: { sessionId: "s", path: "/x/a", content: "" } });
    assert.deepEqual((await agent.response(2)).error, {
      code: -32002,
      message: "There is no folder /x.",
      data: { path: "/x" },
    });
    for (const [id, params] of [{ path: 7 }, { path: "/a", line: "2" }, { path: "/a", limit: -1 }].entries()) {
      agent.send({ id: id + 3, method: "fs/read_text_file", params: { sessionId: "s", ...params } });
      assert.equal((await agent.response(id + 3)).error?.code, -32602);
    }
  });

  it("runs terminals, and a wait for exit ends when the agent cancels it", async () => {
    const client = recordingClient({
      createTerminal: async request => JSON.stringify(request),
      terminalOutput: async () => ({ output: "out", truncated: true, exit: { signal: "SIGTERM" } }),
      waitForTerminalExit: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      killTerminal: async () => {},
      releaseTerminal: async () => {},
    });
    await opened(client);
    const ask = (id: number, method: string, params: object): void =>
      agent.send({ id, method, params: { sessionId: "s", ...params } });
    ask(1, "terminal/create", {
      command: "npm",
      args: ["t", "1"],
      env: [{ name: "A", value: "1" }],
      cwd: null,
      outputByteLimit: 10.9,
    });
    assert.deepEqual(JSON.parse(String(((await agent.response(1)).result as { terminalId: string }).terminalId)), {
      command: "npm",
      args: ["t", "1"],
      env: [{ name: "A", value: "1" }],
      outputByteLimit: 10,
    });
    ask(2, "terminal/output", { terminalId: "t" });
    assert.deepEqual((await agent.response(2)).result, {
      output: "out",
      truncated: true,
      exitStatus: { exitCode: null, signal: "SIGTERM" },
    });
    ask(3, "terminal/wait_for_exit", { terminalId: "t" });
    ask(4, "terminal/kill", { terminalId: "t" });
    assert.deepEqual((await agent.response(4)).result, {});
    agent.send({ method: "$/cancel_request", params: { requestId: 3 } });
    assert.equal((await agent.response(3)).error?.code, -32800);
    ask(5, "terminal/release", { terminalId: "t" });
    assert.deepEqual((await agent.response(5)).result, {});
  });

  it("cannot write to a terminal that Parley runs, or end it", async () => {
    const client = recordingClient({ createTerminal: async () => "t1" });
    await opened(client);
    agent.send({ id: 1, method: "terminal/create", params: { sessionId: "s", command: "npm" } });
    await agent.response(1);
    for (const terminal_id of ["t1", "t2"]) {
      agent.update("s", {
        ...{ sessionUpdate: "tool_call", toolCallId: terminal_id, title: "npm", kind: "execute", status: "completed" },
        content: [{ type: "terminal", terminalId: terminal_id }],
        rawOutput: { stdout: "all passed" },
        _meta: { terminal_output: { terminal_id, data: "all passed" }, terminal_exit: { terminal_id, exit_code: 0 } },
      });
    }
    await until(() => client.events.filter(({ type }) => type === "tool").length === 2);
    const ids = client.events.flatMap(event =>
      event.type === "terminal" || event.type === "terminalOutput" ? [event.terminalId] : [],
    );
    assert.deepEqual([...new Set(ids)], ["t2"]);
  });

  it("does no harm with updates for no session, or without an update", async () => {
    const client = recordingClient();
    await opened(client);
    agent.update("gone", say("lost"));
    agent.send({ method: "session/update", params: { sessionId: "s" } });
    agent.send({ method: "session/update", params: { sessionId: "s", update: "text" } });
    agent.send({ method: "session/update" });
    agent.send({ method: "_vendor/news", params: {} });
    agent.update("s", say("here"));
    await until(() => texts(client.events) === "here");
    assert.equal(agent.warnings.length, 3);
  });

  it("leaves nothing pending when it exits: prompts, questions and session openings are settled", async () => {
    let settled = "";
    const client = recordingClient({
      requestPermission: (_, signal) =>
        new Promise(resolve =>
          signal.addEventListener("abort", () => {
            settled = "cancelled";
            resolve("cancelled");
          }),
        ),
    });
    const session = await opened(client);
    await session.prompt([{ type: "text", text: "go" }]);
    const opening = problem(connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()));
    const setting = problem(session.setOption("x", "y"));
    agent.send({
      id: 1,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "t" }, options: [{ optionId: "y" }] },
    });
    await until(() => client.events.some(event => event.type === "tool"));
    const before = [...client.events];
    agent.stdout.end();
    assert.equal((await opening).message, "Robo could not open a session: Robo is no longer running.");
    assert.equal((await setting).message, "Robo rejected this setting: Its connection has ended.");
    await until(() => settled === "cancelled");
    // The process watcher reports the exit. The session receives no further events here.
    assert.deepEqual(client.events, before);
    const later = await problem(connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()));
    assert.equal(later.message, "Robo could not open a session: Robo is no longer running.");
  });

  it("has its input closed after pending writes when it is disposed", async () => {
    const session = await opened(recordingClient());
    session.cancel();
    connected.dispose();
    connected.dispose();
    await until(() => agent.stdin.writableEnded);
  });
});
