// Of two diffs of one change, the one that shows more of the file is kept.
import assert from "node:assert/strict";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

type FileDiff = Extract<ToolContent, { type: "diff" }>;
const diff = (oldText: string, newText: string, path = "/w/a"): FileDiff => ({ type: "diff", path, oldText, newText });
const shown = (...contents: readonly (readonly ToolContent[])[]): readonly ToolContent[] => {
  const events = contents.map((content): SessionEvent => ({ type: "tool", toolCallId: "t", patch: { content } }));
  const state = events.reduce<SessionState>((all, event, seq) => reduce(all, { seq, at: seq, event }), emptySession);
  const [entry] = state.entries;
  return entry?.kind === "tool" ? (entry.fields.content ?? []) : [];
};

describe("a diff followed by a smaller diff of the same change", () => {
  const whole = diff("one\ntwo\nthree\ntwo\nfour\n", "one\ntwo\nthree\n2\nfour\n");

  it("is kept, also if the fragment occurs in the file more than once", () => {
    assert.deepEqual(shown([whole], [diff("two", "2")]), [whole]);
    assert.deepEqual(shown([whole], [diff("three\ntwo", "three\n2"), { type: "other", kind: "x", raw: 1 }]), [
      whole,
      { type: "other", kind: "x", raw: 1 },
    ]);
  });

  it("is replaced by a diff of another change, of another file, or by a larger diff", () => {
    for (const next of [diff("two", "3"), diff("two", "2", "/w/b"), diff("", "2"), diff("one\ntwo", "one\n2")]) {
      assert.deepEqual(shown([whole], [next]), [next]);
    }
    assert.deepEqual(shown([diff("two", "2")], [whole]), [whole]);
    assert.deepEqual(shown([whole], []), []);
  });
});

describe("the line of a diff", () => {
  const fold = (events: readonly SessionEvent[], from = emptySession): SessionState =>
    events.reduce((all, event, seq) => reduce(all, { seq, at: seq, event }), from);
  const call = (...content: readonly ToolContent[]): SessionEvent => ({
    type: "tool",
    toolCallId: "t",
    patch: { content },
  });
  const linesAt = (item: number, toolCallId = "t"): SessionEvent => ({
    type: "diffLines",
    toolCallId,
    lines: [{ item, line: 7 }],
  });
  const contentOf = (state: SessionState): unknown => {
    const entry = state.entries.at(0);
    return entry?.kind === "tool" ? entry.fields.content : undefined;
  };
  const one = diff("a", "b");
  const text: ToolContent = { type: "content", content: { type: "text", text: "x" } };
  const placed = fold([call(one, text), linesAt(0)]);

  it("is kept if the diff is sent again, and not for another diff", () => {
    assert.deepEqual(contentOf(placed), [{ ...one, line: 7 }, text]);
    assert.equal(fold([call(one, text)], placed), placed);
    assert.deepEqual(contentOf(fold([call(text, one)], placed)), [text, { ...one, line: 7 }]);
    for (const other of [diff("a", "c"), diff("c", "b"), diff("a", "b", "/w/b")])
      assert.deepEqual(contentOf(fold([call(other)], placed)), [other]);
  });

  it("is ignored for other content and for unknown calls", () => {
    for (const event of [linesAt(0), linesAt(1), linesAt(2), linesAt(0, "other")])
      assert.equal(fold([event], placed), placed);
  });
});
