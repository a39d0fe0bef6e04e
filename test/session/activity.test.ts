// What turns, their ends and the starts of an agent change in a session.
import assert from "node:assert/strict";
import { conversationForAgent } from "../../src/session/conversation/conversationForAgent.ts";
import { conversationText } from "../../src/session/conversation/conversationText.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

const fold = (events: readonly SessionEvent[], from: SessionState = emptySession): SessionState =>
  logged(events).reduce(reduce, from);
const say = (text: string, messageId = "m", author: "user" | "agent" = "agent"): SessionEvent => ({
  type: "messageChunk",
  author,
  messageId,
  content: { type: "text", text },
});

describe("a session", () => {
  it("keeps a finished plan until the next turn begins, and an unfinished one longer", () => {
    const entries = (status: string): Extract<SessionEvent, { type: "plan" }>["entries"] => [
      { content: "One", priority: "medium", status: "completed" },
      { content: "Two", priority: "medium", status },
    ];
    const planned = fold([
      { type: "activity", state: "running" },
      { type: "plan", planId: "done", entries: entries("completed") },
      { type: "plan", planId: "dropped", entries: entries("cancelled") },
      { type: "plan", planId: "open", entries: entries("pending") },
      { type: "activity", state: "requires_action" },
      { type: "activity", state: "running" },
      { type: "activity", state: "idle", stopReason: "end_turn" },
    ]);
    assert.deepEqual([...planned.plans.keys()], ["done", "dropped", "open"]);
    assert.deepEqual([...fold([{ type: "activity", state: "running" }], planned).plans.keys()], ["open"]);
  });

  it("ends the plans of an agent that starts again, and keeps the title of the conversation", () => {
    const talk = fold([
      { type: "connection", state: "opening" },
      { type: "info", title: "Early name" },
      say("hi", "m", "user"),
      { type: "info", title: "Sums" },
      { type: "plan", planId: "plan", entries: [{ content: "One", priority: "medium", status: "pending" }] },
    ]);
    const again = fold(
      [
        { type: "connection", state: "opening" },
        { type: "info", title: "New session" },
      ],
      talk,
    );
    assert.deepEqual([again.title, again.plans.size], ["Sums", 0]);
    assert.equal(fold([{ type: "info", title: null }], again).title, "Sums");
    // There was no message yet, so the title of the new start is about all of the conversation.
    const opened = fold([
      { type: "connection", state: "opening" },
      { type: "info", title: "One" },
    ]);
    const reopened = fold(
      [
        { type: "connection", state: "opening" },
        { type: "info", title: "Two" },
      ],
      opened,
    );
    assert.equal(reopened.title, "Two");
  });

  it("has the usage of a turn from its end until the next turn or start of the agent", () => {
    const running: SessionEvent = { type: "activity", state: "running" };
    const ended = fold([
      running,
      say("hi"),
      { type: "usage", used: 1, size: 2 },
      { type: "activity", state: "idle", stopReason: "end_turn", usage: { input: 5 } },
    ]);
    assert.deepEqual(ended.turnUsage, { input: 5 });
    assert.equal(fold([running], ended).turnUsage, null);
    assert.equal(fold([running, { type: "activity", state: "idle" }], ended).turnUsage, null);
    const again = fold([{ type: "connection", state: "opening" }], ended);
    assert.deepEqual([again.usage, again.turnUsage], [null, null]);
  });

  it("shows repeated retries of the agent as one line, until something else happens", () => {
    const retry = (title: string): SessionEvent => ({ type: "notice", severity: "info", title, retry: true });
    const state = fold([retry("1/5"), retry("2/5"), say("Connected."), retry("1/5")]);
    assert.deepEqual(
      [...state.entries].map(each => (each.kind === "notice" ? each.title : each.kind)),
      ["2/5", "message", "1/5"],
    );
    const info: SessionEvent = { type: "notice", severity: "info", title: "Note" };
    assert.equal(fold([info, retry("1/5"), info]).entries.length, 3);
  });

  describe("in a turn of an agent that retries", () => {
    const running: SessionEvent = { type: "activity", state: "running" };
    const end: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
    const retry = (title: string, turn?: string): SessionEvent => ({
      ...{ type: "notice", severity: "info", title, retry: true },
      ...(turn !== undefined && { turn }),
    });
    const prompt = (id: string): readonly SessionEvent[] => [say(id, id, "user"), running];
    /** The retries that are shown, and `-` for each that is hidden. */
    const lines = (state: SessionState): readonly string[] =>
      [...state.entries].flatMap(each => (each.kind === "notice" ? [each.over ? "-" : each.title] : []));

    it("shows the retry until the turn goes on or has ended well", () => {
      const retrying = [...prompt("p"), retry("1/5", "t1")];
      assert.deepEqual(lines(fold(retrying)), ["1/5"]);
      const more: readonly SessionEvent[] = [
        say("yes"),
        { type: "messageChunk", author: "thought", messageId: "n", content: { type: "text", text: "hm" } },
        { type: "tool", toolCallId: "c", patch: { title: "Look" } },
        { type: "plan", planId: "p", entries: [] },
        end,
      ];
      for (const event of more) assert.deepEqual(lines(fold([...retrying, event])), ["-"], event.type);
    });

    it("shows the retry while only a sub-agent or the user goes on, and after a failure or a stop", () => {
      const retrying = [...prompt("p"), retry("1/5", "t1")];
      const more: readonly SessionEvent[] = [
        { type: "messageChunk", author: "agent", messageId: "n", content: { type: "text", text: "hm" }, parent: "c" },
        say("and", "u", "user"),
        { type: "usage", used: 1, size: 2 },
      ];
      for (const event of more) assert.deepEqual(lines(fold([...retrying, event])), ["1/5"], event.type);
      const ends: readonly SessionEvent[] = [
        { type: "activity", state: "idle", stopReason: "cancelled" },
        { type: "activity", state: "idle", stopReason: "error", problem: { message: "It failed.", next: [] } },
      ];
      for (const event of ends) {
        const next = [event, ...prompt("q"), say("yes", "b")];
        assert.deepEqual(lines(fold([...retrying, ...next])), ["1/5"]);
      }
    });

    it("shows a report once, however often the agent repeats it", () => {
      for (const turn of ["t1", undefined]) {
        const again = retry("5/5", turn);
        const answered = fold([...prompt("p"), retry("4/5", turn), again, again, say("yes"), again]);
        assert.deepEqual(lines(answered), ["-"]);
        const idle = fold([end, again, again], answered);
        assert.deepEqual(lines(idle), ["-"]);
        assert.equal(idle, fold([again], idle));
        assert.deepEqual(lines(fold([...prompt("q"), say("sure", "b"), again, end, again], idle)), ["-"]);
      }
    });

    it("never shows the report of an earlier turn, whatever its text", () => {
      const answered = fold([...prompt("p"), retry("1/5", "t1"), say("yes"), end, retry("5/5", "t1")]);
      assert.deepEqual(lines(fold([...prompt("q"), retry("5/5", "t1"), retry("4/5", "t1")], answered)), ["-"]);
      // A session that was resumed has not seen the turn.
      const resumed = fold([retry("1/5", "t0"), ...prompt("p"), retry("1/5", "t0")]);
      assert.deepEqual(lines(resumed), []);
    });

    it("shows the same text again in a later turn that retries", () => {
      for (const [first, second] of [
        ["t1", "t2"],
        [undefined, undefined],
      ] as const) {
        // prettier-ignore
        const answered = fold([...prompt("p"), retry("1/5", first), say("yes"), end]);
        const retrying = fold([...prompt("q"), retry("1/5", second)], answered);
        assert.deepEqual(lines(retrying), ["-", "1/5"]);
        assert.deepEqual(lines(fold([say("yes", "b"), retry("1/5", second)], retrying)), ["-", "-"]);
      }
    });

    it("leaves the retry out of the text of the conversation once the turn has gone on", () => {
      const retrying = fold([...prompt("p"), retry("Again 1/5", "t1")]);
      assert.match(conversationText(retrying), /Again 1\/5/);
      assert.doesNotMatch(conversationText(fold([say("yes")], retrying)), /Again/);
    });
  });

  it("excludes the prompt of a refused turn and everything after it, but neither what came before nor the next turn", () => {
    const prompt = (id: string): readonly SessionEvent[] => [
      { type: "promptSent", submission: id, content: [{ type: "text", text: id }] },
      { type: "message", author: "user", messageId: `m${id}`, content: [{ type: "text", text: id }] },
      { type: "activity", state: "running" },
      { type: "promptAccepted", submission: id, messageId: `m${id}` },
    ];
    const refused = fold([
      ...prompt("1"),
      say("answer", "a1"),
      { type: "activity", state: "idle", stopReason: "end_turn" },
      ...prompt("2"),
      { type: "tool", toolCallId: "t", patch: { title: "Look", status: "in_progress" } },
      // A message of the user that the agent reports begins no turn.
      say("reported", "u2", "user"),
      { type: "activity", state: "idle", stopReason: "refusal" },
      // A late report about the turn changes nothing about that.
      { type: "tool", toolCallId: "t", patch: { status: "completed" } },
      ...prompt("3"),
      say("answer", "a3"),
      { type: "activity", state: "idle", stopReason: "end_turn" },
    ]);
    assert.deepEqual(
      [...refused.entries].map(entry => [entry.id, entry.excluded ?? false]),
      [
        ["m:user:m1", false],
        ["m:agent:a1", false],
        ["m:user:m2", true],
        ["t:t", true],
        ["m:user:u2", true],
        ["e:1", true],
        ["m:user:m3", false],
        ["m:agent:a3", false],
      ],
    );
    const text = conversationText(refused);
    assert.match(text, /## You \(no longer part of the conversation\)\n\n> 2\n/);
    assert.match(text, /\*The agent declined to answer\.\*\n\n## You\n\n> 3\n/);
    assert.match(text, /^## You\n\n> 1\n/m);
    const forAgent = conversationForAgent(refused, "m:user:m3", 1000)
      .sections.map(section => section.text)
      .join("\n\n");
    assert.match(forAgent, /answer/);
    assert.doesNotMatch(forAgent, /Look|reported|declined/);
  });
});
