// The sessions that an empty conversation offers.
import assert from "node:assert/strict";
import { recentSessions } from "../../src/library/recentSessions.ts";
import type { ListedSession } from "../../src/library/sessionGroups.ts";

const session = (id: string, updated: number, part: Partial<ListedSession> = {}): ListedSession => ({
  ...{ id, title: id, agentName: "A", updated, status: "idle", isUnread: false, isDone: false },
  ...part,
});

describe("the sessions that an empty conversation offers", () => {
  it("are what waits, then what is unread, then the latest, five at most", () => {
    const ids = recentSessions(
      [
        session("old", 1),
        session("latest", 9),
        session("waits", 2, { status: "waiting" }),
        session("unread", 3, { isUnread: true }),
        ...[4, 5, 6].map(at => session(`at ${at}`, at)),
      ],
      "other",
    ).map(({ id }) => id);
    assert.deepEqual(ids, ["waits", "unread", "latest", "at 6", "at 5"]);
  });

  it("leave out the session itself, blank ones and done ones, and show invisible characters", () => {
    const sessions = [
      session("self", 1),
      session("blank", 2, { title: "" }),
      session("done", 3, { isDone: true }),
      session("odd", 4, { title: "safe\u202Etxt" }),
    ];
    assert.deepEqual(
      recentSessions(sessions, "self").map(({ title }) => title),
      ["safe[U+202E]txt"],
    );
  });
});
