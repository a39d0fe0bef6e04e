// What the item in the status bar shows, and when VS Code is notified of changes.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import type { ListedSession } from "../../src/library/sessionGroups.ts";
import { sessionCounts, StatusBar } from "../../src/window/statusBar.ts";

const after = (...events: readonly SessionEvent[]): SessionState =>
  events.reduce((state, event, at) => reduce(state, { seq: at, at, event }), emptySession);
const opened: SessionEvent = { type: "opened", agent: "demo", agentName: "Demo Agent", cwd: "/w" };
const none = { waiting: 0, working: 0, unread: 0 };

describe("the status bar", () => {
  let shown: unknown[];
  let status: StatusBar;
  beforeEach(() => {
    shown = [];
    status = new StatusBar({
      show: (icon, text, tooltip, label) => shown.push([icon, text, tooltip, label]),
      hide: () => shown.push("hidden"),
    });
  });

  it("shows the agent, what its session does, and how many sessions wait, work and are unread", () => {
    status.update(
      { state: after(opened), isWaiting: true, agentName: undefined, title: "Fix sum" },
      { ...none, waiting: 2, unread: 1 },
    );
    const lines = ["Waiting for you", "Fix sum", "Sessions waiting for you: 2", "Sessions unread: 1"];
    assert.deepEqual(shown, [["bell-dot", "Demo Agent", lines, `Demo Agent: ${lines.join(", ")}`]]);
  });

  it("is painted again only if it shows something else", () => {
    const session = { state: after(opened), isWaiting: false, agentName: undefined, title: "" };
    status.update(session, none);
    status.update(session, none);
    assert.deepEqual(shown, [["comment-discussion", "Demo Agent", ["Not started"], "Demo Agent: Not started"]]);
    status.update(session, { ...none, working: 3 });
    assert.equal(shown.length, 2);
  });

  it("is hidden without an agent", () => {
    status.update({ state: emptySession, isWaiting: false, agentName: undefined, title: "" }, none);
    assert.deepEqual(shown, ["hidden"]);
  });

  it("counts a session that works and is unread twice", () => {
    const session = { id: "a", title: "a", agentName: "Demo Agent", isUnread: false, isDone: false };
    const sessions: readonly ListedSession[] = [
      { ...session, status: "waiting" },
      { ...session, status: "working", isUnread: true },
      { ...session, status: "idle", isUnread: true },
      { ...session, status: "failed" },
    ];
    assert.deepEqual(sessionCounts(sessions), { waiting: 1, working: 1, unread: 2 });
  });
});
