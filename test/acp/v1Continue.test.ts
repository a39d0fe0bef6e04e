// An agent of version 1 that continues sessions: which request it gets, what of a replay counts, and what it refuses.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ContinuedAgentSession, ContinueSessionRequest } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const both = { loadSession: true, sessionCapabilities: { resume: {} } };
const onlyLoad = { loadSession: true };
const request: ContinueSessionRequest = {
  cwd: "/w",
  connection: 2,
  sessionId: "old-session",
  isKnown: event => event.type === "tool" && event.toolCallId === "known",
  isCut: () => false,
  lacksEnd: false,
};
const say = (text: string, messageId?: string): object => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const commands = { sessionUpdate: "available_commands_update", availableCommands: [{ name: "a", description: "A" }] };
const mode = { modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] } };
const kinds = (events: readonly SessionEvent[]): readonly string[] => events.map(({ type }) => type);

describe("an agent of version 1 that continues a session", () => {
  let agent: WireAgent;
  let clock: FakeClock;
  let connected: AgentConnection;
  const start = async (agentCapabilities: object): Promise<void> => {
    agent = new WireAgent();
    clock = new FakeClock();
    const connecting = agent.connect(undefined, { clock });
    agent.answer(await agent.request("initialize"), { protocolVersion: 1, agentCapabilities });
    connected = await connecting;
  };
  const resume = async (
    client = recordingClient(),
    asked: ContinueSessionRequest = request,
  ): Promise<ContinuedAgentSession | undefined> => connected.agent.continueSession?.(asked, client);
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await new Promise(resolve => setImmediate(resolve));
  };
  beforeEach(() => trackLeaks());
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  it("is asked to resume it, with its folder", async () => {
    await start(both);
    const client = recordingClient();
    const opening = resume(client);
    const sent = await agent.request("session/resume");
    assert.deepEqual(sent.params, { sessionId: "old-session", cwd: "/w", mcpServers: [] });
    agent.update("old-session", say("early"));
    agent.answer(sent, mode);
    const opened = await opening;
    assert.deepEqual([opened?.by, opened?.session.sessionId], ["resume", "old-session"]);
    assert.deepEqual(client.events[0], { type: "agentSession", sessionId: "old-session", continued: true });
    assert.deepEqual(kinds(client.events), ["agentSession", "messageChunk", "options"]);
  });

  it("gets the further folders of the workspace only if it works in them", async () => {
    const folders = { ...request, additionalFolders: ["/x", "/y"] };
    await start(both);
    void resume(recordingClient(), folders).catch(() => undefined);
    assert.deepEqual((await agent.request("session/resume")).params, {
      ...{ sessionId: "old-session", cwd: "/w", mcpServers: [] },
    });
    connected.dispose();
    await start({ sessionCapabilities: { additionalDirectories: {}, resume: {} } });
    void resume(recordingClient(), folders).catch(() => undefined);
    void connected.agent.open(folders, recordingClient()).catch(() => undefined);
    void connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient()).catch(() => undefined);
    assert.deepEqual((await agent.request("session/resume")).params, {
      ...{ sessionId: "old-session", cwd: "/w", mcpServers: [], additionalDirectories: ["/x", "/y"] },
    });
    const opened = [await agent.request("session/new"), await agent.request("session/new")];
    assert.deepEqual(
      opened.map(({ params }) => params),
      [
        { cwd: "/w", mcpServers: [], additionalDirectories: ["/x", "/y"] },
        { cwd: "/w", mcpServers: [] },
      ],
    );
  });

  it("is asked to load it if it cannot resume it, and only options and commands of the replay count", async () => {
    await start(onlyLoad);
    const client = recordingClient();
    const opening = resume(client);
    const sent = await agent.request("session/load");
    for (const update of [say("a", "m1"), say("b"), { sessionUpdate: "tool_call", toolCallId: "new" }, commands])
      agent.update("old-session", update);
    agent.answer(sent, mode);
    await until(() => clock.pendingTimers === 2);
    clock.advance(200);
    agent.update("old-session", say("after the answer"));
    await settled();
    clock.advance(299);
    await settled();
    assert.deepEqual(kinds(client.events), ["agentSession", "commands", "options"]);
    clock.advance(1);
    assert.equal((await opening)?.by, "load");
    assert.equal(clock.pendingTimers, 0);
    for (const update of [
      { sessionUpdate: "tool_call", toolCallId: "known", title: "replayed late" },
      { sessionUpdate: "tool_call", toolCallId: "new" },
      say("new"),
    ])
      agent.update("old-session", update);
    await until(() => client.events.length === 5);
    assert.deepEqual(kinds(client.events.slice(3)), ["tool", "messageChunk"]);
  });

  it("holds prompts back for three seconds at most while its replay goes on", async () => {
    await start(onlyLoad);
    let isOpen = false;
    const opening = resume().then(() => (isOpen = true));
    agent.answer(await agent.request("session/load"), null);
    await until(() => clock.pendingTimers === 2);
    for (let passed = 0; passed < 2900; passed += 100) {
      clock.advance(100);
      agent.update("old-session", say("more"));
      await settled();
    }
    assert.equal(isOpen, false);
    clock.advance(100);
    await opening;
  });

  it("keeps the options of the replay if its answer has none", async () => {
    await start(onlyLoad);
    const client = recordingClient();
    const opening = resume(client);
    const sent = await agent.request("session/load");
    const option = { id: "fast", name: "Fast", type: "boolean", currentValue: true };
    agent.update("old-session", { sessionUpdate: "config_option_update", configOptions: [option] });
    agent.answer(sent, null);
    await until(() => clock.pendingTimers === 2);
    clock.advance(300);
    await opening;
    const last = client.events.findLast(({ type }) => type === "options");
    assert.equal(last?.type === "options" && last.options.length, 1);
  });

  it("may name another session in its answer, and updates of that session wait for it", async () => {
    await start(both);
    const client = recordingClient();
    const opening = resume(client);
    const sent = await agent.request("session/resume");
    agent.update("other-session", say("held"));
    agent.answer(sent, { sessionId: "other-session" });
    assert.equal((await opening)?.session.sessionId, "other-session");
    assert.deepEqual(client.events[0], { type: "agentSession", sessionId: "other-session", continued: true });
    assert.deepEqual(kinds(client.events), ["agentSession", "messageChunk", "options"]);
  });

  it("is asked to load it if it refuses to resume it, and is not asked again for a method that it lacks", async () => {
    await start(both);
    const opening = resume();
    agent.fail(await agent.request("session/resume"), -32601, "Method not found");
    agent.fail(await agent.request("session/load"), -32002, "Resource not found");
    assert.equal(await opening, undefined);
    const again = resume();
    agent.fail(await agent.request("session/load"), -32603, "Internal error");
    assert.equal(await again, undefined);
    assert.deepEqual(agent.received, []);
  });

  it("offers to sign in, and its end is an error, unlike a session that it no longer has", async () => {
    await start(both);
    const refused = resume().then(
      () => assert.fail(),
      (error: unknown) => error,
    );
    agent.fail(await agent.request("session/resume"), -32000, "Authentication required");
    const problem = await refused;
    assert.ok(problem instanceof ProblemError && problem.problem.signIn);
    const cut = resume().then(
      () => assert.fail(),
      (error: unknown) => error,
    );
    await agent.request("session/resume");
    agent.stdout.end();
    assert.ok((await cut) instanceof ProblemError);
  });

  it("is not asked for a session that it still has open: the session is used again, with its settings", async () => {
    await start(onlyLoad);
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    agent.answer(await agent.request("session/new"), { sessionId: "old-session", ...mode });
    const session = await opening;
    session.dispose();
    agent.update("old-session", commands);
    await settled();
    assert.equal(connected.agent.loadsSession?.("old-session"), false);
    assert.equal(connected.agent.loadsSession?.("other-session"), true);
    const client = recordingClient();
    const again = await resume(client);
    assert.equal(again?.by, "resume");
    assert.deepEqual(kinds(client.events), ["agentSession", "options", "commands"]);
    await again.session.prompt([{ type: "text", text: "go" }]);
    assert.equal((await agent.request("session/prompt")).params?.["sessionId"], "old-session");
    assert.deepEqual(agent.received, []);
  });

  it("is asked to close a session that is closed here if it advertises that, and to continue it again", async () => {
    await start({ loadSession: true, sessionCapabilities: { close: {} } });
    const open = async (): Promise<void> => {
      const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
      agent.answer(await agent.request("session/new"), { sessionId: "old-session" });
      (await opening).close();
    };
    await open();
    const closing = await agent.request("session/close");
    assert.deepEqual(closing.params, { sessionId: "old-session" });
    agent.answer(closing, {});
    const again = resume();
    agent.fail(await agent.request("session/load"), -32002, "Resource not found");
    assert.equal(await again, undefined);
    await open();
    agent.fail(await agent.request("session/close"), -32601, "Method not found");
    await settled();
    await open();
    await settled();
    assert.deepEqual(agent.received, []);
  });

  it("is not asked to close a session if it does not advertise that, or if the session is only disposed", async () => {
    for (const [capabilities, close] of [
      [both, true],
      [{ sessionCapabilities: { close: {} } }, false],
    ] as const) {
      await start(capabilities);
      const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
      agent.answer(await agent.request("session/new"), { sessionId: "old-session" });
      const session = await opening;
      if (close) session.close();
      else session.dispose();
      await settled();
      assert.deepEqual(agent.received, []);
      if (close) connected.dispose();
    }
  });

  it("gets a context after the message, and its echo is not shown", async () => {
    await start(both);
    const client = recordingClient();
    const opening = resume(client);
    agent.answer(await agent.request("session/resume"), {});
    const session = (await opening)?.session;
    const context = { type: "text", text: "The conversation so far." } as const;
    await session?.prompt([{ type: "text", text: "go" }], [context]);
    const sent = await agent.request("session/prompt");
    assert.deepEqual(sent.params?.["prompt"], [{ type: "text", text: "go" }, context]);
    for (const text of ["go", context.text])
      agent.update("old-session", { sessionUpdate: "user_message_chunk", content: { type: "text", text } });
    agent.update("old-session", say("done"));
    await until(() => client.events.some(({ type }) => type === "messageChunk"));
    const shown = client.events.flatMap(event =>
      event.type === "message" || event.type === "messageChunk" ? [[event.author, event.content]] : [],
    );
    assert.deepEqual(shown, [
      ["user", [{ type: "text", text: "go" }]],
      ["agent", { type: "text", text: "done" }],
    ]);
  });

  for (const [what, code, message, data, forgotten] of [
    ["the code for what was not found", -32002, "Resource not found", undefined, true],
    ["its id in the text", -32602, "Session not found: old-session", undefined, true],
    ["its id in the data", -32603, "Internal error", { session: { id: "old-session" } }, true],
    ["a longer word", -32603, "No old-session-file", undefined, false],
    ["a file that was not found", -32002, "Resource not found", { uri: "file:///w/a" }, false],
    ["another error", -32603, "Overloaded", undefined, false],
  ] as const) {
    it(`${forgotten ? "no longer has it" : "still has it"} if a prompt fails with ${what}`, async () => {
      await start(both);
      const client = recordingClient();
      const opening = resume(client);
      agent.answer(await agent.request("session/resume"), {});
      await (await opening)?.session.prompt([{ type: "text", text: "go" }]);
      agent.fail(await agent.request("session/prompt"), code, message, data);
      await until(() => client.events.some(event => event.type === "activity" && event.state === "idle"));
      const end = client.events.at(-1);
      assert.equal(end?.type === "activity" && end.forgotten === true, forgotten);
    });
  }
});
