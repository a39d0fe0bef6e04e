// An agent of version 2: prompts that are accepted before, between and after other messages, and everything else that a
// session does with it.
import assert from "node:assert/strict";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { PromptReturnedError, SessionGoneError, type AgentClient, type AgentSession } from "../../src/session/agent.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, isBusy, type SessionState } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const hello: readonly ContentBlock[] = [{ type: "text", text: "Hello" }];
const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];

describe("an agent of version 2", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  beforeEach(() => {
    trackLeaks();
    agent = new WireAgent();
  });
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  async function connect(result: object = {}): Promise<void> {
    const connecting = agent.connect(undefined, { protocol: 2 });
    const info = { name: "robo", title: "Robo Two", version: "2" };
    agent.answer(await agent.request("initialize"), { protocolVersion: 2, info, ...result });
    connected = await connecting;
  }
  async function opened(client: AgentClient, result: object = {}): Promise<AgentSession> {
    await connect();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), { sessionId: "s", ...result });
    return opening;
  }
  it("gets the further folders of the workspace only if it works in them", async () => {
    const folders = { cwd: "/w", connection: 1, additionalFolders: ["/x"] };
    await connect();
    void connected.agent.open(folders, recordingClient()).catch(() => undefined);
    assert.deepEqual((await agent.request("session/new")).params, { cwd: "/w", mcpServers: [] });
    connected.dispose();
    agent = new WireAgent();
    await connect({ capabilities: { session: { additionalDirectories: {} } } });
    void connected.agent.open(folders, recordingClient()).catch(() => undefined);
    const { params } = await agent.request("session/new");
    assert.deepEqual(params, { cwd: "/w", mcpServers: [], additionalDirectories: ["/x"] });
  });

  const update = (sessionUpdate: string, fields: object = {}): void => agent.update("s", { sessionUpdate, ...fields });
  const echo = (messageId = "u1", text = "Hello"): void =>
    update("user_message", { messageId, content: [{ type: "text", text }] });
  const stateOf = (events: readonly SessionEvent[]): SessionState =>
    events.reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);
  const messages = (events: readonly SessionEvent[]): readonly string[] =>
    [...stateOf(events).entries].flatMap(entry =>
      entry.kind === "message"
        ? [`${entry.author} ${entry.content.map(block => (block.type === "text" ? block.text : "?")).join("")}`]
        : [],
    );

  it("tells its name and what prompts may contain", async () => {
    await connect({ capabilities: { session: { prompt: { image: {}, embeddedContext: null } } } });
    assert.deepEqual(connected.agent.info, {
      name: "Robo Two",
      version: "2",
      protocolVersion: 2,
      capabilities: { image: true, audio: false, embeddedContext: false },
      mcpServers: { stdio: false, http: false, sse: false },
    });
  });

  // The four orders of acceptance, echo and the begin of the work.
  for (const order of [
    ["accept", "echo", "run"],
    ["echo", "accept", "run"],
    ["run", "accept", "echo"],
    ["run", "echo", "accept"],
    ["accept", "run", "echo"],
    ["echo", "run", "accept"],
  ]) {
    for (const answer of [{ messageId: "u1" }, {}]) {
      it(`shows a prompt once for ${order.join(", ")} and the answer ${JSON.stringify(answer)}`, async () => {
        const client = recordingClient();
        const session = await opened(client);
        const accepted = session.prompt(hello);
        const request = await agent.request("session/prompt");
        for (const step of order) {
          if (step === "accept") agent.answer(request, answer);
          else if (step === "echo") echo();
          else update("state_update", { state: "running" });
        }
        assert.equal((await accepted).messageId, "u1");
        update("agent_message_chunk", { messageId: "m", content: { type: "text", text: "Hi" } });
        update("state_update", { state: "idle", stopReason: "end_turn" });
        await until(() => stateOf(client.events).activity.stopReason === "end_turn");
        assert.deepEqual(messages(client.events), ["user Hello", "agent Hi"]);
      });
    }
  }

  it("may repeat a prompt in pieces, before or after it accepts it", async () => {
    for (const acceptsFirst of [true, false]) {
      agent = new WireAgent();
      const client = recordingClient();
      const session = await opened(client);
      const accepted = session.prompt(hello);
      const request = await agent.request("session/prompt");
      const pieces = (): void => {
        for (const text of ["Hel", "lo"])
          update("user_message_chunk", { messageId: "u1", content: { type: "text", text } });
      };
      if (!acceptsFirst) pieces();
      agent.answer(request, { messageId: "u1" });
      await accepted;
      if (acceptsFirst) pieces();
      update("state_update", { state: "running" });
      await until(() => isBusy(stateOf(client.events)));
      assert.deepEqual(messages(client.events), ["user Hello"]);
      if (acceptsFirst) connected.dispose();
    }
  });

  it("may change a prompt when it repeats it", async () => {
    const client = recordingClient();
    const session = await opened(client);
    const accepted = session.prompt(hello);
    agent.answer(await agent.request("session/prompt"), { messageId: "u1" });
    await accepted;
    echo("u1", "Hello, expanded");
    await until(() => messages(client.events)[0] === "user Hello, expanded");
  });

  it("shows a prompt of the earlier draft that the agent never repeats when its turn ends", async () => {
    const client = recordingClient();
    const session = await opened(client);
    const accepted = session.prompt(hello);
    agent.answer(await agent.request("session/prompt"), {});
    update("state_change", { state: "running" });
    update("state_change", { state: "idle", stop_reason: "end_turn" });
    assert.deepEqual(await accepted, { messageId: "~1", isTurnOver: true });
    assert.deepEqual(messages(client.events), ["user Hello"]);
    assert.equal(stateOf(client.events).activity.stopReason, "end_turn");
  });

  it("settles two prompts of the earlier draft by their own repetitions", async () => {
    const client = recordingClient();
    const session = await opened(client);
    const first = session.prompt(hello);
    const second = session.sendWhileRunning?.([{ type: "text", text: "And more" }]);
    agent.answer(await agent.request("session/prompt"), {});
    agent.answer(await agent.request("session/prompt"), {});
    echo("b", "And more");
    echo("a", "Hello");
    assert.deepEqual([(await first).messageId, (await second)?.messageId], ["a", "b"]);
  });

  it("gives back a prompt that it has not inserted when the user presses Stop", async () => {
    const session = await opened(recordingClient());
    const returned = session.prompt(hello).catch((error: unknown) => error);
    const request = await agent.request("session/prompt");
    session.cancel();
    assert.deepEqual((await agent.request("session/cancel")).params, { sessionId: "s" });
    agent.fail(request, -32800, "Cancelled.");
    assert.ok((await returned) instanceof PromptReturnedError);
  });

  it("refuses a prompt with a reason", async () => {
    const session = await opened(recordingClient());
    const refused = session.prompt(hello).catch((error: unknown) => error);
    agent.fail(await agent.request("session/prompt"), -32602, "Too long.");
    const error = await refused;
    assert.ok(error instanceof ProblemError);
    assert.match(error.problem.message, /Robo did not accept this message: Too long\./);
  });

  it("rejects a prompt that waits for its repetition when the session is closed", async () => {
    const session = await opened(recordingClient());
    const waiting = session.prompt(hello).catch((error: unknown) => error);
    agent.answer(await agent.request("session/prompt"), {});
    await until(() => agent.received.length === 0);
    session.dispose();
    assert.ok((await waiting) instanceof ProblemError);
  });

  it("ends a turn with an error that the user can act on", async () => {
    const client = recordingClient();
    await opened(client);
    update("state_update", { state: "running" });
    update("state_update", { state: "idle", stopReason: "error", error: { code: -32603, message: "Overloaded" } });
    await until(() => [...stateOf(client.events).entries].length > 0);
    const problem = [...stateOf(client.events).entries].find(entry => entry.kind === "problem");
    assert.ok(problem?.kind === "problem");
    assert.match(problem.problem.message, /Robo could not finish this turn: Overloaded\./);
  });

  it("opens a session with its options and commands", async () => {
    const client = recordingClient();
    await opened(client, {
      configOptions: [
        { configId: "mode", name: "Mode", type: "select", currentValue: "a", options: [{ value: "a", name: "A" }] },
        { configId: "future", name: "Future", type: "_slider", currentValue: 3 },
      ],
      availableCommands: [{ type: "command", name: "go", description: "Go", input: { type: "text", hint: "where" } }],
    });
    const state = stateOf(client.events);
    assert.deepEqual(
      state.options.map(option => option.id),
      ["mode"],
    );
    assert.deepEqual(state.commands, [{ name: "go", description: "Go", hint: "where" }]);
  });

  it("gets options with the type of their values", async () => {
    const session = await opened(recordingClient());
    const setting = [session.setOption("mode", "b"), session.setOption("fast", true)];
    const requests = [
      await agent.request("session/set_config_option"),
      await agent.request("session/set_config_option"),
    ];
    for (const request of requests) agent.answer(request, { configOptions: [] });
    await Promise.all(setting);
    assert.deepEqual(
      requests.map(({ params }) => params),
      [
        { sessionId: "s", configId: "mode", type: "id", value: "b" },
        { sessionId: "s", configId: "fast", type: "boolean", value: true },
      ],
    );
  });

  for (const { name, params, expected } of [
    {
      name: "a tool call",
      params: { subject: { type: "tool_call", toolCall: { toolCallId: "t", title: "Edit a.ts", kind: "edit" } } },
      expected: { toolCallId: "t" },
    },
    {
      name: "a command",
      params: { subject: { type: "command", command: "npm test", cwd: "/w", toolCallId: "t" } },
      expected: { subject: { kind: "execute", command: "npm test", cwd: "/w" }, toolCallId: "t" },
    },
    { name: "a future subject", params: { subject: { type: "_money", amount: 3 } }, expected: {} },
    { name: "nothing", params: {}, expected: {} },
  ]) {
    it(`asks for permission with a title, a description and ${name} as the subject`, async () => {
      let asked: unknown;
      const client = recordingClient({
        requestPermission: question => {
          asked = question;
          return Promise.resolve({ option: "y" });
        },
      });
      await opened(client);
      const request = { sessionId: "s", title: "May I?", description: "Because.", options, ...params };
      agent.send({ id: 9, method: "session/request_permission", params: request });
      assert.deepEqual((await agent.response(9)).result, { outcome: { outcome: "selected", optionId: "y" } });
      const question = {
        title: "May I?",
        description: "Because.",
        options: [{ id: "y", name: "Yes", kind: "allow_once" }],
      };
      assert.deepEqual(asked, { ...question, ...expected });
      const isToolCall = name === "a tool call";
      assert.equal(
        client.events.some(event => event.type === "tool" && event.patch.title === "Edit a.ts"),
        isToolCall,
      );
    });
  }

  for (const [why, params] of [
    ["no title", { options }],
    ["no options", { title: "May I?", options: [] }],
    ["a tool call without an id", { title: "May I?", options, subject: { type: "tool_call", toolCall: {} } }],
    ["no command", { title: "May I?", options, subject: { type: "command" } }],
  ] as const) {
    it(`gets an error for a permission request with ${why}`, async () => {
      await opened(recordingClient());
      agent.send({ id: 9, method: "session/request_permission", params: { sessionId: "s", ...params } });
      assert.equal((await agent.response(9)).error?.code, -32602);
    });
  }

  it("finds neither files nor terminals of the client", async () => {
    await opened(recordingClient());
    for (const method of ["fs/read_text_file", "terminal/create"]) {
      agent.send({ id: method, method, params: { sessionId: "s", path: "/w/a", command: "ls" } });
      assert.equal((await agent.response(method)).error?.code, -32601);
    }
  });

  it("is asked to end one tool call, one terminal or one sub-agent, also inside a sub-agent", async () => {
    const client = recordingClient();
    const session = await opened(client);
    update("subagent_update", { sessionId: "child", title: "Helper", capabilities: { cancel: {} } });
    await until(() => client.events.some(event => event.type === "tool"));
    assert.ok(session.cancelTerminal);
    const done = [session.cancelTool("t"), session.cancelTerminal("x"), session.cancelTool("child/t2")];
    const calls = [await agent.request("tool_call/cancel"), await agent.request("tool_call/cancel")];
    const terminal = await agent.request("terminal/cancel");
    for (const request of [...calls, terminal]) agent.answer(request, {});
    await Promise.all(done);
    assert.deepEqual(
      [...calls, terminal].map(({ params }) => params),
      [
        { sessionId: "s", toolCallId: "t" },
        { sessionId: "child", toolCallId: "t2" },
        { sessionId: "s", terminalId: "x" },
      ],
    );
    await session.cancelTool("subagent:child");
    assert.deepEqual((await agent.request("session/cancel")).params, { sessionId: "child" });
  });

  it("asks on behalf of a sub-agent", async () => {
    let asked: { toolCallId?: string } = {};
    const client = recordingClient({
      requestPermission: question => {
        asked = question as typeof asked;
        return Promise.resolve("cancelled");
      },
    });
    await opened(client);
    update("subagent_update", { sessionId: "child", title: "Helper" });
    agent.update("child", { sessionUpdate: "state_update", state: "running" });
    const subject = { type: "tool_call", toolCall: { toolCallId: "t", title: "Look" } };
    agent.send({
      ...{ id: 9, method: "session/request_permission" },
      params: { sessionId: "child", title: "May it?", subject, options },
    });
    assert.deepEqual((await agent.response(9)).result, { outcome: { outcome: "cancelled" } });
    assert.equal(asked.toolCallId, "child/t");
    assert.ok(client.events.some(event => event.type === "tool" && event.parent === "subagent:child"));
    assert.equal(stateOf(client.events).activity.state, "idle", "the state of a sub-agent is not that of its parent");
  });

  it("signs in and out by its own methods, and terminal methods get their variables", async () => {
    await connect({
      authMethods: [
        { type: "agent", methodId: "key", name: "Key" },
        { type: "terminal", methodId: "t", name: "Terminal", args: ["--login"], env: [{ name: "A", value: "1" }] },
        { type: "_future", methodId: "f", name: "Future" },
      ],
    });
    assert.deepEqual(connected.agent.signInMethods, [
      { type: "agent", id: "key", name: "Key" },
      { type: "terminal", id: "t", name: "Terminal", command: "robo", args: ["--acp", "--login"], env: { A: "1" } },
    ]);
    const signedIn = connected.agent.authenticate("key", recordingClient(), new AbortController().signal);
    const login = await agent.request("auth/login");
    assert.deepEqual(login.params, { methodId: "key" });
    agent.answer(login, {});
    await signedIn;
    const signedOut = connected.agent.signOut?.();
    agent.answer(await agent.request("auth/logout"), {});
    await signedOut;
  });

  it("is asked to end a sign-in that the user cancels, and a request that takes too long", async () => {
    const clock = new FakeClock();
    const connecting = agent.connect(undefined, { protocol: 2, timeout: 1000, limitClock: clock });
    agent.answer(await agent.request("initialize"), { protocolVersion: 2, info: { name: "robo", version: "2" } });
    connected = await connecting;
    const cancel = new AbortController();
    const signingIn = connected.agent.authenticate("web", recordingClient(), cancel.signal);
    const signIn = await agent.request("auth/login");
    cancel.abort();
    await assert.rejects(signingIn, /did not sign you in: It was cancelled\./);
    assert.deepEqual((await agent.request("$/cancel_request")).params, { requestId: signIn.id });
    agent.fail(signIn, -32800, "Cancelled.");
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    const open = await agent.request("session/new");
    clock.advance(1001);
    await assert.rejects(opening, /did not answer the request for a new session within 1 second/);
    assert.deepEqual((await agent.request("$/cancel_request")).params, { requestId: open.id });
    agent.fail(open, -32800, "Cancelled.");
  });

  it("cannot be signed out of if it offers no way to sign in", async () => {
    await connect();
    assert.equal(connected.agent.signOut, undefined);
  });

  it("may send updates before it has named the session", async () => {
    const client = recordingClient();
    await connect();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    update("agent_message", { messageId: "m", content: [{ type: "text", text: "Welcome" }] });
    agent.answer(request, { sessionId: "s" });
    await opening;
    assert.deepEqual(messages(client.events), ["agent Welcome"]);
    assert.equal(client.events[0]?.type, "agentSession");
  });

  const configOptions = (value: string): readonly object[] => [
    {
      ...{ configId: "mode", name: "Mode", type: "select", currentValue: value },
      options: ["a", "b"].map(id => ({ value: id, name: id })),
    },
  ];
  const availableCommands = (name: string): readonly object[] => [{ type: "command", name, description: name }];
  for (const { title, answer, expected } of [
    {
      title: "has the newer ones",
      answer: { configOptions: configOptions("b"), availableCommands: availableCommands("new") },
      expected: ["b", "new"],
    },
    { title: "has none", answer: {}, expected: ["a", "old"] },
  ])
    it(`may send options and commands before the answer, which ${title}`, async () => {
      const client = recordingClient();
      await connect();
      const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
      const request = await agent.request("session/new");
      update("config_option_update", { configOptions: configOptions("a") });
      update("available_commands_update", { availableCommands: availableCommands("old") });
      agent.answer(request, { sessionId: "s", ...answer });
      await opening;
      const { options, commands } = stateOf(client.events);
      assert.deepEqual([options[0]?.value, commands[0]?.name], expected);
    });

  it("is asked to close a session that is closed here, and not one that is only disposed", async () => {
    const session = await opened(recordingClient());
    session.close();
    const closing = await agent.request("session/close");
    assert.deepEqual(closing.params, { sessionId: "s" });
    agent.answer(closing, {});
    const again = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    agent.answer(await agent.request("session/new"), { sessionId: "s2" });
    (await again).dispose();
    const last = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    agent.answer(await agent.request("session/new"), { sessionId: "s3" });
    await last;
    assert.deepEqual(agent.received, []);
  });

  for (const { why, error } of [
    { why: "a session that it no longer has", error: { code: -32002, message: "Session not found" } },
    { why: "the id of the session", error: { code: -32603, message: "No session session-1" } },
  ]) {
    it(`says with ${why} that it no longer has the session, for a prompt and at the end of a turn`, async () => {
      const client = recordingClient();
      const session = await opened(client, { sessionId: "session-1" });
      const refused = session.prompt(hello).catch((failure: unknown) => failure);
      agent.fail(await agent.request("session/prompt"), error.code, error.message);
      assert.ok((await refused) instanceof SessionGoneError);
      agent.update("session-1", { sessionUpdate: "state_update", state: "running" });
      agent.update("session-1", { sessionUpdate: "state_update", state: "idle", stopReason: "error", error });
      await until(() => client.events.some(event => event.type === "activity" && event.state === "idle"));
      assert.ok(client.events.some(event => event.type === "activity" && event.forgotten === true));
    });
  }

  it("may send updates that Parley does not know: one notice for each kind, and malformed ones are only kept", async () => {
    const client = recordingClient();
    await opened(client);
    update("weather_update", { sky: "grey" });
    update("weather_update", { sky: "blue" });
    update("_robo/battery", { level: 3 });
    update("tool_call_update", {});
    await until(() => client.events.filter(({ type }) => type === "unknown").length === 4);
    const notices = [...stateOf(client.events).entries].map(entry => (entry.kind === "notice" ? entry : assert.fail()));
    assert.deepEqual(
      notices.map(({ title }) => title),
      ["weather_update", "_robo/battery"].map(kind => `The agent sent something that Parley does not know: ${kind}`),
    );
    assert.match(notices[0]?.description ?? "", /"sky":"blue"/);
  });
});
