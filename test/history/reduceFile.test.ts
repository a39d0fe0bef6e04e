// What the reducer forgets: what the user meant to do with a file and did not.
import assert from "node:assert/strict";
import { ReducedHistory } from "../support/fakes/reducedHistory.ts";

const path = "/w/a.txt";

/** A turn, in which a call runs, of a window that has seen the file with this text. */
function turnWith(text: string | null): ReducedHistory {
  const history = new ReducedHistory({ callInTurns: true });
  history.feed({ at: 1000, type: "textSeen", path, text });
  history.feed({ at: 2000, type: "turnBegan", turn: "1", title: "Go", session: "s", sessionTitle: "S" });
  return history;
}

describe("a record of a file forgets", () => {
  it("the text of a decision that failed, so a later change to it has an author", () => {
    const history = turnWith("two\n");
    history.feed({ at: 3000, type: "decisionBegan", path, text: "one\n" });
    assert.deepEqual(history.record(path).decided, { text: "one\n" });
    history.feed({ at: 3100, type: "decisionFailed", path });
    assert.equal(history.record(path).decided, undefined);
  });

  it("an operation of the user that only began, after some time", () => {
    const reasonAt = (at: number): string | undefined => {
      const history = turnWith(null);
      history.feed({ at: 3000, type: "userBegan", path });
      history.feed({ at, type: "diskSeen", path, text: "made\n", changedAt: at - 100 });
      return history.changes.at(-1)?.why;
    };
    assert.match(reasonAt(4000) ?? "", /^You moved, deleted or created/);
    assert.doesNotMatch(reasonAt(300_000) ?? "", /^You moved/);
  });
});

describe("a record of a file takes in", () => {
  it("the text that a write of the agent has left, also if a formatter changed it", () => {
    const history = turnWith("one\n");
    history.feed({ at: 2500, type: "textSeen", path, text: "one\n" });
    history.feed({ at: 3000, type: "writeBegan", path, turn: "1", text: "two\n" });
    history.feed({ at: 3100, type: "writeEnded", path, turn: "1" });
    history.feed({ at: 3200, type: "diskSeen", path, text: "two;\n", written: "1" });
    assert.deepEqual(history.changes, [
      { path, author: { kind: "agent", turn: "1" }, text: "two;\n", before: "one\n" },
    ]);
  });

  it("both texts of a decision that moves the file and changes it, so neither has an author", () => {
    const history = turnWith(null);
    history.feed({ at: 3000, type: "decisionBegan", path, text: "moved\n" });
    history.feed({ at: 3100, type: "decisionBegan", path, text: "undone\n" });
    history.feed({ at: 3200, type: "diskSeen", path, text: "moved\n", changedAt: 3050 });
    history.feed({ at: 3300, type: "diskSeen", path, text: "undone\n", changedAt: 3250 });
    assert.deepEqual(history.changes, []);
    history.feed({ at: 3400, type: "diskSeen", path, text: "other\n", changedAt: 3350 });
    assert.equal(history.changes.length, 1);
  });

  it("a folder at the path, whose deletion is none of a file", () => {
    const history = turnWith(null);
    const folder = "/w/made";
    history.feed({ at: 3000, type: "startKnown", path: folder, turn: "1", text: null });
    history.feed({ at: 3000, type: "diskSeen", path: folder, is: "folder" });
    history.feed({ at: 3100, type: "diskSeen", path: folder, text: null, changedAt: 3050 });
    assert.equal(history.changes.length, 0);
    history.feed({ at: 3200, type: "diskSeen", path: folder, text: "a file\n", changedAt: 3150 });
    assert.deepEqual(history.changes.at(-1)?.author, { kind: "agent", turn: "1" });
  });

  it("a text that is read because a turn begins as a change by others", () => {
    const history = turnWith(null);
    history.feed({ at: 3000, type: "fileRestored", path, text: "one\n" });
    history.feed({ at: 3100, type: "diskSeen", path, text: "two\n", isBeforeTurn: true });
    assert.deepEqual(history.changes, [{ path, author: { kind: "others" }, text: "two\n", before: "one\n" }]);
  });

  it("a text as that before, if it was only read and the start of the turn is not known", () => {
    const history = turnWith(null);
    history.feed({ at: 2100, type: "textSeen", path, text: "one\n", changedAt: 2050 });
    history.feed({ at: 2200, type: "startKnown", path, turn: "1" });
    assert.equal(history.changes.length, 0);
    history.feed({ at: 2400, type: "diskSeen", path, text: "two\n", changedAt: 2300 });
    assert.equal(history.changes.length, 1);
    assert.equal(history.changes[0]?.before, "one\n");
  });

  it("a file that is missing as such, if it was only read and the start of the turn is not known", () => {
    const history = turnWith("one\n");
    history.feed({ at: 2100, type: "textSeen", path, text: null, changedAt: 2050 });
    history.feed({ at: 2200, type: "startKnown", path, turn: "1" });
    assert.equal(history.changes.length, 0);
  });

  it("a text with an edit that a call reported as the agent's, although the start of the turn is not known", () => {
    const history = turnWith("one\n");
    const content = [{ type: "diff" as const, path, oldText: "one\n", newText: "two\n" }];
    history.report("s", { type: "tool", toolCallId: "t", patch: { kind: "edit", status: "in_progress", content } });
    history.feed({ at: 2100, type: "textSeen", path, text: "two\n", changedAt: 2050 });
    assert.deepEqual(
      history.changes.map(({ text, before }) => [text, before]),
      [["two\n", "one\n"]],
    );
  });

  it("what was no file and is gone at the end of the turn, which looked temporary before", () => {
    const history = turnWith("one\n");
    const link = "/w/link";
    history.feed({ at: 2100, type: "diskSeen", path: link, text: null, changedAt: 2050 });
    history.feed({ at: 2100, type: "startKnown", path: link, turn: "1", text: null });
    history.feed({ at: 2200, type: "turnEnded", turn: "1" });
    assert.equal(history.changes.length, 0);
    history.feed({ at: 2300, type: "compared", path: link, turn: "1", isGone: true });
    history.feed({ at: 2400, type: "diskSeen", path: link, text: null, changedAt: 2050 });
    assert.deepEqual(
      history.changes.map(one => [one.author, one.text, one.before]),
      [[{ kind: "agent", turn: "1" }, null, undefined]],
    );
  });
});
