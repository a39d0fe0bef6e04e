// The groups, the order and the ages of the list of sessions.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  needsAttention,
  sessionAge,
  sessionGroups,
  sessionsByUrgency,
  type ListedSession,
} from "../../src/library/sessionGroups.ts";

const now = new Date(2026, 2, 30, 12).getTime();
const session = (id: string, part: Partial<ListedSession> = {}): ListedSession => ({
  id,
  title: id,
  agentName: "Agent",
  updated: now,
  status: "idle",
  isUnread: false,
  isDone: false,
  ...part,
});
const grouped = (sessions: readonly ListedSession[], showsDone = false): Record<string, readonly string[]> =>
  Object.fromEntries(
    sessionGroups(sessions, now, showsDone).map(group => [
      group.id,
      group.conversations.map(({ session }) => session.id),
    ]),
  );

const arbitrarySession = fc.record(
  {
    id: fc.uuid(),
    title: fc.string(),
    agentName: fc.string(),
    updated: fc.integer({ min: now - 30 * 86_400_000, max: now + 1000 }),
    status: fc.constantFrom("waiting", "working", "failed", "interrupted", "idle"),
    isUnread: fc.boolean(),
    isDone: fc.boolean(),
    branchOf: fc.constantFrom("one", "two"),
    folder: fc.constantFrom("/a", "/b", "/c"),
  },
  { requiredKeys: ["id", "title", "agentName", "updated", "status", "isUnread", "isDone"] },
);
const arbitraryFolders = fc.subarray(["/a", "/b", "/d"].map(path => ({ path, name: path })));
const arbitrarySessions = fc.uniqueArray(arbitrarySession, { selector: one => one.id, maxLength: 40 });

describe("the list of sessions", () => {
  it("leaves out sessions in which nothing was written, unless one waits for the user", () => {
    const sessions = [
      session("blank", { isBlank: true }),
      session("failed", { isBlank: true, status: "failed" }),
      session("asks", { isBlank: true, status: "waiting" }),
      session("written"),
    ];
    assert.deepEqual(grouped(sessions, true), { waiting: ["asks"], today: ["written"] });
  });

  it("has pinned sessions first, whatever they do, and hides them when they are done", () => {
    const sessions = [
      session("asks", { status: "waiting" }),
      session("old", { isPinned: true, updated: 0 }),
      session("works", { isPinned: true, status: "working" }),
      session("done", { isPinned: true, isDone: true }),
    ];
    assert.deepEqual(Object.entries(grouped(sessions)), [
      ["pinned", ["works", "old"]],
      ["waiting", ["asks"]],
    ]);
    assert.deepEqual(grouped(sessions, true)["pinned"], ["done", "works", "old"]);
  });

  it("groups by local days, at midnight and across the change to summer time", () => {
    const at = (month: number, day: number, hour: number, minutes = 0): number =>
      new Date(2026, month, day, hour, minutes).getTime();
    assert.deepEqual(
      grouped([
        session("midnight", { updated: at(2, 30, 0) }),
        session("before midnight", { updated: at(2, 29, 23, 59) }),
        session("start of yesterday", { updated: at(2, 29, 0) }),
        session("two days ago", { updated: at(2, 28, 23, 59) }),
        session("six days ago", { updated: at(2, 24, 0) }),
        session("seven days ago", { updated: at(2, 23, 23, 59) }),
      ]),
      {
        today: ["midnight"],
        yesterday: ["before midnight", "start of yesterday"],
        week: ["two days ago", "six days ago"],
        older: ["seven days ago"],
      },
    );
  });

  it("shows what waits and what works first, however old it is", () => {
    const old = now - 20 * 86_400_000;
    const waiting = session("waits", { status: "waiting", updated: old });
    const working = session("works", { status: "working", updated: old });
    assert.deepEqual(Object.entries(grouped([session("idle"), working, waiting])), [
      ["waiting", ["waits"]],
      ["working", ["works"]],
      ["today", ["idle"]],
    ]);
  });

  it("hides sessions that are done, unless they are shown on request or work again", () => {
    const sessions = [
      session("done", { isDone: true }),
      session("works", { isDone: true, status: "working" }),
      session("open"),
    ];
    assert.deepEqual(grouped(sessions), { working: ["works"], today: ["open"] });
    assert.deepEqual(grouped(sessions, true), { working: ["works"], today: ["done", "open"] });
  });

  it("has one row for the branches of a conversation, where the most urgent branch belongs", () => {
    const rows = (sessions: readonly ListedSession[], showsDone = false): unknown =>
      sessionGroups(sessions, now, showsDone).flatMap(({ id, conversations }) =>
        conversations.map(one => [id, one.session.id, one.branches.map(branch => branch.id)]),
      );
    const first = session("first", { updated: now - 3 });
    const second = session("second", { branchOf: "first", updated: now - 1 });
    const third = session("third", { branchOf: "first", updated: now - 2 });
    const other = session("other", { updated: now });
    assert.deepEqual(rows([first, second, third, other]), [
      ["today", "other", []],
      ["today", "second", ["third", "first"]],
    ]);
    assert.deepEqual(rows([{ ...first, status: "waiting" }, second, third]), [
      ["waiting", "first", ["second", "third"]],
    ]);
    // The session that the branches were copied from is gone, or done.
    assert.deepEqual(rows([second, third]), [["today", "second", ["third"]]]);
    assert.deepEqual(rows([{ ...first, isDone: true }, { ...second, isDone: true }, third]), [["today", "third", []]]);
  });

  it("has a group for each folder below what waits or works, those of the workspace first, and none without sessions", () => {
    const folders = ["/w/web", "/w/api", "/w/none"].map(path => ({ path, name: path.slice(3).toUpperCase() }));
    const sessions = [
      session("old", { folder: "/w/web", updated: 0 }),
      session("new", { folder: "/w/web" }),
      session("api", { folder: "/w/api" }),
      session("asks", { folder: "/w/api", status: "waiting" }),
      session("gone", { folder: "/elsewhere/gone" }),
      session("drive", { folder: "C:\\work\\drive" }),
      session("nowhere"),
      session("pinned", { folder: "/w/api", isPinned: true }),
    ];
    const rows = (all: readonly ListedSession[]): unknown =>
      sessionGroups(all, now, false, folders).map(({ id, folder, conversations }) => [
        folder?.name ?? id,
        ...conversations.map(one => one.session.id),
      ]);
    const expected = [
      ["pinned", "pinned"],
      ["waiting", "asks"],
      ["WEB", "new", "old"],
      ["API", "api"],
      ["", "nowhere"],
      ["gone", "gone"],
      ["drive", "drive"],
    ];
    assert.deepEqual(rows(sessions), expected);
    assert.deepEqual(rows(sessions.toReversed()), expected);
    // Another branch of a conversation stands below the one that is shown, also if it is in another folder.
    const branch = session("branch", { folder: "/w/web", branchOf: "asks" });
    assert.deepEqual(rows([...sessions, branch]), expected);
  });

  it("has every session in one group, latest first, for any sessions in any order", () => {
    fc.assert(
      fc.property(arbitrarySessions, fc.boolean(), fc.option(arbitraryFolders), (sessions, showsDone, folders) => {
        const groups = sessionGroups(sessions, now, showsDone, folders ?? undefined);
        const listed = groups.flatMap(group =>
          group.conversations.flatMap(({ session, branches }) => [session, ...branches]),
        );
        assert.equal(new Set(listed).size, listed.length);
        if (showsDone) assert.equal(listed.length, sessions.length);
        for (const { conversations } of groups) {
          const members = conversations.map(one => one.session);
          assert.ok(members.length > 0);
          for (const [at, member] of members.entries())
            assert.ok(at === 0 || (members[at - 1]?.updated ?? 0) >= (member.updated ?? 0));
        }
        assert.deepEqual(sessionGroups(sessions.toReversed(), now, showsDone, folders ?? undefined), groups);
      }),
    );
  });

  it("offers what waits first, then what is unread, then what works, then the latest", () => {
    const sessions = [
      session("older", { updated: now - 2 }),
      session("latest", { updated: now - 1 }),
      session("works", { status: "working", updated: now - 9 }),
      session("unread", { isUnread: true, updated: now - 8 }),
      session("waits", { status: "waiting", updated: now - 9 }),
    ];
    assert.deepEqual(
      sessionsByUrgency(sessions).map(one => one.id),
      ["waits", "unread", "works", "latest", "older"],
    );
  });

  it("counts what waits or is unread", () => {
    const counted = [session("a", { status: "waiting" }), session("b", { isUnread: true }), session("c")];
    assert.deepEqual(counted.map(needsAttention), [true, true, false]);
  });

  it("rounds ages down", () => {
    const age = (passed: number): string => {
      const { unit, count } = sessionAge(now - passed, now);
      return `${count} ${unit}`;
    };
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    assert.deepEqual(
      [-5, 0, minute - 1, minute, hour - 1, hour, day - 1, day, 7 * day - 1, 7 * day, 20 * day].map(age),
      [
        "0 now",
        "0 now",
        "0 now",
        "1 minutes",
        "59 minutes",
        "1 hours",
        "23 hours",
        "1 days",
        "6 days",
        "1 weeks",
        "2 weeks",
      ],
    );
  });
});
