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
