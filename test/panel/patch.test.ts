// Views and the messages to a panel: patches and how they are applied.
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyViewPatches, diffViews } from "../../src/panel/patch.ts";
import type { View, ViewPatch } from "../../src/panel/protocol.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession } from "../../src/session/state.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { emptyHead } from "../support/fakes/heads.ts";

/** The view after each event. */
function viewsOf(events: readonly SessionEvent[], projector = new WholeProjector()): View[] {
  let state = emptySession;
  return [
    projector.project(emptySession, emptyHead),
    ...logged(events).map(one => projector.project((state = reduce(state, one)), emptyHead)),
  ];
}
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const say = (text: string, messageId = "m"): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId,
  content: { type: "text", text },
});
const between = (from: readonly SessionEvent[], more: readonly SessionEvent[]): readonly ViewPatch[] => {
  const views = viewsOf([...from, ...more]);
  return diffViews(views[from.length] as View, views.at(-1) as View);
};

describe("a panel that receives patches", () => {
  it("holds the current view after any events and any pauses between messages", () => {
    fc.assert(
      fc.property(eventsArb, fc.array(fc.boolean(), { minLength: 61, maxLength: 61 }), (events, flushes) => {
        const views = viewsOf(events);
        let sent = views[0] as View;
        let panel = json(sent);
        for (const [at, view] of views.entries()) {
          if (!flushes[at] && at < views.length - 1) continue;
          panel = applyViewPatches(panel, json(diffViews(sent, view)));
          sent = view;
          assert.deepEqual(panel, json(view));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("can go from any view of the session to any other", () => {
    fc.assert(
      fc.property(eventsArb, fc.nat(60), fc.nat(60), (events, a, b) => {
        const views = viewsOf(events);
        const from = views[a % views.length] as View;
        const to = views[b % views.length] as View;
        assert.deepEqual(applyViewPatches(json(from), json(diffViews(from, to))), json(to));
      }),
    );
  });

  it("receives nothing when nothing changed, also from another projector", () => {
    fc.assert(
      fc.property(eventsArb, events => {
        const [a, b] = [viewsOf(events).at(-1) as View, viewsOf(events).at(-1) as View];
        assert.deepEqual(diffViews(a, b), []);
        assert.equal(applyViewPatches(a, []), a);
      }),
    );
  });

  it("does not modify the view it had", () => {
    fc.assert(
      fc.property(eventsArb, events => {
        const views = viewsOf(events);
        const first = json(views[0] as View);
        const was = json(first);
        applyViewPatches(first, diffViews(views[0] as View, views.at(-1) as View));
        assert.deepEqual(first, was);
      }),
    );
  });
});

describe("a patch", () => {
  it("of a head without a key that it had removes the key", () => {
    const shown = (folder?: string): View =>
      new WholeProjector().project(emptySession, { ...emptyHead, ...(folder !== undefined && { folder }) });
    const [among, alone] = [shown("worktree"), shown()];
    assert.deepEqual(diffViews(among, alone), [{ op: "head", head: {}, gone: ["folder"] }]);
    for (const [from, to] of [
      [among, alone],
      [alone, among],
    ] as const)
      assert.deepEqual(applyViewPatches(json(from), json(diffViews(from, to))), json(to));
  });

  it("of streamed text is the text alone", () => {
    const patches = between([say("Hello")], [say(", "), say("you")]);
    assert.deepEqual(patches, [{ op: "append", id: "m:agent:m", part: 0, text: ", you" }]);
  });

  it("of a terminal's output is the output alone", () => {
    const shown: SessionEvent = {
      type: "tool",
      toolCallId: "t",
      patch: { content: [{ type: "terminal", terminalId: "x" }] },
    };
    const out = (text: string): SessionEvent => ({ type: "terminalOutput", terminalId: "x", text });
    assert.deepEqual(between([shown, out("a\n")], [out("b\n")]), [{ op: "append", id: "t:t", part: 0, text: "b\n" }]);
  });

  it("of diffs whose lines were found is the lines alone", () => {
    const diff = (text: string): ToolContent => ({ type: "diff", path: "/a", oldText: `${text}\n`, newText: "new\n" });
    const calls = (toolCallId: string): SessionEvent => ({
      type: "tool",
      toolCallId,
      patch: { title: "Edit", content: [diff("one"), { type: "other", kind: "x", raw: {} }, diff("two")] },
    });
    const found = (lines: readonly { readonly item: number; readonly line: number }[]): SessionEvent => ({
      type: "diffLines",
      toolCallId: "t",
      lines,
    });
    const before = [calls("s"), calls("t")];
    const patches = between(before, [found([{ item: 0, line: 7 }]), found([{ item: 2, line: 1 }])]);
    assert.deepEqual(patches, [{ op: "place", at: 1, lines: [[0, 7], [2, 1]] }]); // prettier-ignore
    // A line that was wrong, and a line together with another change.
    const again = [...before, found([{ item: 0, line: 7 }])];
    const others: SessionEvent = { type: "tool", toolCallId: "t", patch: { title: "Edited" } };
    const ops = [[found([{ item: 0, line: 8 }])], [found([{ item: 2, line: 8 }]), others]].map(more =>
      between(again, more).map(({ op }) => op),
    );
    assert.deepEqual(ops, [["put"], ["put"]]);
  });

  it("of replaced text, or of text together with another change, is the whole entry", () => {
    const text = (words: string): SessionEvent => ({
      type: "tool",
      toolCallId: "t",
      patch: { content: [{ type: "content", content: { type: "text", text: words } }] },
    });
    assert.deepEqual(
      between([text("one")], [text("two")]).map(patch => patch.op),
      ["put"],
    );
    const shown: SessionEvent = {
      type: "tool",
      toolCallId: "t",
      patch: { content: [{ type: "terminal", terminalId: "x" }] },
    };
    const last: readonly SessionEvent[] = [
      { type: "terminalOutput", terminalId: "x", text: "b" },
      { type: "terminal", terminalId: "x", exit: { exitCode: 0 } },
    ];
    assert.deepEqual(
      between([shown, { type: "terminalOutput", terminalId: "x", text: "a" }], last).map(patch => patch.op),
      ["put"],
    );
  });

  it("of one changed entry among many is that entry", () => {
    const many = Array.from({ length: 300 }, (_, i) => say("x", `m${i}`));
    const patches = between(many, [{ type: "tool", toolCallId: "t", patch: { title: "T" } }]);
    assert.deepEqual(
      patches.map(patch => (patch.op === "put" ? patch.at : patch.op)),
      [300],
    );
  });

  it("of a missing entry marks the panel as stale", () => {
    const [view] = viewsOf([]) as [View];
    assert.throws(() => applyViewPatches(view, [{ op: "append", id: "gone", part: 0, text: "x" }]), /no entry gone/);
    assert.throws(
      () => applyViewPatches(view, [{ op: "put", at: 3, entry: { id: "a", kind: "turnEnd", stopReason: "x", at: 0 } }]),
      /no entry 3/,
    );
    const [, one] = viewsOf([say("a")]) as [View, View];
    assert.throws(() => applyViewPatches(one, [{ op: "append", id: "m:agent:m", part: 7, text: "x" }]), /no part 7/);
    assert.throws(() => applyViewPatches(one, [{ op: "place", at: 1, lines: [] }]), /no entry 1/);
    assert.throws(() => applyViewPatches(one, [{ op: "place", at: 0, lines: [[0, 1]] }]), /not a diff/);
  });

  it("can shorten the transcript, for views of two sessions", () => {
    const long = viewsOf([say("a", "1"), say("b", "2")]).at(-1) as View;
    const short = viewsOf([say("c", "3")]).at(-1) as View;
    assert.deepEqual(applyViewPatches(json(long), json(diffViews(long, short))), json(short));
  });
});
