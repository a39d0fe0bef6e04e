// Updates of version 2: patches of messages, tool calls and terminals, and variants that Parley does not know.
import assert from "node:assert/strict";
import fc from "fast-check";
import { TerminalBytes } from "../../src/acp/v2/terminalBytes.ts";
import { V2Updates } from "../../src/acp/v2/v2Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import { reduce } from "../../src/session/reduce.ts";
import { processorTime } from "../support/fakes/processorTime.ts";
import { emptySession, shownToolStatus, type Entry, type SessionState } from "../../src/session/state.ts";

const problem = { message: "It failed.", next: [] };
const reader = (): V2Updates => new V2Updates({ problem: () => ({ problem }) });
const update = (sessionUpdate: string, fields: JsonObject = {}): JsonObject => ({ sessionUpdate, ...fields });
const text = (words: string): JsonObject => ({ type: "text", text: words });
const content = (words: string): JsonObject => ({ type: "content", content: text(words) });
const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString("base64");

function after(...updates: readonly JsonObject[]): SessionState {
  const updatesOf = reader();
  return updates
    .flatMap(each => updatesOf.update(each))
    .reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);
}
function tool(state: SessionState, id = "t"): Extract<Entry, { kind: "tool" }> {
  const entry = state.entries.get(`t:${id}`);
  assert.ok(entry?.kind === "tool");
  return entry;
}
const call = (fields: JsonObject): JsonObject => update("tool_call_update", { toolCallId: "t", ...fields });
const texts = (state: SessionState): readonly string[] =>
  [...state.entries].flatMap(entry =>
    entry.kind === "message"
      ? [`${entry.author}: ${entry.content.map(block => (block.type === "text" ? block.text : "?")).join("")}`]
      : [],
  );

describe("a message of version 2", () => {
  it("is replaced, cleared and left alone by a patch of its content", () => {
    for (const [name, author] of [
      ["agent_message", "agent"],
      ["agent_thought", "thought"],
    ] as const) {
      const whole = (fields: JsonObject): JsonObject => update(name, { messageId: "m", ...fields });
      const first = whole({ content: [text("a")] });
      assert.deepEqual(texts(after(first, whole({ content: [text("b")] }))), [`${author}: b`]);
      assert.deepEqual(texts(after(first, whole({}))), [`${author}: a`]);
      assert.deepEqual(texts(after(first, whole({ content: null }))), [`${author}: `]);
    }
  });

  it("can interleave with others, and continues after a tool call", () => {
    const chunk = (messageId: string, words: string, author = "agent_message_chunk"): JsonObject =>
      update(author, { messageId, content: text(words) });
    const state = after(
      chunk("a", "1"),
      chunk("b", "x", "agent_thought_chunk"),
      chunk("a", "2"),
      call({ title: "Call" }),
      chunk("b", "y", "agent_thought_chunk"),
      chunk("a", "3"),
    );
    assert.deepEqual(texts(state), ["agent: 123", "thought: xy"]);
  });
});

describe("a prompt that an agent of version 2 repeats in pieces", () => {
  it("is compared in time that grows with its length", () => {
    const timeOf = (pieces: number): number =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const updatesOf = reader();
          updatesOf.accepted("u1", [{ type: "text", text: "ab".repeat(pieces) }]);
          const piece = update("user_message_chunk", { messageId: "u1", content: text("ab") });
          const used = processorTime();
          for (let at = 0; at < pieces; at++) assert.deepEqual(updatesOf.update(piece), []);
          return used();
        }),
      );
    // Quadratic time would be 16 times as long.
    const [short, long] = [timeOf(3000), timeOf(12_000)];
    assert.ok(long < 10 * short + 100, `${short} and ${long} ms`);
  });
});

describe("a tool call of version 2", () => {
  it("is created by its first update, and later ones change only what they name", () => {
    const state = after(
      call({ title: "Run", name: "bash", kind: "execute", status: "in_progress", rawInput: { command: "ls" } }),
      call({ status: "completed", content: [content("done")] }),
    );
    const { title, name, kind, status, rawInput } = tool(state).fields;
    assert.deepEqual([title, name, kind, status, rawInput], ["Run", "bash", "execute", "completed", { command: "ls" }]);
  });

  it("loses the fields that an update sets to null, and keeps those with a malformed value", () => {
    const first = call({ title: "Run", kind: "execute", rawInput: 1, rawOutput: 2, content: [content("a")] });
    const cleared = tool(
      after(first, call({ title: null, kind: null, rawInput: null, rawOutput: null, content: null })),
    );
    assert.deepEqual(cleared.fields, {});
    const kept = tool(after(first, call({ title: 7, kind: {}, content: "no", locations: 3 })));
    assert.deepEqual([kept.fields.title, kept.fields.kind], ["Run", "execute"]);
  });

  it("gets its content item by item", () => {
    const item = (words: string): JsonObject =>
      update("tool_call_content_chunk", { toolCallId: "t", content: content(words) });
    const { fields } = tool(after(item("item one"), item("item two")));
    assert.deepEqual(
      fields.content?.map(one => one.type === "content" && one.content),
      [text("item one"), text("item two")],
    );
  });

  for (const [status, expected] of [
    ["pending", "pending"],
    ["in_progress", "running"],
    ["paused", "paused"],
    ["_future", "running"],
    ["completed", "done"],
    ["failed", "failed"],
    ["cancelled", "cancelled"],
  ] as const) {
    it(`with the status ${status} is shown as ${expected}`, () =>
      assert.equal(shownToolStatus(tool(after(call({ status }))), false), expected));
  }

  it("can be ended alone while it offers that", () => {
    const offered = call({ title: "Run", capabilities: { cancel: {} } });
    assert.equal(tool(after(offered)).fields.canCancel, true);
    for (const capabilities of [null, {}, { cancel: null }])
      assert.equal(tool(after(offered, call({ capabilities }))).fields.canCancel, undefined);
    assert.equal(tool(after(offered, call({ status: "in_progress" }))).fields.canCancel, true);
  });

  it("shows a structured diff with and without a patch, and an operation that Parley does not know", () => {
    const diff = {
      type: "diff",
      changes: [
        { operation: "move", oldPath: "/w/a", path: "/w/b" },
        { operation: "_link", path: "/w/c" },
      ],
    };
    const patch = { format: "git_patch", text: "diff --git a b" };
    const changes = [
      { operation: "move", path: "/w/b", oldPath: "/w/a" },
      { operation: "_link", path: "/w/c" },
    ];
    assert.deepEqual(tool(after(call({ content: [diff] }))).fields.content, [{ type: "changes", changes }]);
    assert.deepEqual(tool(after(call({ content: [{ ...diff, patch }] }))).fields.content, [
      { type: "changes", changes, patch: "diff --git a b" },
    ]);
    const future = { ...diff, patch: { format: "_future", text: "?" } };
    assert.deepEqual(tool(after(call({ content: [future] }))).fields.content, [{ type: "changes", changes }]);
  });

  it("has its metadata patched by key", () => {
    const meta = (value: unknown): JsonObject => call({ title: "Call", _meta: value });
    const inside = meta({ vendor: { parentToolUseId: "s" }, other: 1 });
    assert.equal(tool(after(inside)).parent, "s");
    const updates = reader();
    const parents = [
      inside,
      call({}),
      meta({ other: 2 }),
      meta({ vendor: null }),
      meta({ vendor: { parentToolUseId: "x" } }),
      meta(null),
    ]
      .flatMap(each => updates.update(each))
      .map(event => ("parent" in event ? event.parent : undefined));
    assert.deepEqual(parents, ["s", "s", "s", undefined, "x", undefined]);
  });
});

describe("a terminal of the agent", () => {
  const terminal = (fields: JsonObject): JsonObject => update("terminal_update", { terminalId: "x", ...fields });
  const output = (bytes: string | Uint8Array): JsonObject =>
    update("terminal_output_chunk", { terminalId: "x", data: base64(bytes) });

  it("has a command, a folder, a size and an end, each of which null clears", () => {
    const whole = terminal({
      command: "ls",
      cwd: "/w",
      size: { cols: 80, rows: 24 },
      capabilities: { cancel: {} },
      exitStatus: { exitCode: 1, signal: null },
    });
    assert.deepEqual(after(whole).terminals.get("x"), {
      ...{ id: "x", command: "ls", cwd: "/w", output: "", truncated: false },
      ...{ size: { cols: 80, rows: 24 }, canCancel: true, exit: { exitCode: 1 } },
    });
    const cleared = terminal({ command: null, cwd: null, size: null, capabilities: null, exitStatus: null });
    assert.deepEqual(after(whole, cleared).terminals.get("x"), { id: "x", output: "", truncated: false });
    assert.equal(after(whole, terminal({})).terminals.get("x")?.command, "ls");
  });

  it("may be named by a tool call before or after it is reported, and its output may come first", () => {
    const named = call({ content: [{ type: "terminal", terminalId: "x" }] });
    for (const order of [
      [named, output("hi"), terminal({ command: "ls" })],
      [output("hi"), terminal({ command: "ls" }), named],
    ]) {
      const state = after(...order);
      assert.deepEqual([state.terminals.get("x")?.output, state.terminals.get("x")?.command], ["hi", "ls"]);
      assert.deepEqual(tool(state).fields.content, [{ type: "terminal", terminalId: "x" }]);
    }
  });

  it("has all output replaced by a snapshot, also in the middle of a character", () => {
    const euro = Buffer.from("€");
    const state = after(
      output("old"),
      output(euro.subarray(0, 1)),
      terminal({ output: { data: base64(Buffer.concat([Buffer.from("new "), euro.subarray(0, 2)])) } }),
      output(euro.subarray(2)),
    );
    assert.equal(state.terminals.get("x")?.output, "new €");
    assert.equal(after(output("old"), terminal({ output: null })).terminals.get("x")?.output, "");
    assert.equal(after(output("old"), terminal({ output: { data: 7 } })).terminals.get("x")?.output, "old");
  });

  it("shows a character that was never completed when it ends", () => {
    const state = after(output(Buffer.from("a€").subarray(0, 2)), terminal({ exitStatus: {} }));
    assert.deepEqual([state.terminals.get("x")?.output, state.terminals.get("x")?.exit], ["a\ufffd", {}]);
  });

  it("decodes every text the same, however its bytes are split", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat(40)), (words, cuts) => {
        const bytes = Buffer.from(`\u001b[31m${words}\u001b[0m`);
        const at = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
        const decoder = new TerminalBytes();
        const joined = pieces.map(piece => decoder.append("x", base64(piece))).join("") + decoder.end("x");
        assert.equal(joined, bytes.toString("utf8"));
      }),
    );
  });
});

describe("a state of version 2", () => {
  const state = (fields: JsonObject): JsonObject => update("state_update", fields);

  it("is read with the names of the current and of the earlier draft", () => {
    for (const [name, reason] of [
      ["state_update", "stopReason"],
      ["state_change", "stop_reason"],
    ] as const) {
      const ended = after(update(name, { state: "running" }), update(name, { state: "idle", [reason]: "max_tokens" }));
      assert.equal(ended.activity.stopReason, "max_tokens");
      assert.equal([...ended.entries].at(-1)?.kind, "turnEnd");
    }
  });

  it("ends a turn with the tokens it used, and without a reason if none is given", () => {
    const running = state({ state: "running" });
    const usage = { totalTokens: 3, inputTokens: 2, outputTokens: 1 };
    const ended = after(running, state({ state: "idle", stopReason: "end_turn", usage }));
    assert.deepEqual(ended.turnUsage, { total: 3, input: 2, output: 1 });
    for (const stopReason of [null, undefined, 7])
      assert.equal(after(running, state({ state: "idle", stopReason })).activity.stopReason, undefined);
  });

  it("shows a reason that Parley does not know", () => {
    const ended = after(state({ state: "running" }), state({ state: "idle", stopReason: "_budget" }));
    const last = [...ended.entries].at(-1);
    assert.deepEqual([last?.kind, last?.kind === "turnEnd" && last.stopReason], ["turnEnd", "_budget"]);
  });

  it("adds nothing when it only repeats how the last turn ended, as after a resume", () => {
    assert.equal(after(state({ state: "idle", stopReason: "refusal" })).entries.length, 0);
  });

  it("reports background work of any kind, until a list without any", () => {
    const work = [
      { type: "tool_call", toolCallId: "t" },
      { type: "terminal", terminalId: "x" },
      { type: "subagent", sessionId: "a" },
      { type: "_future" },
    ];
    const working = after(call({ title: "Serve", status: "in_progress" }), state({ state: "idle", background: work }));
    assert.deepEqual(working.background?.reported, [
      { kind: "tool_call", toolCallId: "t" },
      { kind: "terminal", terminalId: "x" },
      { kind: "subagent", toolCallId: "subagent:a" },
      { kind: "_future" },
    ]);
    const next = (fields: JsonObject): SessionState =>
      reader()
        .update(state(fields))
        .reduce<SessionState>((old, event, seq) => reduce(old, { seq, at: 9, event }), working);
    assert.equal(next({ state: "idle" }), working);
    assert.equal(next({ state: "idle", background: null }), working);
    assert.equal(next({ state: "idle", background: [] }).background, null);
  });
});

describe("other updates of version 2", () => {
  it("keep the cost until it is changed or cleared", () => {
    const usage = (fields: JsonObject): JsonObject => update("usage_update", { used: 1, size: 2, ...fields });
    const cost = { amount: 3, currency: "EUR" };
    assert.deepEqual(after(usage({ cost }), usage({})).usage, { used: 1, size: 2, cost });
    assert.deepEqual(after(usage({ cost }), usage({ cost: null })).usage, { used: 1, size: 2 });
  });

  it("set the title, the commands, the options and the plans, and show notices and compactions", () => {
    const state = after(
      update("session_info_update", { title: "T" }),
      update("available_commands_update", { availableCommands: [{ type: "command", name: "go", description: "Go" }] }),
      update("config_option_update", {
        configOptions: [{ configId: "b", name: "B", type: "boolean", currentValue: true }],
      }),
      update("plan_update", { plan: { type: "items", planId: "p", entries: [{ content: "One" }] } }),
      update("plan_update", { plan: { type: "items", planId: "q", entries: [{ content: "Two" }] } }),
      update("plan_removed", { planId: "q" }),
      update("notice", { severity: "warning", title: "Careful" }),
      update("compaction_update", { compactionId: "c", status: "in_progress" }),
      update("compaction_summary_chunk", { compactionId: "c", content: text("Short") }),
    );
    assert.deepEqual([state.title, state.commands.length, state.options.length], ["T", 1, 1]);
    assert.deepEqual([...state.plans.keys()], ["p"]);
    assert.deepEqual(
      [...state.entries].map(entry => entry.kind),
      ["notice", "compaction"],
    );
  });

  it("never throw with any value in any field, and their events can be reduced", () => {
    const kinds = [
      ...[
        "user_message_chunk",
        "agent_message_chunk",
        "user_message",
        "agent_message",
        "agent_thought",
        "state_update",
      ],
      ...["tool_call_update", "tool_call_content_chunk", "terminal_update", "terminal_output_chunk", "plan_update"],
      ...["plan_removed", "available_commands_update", "config_option_update", "session_info_update", "usage_update"],
      ...["notice", "compaction_update", "compaction_summary_chunk", "future_update"],
    ];
    const fields = [
      ...[
        "content",
        "messageId",
        "toolCallId",
        "terminalId",
        "title",
        "kind",
        "status",
        "locations",
        "rawInput",
        "data",
      ],
      ...["availableCommands", "configOptions", "used", "size", "cost", "severity", "compactionId", "summary", "error"],
      ...[
        "_meta",
        "state",
        "stopReason",
        "background",
        "usage",
        "capabilities",
        "output",
        "exitStatus",
        "plan",
        "name",
      ],
    ];
    const value = fc.oneof(fc.anything(), fc.jsonValue(), fc.constantFrom("t", "m", "idle", "running"));
    const any = fc
      .tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...fields), value))
      .map(([sessionUpdate, more]) => ({ ...more, sessionUpdate }));
    fc.assert(
      fc.property(fc.array(any, { maxLength: 20 }), updates => {
        const updatesOf = reader();
        let state = emptySession;
        for (const event of updates.flatMap(each => updatesOf.update(each)))
          state = reduce(state, { seq: 0, at: 0, event });
      }),
    );
  });

  for (const kind of ["_vendor", "future_update"]) {
    it(`are kept and shown if Parley does not know them: ${kind}`, () => {
      const raw = update(kind, { anything: [1] });
      assert.deepEqual(reader().update(raw), [{ type: "unknown", method: "session/update", raw, variant: kind }]);
    });
  }

  for (const unknown of [
    update("agent_message_chunk", { content: text("without an id") }),
    update("tool_call_update"),
    update("tool_call_content_chunk", { toolCallId: "t" }),
    update("terminal_output_chunk", { terminalId: "x", data: 7 }),
    update("state_update"),
    update("usage_update", { used: "many" }),
    {},
  ]) {
    it(`are kept in the log if Parley does not understand them: ${JSON.stringify(unknown)}`, () => {
      assert.deepEqual(reader().update(unknown), [{ type: "unknown", method: "session/update", raw: unknown }]);
    });
  }

  it("show content that Parley does not know in its place", () => {
    const state = after(
      update("agent_message", { messageId: "m", content: [text("a"), { type: "_video", url: "x" }] }),
      call({ content: [{ type: "_chart", data: [1] }] }),
    );
    assert.deepEqual(texts(state), ["agent: a?"]);
    assert.equal(tool(state).fields.content?.[0]?.type, "other");
  });
});
