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
