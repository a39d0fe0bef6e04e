// Agents report the output of the commands they run in different ways. All of them become the same terminal.
import assert from "node:assert/strict";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, toolKey, type SessionState } from "../../src/session/state.ts";

const update = (more: JsonObject): JsonObject => ({ sessionUpdate: "tool_call_update", toolCallId: "t", ...more });
const textContent = (text: string): JsonObject => ({ content: [{ type: "content", content: { type: "text", text } }] });
const call: JsonObject = update({ kind: "execute", status: "pending", rawInput: { command: "npm test", cwd: "/w" } });

function after(...updates: readonly JsonObject[]): SessionState {
  const upgrade = new V1Updates();
  return updates
    .flatMap(one => upgrade.update(one))
    .reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);
}

/** What the tool call shows: its terminal, or the kinds of its content. */
function shown(state: SessionState): unknown {
  const entry = state.entries.get(toolKey("t"));
  assert.ok(entry?.kind === "tool");
  const content = entry.fields.content ?? [];
  const [item] = content;
  if (item?.type !== "terminal") return content.map(({ type }) => type);
  const { output, exit, cwd } = state.terminals.get(item.terminalId) ?? {};
  return { output, exit, cwd };
}

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
});
