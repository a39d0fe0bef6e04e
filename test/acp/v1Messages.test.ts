// Where messages and prompts of ACP v1 begin and end.
import assert from "node:assert/strict";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const chunk = (author: "user" | "agent" | "thought", text: string, messageId?: unknown): JsonObject => ({
  sessionUpdate: author === "thought" ? "agent_thought_chunk" : `${author}_message_chunk`,
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const tool = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  sessionUpdate: "tool_call",
  toolCallId,
  ...more,
});
const text = (words: string): ContentBlock => ({ type: "text", text: words });

/** Messages as `author id: text`, in the order of the transcript. */
function transcript(
  updates: readonly JsonObject[],
  upgrade = new V1Updates(),
  from: readonly SessionEvent[] = [],
): readonly string[] {
  const events = [...from, ...updates.flatMap(update => upgrade.update(update))];
  const state = events.reduce<SessionState>((s, event, seq) => reduce(s, { seq, at: seq, event }), emptySession);
  return [...state.entries].map(entry =>
    entry.kind === "message"
      ? `${entry.author} ${entry.content.map(block => (block.type === "text" ? block.text : block.type)).join("|")}`
      : entry.kind,
  );
}

describe("messages of v1", () => {
  it("join while the author is the same, with or without ids", () => {
    assert.deepEqual(transcript([chunk("agent", "a"), chunk("agent", "b")]), ["agent ab"]);
    assert.deepEqual(transcript([chunk("agent", "a", "m"), chunk("agent", "b", "m")]), ["agent ab"]);
  });

  it("begin where an id appears or disappears", () => {
    assert.deepEqual(transcript([chunk("agent", "a", "m"), chunk("agent", "b"), chunk("agent", "c")]), [
      "agent a",
      "agent bc",
    ]);
    assert.deepEqual(transcript([chunk("agent", "a"), chunk("agent", "b", "m"), chunk("agent", "c", "m")]), [
      "agent a",
      "agent bc",
    ]);
  });

  it("with one id stay one message although a thought, a plan or other text comes between", () => {
    const plan = { sessionUpdate: "plan", entries: [{ content: "One" }] };
    for (const between of [chunk("thought", "b"), chunk("thought", "b", "m"), chunk("agent", "b"), plan]) {
      const [first, ...others] = transcript([chunk("agent", "a", "m"), between, chunk("agent", "c", "m")]);
      assert.equal(first, "agent ac");
      assert.equal(others.length, between === plan ? 0 : 1);
    }
    assert.deepEqual(transcript([chunk("thought", "a", "m"), chunk("agent", "b", "m"), chunk("thought", "c", "m")]), [
      "thought ac",
      "agent b",
    ]);
  });

  it("without ids end at a plan", () => {
    const plan = { sessionUpdate: "plan", entries: [] };
    assert.deepEqual(transcript([chunk("agent", "a"), plan, chunk("agent", "b")]), ["agent a", "agent b"]);
  });

  it("without ids of a sub-agent do not end at the plan of its parent", () => {
    const sub = (words: string): JsonObject => ({ ...chunk("agent", words), _meta: { parentToolCallId: "t" } });
    const plan = { sessionUpdate: "plan", entries: [] };
    assert.deepEqual(transcript([sub("a"), plan, sub("b")]), ["agent ab"]);
  });

  it("end at a message of the other side, also with ids", () => {
    assert.deepEqual(transcript([chunk("agent", "a", "m"), chunk("user", "b", "n"), chunk("agent", "c", "m")]), [
      "agent a",
      "user b",
      "agent c",
    ]);
  });

  it("end at another author, another id or a tool call", () => {
    assert.deepEqual(transcript([chunk("agent", "a"), chunk("thought", "b"), chunk("agent", "c")]), [
      "agent a",
      "thought b",
      "agent c",
    ]);
    assert.deepEqual(transcript([chunk("agent", "a", "m"), chunk("agent", "b", "n")]), ["agent a", "agent b"]);
    assert.deepEqual(transcript([chunk("agent", "a"), tool("t"), chunk("agent", "b")]), ["agent a", "tool", "agent b"]);
  });

  it("stay in the order of their chunks when an id returns", () => {
    assert.deepEqual(
      transcript([chunk("agent", "a", "m"), tool("t"), chunk("agent", "b", "m"), chunk("agent", "c", "m")]),
      ["agent a", "tool", "agent bc"],
    );
  });

  it("may share an id with thoughts", () => {
    assert.deepEqual(transcript([chunk("thought", "a", "m"), chunk("agent", "b", "m")]), ["thought a", "agent b"]);
  });

  it("are neither started nor ended by empty text", () => {
    assert.deepEqual(transcript([chunk("agent", "")]), []);
    assert.deepEqual(transcript([chunk("agent", "a"), chunk("agent", ""), chunk("agent", "b")]), ["agent ab"]);
    assert.deepEqual(transcript([chunk("agent", "a"), chunk("thought", ""), chunk("agent", "b")]), ["agent ab"]);
    assert.deepEqual(transcript([chunk("agent", "a", "m"), chunk("agent", ""), chunk("agent", "b", "m")]), [
      "agent ab",
    ]);
  });

  it("ignore an id of the wrong type", () => {
    assert.deepEqual(transcript([chunk("agent", "a", 7), chunk("agent", "b", null)]), ["agent ab"]);
  });
});

describe("a prompt of v1", () => {
  const prompted = (words: string): [V1Updates, readonly SessionEvent[]] => {
    const upgrade = new V1Updates();
    return [upgrade, upgrade.prompt([text(words)]).events];
  };

  it("is accepted at once, with an id and a message of ours", () => {
    const upgrade = new V1Updates();
    const { messageId, events } = upgrade.prompt([text("hi")]);
    assert.deepEqual(events, [
      { type: "message", author: "user", messageId, content: [text("hi")] },
      { type: "activity", state: "running" },
    ]);
  });

  it("is shown once when the agent echoes it, also when the echo arrives in pieces", () => {
    for (const echo of [[chunk("user", "hello you")], [chunk("user", "hello "), chunk("user", "you")]]) {
      const [upgrade, sent] = prompted("hello you");
      assert.deepEqual(transcript([...echo, chunk("agent", "yes")], upgrade, sent), ["user hello you", "agent yes"]);
    }
  });

  it("is followed by a user message from the agent that differs from it", () => {
    const [upgrade, sent] = prompted("hello");
    assert.deepEqual(transcript([chunk("user", "other words")], upgrade, sent), ["user hello", "user other words"]);
    const [later, also] = prompted("hello");
    assert.deepEqual(transcript([chunk("agent", "yes"), chunk("user", "hello")], later, also), [
      "user hello",
      "agent yes",
      "user hello",
    ]);
  });

  it("starts a new agent message, although the agent continues with the previous id", () => {
    const upgrade = new V1Updates();
    const first = [
      ...upgrade.prompt([text("a")]).events,
      ...upgrade.update(chunk("agent", "one", "m")),
      ...upgrade.turnEnded("end_turn"),
    ];
    const second = upgrade.prompt([text("b")]).events;
    assert.deepEqual(transcript([chunk("agent", "two", "m")], upgrade, [...first, ...second]), [
      "user a",
      "agent one",
      "user b",
      "agent two",
    ]);
  });

  it("ends with its response, and a question opened after that does not make the session busy", () => {
    const [upgrade] = prompted("a");
    assert.deepEqual(upgrade.questionOpened(), [{ type: "activity", state: "requires_action" }]);
    assert.deepEqual(upgrade.questionAnswered(), [{ type: "activity", state: "running" }]);
    assert.deepEqual(upgrade.turnEnded("end_turn"), [{ type: "activity", state: "idle", stopReason: "end_turn" }]);
    assert.deepEqual([upgrade.questionOpened(), upgrade.questionAnswered()], [[], []]);
  });
});

describe("annotated text", () => {
  it("is kept apart if it is meant for another audience", () => {
    const piece = (text: string, audience?: readonly string[]): JsonObject => ({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text, ...(audience && { annotations: { audience } }) },
    });
    const pieces = [piece("a"), piece("b"), piece("c", ["assistant"]), piece("d", ["assistant"]), piece("e")];
    assert.deepEqual(transcript(pieces), ["agent ab|cd|e"]);
  });
});
