// Sessions that an agent of version 1 keeps: listed by pages, loaded with their conversation, copied and deleted.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentSessionStore } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, shownToolStatus, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const all = { loadSession: true, sessionCapabilities: { list: {}, close: {}, delete: {}, fork: {} } };
const request = { sessionId: "kept", cwd: "/w", connection: 1 };
const chunk = (author: string, text: string, messageId?: string): object => ({
  sessionUpdate: `${author}_message_chunk`,
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const stateOf = (events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);

describe("the sessions that an agent of version 1 keeps", () => {
  let agent: WireAgent;
  let clock: FakeClock;
  let connected: AgentConnection;
  const start = async (agentCapabilities: object): Promise<AgentSessionStore> => {
    agent = new WireAgent();
    clock = new FakeClock();
    const connecting = agent.connect(undefined, { clock });
    agent.answer(await agent.request("initialize"), { protocolVersion: 1, agentCapabilities });
    connected = await connecting;
    return store();
  };
  const store = (): AgentSessionStore => connected.agent.sessionStore ?? {};
  beforeEach(() => trackLeaks());
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });
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
    assert.deepEqual(Object.keys(await start({})), []);
    connected.dispose();
    assert.deepEqual(Object.keys(await start(all)).sort(), ["delete", "fork", "list", "load"]);
  });

  it("lists a page of a folder, without sessions that have no id", async () => {
    const { list } = await start(all);
    const listing = list?.("/w", "next");
    const sent = await agent.request("session/list");
    assert.deepEqual(sent.params, { cwd: "/w", cursor: "next" });
    const sessions = [
      { sessionId: "a", title: "A", cwd: "/w", updatedAt: "1970-01-01T00:00:01Z" },
      { title: "no id" },
      7,
    ];
    agent.answer(sent, { sessions, nextCursor: "more" });
    assert.deepEqual(await listing, {
      sessions: [{ sessionId: "a", title: "A", cwd: "/w", updated: 1000 }],
      nextCursor: "more",
    });
  });

  it("hides a method that the agent lacks although it advertises it", async () => {
    const { list } = await start(all);
    const listing = list?.("/w");
    agent.fail(await agent.request("session/list"), -32601, "Method not found");
    await assert.rejects(Promise.resolve(listing), ProblemError);
    assert.equal(store().list, undefined);
    assert.ok(store().delete);
  });

  it("counts a session that the agent no longer has as deleted", async () => {
    const { delete: remove } = await start(all);
    const removing = remove?.("kept");
    agent.fail(await agent.request("session/delete"), -32002, "Resource not found");
    await removing;
    assert.ok(store().delete);
  });

  it("loads a conversation: each user chunk without an id is a message, and closes the calls before it", async () => {
    await start(all);
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
    const texts = [...state.entries].map(entry =>
      entry.kind === "message"
        ? `${entry.author}: ${entry.content.map(block => (block.type === "text" ? block.text : "")).join("")}`
        : entry.kind === "tool"
          ? `tool: ${shownToolStatus(entry, false)}`
          : entry.kind,
    );
    assert.deepEqual(texts.slice(0, 2), ["user: one", "user: one more"]);
    assert.deepEqual(texts.slice(3, 5), ["agent: Answer", "user: two"]);
    assert.ok(!/running|pending/.test(`${texts[2]} ${texts[5]}`), texts.join());
    assert.equal(state.activity.state, "idle");
    // The agent frees the session, so that it can be loaded again.
    assert.deepEqual((await agent.request("session/close")).params, { sessionId: "kept" });
  });

  it("joins user chunks with the same id", async () => {
    await start(all);
    const state = stateOf(await loaded(chunk("user", "on", "m"), chunk("user", "e", "m"), chunk("user", "two", "n")));
    assert.deepEqual(
      [...state.entries].map(entry => entry.kind),
      ["message", "message"],
    );
  });

  it("does not load a session that the agent has open", async () => {
    await start({ loadSession: true });
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, recordingClient());
    agent.answer(await agent.request("session/new"), { sessionId: "kept" });
    const session = await opening;
    for (const isDisposed of [false, true]) {
      if (isDisposed) session.dispose();
      await assert.rejects(Promise.resolve(store().load?.(request)), /still has this session open/);
    }
    assert.ok(!agent.received.some(({ method }) => method === "session/load"));
  });

  it("copies a session, and continues the copy without a request", async () => {
    const { fork } = await start(all);
    const forking = fork?.({ ...request, connection: 2 });
    const sent = await agent.request("session/fork");
    assert.deepEqual(sent.params, { sessionId: "kept", cwd: "/w", mcpServers: [] });
    agent.answer(sent, { sessionId: "copy" });
    assert.equal(await forking, "copy");
    const client = recordingClient();
    const continued = await connected.agent.continueSession?.(
      { cwd: "/w", connection: 3, sessionId: "copy", isKnown: () => false, lacksEnd: false },
      client,
    );
    assert.equal(continued?.by, "resume");
    assert.deepEqual(client.events[0], { type: "agentSession", sessionId: "copy", continued: true });
  });
});
