// The recorded conversations that agents send again when a session is loaded: shown whole without a log of Parley, and dropped
// with it. Nothing is doubled, nothing is lost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inProject } from "../../scripts/tools/project.mjs";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { openAgentSession } from "../../src/session/opening/openAgentSession.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, isFinal, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly prompt?: readonly { readonly type: string; readonly text?: string }[];
    readonly update?: Update;
  };
  readonly result?: unknown;
}
type Update = Record<string, unknown> & {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
  readonly toolCallId?: string;
};

/** What an agent sent for a session that was live, and again when it was loaded in another process. */
interface Recording {
  readonly initialize: unknown;
  readonly sessionId: string;
  readonly prompts: readonly string[];
  readonly live: readonly { readonly prompt: string; readonly updates: readonly Update[] }[];
  readonly replay: readonly Update[];
  readonly answer: unknown;
}

/** `at`: which of the recorded loads of the session, from 0. The agent had more turns before the second one. */
function recordingOf(agent: string, at: 0 | 1): Recording {
  const lines = readFileSync(inProject("test", "transcripts", agent, "sessions.ndjson"), "utf8").split("\n");
  const messages = lines.flatMap(line => {
    const { dir, msg } = (line === "" ? {} : JSON.parse(line)) as { readonly dir?: string; readonly msg?: Message };
    return msg ? [{ dir, msg }] : [];
  });
  const sessionId = messages.find(({ msg }) => msg.method === "session/load")?.msg.params?.sessionId;
  assert.ok(sessionId !== undefined);
  const loads = messages.flatMap(({ msg }, line) =>
    msg.method === "session/load" && msg.params?.sessionId === sessionId ? [line] : [],
  );
  assert.equal(loads.length, 2);
  const from = loads[at] ?? 0;
  const load = messages[from]?.msg;
  const ofSession = ({ msg }: { readonly msg: Message }): boolean => msg.params?.sessionId === sessionId;
  /** The next request of the client, or the end. */
  const nextAfter = (line: number): number => {
    const next = messages.findIndex(({ dir, msg }, at) => at > line && dir === "c>a" && msg.method !== undefined);
    return next < 0 ? messages.length : next;
  };
  /** Whether the line is a part of a replay before this one. */
  const isReplayed = (line: number): boolean => loads.some(load => line > load && line < nextAfter(load));
  const live: { prompt: string; updates: Update[] }[] = [];
  const before = messages.slice(0, from).filter((one, line) => ofSession(one) && !isReplayed(line));
  for (const { msg } of before) {
    const { prompt, update } = msg.params ?? {};
    if (msg.method === "session/prompt") live.push({ prompt: prompt?.[0]?.text ?? "", updates: [] });
    else if (msg.method === "session/update" && update) live.at(-1)?.updates.push(update);
  }
  const begun = messages.findLastIndex(({ msg }, at) => at < from && msg.method === "initialize");
  const answerTo = (after: number, id: number | undefined): unknown =>
    messages.find(({ dir, msg }, at) => at > after && dir === "a>c" && msg.id === id && msg.method === undefined)?.msg
      .result;
  return {
    sessionId,
    live,
    prompts: live.map(({ prompt }) => prompt),
    replay: messages.slice(from, nextAfter(from)).flatMap(one => (ofSession(one) && one.msg.params?.update) || []),
    initialize: answerTo(begun, messages[begun]?.msg.id),
    answer: answerTo(from, load?.id),
  };
}

const stateOf = (events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);
const textOf = (state: SessionState, author: string): readonly string[] =>
  [...state.entries].flatMap(entry =>
    entry.kind === "message" && entry.author === author
      ? [entry.content.map(block => (block.type === "text" ? block.text : "")).join("")]
      : [],
  );
const chunksOf = (updates: readonly Update[], author: string): string =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === `${author}_message_chunk`)
    .map(({ content }) => content?.text ?? "")
    .join("");
const callsOf = (updates: readonly Update[]): readonly string[] => [
  ...new Set(updates.flatMap(({ toolCallId }) => toolCallId ?? [])),
];
const tools = (state: SessionState): readonly string[] =>
  [...state.entries].flatMap(entry => (entry.kind === "tool" ? [entry.toolCallId] : []));
/** Agents add their own context to a prompt. */
const times = (texts: readonly string[], prompt: string): number => texts.filter(text => text.includes(prompt)).length;

/** The agent's introduction without `session/resume`, which Parley prefers. */
function onlyLoading(initialize: unknown): object {
  const { agentCapabilities, ...rest } = initialize as { readonly agentCapabilities: Record<string, unknown> };
  const { resume: _, ...sessionCapabilities } = (agentCapabilities["sessionCapabilities"] ?? {}) as {
    resume?: unknown;
  };
  return { ...rest, agentCapabilities: { ...agentCapabilities, sessionCapabilities } };
}

const agents = ["claude", "gemini", "opencode", "qwen"];
const loads = agents.flatMap(agentName => [
  { agentName, at: 0 as const },
  { agentName, at: 1 as const },
]);

for (const { agentName, at } of loads) {
  describe(`the recorded sessions of ${agentName}, loaded ${at === 0 ? "once" : "again"}`, () => {
    const recording = recordingOf(agentName, at);
    const { sessionId, prompts, replay, answer } = recording;
    let agent: WireAgent;
    let clock: FakeClock;
    let connected: AgentConnection;
    beforeEach(async () => {
      agent = new WireAgent();
      clock = new FakeClock();
      const connecting = agent.connect(undefined, { clock });
      agent.answer(await agent.request("initialize"), onlyLoading(recording.initialize));
      connected = await connecting;
    });
    afterEach(() => connected.dispose());
    /** Sends the recorded replay: a half of it before the answer, a half after it. */
    async function replayed(): Promise<void> {
      const sent = await agent.request("session/load");
      const half = Math.ceil(replay.length / 2);
      for (const update of replay.slice(0, half)) agent.update(sessionId, update);
      agent.answer(sent, answer);
      for (const update of replay.slice(half)) agent.update(sessionId, update);
      // Messages are handled in order, so the updates have been when this is answered.
      agent.send({ id: 999, method: "no/such_method" });
      await agent.response(999);
      await until(() => clock.pendingTimers === 2);
      clock.advance(3000);
    }

    it("are shown whole without a log of Parley", async () => {
      assert.ok(prompts.length === 3 + at && replay.length > prompts.length);
      const loading = connected.agent.sessionStore?.load?.({ sessionId, cwd: "/w", connection: 1 });
      await replayed();
      const state = stateOf((await loading) ?? []);
      for (const prompt of prompts) assert.equal(times(textOf(state, "user"), prompt), 1, prompt);
      assert.equal(textOf(state, "agent").join(""), chunksOf(replay, "agent"));
      assert.equal(textOf(state, "user").join(""), chunksOf(replay, "user"));
      assert.deepEqual(tools(state), callsOf(replay));
      assert.equal(state.activity.state, "idle");
      assert.ok([...state.entries].every(entry => entry.kind !== "tool" || isFinal(entry.fields.status)));
    });

    it("are dropped with the log of Parley, and what follows is not", async () => {
      const updates = new V1Updates();
      const events: SessionEvent[] = [
        { type: "opened", agent: "a", agentName: "A", cwd: "/w", choices: true },
        { type: "agentSession", sessionId },
      ];
      for (const turn of recording.live) {
        events.push(...updates.prompt([{ type: "text", text: turn.prompt }]).events);
        for (const update of turn.updates) events.push(...updates.update(update));
        events.push(...updates.turnEnded("end_turn"));
      }
      const before = stateOf(events);
      for (const prompt of prompts) assert.equal(times(textOf(before, "user"), prompt), 1, prompt);
      const client = recordingClient();
      const opening = openAgentSession(connected.agent, before, {}, client);
      await replayed();
      const { session, continuedBy } = await opening;
      assert.equal(continuedBy, "load");
      // Updates of known tool calls do not count even later.
      for (const update of replay) if (update.toolCallId !== undefined) agent.update(sessionId, update);
      await session.prompt([{ type: "text", text: "Go on" }]);
      agent.update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Gone on." } });
      await until(() => client.events.some(event => event.type === "messageChunk"));
      const after = logged([...events, ...client.events]).reduce(reduce, emptySession);
      assert.deepEqual(textOf(after, "user"), [...textOf(before, "user"), "Go on"]);
      assert.deepEqual(textOf(after, "agent"), [...textOf(before, "agent"), "Gone on."]);
      assert.deepEqual(tools(after), tools(before));
    });
  });
}
