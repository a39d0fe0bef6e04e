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
  });

  const echoes: readonly (readonly [string, string, readonly JsonObject[]])[] = [
    ["after text of the agent", "hello", [chunk("agent", "yes"), chunk("user", "hello")]],
    ["after a thought", "hello", [chunk("thought", "hm"), chunk("user", "hello")]],
    ["after a tool call", "hello", [tool("t"), chunk("user", "hello")]],
    ["in pieces with text of the agent between", "hello you", [chunk("user", "hello "), chunk("agent", "yes"), chunk("user", "you")]], // prettier-ignore
    ["in pieces with an id each", "hello you", [chunk("user", "hello", "a"), chunk("user", " you", "b")]],
    ["with a line feed at its end", "hello", [chunk("user", "hello\n")]],
    ["with a line feed of its own at its end", "hello", [chunk("user", "hello"), chunk("user", "\n")]],
    ["with white space around it", "hello", [chunk("user", " \n"), chunk("user", "\thello  ")]],
    ["without the white space at its ends", "\n hello \n", [chunk("user", "hello")]],
    ["with line feeds instead of carriage returns", "a\r\nb\rc", [chunk("user", "a\nb\nc")]],
    ["with carriage returns instead of line feeds", "a\nb\n\nc", [chunk("user", "a\r\nb\r\n\r\nc\r\n")]],
    ["with a carriage return and its line feed in two pieces", "a\nb", [chunk("user", "a\r"), chunk("user", "\nb")]],
    ["with half a character in a piece", "a😀b", [chunk("user", "a\ud83d"), chunk("user", "\ude00b")]],
    ["twice", "hello", [chunk("user", "hello", "a"), chunk("agent", "yes"), chunk("user", "hello", "b")]],
  ];
  for (const [where, prompt, updates] of echoes) {
    it(`is shown once when the agent echoes it ${where}`, () => {
      const [upgrade, sent] = prompted(prompt);
      const shown = transcript(updates, upgrade, sent);
      assert.deepEqual(
        shown.filter(entry => entry.startsWith("user")),
        [`user ${prompt}`],
      );
      const others = updates.filter(({ sessionUpdate }) => sessionUpdate !== "user_message_chunk");
      assert.deepEqual(shown.slice(1), transcript(others));
    });
  }

  it("is shown once when the agent echoes its texts with other white space between them", () => {
    for (const echo of ["look at\nand at", "look at  and at", "look atand at"]) {
      const upgrade = new V1Updates();
      const link: ContentBlock = { type: "link", uri: "file:///a", name: "a" };
      const { events } = upgrade.prompt([text("look at "), link, text(" and at ")]);
      const image = {
        sessionUpdate: "user_message_chunk",
        content: { type: "image", data: "", mimeType: "image/png" },
      };
      assert.deepEqual(transcript([image, chunk("user", echo)], upgrade, events), ["user look at |link| and at "]);
    }
  });

  it("is followed by all of a message that only begins like it, or that has other white space within", () => {
    const rows: readonly (readonly [readonly JsonObject[], readonly string[]])[] = [
      [[chunk("user", "hello "), chunk("user", "there")], ["user hello there"]],
      [[chunk("user", "hello  you")], ["user hello  you"]],
      [[chunk("user", "hello you too")], ["user hello you too"]],
      [[chunk("user", "hello ", "a"), chunk("user", "hello you", "b")], ["user hello "]],
      [
        [chunk("user", "hello "), chunk("agent", "yes"), chunk("user", "there")],
        ["agent yes", "user hello there"],
      ],
    ];
    for (const [updates, shown] of rows) {
      const [upgrade, sent] = prompted("hello you");
      assert.deepEqual(transcript(updates, upgrade, sent), ["user hello you", ...shown]);
    }
  });

  it("is followed by a picture that it does not have", () => {
    const [upgrade, sent] = prompted("hello");
    const image = { sessionUpdate: "user_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } };
    assert.deepEqual(transcript([image], upgrade, sent), ["user hello", "user image"]);
  });

  it("is followed by the same words of another turn", () => {
    const [upgrade, sent] = prompted("hello");
    const ended = [...sent, ...upgrade.turnEnded("end_turn")];
    assert.deepEqual(transcript([chunk("user", "hello")], upgrade, ended), ["user hello", "user hello"]);
  });

  it("is shown once when it is inserted into a turn, before or after the agent accepts it", () => {
    for (const isEarly of [true, false]) {
      const [upgrade, sent] = prompted("hello");
      upgrade.steering([text("more")]);
      const early = isEarly ? upgrade.update(chunk("user", "more\n")) : [];
      const inserted = [...sent, ...early, ...upgrade.steered([text("more")]).events];
      const updates = [chunk("user", "hello"), ...(isEarly ? [] : [chunk("user", "more")])];
      assert.deepEqual(transcript(updates, upgrade, inserted), ["user hello", "user more"]);
    }
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
    const piece = (text: string, audience?: readonly string[], sessionUpdate = "agent_message_chunk"): JsonObject => ({
      sessionUpdate,
      content: { type: "text", text, ...(audience && { annotations: { audience } }) },
    });
    const pieces = [piece("a"), piece("b"), piece("c", ["assistant"]), piece("d", ["assistant"]), piece("e")];
    assert.deepEqual(transcript(pieces), ["agent ab|cd|e"]);
    const prompt = [["a"], ["b", ["user"]], ["c", ["user"]], ["d", ["assistant"]]] as const;
    const own = prompt.map(([text, audience]) => piece(text, audience, "user_message_chunk"));
    assert.deepEqual(transcript(own), ["user a|bc|d"]);
  });
});
