// Sub-agents with sessions of their own: one card each, which contains what the sub-agent does.
import assert from "node:assert/strict";
import { SubAgents, subAgentCard, subAgentOfCard } from "../../src/acp/subAgents.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { emptyHead } from "../support/fakes/heads.ts";

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

  it("streams a message in pieces, which are one message on both streams", () => {
    const piece = (words: string): JsonObject => ({
      ...{ sessionUpdate: "session_message_chunk", messageId: "t1", content: text(words) },
    });
    const shown = new Conversation()
      .send("root", announce("a"))
      .send("root", task({ content: [] }))
      .send("root", piece("Look "))
      .send("root", piece("here")).shown;
    assert.deepEqual(shown.slice(1), ["user Look here < t:subagent:a"]);
  });

  it("has its task in pieces that arrive before it", () => {
    const piece = (words: string): JsonObject => ({
      ...{ sessionUpdate: "session_message_chunk", messageId: "t1", content: text(words) },
    });
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

  it("does not change the options, the title or the plan of the conversation", () => {
    const conversation = new Conversation().send("root", announce("a"));
    const { state } = conversation;
    conversation
      .send("a", { sessionUpdate: "session_info_update", title: "Mine" })
      .send("a", { sessionUpdate: "config_option_update", configOptions: [] })
      .send("a", { sessionUpdate: "usage_update", used: 1, size: 2 })
      .send("a", { sessionUpdate: "plan", entries: [{ content: "One" }] });
    assert.equal(conversation.state, state);
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
