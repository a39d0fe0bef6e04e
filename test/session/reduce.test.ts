// The reducer: properties of a session's state for any stream of events.
import assert from "node:assert/strict";
import fc from "fast-check";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { shownContent } from "../../src/session/fileNotes.ts";
import { reduce } from "../../src/session/reduce.ts";
import {
  ruleAnswerText,
  emptySession,
  isBusy,
  openQuestions,
  shownToolStatus,
  type Entry,
  type SessionState,
  type ToolEntry,
} from "../../src/session/state.ts";
import { contentArb, eventArb, eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const fold = (events: readonly SessionEvent[], from: SessionState = emptySession): SessionState =>
  logged(events).reduce(reduce, from);
const plain = (state: SessionState): unknown => ({
  ...state,
  entries: [...state.entries],
  terminals: [...state.terminals],
  plans: [...state.plans],
});
const say = (text: string, messageId = "m", author: "user" | "agent" | "thought" = "agent"): SessionEvent => ({
  type: "messageChunk",
  author,
  messageId,
  content: { type: "text", text },
});
const tool = (toolCallId: string, patch: Extract<SessionEvent, { type: "tool" }>["patch"]): SessionEvent => ({
  type: "tool",
  toolCallId,
  patch,
});
const entry = (state: SessionState, id: string): Entry => {
  const found = state.entries.get(id);
  assert.ok(found, `there is no entry ${id}`);
  return found;
};
const problem = { message: "No.", next: ["retry"] } as const;

describe("the reducer, for any events,", () => {
  it("never throws, and reducing them again returns an equal state", () => {
    fc.assert(
      fc.property(eventsArb, events => {
        assert.deepEqual(plain(fold(events)), plain(fold(events)));
      }),
    );
  });

  it("does not modify the given state", () => {
    fc.assert(
      fc.property(eventsArb, eventArb, (events, event) => {
        const before = fold(events);
        const was = JSON.stringify(plain(before));
        reduce(before, { seq: 99, at: 99, event });
        assert.equal(JSON.stringify(plain(before)), was);
      }),
    );
  });

  it("keeps an entry at its first position", () => {
    fc.assert(
      fc.property(eventsArb, events => {
        let state = emptySession;
        for (const one of logged(events)) {
          const next = reduce(state, one);
          const ids = [...state.entries].map(e => e.id);
          assert.deepEqual(
            [...next.entries].slice(0, ids.length).map(e => e.id),
            ids,
          );
          state = next;
        }
        assert.equal(new Set([...state.entries].map(e => e.id)).size, state.entries.length);
      }),
    );
  });

  it("returns the same object if the event repeats the state", () => {
    const snapshots = new Set(["opened", "connection", "promptAccepted", "promptWithdrawn", "promptEdited", "promptMoved", "promptOnHold", "askOpened", "askClosed", "message", "tool",
      "terminal", "plan", "commands", "options", "option", "usage", "info", "compaction", "unknown", "cancelRequested", "file",
      "chosen", "choiceRefused", "choicesWaived"]); // prettier-ignore
    fc.assert(
      fc.property(
        eventsArb,
        eventArb.filter(event => snapshots.has(event.type)),
        (events, event) => {
          const once = reduce(fold(events), { seq: 98, at: 98, event });
          // The first event after a loss adds a notice. Only the following events are repetitions.
          const settled = reduce(once, { seq: 99, at: 99, event });
          assert.equal(reduce(settled, { seq: 100, at: 100, event: structuredClone(event) }), settled);
          if (event.type !== "connection") assert.equal(settled, once);
        },
      ),
    );
  });

  it("returns the same object for text that adds nothing", () => {
    const nothing = { type: "text", text: "" } as const;
    fc.assert(
      fc.property(eventsArb, events => {
        const state = fold([...events, say("x"), tool("a", { content: [] })]);
        for (const event of [
          say(""),
          { type: "toolChunk", toolCallId: "a", content: { type: "content", content: nothing } },
          { type: "terminalOutput", terminalId: "zz", text: "" },
        ] as const) {
          assert.equal(reduce(state, { seq: 99, at: 99, event }), state);
        }
      }),
    );
  });

  it("returns an equal state for any division of text into chunks", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.nat(100)), fc.array(contentArb), (text, places, others) => {
        const cuts = [...new Set(places.map(place => place % (text.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...cuts].map((from, i) => text.slice(from, cuts[i] ?? text.length));
        const rest = others.map((content): SessionEvent => ({
          type: "messageChunk",
          author: "agent",
          messageId: "m",
          content,
        }));
        const content = (state: SessionState): unknown => {
          const found = state.entries.get("m:agent:m");
          return found?.kind === "message" ? found.content : [];
        };
        const whole = fold([say(text), ...rest]);
        assert.deepEqual(content(fold([...pieces.map(piece => say(piece)), ...rest])), content(whole));
        const upsert: SessionEvent = {
          type: "message",
          author: "agent",
          messageId: "m",
          content: [...pieces.map(piece => ({ type: "text" as const, text: piece })), ...others],
        };
        assert.deepEqual(content(fold([upsert])), content(whole));
      }),
    );
  });

  it("settles a prompt by acceptance and echo, in either order", () => {
    fc.assert(
      fc.property(eventsArb, fc.boolean(), (events, echoFirst) => {
        const sent: SessionEvent = { type: "promptSent", submission: "s", content: [{ type: "text", text: "hi" }] };
        const acceptance: SessionEvent = { type: "promptAccepted", submission: "s", messageId: "echo" };
        const echo: SessionEvent = {
          type: "message",
          author: "user",
          messageId: "echo",
          content: [{ type: "text", text: "hi" }],
        };
        const before = fold([...events, sent]);
        const state = fold(echoFirst ? [echo, acceptance] : [acceptance, echo], before);
        assert.ok(!state.pendingPrompts.some(s => s.id === "s"));
        assert.equal(entry(state, "m:user:echo").kind, "message");
        const other = fold(echoFirst ? [acceptance, echo] : [echo, acceptance], before);
        const timeless = (one: SessionState): unknown => [...one.entries].map(e => ({ ...e, at: 0, until: 0 }));
        assert.deepEqual(timeless(state), timeless(other));
        assert.deepEqual(state.pendingPrompts, other.pendingPrompts);
      }),
    );
  });

  it("shows an equal view after a replay", () => {
    fc.assert(
      fc.property(eventsArb, events => {
        const projector = new WholeProjector();
        let state = emptySession;
        for (const one of logged(events)) projector.project((state = reduce(state, one)), emptyHead);
        assert.deepEqual(projector.project(state, emptyHead), new WholeProjector().project(fold(events), emptyHead));
      }),
    );
  });
});

describe("the reducer", () => {
  it("keeps a thought and a message with the same id apart", () => {
    const state = fold([say("hm", "m", "thought"), say("yes"), say("mm", "m", "thought")]);
    assert.deepEqual(
      [...state.entries].map(e => e.id),
      ["m:thought:m", "m:agent:m"],
    );
  });

  it("places a message at its first text, not at its announcement", () => {
    const state = fold([{ type: "message", author: "agent", messageId: "m" }, say("first", "n"), say("later")]);
    assert.deepEqual(
      [...state.entries].map(e => e.id),
      ["m:agent:n", "m:agent:m"],
    );
  });

  it("places no message for empty text, and adds no empty block after an image", () => {
    assert.equal(fold([say("")]).entries.length, 0);
    const picture = { type: "image", mimeType: "image/png", data: "AA==" } as const;
    const state = fold([{ type: "messageChunk", author: "agent", messageId: "m", content: picture }, say("")]);
    const found = entry(state, "m:agent:m");
    assert.deepEqual(found.kind === "message" && found.content, [picture]);
  });

  it("keeps absent fields of a tool call, clears null fields, and replaces the others", () => {
    const state = fold([
      tool("a", { title: "T", kind: "edit", status: "pending" }),
      tool("a", { title: null, status: "completed" }),
    ]);
    assert.deepEqual((entry(state, "t:a") as ToolEntry).fields, { kind: "edit", status: "completed" });
  });

  it("creates the tool call for an update without a preceding tool call", () => {
    assert.equal(entry(fold([tool("new", { status: "in_progress" })]), "t:new").kind, "tool");
  });

  it("closes everything the turn left open, and still applies a late end", () => {
    const running = fold([
      say("go", "u", "user"),
      { type: "activity", state: "running" },
      tool("a", { status: "in_progress" }),
      { type: "activity", state: "idle", stopReason: "cancelled" },
    ]);
    assert.equal(shownToolStatus(entry(running, "t:a") as ToolEntry, false), "cancelled");
    const late = fold([tool("a", { status: "completed" })], running);
    assert.equal(shownToolStatus(entry(late, "t:a") as ToolEntry, false), "done");
    assert.equal([...running.entries].at(-1)?.kind, "turnEnd");
  });

  it("shows a tool call as waiting while its question is open, whatever its reported status", () => {
    const state = fold([tool("a", { status: "completed" })]);
    assert.equal(shownToolStatus(entry(state, "t:a") as ToolEntry, true), "waiting");
  });

  describe("a call that the user allowed", () => {
    const options = [
      { id: "y", name: "Yes", kind: "allow_once" },
      { id: "n", name: "No", kind: "reject_once" },
    ];
    const ask = (answer: "y" | "n" | "cancelled", id = "q"): SessionEvent[] => [
      { type: "askOpened", ask: id, title: "?", toolCallId: "a", options },
      { type: "askClosed", ask: id, answer: answer === "cancelled" ? answer : { option: answer } },
    ];
    const pending = tool("a", { status: "pending" });
    const text = { type: "content", content: { type: "text", text: "1" } } as const;
    const rows: readonly [string, readonly SessionEvent[], ReturnType<typeof shownToolStatus>][] = [
      ["runs although the agent last reported it as pending", [pending, ...ask("y")], "running"],
      ["runs if the agent reported no status at all", [tool("a", { title: "T" }), ...ask("y")], "running"],
      [
        "keeps running while it reports only content",
        [pending, ...ask("y"), tool("a", { content: [text] })],
        "running",
      ],
      ["is pending again if the agent reports that after the answer", [pending, ...ask("y"), pending], "pending"],
      ["is what the agent reports next", [pending, ...ask("y"), tool("a", { status: "failed" })], "failed"],
      [
        "waits while another question about it is open",
        [pending, ...ask("y"), ...ask("y", "r").slice(0, 1)],
        "waiting",
      ],
      ["does not run if the next question is answered with No", [pending, ...ask("y"), ...ask("n", "r")], "pending"],
      ["does not run if the answer was No", [pending, ...ask("n")], "pending"],
      ["does not run if its question was cancelled", [pending, ...ask("cancelled")], "pending"],
      [
        "is cancelled when its turn ends",
        [{ type: "activity", state: "running" }, pending, ...ask("y"), { type: "activity", state: "idle" }],
        "cancelled",
      ],
      [
        "runs if a rule allowed it",
        [pending, { ...ask("y")[0], answer: { option: "y" }, by: "r" } as SessionEvent],
        "running",
      ],
    ];
    for (const [title, events, status] of rows) {
      it(title, () => {
        const state = fold(events);
        assert.equal(shownToolStatus(entry(state, "t:a") as ToolEntry, openQuestions(state).length > 0), status);
      });
    }
  });

  it("adds a notice of a turn's end only if the stop reason is unusual", () => {
    const turn = (stopReason: string): SessionState =>
      fold([
        { type: "activity", state: "running" },
        { type: "activity", state: "idle", stopReason },
      ]);
    assert.equal(turn("end_turn").entries.length, 0);
    for (const reason of ["max_tokens", "refusal", "max_turn_requests", "new_reason"]) {
      assert.equal(turn(reason).entries.at(0)?.kind, "turnEnd");
    }
  });

  it("keeps a refused prompt's text, followed by the reason", () => {
    const state = fold([
      { type: "promptSent", submission: "s", content: [{ type: "text", text: "hi" }] },
      { type: "promptFailed", submission: "s", problem },
    ]);
    assert.deepEqual(
      [...state.entries].map(e => e.kind),
      ["message", "problem"],
    );
    assert.deepEqual(state.pendingPrompts, []);
  });

  it("answers every question and stops being busy when the agent is lost, and keeps prompts that were not sent", () => {
    const state = fold([
      { type: "activity", state: "running" },
      { type: "promptSent", submission: "s", content: [] },
      { type: "askOpened", ask: "q", title: "?", options: [] },
      { type: "agentLost", problem },
    ]);
    assert.deepEqual(openQuestions(state), []);
    assert.equal(isBusy(state), false);
    assert.equal(state.pendingPrompts.length, 1);
    assert.equal(state.lost, problem);
  });

  it("answers a question once", () => {
    const asked = fold([
      { type: "askOpened", ask: "q", title: "?", options: [] },
      { type: "askClosed", ask: "q", answer: { option: "y" } },
    ]);
    const again = fold([{ type: "askClosed", ask: "q", answer: "cancelled" }], asked);
    assert.equal(again, asked);
  });

  it("shows a rule's answer at the tool call in question, otherwise in a notice", () => {
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }];
    const about = fold([
      tool("t", { title: "T" }),
      { type: "askOpened", ask: "q", title: "?", toolCallId: "t", options },
      { type: "askClosed", ask: "q", answer: { option: "y" }, by: "allow command “a”" },
    ]);
    assert.equal(about.entries.length, 1);
    assert.equal(about.questions[0] && ruleAnswerText(about.questions[0]), "Allowed by rule: allow command “a”");
    const own = fold([
      {
        type: "askOpened",
        ask: "q",
        title: "A wants to read /x",
        options: [{ id: "n", name: "No", kind: "reject_once" }],
      },
      { type: "askClosed", ask: "q", answer: { option: "n" }, by: "deny path “/x”" },
    ]);
    const [notice] = own.entries;
    assert.ok(notice?.kind === "notice" && notice.byRule);
    assert.equal(notice.title, "A wants to read /x. Refused by rule: deny path “/x”");
  });

  it("accepts a question that a rule has answered, and never shows it as open", () => {
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }];
    const state = fold([
      { type: "askOpened", ask: "q", title: "?", options, answer: { option: "y" }, by: "allow kind “read”" },
    ]);
    assert.deepEqual(openQuestions(state), []);
    const [notice] = state.entries;
    assert.ok(notice?.kind === "notice" && notice.title === "?. Allowed by rule: allow kind “read”");
  });

  it("does not mention rules if the user answered, or if there was no answer", () => {
    for (const answer of [{ option: "y" }, "cancelled"] as const) {
      const state = fold([
        { type: "askOpened", ask: "q", title: "?", options: [{ id: "y", name: "Yes", kind: "allow_once" }] },
        { type: "askClosed", ask: "q", answer, ...(answer === "cancelled" && { by: "deny path “/x”" }) },
      ]);
      assert.equal(state.entries.length, 0);
    }
  });

  it("adds a file note to the latest tool call with the file in its locations or diffs, and removes the note again", () => {
    const state = fold([
      tool("old", { locations: [{ path: "/w/a" }] }),
      tool("new", { content: [{ type: "diff", path: "/w/a", newText: "" }] }),
      { type: "file", path: "/w/a", note: "unsaved" },
    ]);
    const filesOf = (from: SessionState, id: string): unknown => (entry(from, `t:${id}`) as ToolEntry).files;
    assert.deepEqual([filesOf(state, "old"), filesOf(state, "new")], [undefined, [{ path: "/w/a", note: "unsaved" }]]);
    const diverged = fold([{ type: "file", path: "/w/a", note: "diverged" }], state);
    assert.deepEqual(filesOf(diverged, "new"), [{ path: "/w/a", note: "diverged" }]);
    assert.equal(filesOf(fold([{ type: "file", path: "/w/a", note: null }], diverged), "new"), undefined);
  });

  it("keeps the result of writes, from the first text before to the last text, and shows it instead of the reported diff", () => {
    const diff = { type: "diff", path: "/w/a", oldText: "a", newText: "b " } as const;
    const state = fold([
      tool("t", { content: [diff, { ...diff, path: "/w/other" }] }),
      { type: "fileResult", path: "/w/a", before: "a", after: "b" },
      { type: "fileResult", path: "/w/a", before: "b", after: "c" },
    ]);
    const content = shownContent(entry(state, "t:t") as ToolEntry);
    assert.deepEqual(content, [
      { ...diff, newText: "c", line: 1 },
      { ...diff, path: "/w/other" },
    ]);
    const unnamed: SessionEvent = { type: "fileResult", path: "/w/unnamed", before: "", after: "" };
    assert.equal(reduce(state, { seq: 9, at: 9, event: unnamed }), state);
  });

  it("shows a note about a file without a tool call in a notice, once", () => {
    const note: SessionEvent = { type: "file", path: "/w/a", note: "diverged" };
    const state = fold([note, note]);
    const [notice] = state.entries;
    assert.ok(state.entries.length === 1 && notice?.kind === "notice");
    assert.deepEqual(notice.files, [{ path: "/w/a", note: "diverged" }]);
    assert.equal(fold([{ type: "file", path: "/w/other", note: null }], state), state);
  });

  it("drops a terminal's oldest output beyond the limit, and marks that", () => {
    const line = `${"x".repeat(99)}\n`;
    const state = fold([
      { type: "terminalOutput", terminalId: "t", text: `first\n${line.repeat(9_999)}` },
      { type: "terminalOutput", terminalId: "t", text: line.repeat(2) },
    ]);
    const terminal = state.terminals.get("t");
    assert.ok(terminal?.truncated);
    assert.ok(terminal.output.length < 1_000_000 && terminal.output.startsWith(line) && terminal.output.endsWith(line));
  });

  it("reduces separate messages in linear time", () => {
    const time = (count: number): number => {
      const events = Array.from({ length: count }, (_, i) => say("word ", `m${i}`));
      const began = process.cpuUsage();
      assert.equal(fold(events).entries.length, count);
      return process.cpuUsage(began).user;
    };
    time(2000);
    const small = Math.min(time(2000), time(2000), time(2000));
    const large = Math.min(time(10_000), time(10_000));
    // Five times the messages, which would be twenty-five times the work if it were quadratic.
    assert.ok(large < small * 15 + 20_000, `${small} µs for 2,000 and ${large} µs for 10,000`);
  });
});
