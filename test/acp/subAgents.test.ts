// Sub-agents with sessions of their own: one card each, which contains what the sub-agent does.
import assert from "node:assert/strict";
import { subAgentCard, subAgentOfCard } from "../../src/acp/subAgentCard.ts";
import { SubAgents } from "../../src/acp/subAgents.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { emptyHead } from "../support/fakes/heads.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

/** A conversation with the sub-agents that it is told about. */
class Conversation {
  readonly announced: string[] = [];
  readonly agents: SubAgents<V1Updates>;
  state: SessionState = emptySession;
  #seq = 0;

  constructor() {
    const root = new V1Updates();
    this.agents = new SubAgents(
      "root",
      root,
      () => new V1Updates(),
      id => this.announced.push(id),
    );
    this.#apply(root.prompt([{ type: "text", text: "Delegate" }]).events);
  }
  send(sessionId: string, update: JsonObject): this {
    return this.#apply(this.agents.update(sessionId, update));
  }
  #apply(events: ReturnType<V1Updates["update"]>): this {
    for (const event of events) this.state = reduce(this.state, { seq: ++this.#seq, at: this.#seq, event });
    return this;
  }
  end(): this {
    return this.#apply([{ type: "activity", state: "idle", stopReason: "end_turn" }]);
  }
  /** The entries after the prompt, as `kind text [status] < parent`. */
  get shown(): readonly string[] {
    return new WholeProjector().project(this.state, emptyHead).entries.slice(1).map(line);
  }
}

function line(entry: ViewEntry): string {
  const text =
    entry.kind === "tool"
      ? `${entry.title} [${entry.status}]`
      : "parts" in entry && entry.parts[0]?.type === "text"
        ? entry.parts[0].text
        : "";
  return `${entry.kind} ${text}${"parent" in entry ? ` < ${entry.parent}` : ""}`;
}

const announce = (sessionId: string, more: JsonObject = {}): JsonObject => ({
  ...{ sessionUpdate: "subagent_update", sessionId, title: `Helper ${sessionId}`, state: { state: "running" } },
  ...more,
});
const text = (words: string): JsonObject => ({ type: "text", text: words });
const chunk = (words: string, messageId = "m"): JsonObject => ({
  ...{ sessionUpdate: "agent_message_chunk", messageId, content: text(words) },
});
const call = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  ...{ sessionUpdate: "tool_call", toolCallId, title: `Call ${toolCallId}`, status: "completed" },
  ...more,
});
const task = (more: JsonObject = {}): JsonObject => ({
  ...{ sessionUpdate: "session_message", messageId: "t1", senderSessionId: "root", recipientSessionId: "a" },
  ...{ content: [text("Look around")] },
  ...more,
});
const piece = (words: string, messageId = "t1"): JsonObject => ({
  ...{ sessionUpdate: "session_message_chunk", messageId, content: text(words) },
});

describe("a sub-agent with a session of its own", () => {
  it("has a card with its task, its messages, its calls and its reply", () => {
    const conversation = new Conversation()
      .send("root", announce("a"))
      .send("root", task({ recipientMessageId: "t9" }))
      .send("a", { ...task(), messageId: "t9", senderMessageId: "t1" })
      .send("a", chunk("I look."))
      .send("a", call("c1"))
      .send("root", {
        ...{ sessionUpdate: "session_message", messageId: "r", senderSessionId: "a", recipientSessionId: "root" },
        content: [text("Found it.")],
      })
      .send("root", announce("a", { state: { state: "idle", stopReason: "end_turn" } }))
      .send("root", chunk("All done."));
    assert.deepEqual(conversation.announced, ["a"]);
    assert.deepEqual(conversation.shown, [
      "tool Helper a [done]",
      "user Look around < t:subagent:a",
      "agent I look. < t:subagent:a",
      "tool Call c1 [done] < t:subagent:a",
      "agent Found it. < t:subagent:a",
      "agent All done.",
    ]);
  });

  it("keeps its ids apart from those of its parent and of other sub-agents", () => {
    const conversation = new Conversation()
      .send("root", announce("a"))
      .send("root", announce("b"))
      .send("root", call("c1", { title: "Mine" }))
      .send("a", call("c1", { title: "Of a" }))
      .send("b", call("c1", { title: "Of b" }))
      .send("a", chunk("one"))
      .send("b", chunk("two"));
    assert.deepEqual(conversation.shown.slice(2), [
      "tool Mine [done]",
      "tool Of a [done] < t:subagent:a",
      "tool Of b [done] < t:subagent:b",
      "agent one < t:subagent:a",
      "agent two < t:subagent:b",
    ]);
    const { agents } = conversation;
    assert.deepEqual(agents.origin(agents.toolCallId("b", "c1")), { sessionId: "b", toolCallId: "c1" });
    assert.deepEqual(agents.origin("c1"), { sessionId: "root", toolCallId: "c1" });
  });

  it("keeps its ids apart from those of others if the id of one begins with that of another", () => {
    const { agents, shown } = new Conversation()
      .send("root", announce("a"))
      .send("root", announce("a/b"))
      .send("a", call("b/t", { title: "Of a" }))
      .send("a/b", call("t", { title: "Of a/b" }));
    assert.deepEqual(shown.slice(2), ["tool Of a [done] < t:subagent:a", "tool Of a/b [done] < t:subagent:a/b"]);
    for (const origin of [
      { sessionId: "a", toolCallId: "b/t" },
      { sessionId: "a/b", toolCallId: "t" },
    ])
      assert.deepEqual(agents.origin(agents.toolCallId(origin.sessionId, origin.toolCallId)), origin);
  });

  it("can have sub-agents of its own, whose cards are inside its card", () => {
    const shown = new Conversation()
      .send("root", announce("a"))
      .send("a", announce("b"))
      .send("b", chunk("deep")).shown;
    assert.deepEqual(shown.slice(1), ["tool Helper b [running] < t:subagent:a", "agent deep < t:subagent:b"]);
  });

  it("streams a message in pieces", () => {
    const shown = new Conversation()
      .send("root", announce("a"))
      .send("root", task({ content: [] }))
      .send("root", piece("Look "))
      .send("root", piece("here")).shown;
    assert.deepEqual(shown.slice(1), ["user Look here < t:subagent:a"]);
  });

  it("has its task in pieces that arrive before it", () => {
    const { content: _, ...whole } = task();
    const conversation = new Conversation().send("root", announce("a"));
    conversation.send("root", piece("Look ")).send("root", piece("arou")).send("root", whole).send("root", piece("nd"));
    assert.deepEqual(conversation.shown.slice(1), ["user Look around < t:subagent:a"]);
  });

  it("shows the output of a command that Parley runs for it", () => {
    const conversation = new Conversation().send("root", announce("a"));
    conversation.agents.reader("root").clientTerminal("parley-1");
    conversation.send("a", call("c", { content: [{ type: "terminal", terminalId: "parley-1" }] }));
    const entry = conversation.state.entries.get("t:a/c");
    assert.ok(entry?.kind === "tool");
    assert.deepEqual(entry.fields.content, [{ type: "terminal", terminalId: "parley-1" }]);
  });

  it("loses its error when it works again, and its description when that is cleared", () => {
    const conversation = new Conversation().send("root", announce("a", { description: "Looks around." }));
    const card = (): readonly unknown[] => {
      const entry = conversation.state.entries.get(`t:${subAgentCard("a")}`);
      const content = entry?.kind === "tool" ? (entry.fields.content ?? []) : [];
      return content.map(item => item.type === "content" && item.content.type === "text" && item.content.text);
    };
    const change = (more: JsonObject): readonly unknown[] => {
      conversation.send("root", { sessionUpdate: "subagent_update", sessionId: "a", ...more });
      return card();
    };
    const failed = { state: "idle", stopReason: "error", error: { code: 1, message: "No network." } };
    assert.deepEqual(change({ state: failed }), ["Looks around.", "No network."]);
    assert.deepEqual(change({ title: "Helper" }), ["Looks around.", "No network."]);
    assert.deepEqual(change({ state: { state: "running" } }), ["Looks around."]);
    assert.deepEqual(change({ description: null }), []);
    assert.equal(conversation.shown[0], "tool Helper [running]");
    change({ state: null });
    assert.equal(conversation.shown[0], "tool Helper [pending]", "the agent no longer says that it works");
  });

  it("changes only the fields that an update names", () => {
    const conversation = new Conversation()
      .send("root", announce("a", { capabilities: { cancel: {} }, description: "general" }))
      .send("root", { sessionUpdate: "subagent_update", sessionId: "a", title: "Renamed" });
    const [, entry] = [...conversation.state.entries];
    assert.ok(entry?.kind === "tool");
    assert.deepEqual(
      [entry.fields.title, entry.fields.canCancel, entry.fields.status, entry.fields.subAgent],
      ["Renamed", true, "in_progress", true],
    );
    conversation.send("root", { sessionUpdate: "subagent_update", sessionId: "a", capabilities: null });
    const [, later] = [...conversation.state.entries];
    assert.ok(later?.kind === "tool");
    assert.equal(later.fields.canCancel, undefined);
  });

  it("may work on after the turn of its parent", () => {
    const conversation = new Conversation().send("root", announce("a")).send("root", call("c", { status: "pending" }));
    assert.deepEqual(conversation.end().shown, ["tool Helper a [running]", "tool Call c [cancelled]"]);
    conversation.send("root", announce("a", { state: { state: "idle", stopReason: "end_turn" } }));
    assert.equal(conversation.shown[0], "tool Helper a [done]");
  });

  for (const [state, expected] of [
    [{ state: "idle", stopReason: "cancelled" }, "cancelled"],
    [{ state: "idle", stopReason: "error", error: { code: 1, message: "It broke." } }, "failed"],
    [{ state: "idle" }, "done"],
    [{ state: "idle", background: [{ type: "terminal", terminalId: "x" }] }, "running"],
    [{ state: "requires_action" }, "running"],
    [{ state: "unknown" }, "running"],
    [{ state: "_future" }, "running"],
  ] as const) {
    it(`is ${expected} in the state ${JSON.stringify(state)}`, () => {
      const { shown } = new Conversation().send("root", announce("a", { state }));
      assert.equal(shown[0], `tool Helper a [${expected}]`);
    });
  }

  it("does not change the options, the title or the usage of the conversation", () => {
    const conversation = new Conversation().send("root", announce("a"));
    const { state } = conversation;
    conversation
      .send("a", { sessionUpdate: "session_info_update", title: "Mine" })
      .send("a", { sessionUpdate: "config_option_update", configOptions: [] })
      .send("a", { sessionUpdate: "usage_update", used: 1, size: 2 });
    assert.equal(conversation.state, state);
  });

  it("has its plans in its card, each until it is replaced, emptied or removed", () => {
    const conversation = new Conversation().send("root", announce("a")).send("a", announce("b"));
    const plans = (sessionId: string): unknown => {
      const entry = conversation.state.entries.get(`t:${subAgentCard(sessionId)}`);
      return entry?.kind === "tool" ? entry.plans : undefined;
    };
    const step = { content: "One", priority: "medium", status: "pending" };
    const planUpdate = (plan: JsonObject): JsonObject => ({ sessionUpdate: "plan_update", plan });
    conversation.send("a", { sessionUpdate: "plan", entries: [{ content: "One" }] });
    assert.deepEqual(plans("a"), [{ id: "plan", entries: [step] }]);
    conversation
      .send("a", planUpdate({ type: "markdown", planId: "text", content: "# Do it", path: "/w/plan.md" }))
      .send("b", planUpdate({ type: "items", planId: "plan", entries: [] }))
      .send("b", planUpdate({ type: "items", planId: "text", entries: [{ content: "One" }] }));
    assert.deepEqual(plans("a"), [
      { id: "plan", entries: [step] },
      { id: "text", entries: [], markdown: "# Do it", path: "/w/plan.md" },
    ]);
    assert.deepEqual(plans("b"), [{ id: "text", entries: [step] }]);
    conversation
      .send("a", { sessionUpdate: "plan_removed", planId: "text" })
      .send("a", { sessionUpdate: "plan", entries: [{ content: "One", status: "completed" }] })
      .send("b", { sessionUpdate: "plan_removed", planId: "unknown" });
    conversation.end().send("root", { sessionUpdate: "plan", entries: [] });
    assert.deepEqual(plans("a"), [{ id: "plan", entries: [{ ...step, status: "completed" }] }]);
    assert.deepEqual(plans("b"), [{ id: "text", entries: [step] }]);
    assert.deepEqual([...conversation.state.plans.values()], [{ entries: [] }]);
    for (let i = 0; i < 30; i++)
      conversation.send("a", planUpdate({ type: "markdown", planId: `p${i}`, content: "x" }));
    assert.equal((plans("a") as readonly unknown[]).length, 20, "an agent cannot fill a card with plans");
  });

  it("has the summaries of its own context in its card", () => {
    const { shown } = new Conversation()
      .send("root", announce("a"))
      .send("a", {
        ...{ sessionUpdate: "compaction_update", compactionId: "k", status: "completed" },
        summary: [text("It looked.")],
      })
      .send("a", { sessionUpdate: "compaction_summary_chunk", compactionId: "k2", content: text("Twice.") })
      .send("root", { sessionUpdate: "compaction_update", compactionId: "k", status: "completed" });
    assert.deepEqual(shown.slice(1), [
      "compaction It looked. < t:subagent:a",
      "compaction Twice. < t:subagent:a",
      "compaction ",
    ]);
  });

  it("has a task whose recipient or sender its stream does not name", () => {
    const { recipientSessionId: _, ...fromRoot } = task();
    const { senderSessionId: __, ...fromNobody } = fromRoot as JsonObject;
    const own = { ...fromRoot, messageId: "r", senderSessionId: "a", content: [text("Found it.")] };
    const { shown } = new Conversation()
      .send("root", announce("a"))
      .send("a", fromRoot)
      .send("a", { ...fromNobody, messageId: "t2", content: [text("Look again")] })
      .send("a", own)
      .send("a", { ...fromNobody, messageId: "r2", recipientSessionId: "root", content: [text("Bye.")] });
    assert.deepEqual(shown.slice(1), [
      "user Look around < t:subagent:a",
      "user Look again < t:subagent:a",
      "agent Found it. < t:subagent:a",
      "agent Bye. < t:subagent:a",
    ]);
  });

  it("has a task or a reply whose pieces arrive before it on its own stream", () => {
    const { content: _, ...whole } = task();
    const conversation = new Conversation().send("root", announce("a"));
    conversation.send("a", piece("Look ")).send("a", piece("Found ", "r")).send("a", whole);
    conversation.send("a", piece("around")).send("a", piece("it.", "r"));
    conversation.send("a", { ...whole, messageId: "r", senderSessionId: "a", recipientSessionId: "root" });
    assert.deepEqual(conversation.shown.slice(1), [
      "user Look around < t:subagent:a",
      "agent Found it. < t:subagent:a",
    ]);
  });

  it("has its task in pieces although no message names its sessions, once the sub-agent has finished", () => {
    const conversation = new Conversation().send("root", announce("a"));
    conversation.send("a", piece("Look")).send("a", piece("Look"));
    conversation.send("root", announce("a", { state: { state: "idle" } }));
    assert.deepEqual(conversation.shown.slice(1), ["user LookLook < t:subagent:a"]);
  });

  for (const [stream, names] of [
    ["a", { messageId: "r" }],
    ["root", { messageId: "r" }],
    ["root", { messageId: "r1", senderMessageId: "r" }],
  ] as const) {
    const reply = { senderSessionId: "a", recipientSessionId: "root", ...names };
    it(`has a reply that names its sessions after the sub-agent has finished: ${stream} ${names.messageId}`, () => {
      const conversation = new Conversation().send("root", announce("a")).send("a", piece("Found ", "r"));
      conversation.send("a", chunk("Bye.")).send("a", { sessionUpdate: "state_update", state: "idle" });
      assert.deepEqual(conversation.shown.slice(1), ["agent Bye. < t:subagent:a", "user Found  < t:subagent:a"]);
      conversation.send(stream, { sessionUpdate: "session_message", ...reply }).send("a", piece("it.", "r"));
      assert.deepEqual(conversation.shown.slice(1), ["agent Bye. < t:subagent:a", "agent Found it. < t:subagent:a"]);
    });
  }

  for (const [first, second] of [
    ["root", "a"],
    ["a", "root"],
  ] as const) {
    it(`has a message once that arrives in pieces on both streams, on that of ${first} first`, () => {
      const whole = {
        root: task({ content: [] }),
        a: task({ content: [], messageId: "t9", senderMessageId: "t1" }),
      };
      const conversation = new Conversation().send("root", announce("a"));
      for (const stream of [first, second]) conversation.send(stream, whole[stream]);
      for (const words of ["Look ", "around"])
        for (const stream of [second, first]) conversation.send(stream, piece(words, stream === "a" ? "t9" : "t1"));
      assert.deepEqual(conversation.shown.slice(1), ["user Look around < t:subagent:a"]);
    });
  }

  it("shows the error that it reports itself, and the title of its session if its parent gives it none", () => {
    const conversation = new Conversation().send("root", announce("a", { title: undefined, description: "Looks." }));
    assert.equal(conversation.shown[0], "tool Sub-agent [running]");
    conversation.send("a", { sessionUpdate: "session_info_update", title: "Own" });
    assert.equal(conversation.shown[0], "tool Own [running]");
    conversation.send("a", {
      ...{ sessionUpdate: "state_update", state: "idle", stopReason: "error" },
      error: { code: 1, message: "No network." },
    });
    const entry = conversation.state.entries.get(`t:${subAgentCard("a")}`);
    const content = entry?.kind === "tool" ? (entry.fields.content ?? []) : [];
    assert.deepEqual(
      content.map(item => item.type === "content" && item.content.type === "text" && item.content.text),
      ["Looks.", "No network."],
    );
    conversation.send("root", { sessionUpdate: "subagent_update", sessionId: "a", title: "Given" });
    conversation.send("a", { sessionUpdate: "session_info_update", title: "Other" });
    assert.equal(conversation.shown[0], "tool Given [failed]");
    conversation.send("root", { sessionUpdate: "subagent_update", sessionId: "a", title: null });
    assert.equal(conversation.shown[0], "tool Other [failed]");
  });

  it("is named by the content of tool calls, of its parent, of its siblings and of its own", () => {
    const session = (sessionId: string): JsonObject => ({ type: "session", sessionId });
    const conversation = new Conversation()
      .send("root", announce("a"))
      .send("root", call("c", { content: [session("a"), session("other"), { type: "session" }] }))
      .send("root", announce("b"))
      .send("b", call("c", { content: [session("a")] }));
    const content = (id: string): unknown => {
      const entry = conversation.state.entries.get(id);
      return entry?.kind === "tool" ? entry.fields.content : undefined;
    };
    assert.deepEqual(content("t:c"), [
      { type: "session", toolCallId: "subagent:a" },
      { type: "session", toolCallId: "subagent:other" },
      { type: "other", kind: "session", raw: { type: "session" } },
    ]);
    assert.deepEqual(content("t:b/c"), [{ type: "session", toolCallId: "subagent:a" }]);
    const parts = (): unknown => {
      const { entries } = new WholeProjector().project(conversation.state, emptyHead);
      const entry = entries.find(({ id }) => id === "t:c");
      return entry?.kind === "tool" ? entry.parts.slice(0, 2) : undefined;
    };
    const link = { type: "session", entry: "t:subagent:a", title: "Helper a" };
    assert.deepEqual(parts(), [link, { type: "session" }]);
    conversation.send("root", announce("other", { title: "Late" })).send("root", announce("a", { title: "Renamed" }));
    assert.deepEqual(parts(), [
      { ...link, title: "Renamed" },
      { type: "session", entry: "t:subagent:other", title: "Late" },
    ]);
  });

  it("keeps the ids apart of sub-agents whose ids contain each other", () => {
    const conversation = new Conversation().send("root", announce("a")).send("root", announce("a/b"));
    conversation.send("a", call("b/t", { title: "Of a" })).send("a/b", call("t", { title: "Of a/b" }));
    assert.deepEqual(conversation.shown.slice(2), [
      "tool Of a [done] < t:subagent:a",
      "tool Of a/b [done] < t:subagent:a/b",
    ]);
    const { agents } = conversation;
    assert.deepEqual(agents.origin(agents.toolCallId("a/b", "t")), { sessionId: "a/b", toolCallId: "t" });
    assert.deepEqual(agents.origin(agents.toolCallId("a", "b/t")), { sessionId: "a", toolCallId: "b/t" });
  });

  it("is ignored if it has no id or the id of its parent", () => {
    const { shown, announced } = new Conversation()
      .send("root", announce("root"))
      .send("root", { sessionUpdate: "subagent_update" })
      .send("root", { sessionUpdate: "session_message", messageId: "x", content: [text("?")] })
      .send("root", { sessionUpdate: "session_message_chunk", messageId: "x", content: text("?") });
    assert.deepEqual([shown, announced], [[], []]);
  });

  it("is found by its card", () => {
    assert.equal(subAgentOfCard(subAgentCard("a")), "a");
    assert.equal(subAgentOfCard("toolu_1"), undefined);
  });
});

describe("a sub-agent over the wire", () => {
  const step = { content: "One", priority: "high", status: "in_progress" };

  it("of version 2 loses nothing: plans, summaries, its task in pieces, its error, and a call that names it", async () => {
    const wire = await new WireSession().opened();
    const own = (sessionUpdate: string, fields: object): void => wire.agent.update("a", { sessionUpdate, ...fields });
    wire.running();
    wire.update("subagent_update", { sessionId: "a", title: "Helper" });
    own("session_message_chunk", { messageId: "t", content: text("Look ") });
    own("session_message_chunk", { messageId: "t", content: text("around") });
    own("session_message", { messageId: "t", senderSessionId: "s" });
    const plan = { type: "markdown", planId: "p", content: "# Look", path: "/w/look.md" };
    own("plan_update", { plan });
    own("plan_update", { plan: { type: "items", planId: "q", entries: [step] } });
    own("compaction_update", { compactionId: "k", status: "completed", summary: [text("Looked.")] });
    wire.update("tool_call_update", {
      ...{ toolCallId: "c", title: "Wait", status: "completed" },
      content: [{ type: "session", sessionId: "a" }],
    });
    own("state_update", { state: "idle", stopReason: "error", error: { code: 1, message: "No network." } });
    wire.idle();
    await wire.processed();
    const { entries, head } = new WholeProjector().project(wire.state, emptyHead);
    assert.deepEqual(entries.slice(0, -1).map(line), [
      "tool Helper [failed]",
      "user Look around < t:subagent:a",
      "compaction Looked. < t:subagent:a",
      "tool Wait [done]",
    ]);
    const [card, , , named] = entries;
    assert.ok(card?.kind === "tool" && named?.kind === "tool");
    assert.deepEqual(card.parts, [
      { type: "text", text: "No network.", pre: {} },
      { type: "plan", entries: [], markdown: "# Look", file: { path: "/w/look.md", label: "look.md" } },
      { type: "plan", entries: [step] },
    ]);
    assert.deepEqual(named.parts, [{ type: "session", entry: card.id, title: "Helper" }]);
    assert.deepEqual(head.plans, []);
    wire.dispose();
  });

  it("of version 1 has its plan in its card, and its task without a recipient", async () => {
    const agent = new WireAgent();
    const connected = await agent.ready();
    const client = recordingClient();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), { sessionId: "s" });
    await opening;
    agent.update("s", announce("a"));
    agent.update("a", { sessionUpdate: "session_message", messageId: "t", content: [text("Look around")] });
    agent.update("a", { sessionUpdate: "plan", entries: [step] });
    agent.update("s", { sessionUpdate: "plan", entries: [] });
    await until(() => client.events.some(event => event.type === "plan" && event.parent === undefined));
    const state = client.events.reduce<SessionState>(
      (before, event, seq) => reduce(before, { seq, at: seq, event }),
      emptySession,
    );
    const { entries, head } = new WholeProjector().project(state, emptyHead);
    assert.deepEqual(entries.map(line), ["tool Helper a [running]", "user Look around < t:subagent:a"]);
    assert.deepEqual(entries[0]?.kind === "tool" && entries[0].parts, [{ type: "plan", entries: [step] }]);
    assert.deepEqual(head.plans, []);
    connected.dispose();
  });
});
