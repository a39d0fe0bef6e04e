// Sessions that an agent keeps: listed by pages, loaded with their conversation, copied and deleted, in both versions.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { maxLoadedEvents } from "../../src/acp/protocolAgent.ts";
import { V2ImportReplay } from "../../src/acp/v2/v2ImportReplay.ts";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentMcpServer, AgentSessionStore } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, shownToolStatus, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

/** What an agent of each version answers to `initialize` if it can do everything, and if it can only keep sessions open. */
const answers = {
  1: {
    all: {
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {}, delete: {}, fork: {} } },
    },
    least: { agentCapabilities: {} },
  },
  2: { all: { capabilities: { session: { delete: {}, fork: {} } } }, least: { capabilities: { session: {} } } },
};
const mcpServers: readonly AgentMcpServer[] = [{ name: "tools", type: "stdio", command: "/t", args: [], env: {} }];
const request = { sessionId: "kept", cwd: "/w", connection: 1, mcpServers };
const chunk = (author: string, text: string, messageId?: string): object => ({
  sessionUpdate: `${author}_message_chunk`,
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const stateOf = (events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);
/** The entries as short texts. */
const texts = (state: SessionState): readonly string[] =>
  [...state.entries].map(entry =>
    entry.kind === "message"
      ? `${entry.author}: ${entry.content.map(block => (block.type === "text" ? block.text : "")).join("")}`
      : entry.kind === "tool"
        ? `tool: ${shownToolStatus(entry, false)}`
        : entry.kind,
  );

let agent: WireAgent;
let clock: FakeClock;
let connected: AgentConnection;
const store = (): AgentSessionStore => connected.agent.sessionStore ?? {};
async function start(version: 1 | 2, answer: object = answers[version].all): Promise<AgentSessionStore> {
  agent = new WireAgent();
  clock = new FakeClock();
  const connecting = agent.connect(undefined, { clock, protocol: version });
  agent.answer(await agent.request("initialize"), { protocolVersion: version, ...answer });
  connected = await connecting;
  return store();
}
/** Ends the connection after each test of a suite. */
function endConnections(): void {
  beforeEach(() => trackLeaks());
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });
}

for (const version of [1, 2] as const) {
  const method = version === 1 ? "session/load" : "session/resume";
  /** A server as a new session gets it. */
  const onWire = {
    1: { name: "tools", command: "/t", args: [], env: [] },
    2: { name: "tools", command: "/t", args: [], env: [], type: "stdio" },
  }[version];

  describe(`the sessions that an agent of version ${version} keeps`, () => {
    endConnections();

    it("lists a page of a folder, without sessions that have no id", async () => {
      const { list } = await start(version);
      const listing = list?.("/w", "next");
      const sent = await agent.request("session/list");
      assert.deepEqual(sent.params, { cwd: "/w", cursor: "next" });
      const sessions = [
        { sessionId: "a", title: "A", cwd: "/w", updatedAt: "1970-01-01T00:00:01Z" },
        { title: "no id" },
        { sessionId: "" },
        7,
      ];
      agent.answer(sent, { sessions, nextCursor: "more" });
      assert.deepEqual(await listing, {
        sessions: [{ sessionId: "a", title: "A", cwd: "/w", updated: 1000 }],
        nextCursor: "more",
      });
    });

    it("asks for the first page without a cursor, and takes null for the end of the list", async () => {
      const { list } = await start(version);
      const listing = list?.("/w");
      const sent = await agent.request("session/list");
      assert.deepEqual(sent.params, { cwd: "/w" });
      agent.answer(sent, { sessions: [{ sessionId: "a", cwd: "/w", title: null, updatedAt: null }], nextCursor: null });
      assert.deepEqual(await listing, { sessions: [{ sessionId: "a", cwd: "/w" }] });
    });

    it("hides a method that the agent lacks although it advertises it", async () => {
      for (const [name, call] of [
        ["list", () => store().list?.("/w")],
        ["delete", () => store().delete?.("kept")],
        ["fork", () => store().fork?.(request)],
      ] as const) {
        await start(version);
        const answer = Promise.resolve(call());
        agent.fail(await agent.request(`session/${name}`), -32601, "Method not found");
        await assert.rejects(answer, ProblemError);
        const left = ["delete", "fork", "list", "load"].filter(each => each !== name);
        assert.deepEqual(Object.keys(store()).sort(), left);
        connected.dispose();
      }
    });

    it("keeps a method whose request failed otherwise", async () => {
      const { list } = await start(version);
      const listing = Promise.resolve(list?.("/w"));
      agent.fail(await agent.request("session/list"), -32603, "The disk is full.");
      await assert.rejects(listing, /could not list its sessions: The disk is full/);
      assert.ok(store().list);
    });

    it("counts a session that the agent no longer has as deleted", async () => {
      const { delete: remove } = await start(version);
      const removing = remove?.("kept");
      const sent = await agent.request("session/delete");
      assert.deepEqual(sent.params, { sessionId: "kept" });
      agent.fail(sent, -32002, "Resource not found");
      await removing;
      assert.ok(store().delete);
    });

    it("does not load a session that is open", async () => {
      await start(version);
      const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
      agent.answer(await agent.request("session/new"), { sessionId: "kept" });
      await opening;
      await assert.rejects(Promise.resolve(store().load?.(request)), /still has this session open/);
      assert.ok(!agent.received.some(sent => sent.method === method));
    });

    it("loads a session with the servers that a new one gets, and says if the agent refuses", async () => {
      await start(version);
      const loading = Promise.resolve(store().load?.(request));
      const sent = await agent.request(method);
      assert.deepEqual(sent.params?.["mcpServers"], [onWire]);
      agent.fail(sent, -32602, "No.");
      await assert.rejects(loading, /refused to load this session/);
    });

    it("loads a session in the folders of the window, and not in those that the agent lists", async () => {
      const answer = {
        1: { agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, additionalDirectories: {} } } },
        2: { capabilities: { session: { additionalDirectories: {} } } },
      }[version];
      const { list, load } = await start(version, answer);
      const listing = list?.("/w");
      const sessions = [{ sessionId: "kept", cwd: "/w", additionalDirectories: ["/old"] }];
      agent.answer(await agent.request("session/list"), { sessions });
      await listing;
      for (const additionalFolders of [["/x"], []]) {
        const loading = Promise.resolve(load?.({ ...request, additionalFolders }));
        const sent = await agent.request(method);
        assert.deepEqual(sent.params?.["additionalDirectories"], additionalFolders.length > 0 ? ["/x"] : undefined);
        agent.fail(sent, -32602, "No.");
        await assert.rejects(loading, /refused to load this session/);
      }
    });

    it("copies a session with the servers that a new one gets, and continues the copy without a request", async () => {
      const { fork } = await start(version);
      const forking = fork?.({ ...request, connection: 2 });
      const sent = await agent.request("session/fork");
      assert.deepEqual(sent.params, { sessionId: "kept", cwd: "/w", mcpServers: [onWire] });
      agent.answer(sent, { sessionId: "copy", configOptions: [] });
      assert.equal(await forking, "copy");
      const command = { ...(version === 2 && { type: "command" }), name: "go", description: "Go" };
      agent.update("copy", { sessionUpdate: "available_commands_update", availableCommands: [command] });
      agent.send({ id: "early", method: "session/request_permission", params: { sessionId: "copy", options: [] } });
      assert.ok((await agent.response("early")).error, "nobody can answer yet");
      // The agent has the copy open, so it need not read it again.
      assert.equal(connected.agent.loadsSession?.("copy"), false);
      const client = recordingClient();
      const continued = await connected.agent.continueSession?.(
        { cwd: "/w", connection: 3, sessionId: "copy", isKnown: () => false, isCut: () => false, lacksEnd: false },
        client,
      );
      assert.equal(continued?.by, "resume");
      assert.deepEqual(client.events[0], { type: "agentSession", sessionId: "copy", continued: true });
      assert.ok(client.events.some(({ type }) => type === "commands"));
      assert.ok(!agent.received.some(({ method: name }) => /resume|load/.test(name ?? "")));
      agent.update("copy", { sessionUpdate: "session_info_update", title: "Copied" });
      await until(() => client.events.some(({ type }) => type === "info"));
    });

    it("says so if a copy has no id", async () => {
      const { fork } = await start(version);
      const forking = Promise.resolve(fork?.(request));
      agent.answer(await agent.request("session/fork"), {});
      await assert.rejects(forking, /opened a session without an id/);
    });
  });
}

describe("a session that an agent of version 1 keeps", () => {
  endConnections();

  /** What Parley gets of a session with these updates. */
  const loaded = async (...updates: readonly object[]): Promise<readonly SessionEvent[]> => {
    const loading = store().load?.(request);
    const sent = await agent.request("session/load");
    for (const update of updates) agent.update("kept", update);
    agent.answer(sent, null);
    await until(() => clock.pendingTimers === 2);
    clock.advance(300);
    return (await loading) ?? [];
  };

  it("offers only what the agent advertises", async () => {
    assert.deepEqual(Object.keys(await start(1, answers[1].least)), []);
    connected.dispose();
    assert.deepEqual(Object.keys(await start(1)).sort(), ["delete", "fork", "list", "load"]);
  });

  it("loads a conversation: each user chunk without an id is a message, and closes the calls before it", async () => {
    await start(1);
    const events = await loaded(
      chunk("user", "one"),
      chunk("user", "one more"),
      { sessionUpdate: "tool_call", toolCallId: "t", title: "Never ends", status: "in_progress" },
      chunk("agent", "An"),
      chunk("agent", "swer"),
      chunk("user", "two"),
      { sessionUpdate: "tool_call", toolCallId: "u", title: "Never ends either", status: "pending" },
    );
    const state = stateOf(events);
    const shown = texts(state);
    assert.deepEqual(shown.slice(0, 2), ["user: one", "user: one more"]);
    assert.deepEqual(shown.slice(3, 5), ["agent: Answer", "user: two"]);
    assert.ok(!/running|pending/.test(`${shown[2]} ${shown[5]}`), shown.join());
    assert.equal(state.activity.state, "idle");
    // The agent frees the session, so that it can be loaded again.
    assert.deepEqual((await agent.request("session/close")).params, { sessionId: "kept" });
  });

  it("joins user chunks with the same id", async () => {
    await start(1);
    const state = stateOf(await loaded(chunk("user", "on", "m"), chunk("user", "e", "m"), chunk("user", "two", "n")));
    assert.deepEqual(
      [...state.entries].map(entry => entry.kind),
      ["message", "message"],
    );
  });

  it("does not load a session that the agent has open", async () => {
    await start(1);
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    agent.answer(await agent.request("session/new"), { sessionId: "kept" });
    const session = await opening;
    for (const isDisposed of [false, true]) {
      if (isDisposed) session.dispose();
      await assert.rejects(Promise.resolve(store().load?.(request)), /still has this session open/);
    }
    assert.ok(!agent.received.some(({ method }) => method === "session/load"));
  });
});

describe("a session that an agent of version 2 keeps", () => {
  endConnections();

  const text = (words: string): object => ({ type: "text", text: words });
  const message = (author: string, words: string, messageId: string): object => ({
    ...{ sessionUpdate: `${author}_message`, messageId, content: [text(words)] },
  });

  it("is listed and loaded by every agent, and deleted and copied if the agent advertises it", async () => {
    assert.deepEqual(Object.keys(await start(2, answers[2].least)).sort(), ["list", "load"]);
    connected.dispose();
    assert.deepEqual(Object.keys(await start(2, { capabilities: {} })), []);
    connected.dispose();
    assert.deepEqual(Object.keys(await start(2)).sort(), ["delete", "fork", "list", "load"]);
  });

  it("is loaded with the replay before the answer: each prompt closes the calls before it, and nothing runs any more", async () => {
    await start(2);
    const loading = store().load?.(request);
    const sent = await agent.request("session/resume");
    assert.deepEqual(sent.params?.["replayFrom"], { type: "start" });
    for (const update of [
      message("user", "one", "u1"),
      { sessionUpdate: "tool_call_update", toolCallId: "t", title: "Never ends", status: "in_progress" },
      chunk("agent", "An", "a1"),
      chunk("agent", "swer", "a1"),
      chunk("user", "tw", "u2"),
      chunk("user", "o", "u2"),
      { sessionUpdate: "tool_call_update", toolCallId: "u", title: "Never ends either", status: "pending" },
      { sessionUpdate: "state_update", state: "running", background: [{ type: "tool_call", toolCallId: "u" }] },
      { sessionUpdate: "session_info_update", title: "The title" },
    ])
      agent.update("kept", update);
    agent.answer(sent, { availableCommands: [{ type: "command", name: "go", description: "Go" }] });
    const events = (await loading) ?? [];
    assert.deepEqual(events[0], { type: "agentSession", sessionId: "kept", continued: true });
    const state = stateOf(events);
    const shown = texts(state);
    assert.deepEqual([shown[0], shown[2], shown[3]], ["user: one", "agent: Answer", "user: two"]);
    assert.equal(shown.length, 5);
    assert.ok(!/running|pending/.test(`${shown[1]} ${shown[4]}`), shown.join());
    assert.equal(state.activity.state, "idle");
    assert.equal(state.background, null);
    assert.equal(state.title, "The title");
    assert.deepEqual(
      state.commands.map(({ name }) => name),
      ["go"],
    );
    // The agent frees the session, so that it can be resumed later.
    assert.deepEqual((await agent.request("session/close")).params, { sessionId: "kept" });
  });

  it("can be loaded again after it was closed", async () => {
    await start(2);
    for (let time = 0; time < 2; time++) {
      const loading = store().load?.(request);
      agent.answer(await agent.request("session/resume"), {});
      assert.ok(await loading);
      agent.answer(await agent.request("session/close"), {});
    }
  });

  it("is kept up to a limit", () => {
    const replay = new V2ImportReplay();
    const piece: SessionEvent = {
      type: "messageChunk",
      author: "agent",
      messageId: "m",
      content: { type: "text", text: "x" },
    };
    for (let at = 0; at < 2 * maxLoadedEvents; at += 1000) replay.keep(Array<SessionEvent>(1000).fill(piece));
    assert.equal(replay.end().length, maxLoadedEvents);
  });

  it("whose conversation is too long ends with a notice", async () => {
    await start(2);
    const loading = store().load?.(request);
    const sent = await agent.request("session/resume");
    for (let at = 0; at < maxLoadedEvents; at++) agent.update("kept", chunk("agent", "x", "m"));
    agent.answer(sent, {});
    const last = (await loading)?.at(-1);
    assert.ok(last?.type === "notice" && /only its beginning was imported/.test(last.title), JSON.stringify(last));
  });
});
