// An agent of version 2 that resumes a session: what it is asked for, what counts of a conversation that it repeats, and
// conversations that change between the versions.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import type { ProtocolVersion } from "../../src/acp/handshake.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentSession } from "../../src/session/agent.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { interruptedEvents } from "../../src/session/log/interruptedEvents.ts";
import { openAgentSession, type OpenedAgentSession } from "../../src/session/opening/openAgentSession.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, isBusy, type SessionState } from "../../src/session/state.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent, type SentMessage } from "../support/fakes/wireAgent.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });

/** A conversation with agents of both versions, and the state that its log leads to. */
class Conversation {
  agent = new WireAgent();
  state: SessionState = emptySession;
  connected: AgentConnection | undefined;
  #seq = 0;

  constructor() {
    this.apply({ type: "opened", agent: "robo", agentName: "Robo", cwd: "/w", choices: true });
  }

  apply(...events: readonly SessionEvent[]): void {
    for (const event of events) {
      const seq = this.#seq++;
      this.state = reduce(this.state, { seq, at: seq, event });
    }
  }

  /** Connects a new process of the agent, which speaks this version. */
  async connect(version: ProtocolVersion): Promise<void> {
    this.connected?.dispose();
    this.agent = new WireAgent();
    const connecting = this.agent.connect(undefined, { protocol: version });
    const agentCapabilities = { sessionCapabilities: { resume: {} } };
    this.agent.answer(await this.agent.request("initialize"), { protocolVersion: version, agentCapabilities });
    this.connected = await connecting;
    this.apply({ type: "connection", state: "opening" });
  }

  open(): Promise<OpenedAgentSession> {
    const client = { ...recordingClient(), report: (event: SessionEvent) => this.apply(event) };
    return openAgentSession(this.connected?.agent ?? assert.fail(), this.state, {}, client);
  }

  /** Opens the session, or resumes it, with an agent that answers only that. */
  async opened(version: ProtocolVersion): Promise<AgentSession> {
    await this.connect(version);
    const isNew = this.state.agentSessions.length === 0;
    const opening = this.open();
    const request = await this.agent.request(isNew ? "session/new" : "session/resume");
    if (!isNew && version === 2) this.update("state_update", { state: "idle", stopReason: "end_turn" });
    this.agent.answer(request, isNew ? { sessionId: "the-session" } : {});
    const { session } = await opening;
    this.apply({ type: "connection", state: "ready" });
    return session;
  }

  update(sessionUpdate: string, fields: object): void {
    this.agent.update("the-session", { sessionUpdate, ...fields });
  }

  /** A turn in version 2. Without `end`, the agent still works on it. */
  async turn(session: AgentSession, words: string, messageId: string, end = true): Promise<void> {
    const accepted = session.prompt([text(words)]);
    const request = await this.agent.request("session/prompt");
    this.update("user_message", { messageId, content: [text(words)] });
    this.agent.answer(request, { messageId });
    await accepted;
    this.update("state_update", { state: "running" });
    this.update("tool_call_update", { toolCallId: `call of ${words}`, title: words, status: end ? "completed" : null });
    if (end) this.update("state_update", { state: "idle", stopReason: "end_turn" });
    await until(() => this.entries.includes(words) && isBusy(this.state) !== end);
  }

  /** What a reload of the window does. */
  reload(): void {
    this.apply(...interruptedEvents(this.state, "Robo"));
  }

  /** The texts of messages and the titles of tool calls, in order. */
  get entries(): readonly string[] {
    return [...this.state.entries].flatMap(entry => {
      if (entry.kind === "tool") return [entry.fields.title ?? "?"];
      if (entry.kind !== "message") return [];
      return [entry.content.map(block => (block.type === "text" ? `${entry.author}: ${block.text}` : "?")).join("")];
    });
  }
}

describe("an agent of version 2 that resumes a session", () => {
  let conversation: Conversation;
  beforeEach(() => {
    trackLeaks();
    conversation = new Conversation();
  });
  afterEach(() => {
    conversation.connected?.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  it("is not asked to repeat a conversation that ended normally, and its idle snapshot adds nothing", async () => {
    await conversation.turn(await conversation.opened(2), "one", "u1");
    conversation.reload();
    await conversation.connect(2);
    const opening = conversation.open();
    const request = await conversation.agent.request("session/resume");
    assert.deepEqual(request.params, { sessionId: "the-session", cwd: "/w", mcpServers: [] });
    const before = conversation.state.entries.length;
    conversation.update("state_update", { state: "idle", stopReason: "max_tokens", background: [] });
    conversation.agent.answer(request, { availableCommands: [{ type: "command", name: "go", description: "Go" }] });
    assert.equal((await opening).continuedBy, "resume");
    await until(() => conversation.state.commands.length === 1);
    assert.equal(conversation.state.entries.length, before);
    assert.equal(conversation.state.activity.stopReason, "end_turn");
  });

  it("may still work on a turn, which goes on", async () => {
    await conversation.turn(await conversation.opened(2), "one", "u1");
    await conversation.connect(2);
    const opening = conversation.open();
    const request = await conversation.agent.request("session/resume");
    conversation.update("state_update", { state: "running" });
    conversation.agent.answer(request, {});
    await opening;
    assert.ok(isBusy(conversation.state));
    conversation.update("state_update", { state: "idle" });
    await until(() => !isBusy(conversation.state));
  });

  /** A conversation that a reload interrupted, and the request that resumes it. */
  async function interrupted(): Promise<{ opening: Promise<OpenedAgentSession>; request: SentMessage }> {
    const session = await conversation.opened(2);
    await conversation.turn(session, "one", "u1");
    await conversation.turn(session, "two", "u2", false);
    conversation.reload();
    await conversation.connect(2);
    const opening = conversation.open();
    return { opening, request: await conversation.agent.request("session/resume") };
  }
  const replay = (ids = ""): void => {
    for (const [words, id] of [
      ["one", "u1"],
      ["two", "u2"],
    ] as const) {
      conversation.update("user_message", { messageId: `${id}${ids}`, content: [text(words)] });
      conversation.update("tool_call_update", {
        ...{ toolCallId: `call of ${words}${ids}`, title: words, status: "completed" },
        content: [{ type: "terminal", terminalId: `x of ${words}${ids}` }],
      });
      conversation.update("terminal_output_chunk", { terminalId: `x of ${words}${ids}`, data: "b2s=" });
    }
    conversation.update("agent_message_chunk", { messageId: `m${ids}`, content: text("Do") });
    conversation.update("agent_message_chunk", { messageId: `m${ids}`, content: text("ne.") });
    conversation.update("state_update", { state: "running" });
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
  };

  it("repeats a conversation that was interrupted, and only what the log lacks counts", async () => {
    const { opening, request } = await interrupted();
    assert.deepEqual(request.params?.["replayFrom"], { type: "start" });
    replay();
    conversation.agent.answer(request, {});
    assert.equal((await opening).continuedBy, "load");
    assert.deepEqual(conversation.entries, ["user: one", "one", "user: two", "two", "agent: Done."]);
    const outputs = [...conversation.state.terminals.values()].map(({ id, output }) => [id, output]);
    assert.deepEqual(outputs, [["x of two", "ok"]], "the output of calls that were complete is not repeated");
    const call = conversation.state.entries.get("t:call of two");
    assert.ok(call?.kind === "tool");
    assert.equal(call.fields.status, "completed", "the interruption closed it, and the agent completed it");
    assert.equal(isBusy(conversation.state), false);
  });

  /** A turn of one id for each message, cut while the agent writes and a command runs. */
  async function cutInTurn(): Promise<SentMessage> {
    const session = await conversation.opened(2);
    await conversation.turn(session, "one", "u1", false);
    conversation.update("tool_call_update", { toolCallId: "t", title: "npm test", status: "in_progress" });
    conversation.update("agent_message_chunk", { messageId: "m", content: text("The quick ") });
    await until(() => conversation.entries.includes("agent: The quick "));
    conversation.reload();
    await conversation.connect(2);
    opening = conversation.open();
    return conversation.agent.request("session/resume");
  }
  let opening: Promise<OpenedAgentSession>;
  const repeat = (status: string, ...pieces: readonly string[]): void => {
    conversation.update("user_message", { messageId: "u1", content: [text("one")] });
    conversation.update("tool_call_update", { toolCallId: "t", title: "npm test", status });
    if (status === "completed")
      conversation.update("tool_call_content_chunk", {
        toolCallId: "t",
        content: { type: "content", content: text("42 passed") },
      });
    for (const piece of pieces) conversation.update("agent_message_chunk", { messageId: "m", content: text(piece) });
  };
  const call = (): unknown => {
    const entry = conversation.state.entries.get("t:t");
    return entry?.kind === "tool" && [entry.fields.status, entry.closed ?? false, entry.fields.content?.length ?? 0];
  };

  it("repeats an answer that the interruption cut, and goes on with it", async () => {
    const request = await cutInTurn();
    assert.deepEqual(call(), ["in_progress", true, 0]);
    repeat("completed", "The quick ", "brown ");
    conversation.update("state_update", { state: "running" });
    conversation.agent.answer(request, {});
    await opening;
    conversation.apply({ type: "connection", state: "ready" });
    assert.deepEqual(call(), ["completed", true, 1]);
    conversation.update("agent_message_chunk", { messageId: "m", content: text("fox.") });
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
    await until(() => !isBusy(conversation.state));
    assert.deepEqual(conversation.entries, ["user: one", "one", "npm test", "agent: The quick brown fox."]);
  });

  it("repeats an answer that it finished meanwhile, also if it is shorter", async () => {
    const request = await cutInTurn();
    repeat("completed", "Done.");
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
    conversation.agent.answer(request, {});
    await opening;
    assert.deepEqual(conversation.entries, ["user: one", "one", "npm test", "agent: Done."]);
  });

  it("opens a call again that it still runs, and not one that it left", async () => {
    const request = await cutInTurn();
    repeat("in_progress", "The quick ");
    conversation.update("state_update", { state: "running" });
    conversation.agent.answer(request, {});
    await opening;
    assert.deepEqual(call(), ["in_progress", false, 0]);
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
    await until(() => !isBusy(conversation.state));
    assert.deepEqual(call(), ["in_progress", true, 0], "the end of the turn closes it");
  });

  it("repeats an answer that was cut after a prompt that was sent into its turn", async () => {
    const session = await conversation.opened(2);
    await conversation.turn(session, "one", "u1", false);
    conversation.update("agent_message_chunk", { messageId: "m", content: text("The quick ") });
    const steered = session.prompt([text("B")]);
    conversation.agent.answer(await conversation.agent.request("session/prompt"), { messageId: "u2" });
    await steered;
    conversation.reload();
    await conversation.connect(2);
    opening = conversation.open();
    const request = await conversation.agent.request("session/resume");
    repeat("completed", "The quick brown ");
    conversation.update("user_message", { messageId: "u2", content: [text("B")] });
    conversation.update("state_update", { state: "running" });
    conversation.agent.answer(request, {});
    await opening;
    conversation.update("agent_message_chunk", { messageId: "m", content: text("fox.") });
    await until(() => conversation.entries.includes("agent: The quick brown fox."));
  });

  it("does not open a call again that it left in an earlier turn", async () => {
    const session = await conversation.opened(2);
    await conversation.turn(session, "one", "u1", false);
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
    await until(() => !isBusy(conversation.state));
    await conversation.turn(session, "two", "u2", false);
    conversation.reload();
    await conversation.connect(2);
    opening = conversation.open();
    const request = await conversation.agent.request("session/resume");
    for (const [words, id] of [
      ["one", "u1"],
      ["two", "u2"],
    ] as const) {
      conversation.update("user_message", { messageId: id, content: [text(words)] });
      conversation.update("tool_call_update", { toolCallId: `call of ${words}`, status: "in_progress" });
    }
    conversation.update("state_update", { state: "running" });
    conversation.agent.answer(request, {});
    await opening;
    const isClosed = ["one", "two"].map(words => {
      const entry = conversation.state.entries.get(`t:call of ${words}`);
      return entry?.kind === "tool" && entry.closed === true;
    });
    assert.deepEqual(isClosed, [true, false]);
  });

  it("leaves no call open that began while it was away, if it is idle", async () => {
    const request = await cutInTurn();
    repeat("completed", "Done.");
    conversation.update("tool_call_update", { toolCallId: "later", title: "later", status: "in_progress" });
    conversation.update("state_update", { state: "idle" });
    conversation.agent.answer(request, {});
    await opening;
    conversation.apply({ type: "connection", state: "ready" });
    const later = conversation.state.entries.get("t:later");
    assert.ok(later?.kind === "tool" && later.closed);
  });

  it("keeps what the log has if the agent repeats more pieces than are kept", async () => {
    const request = await cutInTurn();
    const piece = { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("x") };
    const line = JSON.stringify({
      ...{ jsonrpc: "2.0", method: "session/update" },
      params: { sessionId: "the-session", update: piece },
    });
    for (let i = 0; i < 101; i++) conversation.agent.line(Array.from({ length: 1000 }, () => line).join("\n"));
    conversation.update("state_update", { state: "idle", stopReason: "end_turn" });
    conversation.agent.answer(request, {});
    await opening;
    assert.deepEqual(conversation.entries, ["user: one", "one", "npm test", "agent: The quick "]);
  }).timeout(120_000);

  it("leaves a call closed if it is idle and no background work", async () => {
    const request = await cutInTurn();
    repeat("in_progress", "The quick ");
    conversation.update("state_update", { state: "idle" });
    conversation.agent.answer(request, {});
    await opening;
    assert.deepEqual(call(), ["in_progress", true, 0]);
  });

  it("repeats nothing that counts if it has given everything other ids", async () => {
    const { opening, request } = await interrupted();
    replay("-new");
    conversation.agent.answer(request, {});
    await opening;
    assert.deepEqual(conversation.entries, ["user: one", "one", "user: two", "two"]);
  });

  it("cannot fill the memory with what it repeats, and the conversation goes on", async () => {
    const { opening, request } = await interrupted();
    replay();
    for (let i = 0; i < 12_000; i++)
      conversation.update("agent_message", { messageId: `flood ${i}`, content: [text("x")] });
    conversation.agent.answer(request, {});
    await opening;
    // 10,000 events: output of a known call, an answer in two pieces, and the first messages of the flood.
    assert.equal(conversation.entries.length, 4 + 1 + 9_997);
    assert.equal(isBusy(conversation.state), false);
  });

  it("is asked to resume without repeating if it cannot repeat", async () => {
    const { opening, request } = await interrupted();
    conversation.agent.fail(request, -32602, "No replay");
    const again = await conversation.agent.request("session/resume");
    assert.deepEqual(again.params, { sessionId: "the-session", cwd: "/w", mcpServers: [] });
    conversation.agent.answer(again, {});
    assert.equal((await opening).continuedBy, "resume");
  });

  it("gets a new session if it no longer has the session", async () => {
    const { opening, request } = await interrupted();
    conversation.agent.fail(request, -32002, "Session not found", { sessionId: "the-session" });
    conversation.agent.answer(await conversation.agent.request("session/new"), { sessionId: "other" });
    assert.equal((await opening).continuedBy, undefined);
    assert.deepEqual(conversation.state.agentSessions, ["the-session", "other"]);
  });

  it("continues a conversation of version 1, and an agent of version 1 continues it again", async () => {
    const first = await conversation.opened(1);
    await first.prompt([text("one")]);
    const prompt = await conversation.agent.request("session/prompt");
    conversation.update("agent_message_chunk", { content: text("First.") });
    conversation.update("tool_call", { toolCallId: "t1", title: "Look", status: "completed" });
    conversation.agent.answer(prompt, { stopReason: "end_turn" });
    await until(() => !isBusy(conversation.state));
    conversation.reload();
    await conversation.turn(await conversation.opened(2), "two", "u2");
    conversation.reload();
    const third = await conversation.opened(1);
    await third.prompt([text("three")]);
    conversation.update("tool_call_update", { toolCallId: "t1", title: "Looked" });
    conversation.update("agent_message_chunk", { content: text("Third.") });
    const last = await conversation.agent.request("session/prompt");
    conversation.agent.answer(last, { stopReason: "end_turn" });
    await until(() => !isBusy(conversation.state));
    const [one, ...others] = conversation.entries;
    assert.equal(one, "user: one");
    assert.deepEqual(others, ["agent: First.", "Looked", "user: two", "two", "user: three", "agent: Third."]);
    assert.deepEqual(conversation.state.agentSessions, ["the-session"]);
  });
});
