// Maps updates of ACP v1 to session events.
import assert from "node:assert/strict";
import fc from "fast-check";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import { parseContent, contentToWire, type JsonObject } from "../../src/acp/parse.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession } from "../../src/session/state.ts";

const tool = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  sessionUpdate: "tool_call",
  toolCallId,
  ...more,
});
const text = (words: string): ContentBlock => ({ type: "text", text: words });

const table: readonly (readonly [string, JsonObject, readonly SessionEvent[]])[] = [
  [
    "the well-formed annotations",
    {
      sessionUpdate: "agent_message_chunk",
      messageId: "1",
      content: {
        type: "resource",
        resource: { uri: "file:///a", text: "x" },
        annotations: { audience: ["assistant", 7], priority: 0.5, lastModified: 3 },
      },
    },
    [
      {
        type: "messageChunk",
        author: "agent",
        messageId: "1",
        content: {
          type: "resource",
          uri: "file:///a",
          text: "x",
          annotations: { audience: ["assistant"], priority: 0.5 },
        },
      },
    ],
  ],
  [
    "a tool call",
    tool("t", {
      title: "Edit",
      name: "edit",
      kind: "edit",
      status: "pending",
      content: [{ type: "diff", path: "/a", oldText: null, newText: "x" }, { type: "text", text: "bare" }, null, 7],
      locations: [{ path: "/a", line: 2 }, { line: 3 }, "no"],
      rawInput: { a: 1 },
    }),
    [
      {
        type: "tool",
        toolCallId: "t",
        patch: {
          title: "Edit",
          name: "edit",
          kind: "edit",
          status: "pending",
          content: [
            { type: "diff", path: "/a", newText: "x" },
            { type: "content", content: text("bare") },
          ],
          locations: [{ path: "/a", line: 2 }],
          rawInput: { a: 1 },
        },
      },
    ],
  ],
  [
    "the name of a tool in the data of a vendor",
    tool("t", { _meta: { anyVendor: { toolName: "echo_back" } } }),
    [{ type: "tool", toolCallId: "t", patch: { name: "echo_back" } }],
  ],
  [
    "null and wrong types as unchanged",
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      title: null,
      status: 7,
      content: null,
      locations: "x",
      rawInput: null,
      rawOutput: null,
      kind: [],
    },
    [{ type: "tool", toolCallId: "t", patch: {} }],
  ],
  [
    "an empty content list as cleared content",
    { sessionUpdate: "tool_call_update", toolCallId: "t", content: [] },
    [{ type: "tool", toolCallId: "t", patch: { content: [] } }],
  ],
  [
    "output of an agent's own terminal",
    tool("t", {
      content: [{ type: "terminal", terminalId: "t" }],
      _meta: {
        terminal_info: { terminal_id: "t", cwd: "/w" },
        terminal_output: { terminal_id: "t", data: "a" },
        terminal_output_delta: { terminal_id: "t", data: "b" },
        terminal_exit: { terminal_id: "t", exit_code: 2, signal: null },
      },
    }),
    [
      { type: "tool", toolCallId: "t", patch: { content: [{ type: "terminal", terminalId: "t" }] } },
      { type: "terminal", terminalId: "t", cwd: "/w" },
      { type: "terminalOutput", terminalId: "t", text: "ab" },
      { type: "terminal", terminalId: "t", exit: { exitCode: 2 } },
    ],
  ],
  [
    "a plan",
    {
      sessionUpdate: "plan",
      entries: [{ content: "One", priority: "high", status: "completed" }, { content: "Two" }, { content: 3 }, null],
    },
    [
      {
        type: "plan",
        planId: "plan",
        entries: [
          { content: "One", priority: "high", status: "completed" },
          { content: "Two", priority: "medium", status: "pending" },
        ],
      },
    ],
  ],
  [
    "commands, without the slash that some agents put before the name",
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "/plan", description: "P", input: { hint: "what" } }, { name: "a", input: null }, {}],
    },
    [
      {
        type: "commands",
        commands: [
          { name: "plan", description: "P", hint: "what" },
          { name: "a", description: "" },
        ],
      },
    ],
  ],
  [
    "a mode by either of its names",
    { sessionUpdate: "current_mode_update", modeId: "https://modes/x" },
    [{ type: "option", id: "parley.mode", value: "https://modes/x" }],
  ],
  [
    "options, except options of an unknown type",
    {
      sessionUpdate: "config_option_update",
      configOptions: [
        {
          id: "m",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "a",
          options: [{ group: "g", name: "G", options: [{ value: "a", name: "A" }] }, { value: "b" }],
        },
        { id: "f", name: "Fast", type: "boolean", currentValue: true },
        { id: "x", type: "slider", currentValue: 3 },
        { type: "boolean", currentValue: true },
      ],
    },
    [
      {
        type: "options",
        options: [
          {
            id: "m",
            name: "Model",
            category: "model",
            type: "select",
            value: "a",
            choices: [
              { value: "a", name: "A", group: "G" },
              { value: "b", name: "b" },
            ],
          },
          { id: "f", name: "Fast", type: "boolean", value: true },
        ],
      },
    ],
  ],
  [
    "the removal of all options",
    { sessionUpdate: "config_option_update", configOptions: [] },
    [{ type: "options", options: [] }],
  ],
  ["a title", { sessionUpdate: "session_info_update", title: "T", updatedAt: 5 }, [{ type: "info", title: "T" }]],
  ["a cleared title", { sessionUpdate: "session_info_update", title: null }, [{ type: "info", title: null }]],
  [
    "usage with its cost",
    { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } },
    [{ type: "usage", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } }],
  ],
  [
    "usage with an invalid cost",
    { sessionUpdate: "usage_update", used: 1, size: 2, cost: "free" },
    [{ type: "usage", used: 1, size: 2 }],
  ],
  [
    "a notice",
    { sessionUpdate: "notice", severity: "warning", title: "W", description: "why" },
    [{ type: "notice", severity: "warning", title: "W", description: "why" }],
  ],
  [
    "a retry that the agent reports in `_meta` as a notice",
    {
      sessionUpdate: "session_info_update",
      _meta: { robo: { error: { message: "Reconnecting... 1/5", additionalDetails: "429", willRetry: true } } },
    },
    [{ type: "notice", severity: "info", title: "Reconnecting... 1/5", description: "429", retry: true }],
  ],
  [
    "a retry with the agent's id of its turn",
    {
      sessionUpdate: "session_info_update",
      _meta: { robo: { error: { message: "Reconnecting... 1/5", willRetry: true, turnId: "t-1" } } },
    },
    [{ type: "notice", severity: "info", title: "Reconnecting... 1/5", retry: true, turn: "t-1" }],
  ],
  [
    "a title with a retry as both",
    { sessionUpdate: "session_info_update", title: "T", _meta: { error: { message: "Again", willRetry: true } } },
    [
      { type: "info", title: "T" },
      { type: "notice", severity: "info", title: "Again", retry: true },
    ],
  ],
  [
    "an error without a retry as no notice",
    {
      sessionUpdate: "session_info_update",
      title: "T",
      _meta: { robo: { error: { message: "No", willRetry: false } } },
    },
    [{ type: "info", title: "T" }],
  ],
  [
    "a notice of a retry, however severe the agent calls it",
    { sessionUpdate: "notice", severity: "error", title: "Retrying in 5 s", description: "Overloaded" },
    [{ type: "notice", severity: "info", title: "Retrying in 5 s", description: "Overloaded", retry: true }],
  ],
  [
    "a compaction",
    {
      sessionUpdate: "compaction_update",
      compactionId: "c",
      status: "completed",
      summary: [{ type: "text", text: "S" }, 3],
      error: null,
    },
    [{ type: "compaction", compactionId: "c", status: "completed", summary: [text("S")], error: null }],
  ],
  [
    "a piece of a compaction's summary",
    { sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: { type: "text", text: "S" } },
    [{ type: "compactionChunk", compactionId: "c", content: text("S") }],
  ],
];

describe("an update of v1", () => {
  for (const [what, update, events] of table) {
    it(`maps ${what}`, () => assert.deepEqual(new V1Updates().update(update), events));
  }

  it("is kept in its original form when it is not understood", () => {
    for (const update of [
      { sessionUpdate: "hologram", depth: 3 },
      {},
      { sessionUpdate: "plan" },
      { sessionUpdate: "tool_call" },
      { sessionUpdate: "agent_message_chunk" },
      { sessionUpdate: "agent_message_chunk", content: null },
      { sessionUpdate: "usage_update", used: "many" },
      { sessionUpdate: "notice" },
      { sessionUpdate: "current_mode_update" },
      { sessionUpdate: "config_option_update", configOptions: {} },
      { sessionUpdate: "compaction_update" },
      { sessionUpdate: "available_commands_update", availableCommands: null },
    ]) {
      assert.deepEqual(new V1Updates().update(update), [{ type: "unknown", method: "session/update", raw: update }]);
    }
  });

  it("creates ids that no other connection of the conversation has", () => {
    const ids = [1, 2, 21].flatMap(connection => {
      const updates = new V1Updates(connection);
      const own = Array.from({ length: 30 }, () => updates.prompt([{ type: "text", text: "go" }]).messageId);
      const text = { content: { type: "text", text: "a" }, messageId: "m" };
      updates.update({ sessionUpdate: "agent_message_chunk", ...text });
      updates.update({ sessionUpdate: "tool_call", toolCallId: "t" });
      const [split] = updates.update({ sessionUpdate: "agent_message_chunk", ...text });
      return [...own, split?.type === "messageChunk" ? split.messageId : assert.fail()];
    });
    assert.equal(new Set(ids).size, ids.length);
  });

  it("never throws with any value in any field, and its events can be reduced and serialized", () => {
    const names = table.map(([, update]) => String(update["sessionUpdate"]));
    const fields = ["content", "messageId", "toolCallId", "title", "kind", "status", "locations", "rawInput", "rawOutput", "entries",
      "availableCommands", "currentModeId", "configOptions", "used", "size", "cost", "severity", "description", "compactionId",
      "summary", "error", "_meta", "updatedAt", "name"]; // prettier-ignore
    const value = fc.oneof(
      fc.anything(),
      fc.jsonValue(),
      fc.constantFrom("t", "m"),
      fc.array(
        fc.dictionary(fc.constantFrom("type", "path", "id", "name", "content", "options", "text"), fc.jsonValue()),
      ),
    );
    const update = fc
      .tuple(
        fc.constantFrom(
          ...names,
          "agent_message_chunk",
          "agent_thought_chunk",
          "user_message_chunk",
          "tool_call_update",
        ),
        fc.dictionary(fc.constantFrom(...fields), value),
      )
      .map(([sessionUpdate, more]) => ({ ...more, sessionUpdate }));
    fc.assert(
      fc.property(fc.array(update, { maxLength: 10 }), updates => {
        const upgrade = new V1Updates();
        let state = emptySession;
        for (const [seq, event] of updates.flatMap(one => upgrade.update(one)).entries()) {
          state = reduce(state, { seq, at: seq, event });
        }
        assert.ok(state.entries.length <= updates.length * 2);
      }),
      { numRuns: 150 },
    );
  });

  it("never throws for a session setup with any values", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("configOptions", "modes", "models"), fc.anything()), result => {
        assert.ok(Array.isArray(new V1Updates().setup(result)));
      }),
    );
  });
});

describe("modes and models of v1", () => {
  const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code" }, 3] };

  it("become options, set by their own methods", () => {
    const upgrade = new V1Updates();
    const [event] = upgrade.setup({
      modes,
      models: { currentModelId: "m", availableModels: [{ modelId: "m", name: "M" }] },
    });
    assert.ok(event?.type === "options");
    assert.deepEqual(
      event.options.map(option => [option.id, option.category, option.value]),
      [
        ["parley.mode", "mode", "ask"],
        ["parley.model", "model", "m"],
      ],
    );
    assert.deepEqual(
      ["parley.mode", "parley.model", "other"].map(id => upgrade.optionOrigin(id)),
      ["mode", "model", "config"],
    );
  });

  it("are replaced by options if an agent has both", () => {
    const upgrade = new V1Updates();
    const [event] = upgrade.setup({
      modes,
      configOptions: [{ id: "mode", name: "Mode", type: "select", currentValue: "ask", options: [] }],
    });
    assert.ok(event?.type === "options");
    assert.deepEqual(
      event.options.map(option => option.id),
      ["mode"],
    );
    assert.deepEqual(upgrade.update({ sessionUpdate: "current_mode_update", currentModeId: "code" }), []);
    assert.equal(upgrade.optionOrigin("parley.mode"), "config");
  });

  it("are an empty list if the agent has none, which replaces those of its earlier session", () => {
    const none = [{ type: "options", options: [] }];
    assert.deepEqual(new V1Updates().setup({ modes: null, configOptions: null }), none);
    assert.deepEqual(new V1Updates().setup({}), none);
  });
});

describe("annotations of content", () => {
  it("return over the wire unchanged", () => {
    const annotations = { audience: ["user"], lastModified: "2026-01-01T00:00:00Z" };
    const blocks = [
      { type: "text", text: "x", annotations },
      { type: "image", mimeType: "image/png", data: "AAAA", uri: "file:///a.png", annotations },
      { type: "audio", mimeType: "audio/wav", data: "AAAA", annotations },
      { type: "resource_link", uri: "file:///a", name: "a", annotations },
      { type: "resource", resource: { uri: "file:///a", text: "x" }, annotations },
    ];
    assert.deepEqual(
      blocks.map(block => contentToWire(parseContent(block) as ContentBlock)),
      blocks,
    );
  });
});
