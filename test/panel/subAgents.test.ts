// The work of a sub-agent: identified by the call that its updates name, shown in that call, and included in the copied
// text.
import assert from "node:assert/strict";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { conversationText } from "../../src/session/conversation/conversationText.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const inVendor = (parent: unknown): JsonObject => ({
  _meta: { someVendor: { toolName: "x", parentToolUseId: parent } },
});
const chunk = (text: string, more: JsonObject = {}): JsonObject => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...more,
});
const tool = (toolCallId: string, more: JsonObject = {}): JsonObject => ({
  ...{ sessionUpdate: "tool_call", toolCallId, title: `Call ${toolCallId}`, status: "completed" },
  ...more,
});
const state = (...updates: readonly JsonObject[]): SessionState => {
  const upgrade = new V1Updates();
  const { events } = upgrade.prompt([{ type: "text", text: "Who calls sum?" }]);
  return [...events, ...updates.flatMap(update => upgrade.update(update))].reduce<SessionState>(
    (s, event, seq) => reduce(s, { seq, at: seq, event }),
    emptySession,
  );
};
/** Entries as `kind text < parent`. */
const shown = (...updates: readonly JsonObject[]): readonly string[] =>
  new WholeProjector()
    .project(state(...updates), emptyHead)
    .entries.slice(1)
    .map(words);
const words = (entry: ViewEntry): string => {
  const text =
    entry.kind === "tool"
      ? entry.title
      : "parts" in entry && entry.parts[0]?.type === "text"
        ? entry.parts[0].text
        : "";
  return `${entry.kind} ${text}${"parent" in entry ? ` < ${entry.parent}` : ""}`;
};

describe("a sub-agent", () => {
  it("is identified by the call that its updates name, under any vendor's field name", () => {
    const bare = { _meta: { parentToolCallId: "s" } };
    assert.deepEqual(shown(tool("s"), tool("a", inVendor("s")), tool("b", bare), chunk("c", inVendor("s"))), [
      "tool Call s",
      "tool Call a < t:s",
      "tool Call b < t:s",
      "agent c < t:s",
    ]);
  });

  it("does not interrupt the messages of its agent, nor of another sub-agent", () => {
    const updates = [tool("s"), tool("z"), chunk("I "), chunk("one ", inVendor("s")), chunk("two ", inVendor("z"))];
    assert.deepEqual(shown(...updates, tool("n", inVendor("s")), chunk("wait"), chunk("end", inVendor("z"))), [
      "tool Call s",
      "tool Call z",
      "agent I wait",
      "agent one  < t:s",
      "agent two end < t:z",
      "tool Call n < t:s",
    ]);
  });

  it("is shown at the top level if its call is missing, arrives later, or is the update itself", () => {
    for (const parent of ["missing", "late", "a", "", 7, null])
      assert.deepEqual(shown(tool("a", inVendor(parent)), tool("late")), ["tool Call a", "tool Call late"]);
  });

  it("receives instructions that do not become a prompt of the user", () => {
    const instruction = {
      sessionUpdate: "user_message_chunk",
      content: { type: "text", text: "Look!" },
      ...inVendor("s"),
    };
    const running = tool("s", { status: "in_progress" });
    const upgrade = new V1Updates();
    const after = [
      ...upgrade.prompt([{ type: "text", text: "Go" }]).events,
      ...[running, instruction].flatMap(update => upgrade.update(update)),
      ...upgrade.turnEnded("cancelled"),
    ].reduce<SessionState>((s, event, seq) => reduce(s, { seq, at: seq, event }), emptySession);
    assert.deepEqual(
      new WholeProjector().project(after, emptyHead).entries.map(entry => entry.kind),
      ["user", "tool", "user", "turnEnd"],
    );
    const [, card] = new WholeProjector().project(after, emptyHead).entries;
    assert.ok(card?.kind === "tool" && card.status === "cancelled", "the end of the turn closes its call");
  });
});

describe("a copied conversation", () => {
  it("is Markdown: prompts and answers as quotes, tool calls as a list, and sub-agents in the items of their calls", () => {
    const diff = { content: [{ type: "diff", path: "/w/a.ts", oldText: "a", newText: "b" }] };
    const text = conversationText(
      state(
        chunk("I **look**."),
        tool("s"),
        tool("a", inVendor("s")),
        chunk("Found.", inVendor("s")),
        {
          ...{ sessionUpdate: "compaction_update", compactionId: "k", status: "completed" },
          ...{ summary: [{ type: "text", text: "Looked." }], ...inVendor("s") },
        },
        tool("e", diff),
        chunk("Done."),
      ),
    );
    assert.equal(
      text,
      [
        "# Who calls sum?",
        "## You (reported by the agent)\n\n> Who calls sum?\n\n## Agent",
        "> I **look**.",
        "- Call s (done)",
        "  - Call a (done)",
        "  - Answer of the sub-agent\n\n    > Found.",
        "  - Summary of the sub-agent’s conversation so far\n\n    > Looked.",
        "- Call e (done): /w/a.ts",
        "> Done.\n",
      ].join("\n\n"),
    );
  });

  it("says how a command ended that did not succeed", () => {
    const command = (id: string, rawOutput: JsonObject, status = "completed"): JsonObject =>
      tool(id, {
        kind: "execute",
        status,
        rawInput: { command: "npm test" },
        rawOutput: { output: "a", ...rawOutput },
      });
    const text = conversationText(
      state(
        command("a", { exitCode: 0 }),
        command("b", { exitCode: 3 }),
        command("c", { signal: 9 }),
        command("d", { outcome: "cancelled" }, "failed"),
      ),
    );
    const lines = ["- Call a (done)", "- Call b (exit code 3)", "- Call c (ended by SIGKILL)", "- Call d (cancelled)"];
    assert.equal(text.split("\n\n").slice(4).join("\n"), `${lines.join("\n")}\n`);
  });
});
