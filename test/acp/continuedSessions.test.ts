// Real agents continue their recorded sessions after a restart: nothing of the conversation is doubled or lost.
import assert from "node:assert/strict";
import { parseContent } from "../../src/acp/parse.ts";
import { nullLog } from "../../src/base/log.ts";
import { replayInSlices } from "../../src/session/log/replay.ts";
import type { Entry } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { ReplayedSession } from "../support/fakes/played.ts";
import { replay } from "../support/fakes/replay.ts";
import {
  answerTo,
  isObject,
  messageOf,
  processesOf,
  readTranscript,
  type JsonObject,
  type RecordedMessage,
  type Recording,
} from "../support/fakes/transcript.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const agents = ["claude", "gemini", "opencode", "qwen"];
type Method = "session/load" | "session/resume";

/** The lines of the agent from the client's request on line `at` until the next one, and the answer. */
function exchangeAt(lines: Recording, at: number): { readonly sent: readonly RecordedMessage[]; readonly end: number } {
  const answer = answerTo(lines, at);
  const sent: RecordedMessage[] = [];
  let end = at + 1;
  for (let isAnswered = false; end < lines.length; end++) {
    const line = lines[end];
    const message = line && messageOf(line);
    if (!line || !message) continue;
    if (line.dir === "c>a" && message.method !== undefined && isAnswered) break;
    if (line.dir === "a>c") sent.push(message);
    isAnswered ||= message.id === answer?.id && message.method === undefined && line.dir === "a>c";
  }
  return { sent, end };
}

/** The recorded continuation of a session in a later process: the request, and the prompt after it. */
function continuationBy(name: string, method: Method): Continuation | undefined {
  const [, lines = []] = processesOf(readTranscript(`${name}/sessions`));
  const at = lines.findIndex((line, i) => {
    const isRequest = line.dir === "c>a" && messageOf(line)?.method === method;
    return isRequest && answerTo(lines, i)?.error === undefined;
  });
  if (at < 0) return undefined;
  const sessionId = String(messageOf(lines[at] ?? assert.fail())?.params?.["sessionId"]);
  const { sent, end } = exchangeAt(lines, at);
  const prompt = (line: Recording[number]): boolean =>
    messageOf(line)?.method === "session/prompt" && messageOf(line)?.params?.["sessionId"] === sessionId;
  const promptAt = lines.findIndex((line, i) => i >= end && prompt(line));
  const initialize = answerTo(lines, 0)?.result;
  assert.ok(isObject(initialize) && promptAt > 0);
  return {
    sessionId,
    initialize,
    opening: sent,
    prompt: messageOf(lines[promptAt] ?? assert.fail())?.params?.["prompt"] as readonly unknown[],
    turn: exchangeAt(lines, promptAt).sent,
  };
}

interface Continuation {
  readonly sessionId: string;
  readonly initialize: JsonObject;
  readonly opening: readonly RecordedMessage[];
  readonly prompt: readonly unknown[];
  readonly turn: readonly RecordedMessage[];
}

/** Writes what the recorded agent sent, as the answer to this request. */
function play(agent: WireAgent, sent: readonly RecordedMessage[], request: { readonly id?: unknown }): void {
  for (const message of sent) agent.send(message.method === undefined ? { ...message, id: request.id } : message);
}

const withoutResume = (initialize: JsonObject): JsonObject => {
  const capabilities = initialize["agentCapabilities"] as JsonObject;
  const { resume: _, ...sessions } = (capabilities["sessionCapabilities"] ?? {}) as JsonObject;
  return { ...initialize, agentCapabilities: { ...capabilities, sessionCapabilities: sessions } };
};

const texts = (entries: Iterable<Entry>): readonly string[] =>
  [...entries].map(entry =>
    entry.kind === "message"
      ? `${entry.author}: ${entry.content.map(block => (block.type === "text" ? block.text : "")).join("")}`
      : entry.kind === "notice"
        ? entry.title
        : entry.kind,
  );

describe("a recorded session that continues", () => {
  for (const name of agents) {
    for (const method of ["session/load", "session/resume"] as const) {
      const continuation = continuationBy(name, method);
      if (!continuation) continue;
      it(`by ${method} with ${name} has each entry once, although a prompt is sent at once`, async () => {
        const { sessionId, initialize, opening, prompt, turn } = continuation;
        const [first = []] = processesOf(readTranscript(`${name}/sessions`));
        const run = await replay(name, first);
        const before = run.sessions.find(({ id }) => id === sessionId)?.played;
        assert.ok(before);
        const earlier = await replayInSlices(before.log, nullLog);
        run.dispose();

        const agent = new WireAgent();
        const clock = new FakeClock();
        const connecting = agent.connect(undefined, { clock, agentName: name });
        agent.answer(
          await agent.request("initialize"),
          method === "session/load" ? withoutResume(initialize) : initialize,
        );
        const connected = await connecting;
        const place = { id: name, name, cwd: earlier.state.workspaceFolder };
        const played = new ReplayedSession("s", place, clock, async () => connected.agent, earlier);
        const { session } = played;
        try {
          const past = texts(session.state.entries);
          void session.open();
          session.send(prompt.map(parseContent).filter(block => block !== undefined));
          const request = await agent.request(method);
          assert.equal(request.params?.["sessionId"], sessionId);
          play(agent, opening, request);
          if (method === "session/load") {
            await until(() => clock.pendingTimers > 0);
            for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
            assert.equal(session.state.connection?.state, "opening");
            clock.advance(299);
            assert.equal(
              agent.received.find(message => message.method === "session/prompt"),
              undefined,
            );
            clock.advance(1);
          }
          const sent = await agent.request("session/prompt");
          assert.deepEqual(sent.params, { sessionId, prompt });
          play(agent, turn, sent);
          await until(() => session.state.activity.state === "idle" && session.state.pendingPrompts.length === 0);
          const said = turn.flatMap(message => {
            const update = message.params?.["update"] as JsonObject | undefined;
            const content = update?.["content"] as { readonly text?: string } | undefined;
            return update?.["sessionUpdate"] === "agent_message_chunk" ? [content?.text ?? ""] : [];
          });
          const [asked] = prompt as readonly { readonly text: string }[];
          const how = method === "session/load" ? "loaded" : "resumed";
          assert.deepEqual(texts(session.state.entries), [
            ...past,
            `${name} ${how} this conversation.`,
            `user: ${asked?.text}`,
            `agent: ${said.join("")}`,
          ]);
          assert.ok(session.state.commands.length > 0);
          assert.equal(session.state.keepsTitle, false);
        } finally {
          played.dispose();
          connected.dispose();
        }
      });
    }
  }
});
