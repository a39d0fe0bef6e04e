// The list of sessions: open and stored ones, each once, and how often it changes.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { Session } from "../../src/session/session.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import { SessionList } from "../../src/library/sessionList.ts";
import { FakeAskedSessions } from "../support/fakes/fakeAskedSessions.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

const entry = (id: string, part: Partial<SessionEntry> = {}): SessionEntry => ({
  ...{ id, agent: "a", agentName: "A", folder: "/w", title: id, updated: 5, status: "idle" },
  ...part,
});

describe("the list of sessions", () => {
  let clock: FakeClock;
  let open: OpenSessions;
  let entries: readonly SessionEntry[];
  let storedChanged: Emitter<void>;
  let asked: FakeAskedSessions;
  let list: SessionList;
  let changes: number;
  beforeEach(() => {
    clock = new FakeClock();
    open = new OpenSessions();
    entries = [];
    storedChanged = new Emitter();
    asked = new FakeAskedSessions();
    list = new SessionList({
      open,
      asked,
      stored: {
        get entries() {
          return entries;
        },
        get: id => entries.find(each => each.id === id),
        onDidChange: storedChanged.event,
      },
      agents: {
        definitions: () => [{ id: "a", name: "A", icon: "rocket", command: "a", args: [], env: {} } as never],
        canFork: agent => agent === "a",
      },
      changes: () => new Map([["stored", { added: 2, removed: 1 }]]),
      clock,
    });
    changes = 0;
    list.onDidChange(() => changes++);
  });
  afterEach(() => {
    list.dispose();
    open.dispose();
    storedChanged.dispose();
    assert.equal(clock.pendingTimers, 0);
  });
  const session = (id: string, state: Partial<SessionState> = {}): Session =>
    ({
      id,
      state: { ...emptySession, agent: { id: "a", name: "A" }, ...state },
      onDidChange: () => ({ dispose: () => {} }),
    }) as unknown as Session;

  it("marks a session in which nothing was written as blank, unless the user named it", () => {
    open.add(session("new"));
    open.add(session("named", { ownTitle: "Mine" }));
    open.add(session("queued", { pendingPrompts: [{}] as never }));
    assert.deepEqual(
      list.sessions().map(({ id, isBlank }) => [id, isBlank]),
      [
        ["new", true],
        ["named", undefined],
        ["queued", undefined],
      ],
    );
  });

  it("has each open and stored session once, with the marks and the age of its entry", () => {
    entries = [entry("open", { unread: true, status: "interrupted" }), entry("stored", { done: true })];
    open.add(session("open", { ownTitle: "Mine" }));
    assert.deepEqual(list.sessions(), [
      {
        ...{
          id: "open",
          title: "Mine",
          agentName: "A",
          updated: 5,
          status: "interrupted",
          isUnread: true,
          isDone: false,
        },
        ...{ canFork: true, agentIcon: "rocket" },
      },
      {
        ...{
          id: "stored",
          title: "stored",
          agentName: "A",
          folder: "/w",
          updated: 5,
          status: "idle",
          isUnread: false,
          isDone: true,
        },
        ...{ canFork: true, agentIcon: "rocket", changes: { added: 2, removed: 1 } },
      },
    ]);
  });

  it("shows that a session waits while Parley asks about it, also if its agent is lost, and no stored session", () => {
    entries = [entry("stored"), entry("large", { status: "interrupted" })];
    open.add(session("large", { lost: { message: "Gone.", next: [] } }));
    const statuses = (): unknown => Object.fromEntries(list.sessions().map(({ id, status }) => [id, status]));
    clock.advance(100);
    assert.deepEqual(statuses(), { large: "failed", stored: "idle" });
    const before = changes;
    asked.ask("large");
    asked.ask("stored");
    assert.deepEqual(statuses(), { large: "waiting", stored: "idle" });
    assert.equal(changes, before + 1);
    clock.advance(100);
    asked.answer("large");
    clock.advance(100);
    assert.deepEqual(statuses(), { large: "failed", stored: "idle" });
    assert.equal(changes, before + 3);
  });

  it("changes at once, and then at most every 100 ms", () => {
    for (let i = 0; i < 50; i++) storedChanged.fire();
    assert.equal(changes, 1);
    clock.advance(100);
    assert.equal(changes, 2);
    clock.advance(100);
    assert.equal(changes, 2);
    storedChanged.fire();
    assert.equal(changes, 3);
  });
});
