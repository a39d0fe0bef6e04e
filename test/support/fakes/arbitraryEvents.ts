// Arbitrary streams of well-typed session events. They use few ids, so that events affect each other.
import fc from "fast-check";
import type { ContentBlock, LoggedEvent, SessionEvent, ToolContent } from "../../../src/session/events.ts";

const id = fc.constantFrom("a", "b", "c");
const word = fc.oneof(fc.constantFrom("", "x", "one\ntwo\n", "é👍"), fc.string({ maxLength: 8 }));
const problem = fc.record({ message: word, next: fc.constant(["retry"] as const) });
const author = fc.constantFrom("user", "agent", "thought");

export const contentArb: fc.Arbitrary<ContentBlock> = fc.oneof(
  { weight: 4, arbitrary: word.map(text => ({ type: "text", text }) as const) },
  fc.constant({ type: "image", mimeType: "image/png", data: "AAAA" } as const),
  word.map(uri => ({ type: "link", uri, name: "n" }) as const),
  word.map(text => ({ type: "resource", uri: "file:///a", text }) as const),
  fc.constant({ type: "other", kind: "hologram", raw: { type: "hologram" } } as const),
);
const contents = fc.array(contentArb, { maxLength: 3 });

const toolContent: fc.Arbitrary<ToolContent> = fc.oneof(
  contentArb.map(content => ({ type: "content", content }) as const),
  fc.tuple(word, word).map(([oldText, newText]) => ({ type: "diff", path: "/w/a.ts", oldText, newText }) as const),
  word.map(newText => ({ type: "diff", path: "/w/new.ts", newText }) as const),
  id.map(terminalId => ({ type: "terminal", terminalId }) as const),
  id.map(toolCallId => ({ type: "session", toolCallId }) as const),
  fc.constant({ type: "changes", changes: [{ operation: "move", path: "/w/b", oldPath: "/w/a" }] } as const),
);
const absentOrNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

const patch = fc.record(
  {
    title: absentOrNull(word),
    kind: absentOrNull(fc.constantFrom("read", "edit", "brew")),
    status: absentOrNull(fc.constantFrom("pending", "in_progress", "completed", "failed", "odd")),
    content: absentOrNull(fc.array(toolContent, { maxLength: 3 })),
    locations: absentOrNull(fc.constantFrom([{ path: "/w/a.ts", line: 3 }], [])),
    rawInput: fc.constantFrom<unknown[]>({ command: "ls" }, "text", null),
    rawOutput: fc.constantFrom<unknown[]>({ ok: true }, "text", null),
  },
  { requiredKeys: [] },
);

const options = fc.constantFrom(
  [
    { id: "mode", name: "Mode", category: "mode", type: "select", value: "x", choices: [{ value: "x", name: "X" }] },
  ] as const,
  [{ id: "fast", name: "Fast", type: "boolean", value: false }] as const,
  [] as const,
);

/**
 * One tool call with one changed field at a time: text that grows or is replaced, and a terminal that prints and ends.
 */
const card = fc.oneof(
  fc.array(word, { maxLength: 2 }).map(
    texts =>
      ({
        type: "tool",
        toolCallId: "a",
        patch: { content: texts.map(text => ({ type: "content", content: { type: "text", text } })) },
      }) as const,
  ),
  fc.constant({
    type: "tool",
    toolCallId: "b",
    patch: { content: [{ type: "terminal", terminalId: "a" }] },
  } as const),
  fc.record({ type: fc.constant("terminalOutput"), terminalId: fc.constant("a"), text: word }),
  fc.record(
    { type: fc.constant("terminal"), terminalId: fc.constant("a"), output: word, exit: fc.constant({ exitCode: 1 }) },
    { requiredKeys: ["type", "terminalId"] },
  ),
);

export const eventArb: fc.Arbitrary<SessionEvent> = fc.oneof(
  { weight: 6, arbitrary: card },
  fc.record({ type: fc.constant("opened"), agent: id, agentName: word, cwd: fc.constantFrom("/w", "/v") }),
  fc.record({ type: fc.constant("connection"), state: fc.constantFrom("starting", "ready", "closed") }),
  fc.record(
    { type: fc.constant("agentSession"), sessionId: id, continued: fc.constant(true) },
    { requiredKeys: ["type", "sessionId"] },
  ),
  fc.record({ type: fc.constant("promptSent"), submission: id, content: contents }),
  fc.record({ type: fc.constant("promptAccepted"), submission: id, messageId: id }),
  fc.record({ type: fc.constant("promptFailed"), submission: id, problem }),
  fc.record({ type: fc.constant("promptWithdrawn"), submission: id }),
  fc.record({ type: fc.constant("promptEdited"), submission: id, text: word }),
  fc.record({ type: fc.constant("promptMoved"), submission: id, before: id }, { requiredKeys: ["type", "submission"] }),
  fc.record({ type: fc.constant("promptOnHold"), submission: id, onHold: fc.boolean() }),
  fc.record({ type: fc.constant("queuePaused"), paused: fc.boolean() }),
  fc.constant({ type: "cancelRequested" } as const),
  fc.constant({ type: "stopIgnored" } as const),
  fc.record({ type: fc.constant("agentSilent" as const), since: fc.nat() }),
  fc.constant({ type: "backgroundEnded" } as const),
  fc.record({ type: fc.constant("titled"), title: absentOrNull(word) }),
  fc.record({
    type: fc.constant("chosen"),
    choices: fc.array(
      fc.record({ id: fc.constantFrom("mode", "fast"), value: fc.constantFrom("x", "y", true, false, null) }),
      { maxLength: 2 },
    ),
  }),
  fc.record(
    { type: fc.constant("plan"), planId: id, entries: fc.constant([]), markdown: word, path: word, parent: id },
    { requiredKeys: ["type", "planId", "entries"] },
  ),
  fc.record({ type: fc.constant("planRemoved"), planId: id, parent: id }, { requiredKeys: ["type", "planId"] }),
  fc.record({
    type: fc.constant("choiceRefused"),
    id: fc.constantFrom("mode", "fast"),
    reason: fc.constantFrom("missing", "refused"),
  }),
  fc.constant({ type: "choicesWaived" } as const),
  fc.record({ type: fc.constant("branched"), session: id, from: id, after: id }),
  fc.record({
    type: fc.constant("askOpened"),
    ask: id,
    title: word,
    toolCallId: id,
    options: fc.constant([{ id: "y", name: "Yes", kind: "allow_once" }]),
  }),
  fc.record({
    type: fc.constant("askClosed"),
    ask: id,
    answer: fc.constantFrom({ option: "y" }, "cancelled" as const),
  }),
  fc.record({ type: fc.constant("askClosed"), ask: id, answer: fc.constant({ option: "y" }), by: word }),
  fc.record({
    type: fc.constant("askOpened"),
    ask: id,
    title: word,
    options: fc.constant([{ id: "y", name: "Yes", kind: "reject_once" }]),
    subject: fc.record({ kind: fc.constant("read"), paths: fc.array(word, { maxLength: 2 }) }),
  }),
  fc.record({
    type: fc.constant("askOpened"),
    ask: id,
    title: word,
    options: fc.constant([{ id: "y", name: "Yes", kind: "allow_once" }]),
    answer: fc.constant({ option: "y" }),
    by: word,
  }),
  fc.record({
    type: fc.constant("askOpened"),
    ask: id,
    title: word,
    toolCallId: id,
    options: fc.constant([]),
    kind: fc.constant("form"),
    form: fc.record({
      message: word,
      fields: fc.constant([{ type: "text", name: "x", title: "X", required: true }]),
    }),
  }),
  fc.record({
    type: fc.constant("askOpened"),
    ask: id,
    title: word,
    options: fc.constant([]),
    kind: fc.constant("url"),
    address: fc.constant({ href: "https://example.com/", host: "example.com" }),
  }),
  fc.record({ type: fc.constant("addressOpened"), ask: id }),
  fc.record({
    type: fc.constant("askClosed"),
    ask: id,
    answer: fc.constantFrom({ action: "decline" }, { action: "accept", answers: [{ field: "x", answered: true }] }),
  }),
  fc.record(
    {
      type: fc.constant("turnProblems"),
      entry: fc.oneof(
        id.map(one => `m:agent:${one}`),
        id.map(one => `t:${one}`),
      ),
      state: fc.constantFrom("known", "pending", "unknown"),
      added: fc.nat(3),
      fixed: fc.nat(3),
      unchecked: fc.integer({ min: 1, max: 3 }),
      problems: fc.constant([{ path: "/w/a", line: 1, column: 1, severity: "error", message: "wrong" }]),
    },
    { requiredKeys: ["type", "entry", "state"] },
  ),
  fc.record({ type: fc.constant("fileResult"), path: fc.constantFrom("/w/a", "/w/b"), before: word, after: word }),
  fc.record({
    type: fc.constant("file"),
    path: fc.constantFrom("/w/a", "/w/b"),
    note: fc.constantFrom("unsaved", "diverged", null),
  }),
  fc.record({
    type: fc.constant("diffLines"),
    toolCallId: id,
    lines: fc.array(fc.record({ item: fc.nat(3), line: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant("agentLost"), problem }),
  fc.record(
    { type: fc.constant("message"), author, messageId: id, content: absentOrNull(contents) },
    { requiredKeys: ["type", "author", "messageId"] },
  ),
  {
    weight: 4,
    arbitrary: fc.record(
      { type: fc.constant("messageChunk"), author, messageId: id, content: contentArb, parent: id },
      { requiredKeys: ["type", "author", "messageId", "content"] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      { type: fc.constant("tool"), toolCallId: id, patch, parent: id },
      { requiredKeys: ["type", "toolCallId", "patch"] },
    ),
  },
  fc.record({ type: fc.constant("toolChunk"), toolCallId: id, content: toolContent }),
  fc.record(
    {
      type: fc.constant("terminal"),
      terminalId: id,
      command: word,
      output: word,
      exit: fc.constantFrom({ exitCode: 0 }, {}),
      truncated: fc.boolean(),
    },
    { requiredKeys: ["type", "terminalId"] },
  ),
  fc.record({ type: fc.constant("terminalOutput"), terminalId: id, text: word }),
  fc.record(
    {
      type: fc.constant("activity"),
      state: fc.constantFrom("running", "idle", "requires_action", "odd"),
      stopReason: fc.constantFrom("end_turn", "cancelled", "error"),
      problem,
      usage: fc.record({ input: fc.nat(9), output: fc.nat(9) }),
    },
    { requiredKeys: ["type", "state"] },
  ),
  fc.record({
    type: fc.constant("plan"),
    planId: id,
    entries: fc.array(
      fc.record({ content: word, priority: fc.constant("medium"), status: fc.constantFrom("pending", "completed") }),
      { maxLength: 2 },
    ),
  }),
  fc.record({
    type: fc.constant("commands"),
    commands: fc.array(fc.record({ name: word, description: word }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant("options"), options }),
  fc.record({
    type: fc.constant("option"),
    id: fc.constantFrom("mode", "fast"),
    value: fc.constantFrom<(string | boolean)[]>("x", "y", true),
  }),
  fc.record({ type: fc.constant("usage"), used: fc.nat(9), size: fc.constant(10) }),
  fc.record(
    { type: fc.constant("info"), title: absentOrNull(word), updatedAt: absentOrNull(word) },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("notice"), severity: fc.constantFrom("info", "error", "odd"), title: word }),
  fc.record(
    {
      ...{ type: fc.constant("notice"), severity: fc.constant("info"), title: fc.constantFrom("1/2", "2/2") },
      ...{ retry: fc.constant(true), turn: fc.constantFrom("t1", "t2") },
    },
    { requiredKeys: ["type", "severity", "title", "retry"] },
  ),
  fc.record(
    {
      type: fc.constant("compaction"),
      compactionId: id,
      status: fc.constantFrom("in_progress", "completed"),
      summary: absentOrNull(contents),
      error: absentOrNull(word),
    },
    { requiredKeys: ["type", "compactionId"] },
  ),
  fc.record({ type: fc.constant("compactionChunk"), compactionId: id, content: contentArb }),
  fc.record({ type: fc.constant("unknown"), method: word, raw: fc.constantFrom<unknown[]>({}, null, 3) }),
) as fc.Arbitrary<SessionEvent>;

export const eventsArb = fc.array(eventArb, { maxLength: 60 });

/** The events as logged, a millisecond apart. */
export const logged = (events: readonly SessionEvent[]): readonly LoggedEvent[] =>
  events.map((event, seq) => ({ seq, at: 1000 + seq, event }));
