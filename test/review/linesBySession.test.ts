// The lines of each session that wait for review.
import assert from "node:assert/strict";
import type { Hunk } from "../../src/review/hunk.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import { linesBySession } from "../../src/review/turns/linesBySession.ts";

const hunk = (id: string, removed: number, added: number, ...turns: readonly string[]): Hunk => ({
  ...{ id, turns, base: { from: 1, to: 1 + removed }, text: { from: 1, to: 1 + added } },
});
const file = (path: string, ...hunks: readonly Hunk[]): ReviewedFile => ({
  ...{ path, added: 0, removed: 0, turns: [] },
  changes: { base: "", text: "", hunks, nextId: 9, kept: [] },
});

describe("the changed lines of sessions", () => {
  it("count each hunk for its sessions once, and no hunk without a session", () => {
    const session = (id: string): object => ({ session: { id, title: id } });
    const turns = [
      { id: "t1", title: "", ...session("a") },
      { id: "t2", title: "", ...session("a") },
      { id: "t3", title: "", ...session("b") },
      { id: "t4", title: "" },
    ];
    const files = [
      file("/x", hunk("1", 2, 3, "t1", "t2"), hunk("2", 1, 0, "t2", "t3")),
      file("/y", hunk("1", 5, 5, "t4")),
    ];
    assert.deepEqual(Object.fromEntries(linesBySession({ files, turns })), {
      a: { added: 3, removed: 3 },
      b: { added: 0, removed: 1 },
    });
  });
});
