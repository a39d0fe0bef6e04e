// The changes of a session in files that several sessions changed.
import assert from "node:assert/strict";
import { changesOfSession } from "../../src/editorTools/sessionChanges.ts";
import { applyAgentEdit, track } from "../../src/review/fileChanges.ts";
import type { FileChanges } from "../../src/review/hunk.ts";
import type { ReviewedFile } from "../../src/review/review.ts";

const file = (path: string, changes: FileChanges, turns: readonly string[]): ReviewedFile => ({
  ...{ path, changes, turns, added: 1, removed: 1 },
});
const turn = (id: string, session: string) => ({ id, title: "", session: { id: session, title: session } });
const turns = [turn("t1", "a"), turn("t2", "b"), { id: "t3", title: "" }];

describe("the changes of a session", () => {
  it("have its own hunks of a file that another session changed too", () => {
    const first = track("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "t1");
    const both = applyAgentEdit(first, "one\n2\n3\n4\nfive\n", "t2");
    const shared = applyAgentEdit(both, "ONE\n2\n3\n4\nfive\n", "t2");
    const linesOf = (changes: FileChanges, session: string): readonly number[] =>
      changesOfSession({ files: [file("/ws/a", changes, ["t1", "t2"])], turns }, session).flatMap(one =>
        one.changes.hunks.map(hunk => hunk.text.from),
      );
    assert.deepEqual([linesOf(both, "a"), linesOf(both, "b")], [[0], [4]]);
    assert.deepEqual([linesOf(shared, "a"), linesOf(shared, "b")], [[0], [0, 4]]);
  });

  it("have files that are changed as a whole, and none of other sessions", () => {
    const whole = { ...file("/ws/image", track("a", "a", "t1"), ["t1"]), unknown: "The file is not a text." };
    const others = ["t2", "t3"].map(id => file(`/ws/${id}`, track("a\n", "b\n", id), [id]));
    assert.deepEqual(changesOfSession({ files: [...others, whole], turns }, "a"), [whole]);
  });
});
