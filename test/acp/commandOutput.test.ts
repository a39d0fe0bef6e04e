// Agents report the output of the commands they run in different ways. All of them become the same terminal.
import assert from "node:assert/strict";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, toolKey, type SessionState } from "../../src/session/state.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const update = (more: JsonObject): JsonObject => ({ sessionUpdate: "tool_call_update", toolCallId: "t", ...more });
const textContent = (text: string): JsonObject => ({ content: [{ type: "content", content: { type: "text", text } }] });
const call: JsonObject = update({ kind: "execute", status: "pending", rawInput: { command: "npm test", cwd: "/w" } });

function after(...updates: readonly JsonObject[]): SessionState {
  const upgrade = new V1Updates();
  return stateOf(updates.flatMap(one => upgrade.update(one)));
}

const stateOf = (events: readonly SessionEvent[]): SessionState =>
  events.reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);

/** What the tool call shows: its terminal, or the kinds of its content. */
function shown(state: SessionState): unknown {
  const entry = state.entries.get(toolKey("t"));
  assert.ok(entry?.kind === "tool");
  const content = entry.fields.content ?? [];
  const [item, ...others] = content;
  if (item?.type !== "terminal") return content.map(({ type }) => type);
  assert.deepEqual(
    others.filter(({ type }) => type === "terminal"),
    [],
  );
  const { output, exit, cwd } = state.terminals.get(item.terminalId) ?? {};
  return { output, exit, cwd, ...(others.length > 0 && { others }) };
}

const words = (text: string): unknown => ({ type: "content", content: { type: "text", text } });

describe("the output of a command that an agent ran itself", () => {
  it("becomes a terminal when each update carries all output so far, with the exit code at the end", () => {
    const running = [
      update({ status: "in_progress", ...textContent("one\n") }),
      update({ status: "in_progress", ...textContent("one\ntwo\n") }),
    ];
    assert.deepEqual(shown(after(call, ...running)), { output: "one\ntwo\n", exit: undefined, cwd: "/w" });
    const done = update({
      status: "completed",
      ...textContent("one\ntwo\n"),
      rawOutput: { output: "one\ntwo\n", metadata: { exit: 3 } },
    });
    assert.deepEqual(shown(after(call, ...running, done)), { output: "one\ntwo\n", exit: { exitCode: 3 }, cwd: "/w" });
  });

  it("becomes a terminal when it arrives as a fenced block at the end", () => {
    const done = update({
      status: "completed",
      ...textContent("```console\n1 passing\n\u001b[32mok\u001b[0m\n```"),
      rawOutput: "1 passing",
    });
    assert.deepEqual(shown(after(call, done)), { output: "1 passing\n\u001b[32mok\u001b[0m", exit: {}, cwd: "/w" });
  });

  it("becomes a terminal when it arrives as the agent's own terminal", () => {
    const own = update({
      content: [{ type: "terminal", terminalId: "x" }],
      _meta: { terminal_info: { terminal_id: "x", cwd: "/w" }, terminal_output: { terminal_id: "x", data: "hi\n" } },
    });
    const end = update({
      status: "completed",
      _meta: { terminal_exit: { terminal_id: "x", exit_code: 0, signal: null } },
    });
    assert.deepEqual(shown(after(call, own, end)), { output: "hi\n", exit: { exitCode: 0 }, cwd: "/w" });
  });

  it("ends also when the last update brings no text", () => {
    const running = update({ status: "in_progress", ...textContent("one\n") });
    assert.deepEqual(shown(after(call, running, update({ status: "failed" }))), {
      output: "one\n",
      exit: {},
      cwd: "/w",
    });
  });

  it("stays a terminal when an update has no status, and when the last update has no raw output", () => {
    const running = update({ status: "in_progress", ...textContent("one\n") });
    const silent = update(textContent("one\ntwo\n"));
    assert.deepEqual(shown(after(call, running, silent)), { output: "one\ntwo\n", exit: undefined, cwd: "/w" });
    const done = update({ status: "completed", ...textContent("one\ntwo\nthree\n") });
    assert.deepEqual(shown(after(call, running, silent, done)), { output: "one\ntwo\nthree\n", exit: {}, cwd: "/w" });
  });

  it("becomes a terminal when the command is a list of words", () => {
    const listed = update({ kind: "execute", rawInput: { command: ["bash", "-lc", "ls"] } });
    const done = update({
      status: "completed",
      ...textContent("a\nb\n"),
      rawOutput: { stdout: "a\nb\n", exit_code: 0 },
    });
    assert.deepEqual(shown(after(listed, done)), { output: "a\nb\n", exit: { exitCode: 0 }, cwd: undefined });
  });

  const texts: readonly (readonly [string, readonly JsonObject[]])[] = [
    [
      "a description of the command",
      [
        update({
          kind: "execute",
          status: "in_progress",
          rawInput: { command: "ls", description: "List" },
          ...textContent("List"),
        }),
      ],
    ],
    [
      "text next to an unknown command",
      [update({ kind: "execute", status: "in_progress", ...textContent("[cwd /w] Run it") })],
    ],
    [
      "the reason for a refusal",
      [call, update({ status: "failed", ...textContent("The user rejected it."), rawOutput: { error: "no" } })],
    ],
    [
      "the text of another tool",
      [update({ kind: "read", status: "completed", rawInput: { command: "x" }, ...textContent("```\na\n```") })],
    ],
  ];
  for (const [what, updates] of texts) {
    it(`keeps ${what} as content`, () => assert.deepEqual(shown(after(...updates)), ["content"]));
  }

  it("keeps text with words around a fence as content", () => {
    const done = update({ status: "completed", ...textContent("Here it is:\n```\na\n```") });
    assert.deepEqual(shown(after(call, done)), ["content"]);
  });

  const ends: readonly (readonly [string, JsonObject, string])[] = [
    ["a text", { rawOutput: "a\n" }, "a\n"],
    ["`output`", { rawOutput: { output: "a\n", stdout: "b" } }, "a\n"],
    ["`aggregated_output`", { rawOutput: { aggregated_output: "a\n", stdout: "b" } }, "a\n"],
    ["`stdout` and `stderr`", { rawOutput: { stdout: "a\n", stderr: "b\n", formatted_output: "c" } }, "a\nb\n"],
    ["`stderr` alone", { rawOutput: { stdout: "", stderr: "b\n" } }, "b\n"],
    ["`stdout` without a line end", { rawOutput: { stdout: "a", stderr: "b" } }, "a\nb"],
    ["`formatted_output`", { rawOutput: { formatted_output: "a", content: "b" } }, "a"],
    ["`content`", { rawOutput: { content: "a", detailedContent: "b" } }, "a"],
    ["content next to raw output", { ...textContent("```\nb\n```"), rawOutput: { stdout: "a\nc" } }, "a\nc"],
    ["content without raw output", textContent("a\n"), "a\n"],
    ["content next to raw output without text", { ...textContent("```sh\na\n```"), rawOutput: { exit: 0 } }, "a"],
    ["content that continues raw output", { ...textContent("```\na\nb\n```"), rawOutput: "a" }, "a\nb"],
  ];
  for (const [what, end, output] of ends) {
    it(`is found at the end in ${what}`, () => {
      const state = after(call, update({ status: "completed", ...end }));
      assert.equal((shown(state) as { readonly output?: string }).output, output);
    });
  }

  const exits: readonly (readonly [string, unknown, unknown])[] = [
    ["`exit`", { exit: 3 }, { exitCode: 3 }],
    ["`exit_code`", { exit_code: 3 }, { exitCode: 3 }],
    ["`exitCode`", { exitCode: 3 }, { exitCode: 3 }],
    ["`metadata`", { metadata: { exitCode: 3 } }, { exitCode: 3 }],
    ["an item of `contents`", { contents: [{ type: "text" }, { type: "shell_exit", exitCode: 3 }] }, { exitCode: 3 }],
    ["a signal's name before exit code 0", { exitCode: 0, signal: "SIGKILL" }, { signal: "SIGKILL" }],
    ["a signal's number before exit code 0", { exitCode: 0, signal: 15 }, { signal: "SIGTERM" }],
    ["an unusual signal's number", { signal: 64 }, { signal: "64" }],
    ["a cancellation before exit code 0", { exitCode: 0, signal: null, outcome: "cancelled" }, { cancelled: true }],
    ["a cancellation with another code", { exitCode: 130, outcome: "cancelled" }, { exitCode: 130, cancelled: true }],
  ];
  for (const [what, raw, exit] of exits) {
    it(`ends with ${what}`, () => {
      const rawOutput = { output: "a", ...(raw as JsonObject) };
      assert.deepEqual((shown(after(call, update({ status: "completed", rawOutput }))) as JsonObject)["exit"], exit);
    });
  }

  it("is an empty terminal with the exit code if the command printed nothing", () => {
    const end = update({ status: "failed", rawOutput: { output: "", exitCode: 3 } });
    assert.deepEqual(shown(after(call, end)), { output: "", exit: { exitCode: 3 }, cwd: "/w" });
  });

  it("replaces a report about the command, but no message next to the output", () => {
    const rawOutput = { output: "a", exitCode: 0 };
    const report = update({
      status: "completed",
      ...textContent("Command: npm test\nOutput: a\nExit Code: 0"),
      rawOutput,
    });
    assert.deepEqual(shown(after(call, report)), { output: "a", exit: { exitCode: 0 }, cwd: "/w" });
    const message = update({ status: "failed", ...textContent("The rest was discarded."), rawOutput });
    assert.deepEqual(shown(after(call, message)), {
      ...{ output: "a", exit: { exitCode: 0 }, cwd: "/w" },
      others: [words("The rest was discarded.")],
    });
  });

  it("grows without a status, after a question that described the command", () => {
    const upgrade = new V1Updates();
    const asked = { toolCallId: "t", status: "pending", ...textContent("Runs the tests of the project.") };
    const before = [...upgrade.update(call), ...upgrade.toolCall(asked)];
    assert.deepEqual(shown(stateOf(before)), ["content"]);
    const during = [...before, ...upgrade.update(update(textContent("a\n")))];
    assert.deepEqual(shown(stateOf(during)), { output: "a\n", exit: undefined, cwd: "/w" });
    const end = upgrade.update(update({ status: "completed", rawOutput: { content: "a\nb\n" } }));
    assert.deepEqual(shown(stateOf([...during, ...end])), { output: "a\nb\n", exit: {}, cwd: "/w" });
  });

  it("is the output of a call without kind, until a later update names another kind", () => {
    const replayed = update({ status: "completed", rawInput: { cmd: "ls" }, rawOutput: "a\n" });
    assert.deepEqual(shown(after(replayed)), { output: "a\n", exit: {}, cwd: undefined });
    const withText = { ...replayed, ...textContent("a\n") };
    assert.deepEqual(shown(after(withText, update({ kind: "read" }))), ["content"]);
  });

  it("has no terminal if an MCP server did the work, or if a lookup ran a program", () => {
    const done = update({ status: "completed", rawOutput: { stdout: "a\n" } });
    const tool = update({ kind: "execute", rawInput: { server: "mini", tool: "run", command: "ls" } });
    assert.deepEqual(shown(after(tool, done)), []);
    for (const kind of ["read", "search"]) {
      assert.deepEqual(shown(after(update({ kind, rawInput: { command: ["cat", "a"] } }), done)), []);
    }
  });
});

describe("the terminal of an agent", () => {
  const own = update({
    content: [{ type: "terminal", terminalId: "x" }],
    _meta: { terminal_info: { terminal_id: "x", cwd: "/w" } },
  });
  const data = (text: string, key = "terminal_output_delta"): JsonObject =>
    update({ _meta: { [key]: { terminal_id: "x", data: text } } });
  const completed = (rawOutput: unknown, meta: JsonObject = {}): JsonObject =>
    update({ status: "completed", rawOutput, _meta: meta });

  it("that is empty when the call ends is filled from raw output", () => {
    const exit = { terminal_exit: { terminal_id: "x", exit_code: 0, signal: null } };
    const end = completed({ stdout: "a\n", stderr: "", exit_code: 0 }, exit);
    assert.deepEqual(shown(after(call, own, end)), { output: "a\n", exit: { exitCode: 0 }, cwd: "/w" });
    const silent = update({ content: [{ type: "terminal", terminalId: "y" }] });
    const late = completed({ output: "a\n", exit_code: 3 });
    assert.deepEqual(shown(after(call, silent, late)), { output: "a\n", exit: { exitCode: 3 }, cwd: "/w" });
  });

  it("keeps its output when raw output is shorter or different, and takes raw output that continues it", () => {
    const streamed = [call, own, data("one\n"), data("two\n")];
    for (const raw of ["one\n", "…two\n", "Exit code: 0\nOutput:\none\ntwo\n", { stdout: "" }]) {
      const { output } = shown(after(...streamed, completed(raw))) as { readonly output: string };
      assert.equal(output, "one\ntwo\n");
    }
    const { output } = shown(after(...streamed, completed("one\ntwo\nthree\n"))) as { readonly output: string };
    assert.equal(output, "one\ntwo\nthree\n");
  });

  it("shows output that arrives after the end of the call once", () => {
    const late = after(call, own, completed("one\ntwo"), data("one\ntwo\n", "terminal_output"));
    assert.equal((shown(late) as { readonly output: string }).output, "one\ntwo\n");
  });

  it("is shown when only `_meta` names it", () => {
    const end = update({
      status: "completed",
      _meta: {
        terminal_output: { terminal_id: "x", data: "a\n" },
        terminal_output_delta: { terminal_id: "x", data: "a\n" },
        terminal_exit: { terminal_id: "x", exit_code: 1, signal: null },
      },
    });
    assert.deepEqual(shown(after(call, end)), { output: "a\n", exit: { exitCode: 1 }, cwd: undefined });
  });

  it("replaces text that repeats its output", () => {
    const end = update({
      status: "completed",
      content: [
        { type: "terminal", terminalId: "x" },
        { type: "content", content: { type: "text", text: "```\na\n```" } },
      ],
    });
    assert.deepEqual(shown(after(call, own, data("a\n"), end)), { output: "a\n", exit: undefined, cwd: "/w" });
  });

  it("ends with the signal that raw output names, although `_meta` has exit code 0", () => {
    const exit = { terminal_exit: { terminal_id: "x", exit_code: 0, signal: null } };
    const end = completed({ exitCode: 0, signal: 15, outcome: "cancelled" }, exit);
    assert.deepEqual((shown(after(call, own, data("a\n"), end)) as JsonObject)["exit"], {
      signal: "SIGTERM",
      cancelled: true,
    });
  });

  it("is not shown if the call failed with words and no output", () => {
    const raws = [
      { message: "The user rejected it.", code: "rejected" },
      { error: "no" },
      { error: { message: "no" } },
    ];
    for (const rawOutput of raws) {
      assert.deepEqual(shown(after(call, own, update({ status: "failed", rawOutput }))), []);
      assert.deepEqual(shown(after(call, update({ status: "failed", rawOutput }))), []);
    }
    const refused = update({ status: "failed", ...textContent("The user rejected it.") });
    assert.deepEqual(shown(after(call, own, refused)), ["content"]);
  });

  it("keeps output that is too long to be compared", () => {
    const long = "0123456789\n".repeat(100_000);
    const end = update({ status: "failed", rawOutput: { error: "It printed too much." } });
    const { output } = shown(after(call, own, data(long), data("end\n"), end)) as { readonly output: string };
    assert.ok(output.endsWith("9\nend\n") && output.length > 500_000, String(output.length));
  });

  it("keeps a message that contains the command by chance", () => {
    const listing = update({ kind: "execute", rawInput: { command: "ls" } });
    const message = "The tools\nwere stopped: ls failed.";
    const end = update({ status: "failed", ...textContent(message), rawOutput: { output: "a\nb" } });
    assert.deepEqual((shown(after(listing, end)) as JsonObject)["others"], [words(message)]);
  });

  it("is shown if the call failed with words and an exit code, or with output", () => {
    const withCode = update({ status: "failed", rawOutput: { error: "no", exit_code: 2 } });
    assert.deepEqual((shown(after(call, own, withCode)) as JsonObject)["exit"], { exitCode: 2 });
    const withOutput = update({ status: "failed", rawOutput: { error: "It took too long." } });
    assert.equal((shown(after(call, own, data("a\n"), withOutput)) as JsonObject)["output"], "a\n");
  });

  it("is not shown for a rejected question, although the agent repeats the refusal as output", () => {
    const upgrade = new V1Updates();
    const start = [...upgrade.update(call), ...upgrade.toolCall({ toolCallId: "t" })];
    upgrade.refused("t");
    const text = "User refused permission to run tool";
    const end = upgrade.update(
      update({ status: "failed", ...textContent(`\`\`\`\n${text}\n\`\`\``), rawOutput: text }),
    );
    assert.deepEqual(shown(stateOf([...start, ...end])), ["content"]);
  });

  it("is never one that Parley runs: neither its output nor its exit can be replaced", () => {
    const upgrade = new V1Updates();
    upgrade.clientTerminal("x");
    const exit = { terminal_exit: { terminal_id: "x", exit_code: 0, signal: null } };
    const events = [call, own, data("false"), completed("false", exit)].flatMap(one => upgrade.update(one));
    assert.deepEqual(
      events.filter(({ type }) => type !== "tool"),
      [],
    );
    assert.deepEqual(shown(stateOf(events)), { output: undefined, exit: undefined, cwd: undefined });
  });

  it("gets many pieces of output in time that grows with their number", () => {
    const upgrade = new V1Updates();
    for (const one of [call, own]) upgrade.update(one);
    const used = processorTime();
    const events = Array.from({ length: 20_000 }, (_, at) => upgrade.update(data(`${at}\n`))).flat();
    assert.equal(events.filter(({ type }) => type === "terminalOutput").length, 20_000);
    assert.equal(events.filter(({ type }) => type === "terminal").length, 0);
    assert.ok(used() < 5000, `${used()} ms`);
  });
});

describe("terminal output of a call that shows no terminal", () => {
  const read = update({ kind: "read", status: "in_progress", title: "Read a.md" });
  const prints = (data: string): JsonObject => update({ _meta: { terminal_output_delta: { data, terminal_id: "t" } } });
  const contentAfter = (...updates: readonly JsonObject[]): unknown => {
    const entry = after(...updates).entries.get(toolKey("t"));
    return entry?.kind === "tool" && entry.fields.content;
  };
  const done = update({ status: "completed", rawOutput: { exit_code: 0 } });

  it("is its text, which grows", () => {
    assert.deepEqual(contentAfter(read, prints("# A\n"), prints("b\n"), done), [words("# A\nb\n")]);
    assert.deepEqual(contentAfter(update({ kind: "search", ...(prints("a.md:1") as object) })), [words("a.md:1")]);
  });

  it("stays if the last update has an empty list of content", () => {
    assert.deepEqual(contentAfter(read, prints("# A\n"), { ...done, content: [] }), [words("# A\n")]);
  });

  it("is not shown beside other content, before or after it", () => {
    assert.deepEqual(contentAfter(read, { ...done, ...textContent("own") }, prints("# A")), [words("own")]);
    assert.deepEqual(contentAfter(read, prints("# A"), { ...done, ...textContent("own") }), [words("own")]);
  });

  it("becomes a terminal if the call turns out to run a command", () => {
    const state = after(
      update({ kind: "read" }),
      prints("a\n"),
      update({ kind: "execute", rawInput: { command: "ls" } }),
    );
    assert.deepEqual(shown(state), { output: "a\n", exit: undefined, cwd: undefined });
  });
});
