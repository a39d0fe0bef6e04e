// Updates with wrong types in each field, one wrong field at a time. Plain Node, no packages.

/** Values that no field of an update expects. */
const wrongValues = [null, 0, -1, 1.5, "", "text", true, [], {}, [null], [[]], { type: "text" }, { type: 7 }];

const updateFields = {
  user_message_chunk: ["content", "messageId"],
  agent_message_chunk: ["content", "messageId"],
  agent_thought_chunk: ["content", "messageId"],
  tool_call: ["toolCallId", "title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput"],
  tool_call_update: ["toolCallId", "title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput"],
  plan: ["entries"],
  available_commands_update: ["availableCommands"],
  current_mode_update: ["currentModeId"],
  config_option_update: ["configOptions"],
  session_info_update: ["title", "updatedAt"],
  usage_update: ["used", "size", "cost"],
  notice: ["severity", "title", "description"],
  compaction_update: ["compactionId", "status", "summary", "error"],
  compaction_summary_chunk: ["compactionId", "content"],
};

const goodFields = {
  content: { type: "text", text: "text" },
  messageId: "m1",
  toolCallId: "t1",
  title: "Title",
  compactionId: "c1",
  status: "completed",
  used: 1,
  size: 2,
  severity: "info",
};

const goodEntry = { content: "A step", priority: "high", status: "pending" };
const goodCommand = { name: "good", description: "A good command" };

const oddItems = [
  { sessionUpdate: "plan", entries: [null, 7, {}, { content: 7, priority: 7, status: 7 }, goodEntry] },
  { sessionUpdate: "available_commands_update", availableCommands: [null, { name: 7 }, goodCommand] },
  { sessionUpdate: "config_option_update", configOptions: [null, { id: 7 }, { id: "x", type: "odd" }] },
  { sessionUpdate: "tool_call", toolCallId: "t2", title: "Odd items", content: [null, 7, {}, { type: "diff" }] },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "t2",
    locations: [null, {}, { path: 7 }, { path: "/a", line: "1" }],
  },
];

/**
 * Every update with every field wrong in every way, and without it; then lists with invalid items, and values that are
 * not updates.
 */
export function* wrongUpdates() {
  for (const [sessionUpdate, fields] of Object.entries(updateFields)) {
    const known = fields.filter(
      field => field in goodFields && (field !== "content" || !sessionUpdate.startsWith("tool")),
    );
    const good = Object.fromEntries(known.map(field => [field, goodFields[field]]));
    for (const field of fields) {
      for (const wrong of wrongValues) yield { ...good, sessionUpdate, [field]: wrong };
      const { [field]: _, ...without } = good;
      yield { sessionUpdate, ...without };
    }
  }
  yield* oddItems;
  yield* [null, 7, "text", [], {}, { sessionUpdate: 7 }, { sessionUpdate: null }];
}

/** Invalid params of `session/update`. */
export const wrongParams = [undefined, null, 7, [], {}, { sessionId: 7 }, { sessionId: "nobody's", update: {} }];
