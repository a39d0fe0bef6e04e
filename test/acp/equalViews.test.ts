// The same conversations in version 1 and in version 2 of the protocol, which lead to the same view apart from ids and
// times.
import assert from "node:assert/strict";
import type { JsonObject } from "../../src/acp/parse.ts";
import { SubAgents } from "../../src/acp/subAgents.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import { V2Updates } from "../../src/acp/v2/v2Updates.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { emptyHead } from "../support/fakes/heads.ts";

type Updates = readonly JsonObject[];
const problem = { message: "It failed.", next: [] };
const prompt: readonly ContentBlock[] = [{ type: "text", text: "Go" }];

const text = (words: string): JsonObject => ({ type: "text", text: words });
const item = (words: string): JsonObject => ({ type: "content", content: text(words) });
const update = (sessionUpdate: string, fields: JsonObject): JsonObject => ({ sessionUpdate, ...fields });
const chunk = (words: string, messageId = "m"): JsonObject =>
  update("agent_message_chunk", { messageId, content: text(words) });
const thought = (words: string): JsonObject => update("agent_thought_chunk", { messageId: "th", content: text(words) });
const call = (fields: JsonObject): JsonObject => update("tool_call", { toolCallId: "t", ...fields });
const change = (fields: JsonObject): JsonObject => update("tool_call_update", { toolCallId: "t", ...fields });

interface Conversation {
  readonly name: string;
  readonly v1: Updates;
  readonly v2: Updates;
  readonly stopReason?: string;
}

/** Both versions send the same updates. */
const same = (name: string, updates: Updates, stopReason = "end_turn"): Conversation => ({
  ...{ name, v1: updates, v2: updates, stopReason },
});

const conversations: readonly Conversation[] = [
  same("an answer in pieces", [chunk("Hel"), chunk("lo")]),
  {
    name: "a whole answer",
    v1: [chunk("Hello")],
    v2: [update("agent_message", { messageId: "m", content: [text("Hello")] })],
  },
  same("a thought before the answer", [thought("Hm."), chunk("Yes.")]),
  same("an answer around a thought", [chunk("A"), thought("Hm."), chunk("B")]),
  {
    name: "a tool call",
    v1: [
      call({ title: "Look", kind: "read", status: "pending" }),
      change({ status: "completed", content: [item("Found")] }),
    ],
    v2: [
      change({ title: "Look", kind: "read", status: "pending" }),
      change({ status: "completed", content: [item("Found")] }),
    ],
  },
  {
    name: "a failed tool call with its input",
    v1: [call({ title: "Look", rawInput: { a: 1 }, status: "failed", locations: [{ path: "/w/a", line: 3 }] })],
    v2: [change({ title: "Look", rawInput: { a: 1 }, status: "failed", locations: [{ path: "/w/a", line: 3 }] })],
  },
  {
    name: "a command with output",
    v1: [
      call({
        ...{ title: "npm test", kind: "execute", status: "in_progress" },
        content: [{ type: "terminal", terminalId: "x" }],
        _meta: { terminal_info: { terminal_id: "x", cwd: "/w" } },
      }),
      change({ _meta: { terminal_output: { terminal_id: "x", data: "2 pas" } } }),
      change({ _meta: { terminal_output: { terminal_id: "x", data: "sing\n" } } }),
      change({ status: "completed", _meta: { terminal_exit: { terminal_id: "x", exit_code: 0 } } }),
    ],
    v2: [
      change({
        ...{ title: "npm test", kind: "execute", status: "in_progress" },
        content: [{ type: "terminal", terminalId: "x" }],
      }),
      update("terminal_update", { terminalId: "x", cwd: "/w" }),
      update("terminal_output_chunk", { terminalId: "x", data: Buffer.from("2 pas").toString("base64") }),
      update("terminal_output_chunk", { terminalId: "x", data: Buffer.from("sing\n").toString("base64") }),
      update("terminal_update", { terminalId: "x", exitStatus: { exitCode: 0 } }),
      change({ status: "completed" }),
    ],
  },
  {
    name: "a plan",
    v1: [update("plan", { entries: [{ content: "One", priority: "high", status: "in_progress" }] })],
    v2: [
      update("plan_update", {
        plan: { type: "items", planId: "plan", entries: [{ content: "One", priority: "high", status: "in_progress" }] },
      }),
    ],
  },
  same("a plan as a text", [update("plan_update", { plan: { type: "markdown", planId: "p", content: "# Do it" } })]),
  {
    name: "commands",
    v1: [
      update("available_commands_update", {
        availableCommands: [{ name: "go", description: "Go", input: { hint: "x" } }],
      }),
    ],
    v2: [
      update("available_commands_update", {
        availableCommands: [{ type: "command", name: "go", description: "Go", input: { type: "text", hint: "x" } }],
      }),
    ],
  },
  {
    name: "options",
    v1: [
      update("config_option_update", {
        configOptions: [
          {
            id: "m",
            name: "M",
            category: "mode",
            type: "select",
            currentValue: "a",
            options: [{ value: "a", name: "A" }],
          },
        ],
      }),
    ],
    v2: [
      update("config_option_update", {
        configOptions: [
          {
            configId: "m",
            name: "M",
            category: "mode",
            type: "select",
            currentValue: "a",
            options: [{ value: "a", name: "A" }],
          },
        ],
      }),
    ],
  },
  same("a title, usage, a notice and a compaction", [
    update("session_info_update", { title: "Sums" }),
    update("usage_update", { used: 1, size: 9, cost: { amount: 1, currency: "EUR" } }),
    update("notice", { severity: "warning", title: "Careful", description: "Really." }),
    update("compaction_update", { compactionId: "c", status: "completed", summary: [text("Short")] }),
  ]),
  same("a sub-agent", [
    update("subagent_update", { sessionId: "a", title: "Helper", state: { state: "running" } }),
    update("session_message", { messageId: "s", recipientSessionId: "a", content: [text("Look")] }),
    update("subagent_update", { sessionId: "a", state: { state: "idle", stopReason: "end_turn" } }),
    chunk("Done."),
  ]),
  same("a refusal", [chunk("No.")], "refusal"),
  same("a stopped turn with an open call", [change({ title: "Look", status: "in_progress" })], "cancelled"),
  same("a turn that reached a limit", [chunk("And then")], "max_tokens"),
];

const fold = (events: readonly SessionEvent[]): SessionState =>
  events.reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: 1, event }), emptySession);

const sent: SessionEvent = { type: "promptSent", submission: "p", content: prompt };
const accepted = (messageId: string): Extract<SessionEvent, { type: "promptAccepted" }> => ({
  type: "promptAccepted",
  submission: "p",
  messageId,
});

function inVersion1({ v1, stopReason = "end_turn" }: Conversation): SessionState {
  const updates = new V1Updates();
  const agents = new SubAgents("root", updates, () => new V1Updates());
  const { messageId, events } = updates.prompt(prompt);
  return fold([
    ...[sent, ...events, accepted(messageId)],
    ...v1.flatMap(each => agents.update("root", each)),
    ...updates.turnEnded(stopReason),
  ]);
}

function inVersion2({ v2, stopReason = "end_turn" }: Conversation): SessionState {
  const create = (): V2Updates => new V2Updates({ problem: () => ({ problem }) });
  const updates = create();
  const agents = new SubAgents("root", updates, create);
  const messages = [
    update("user_message", { messageId: "u", content: prompt }),
    update("state_update", { state: "running" }),
    ...v2,
    update("state_update", { state: "idle", stopReason, background: [] }),
  ];
  return fold([
    sent,
    ...updates.accepted("u", prompt),
    { ...accepted("u"), awaitsTurn: true },
    ...messages.flatMap(each => agents.update("root", each)),
  ]);
}

/** The view without ids, which the versions create in different ways. */
function shown(state: SessionState): unknown {
  const view = new WholeProjector().project(state, emptyHead);
  return JSON.parse(
    JSON.stringify(view, (key, value: unknown) => (key === "id" || key === "live" ? undefined : value)),
  );
}

describe("a conversation in both versions", () => {
  for (const conversation of conversations) {
    it(`has the same view: ${conversation.name}`, () => {
      const first = shown(inVersion1(conversation));
      assert.deepEqual(shown(inVersion2(conversation)), first);
      assert.match(JSON.stringify(first), /"Go"/);
    });
  }
});
