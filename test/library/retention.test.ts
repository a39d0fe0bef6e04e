// Which stored sessions are removed.
import assert from "node:assert/strict";
import fc from "fast-check";
import { expiredSessions, type SessionLimits, type SizedEntry } from "../../src/library/retention.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";

const day = 24 * 60 * 60 * 1000;
const megabyte = 1024 * 1024;
const now = 1000 * day;
const noLimits = { count: 0, days: 0, megabytes: 0 };

function sized(id: string, age: number, more: Partial<SessionEntry> = {}, size = 0, isOpen = false): SizedEntry {
  const entry = {
    id,
    agent: "a",
    agentName: "A",
    folder: "/w",
    title: "",
    updated: now - age,
    status: "idle",
  } as const;
  return { entry: { ...entry, ...more }, bytes: size, isOpen };
}

const expired = (sessions: readonly SizedEntry[], limits: SessionLimits): readonly string[] =>
  expiredSessions(sessions, limits, now).map(({ id }) => id);

describe("stored sessions", () => {
  it("are kept without limits, and removed a day after they were deleted", () => {
    const all = [
      sized("old", 900 * day),
      sized("x", 0, { deleted: now - day }),
      sized("y", 0, { deleted: now - day + 1 }),
    ];
    assert.deepEqual(expired(all, noLimits), ["x"]);
  });

  it("are never removed while they are pinned, and take the place of no other one", () => {
    const all = [
      sized("pinned", 900 * day, { pinned: true }, 9 * megabyte),
      sized("pinned blank", 2 * day, { pinned: true, blank: true }),
      sized("new", 0, {}, megabyte),
      sized("old", 2 * day),
    ];
    assert.deepEqual(expired(all, { count: 1, days: 1, megabytes: 1 }), ["old"]);
    assert.deepEqual(expired([sized("x", 0, { pinned: true, deleted: now - day })], noLimits), ["x"]);
  });

  it("are removed after a day if nothing was written in them", () => {
    const all = [
      sized("new", day - 1, { blank: true }),
      sized("x", day, { blank: true }),
      sized("open", 2 * day, { blank: true }, 0, true),
    ];
    assert.deepEqual(expired(all, noLimits), ["x"]);
    assert.deepEqual(expired([sized("damaged", 9 * day, { blank: true }, megabyte)], noLimits), []);
  });

  it("are removed beyond each limit, the oldest first", () => {
    const all = [1, 2, 3, 4].map(age => sized(`s${age}`, age * day, {}, megabyte));
    assert.deepEqual(expired(all, { ...noLimits, count: 2 }), ["s4", "s3"]);
    assert.deepEqual(expired(all, { ...noLimits, days: 3 }), ["s4"]);
    assert.deepEqual(expired(all, { ...noLimits, megabytes: 1 }), ["s4", "s3", "s2"]);
  });

  it("are never removed while they are open, work or are unread, but count", () => {
    const all = [
      sized("open", 9 * day, {}, 0, true),
      sized("unread", 8 * day, { unread: true }),
      sized("working", 7 * day, { status: "working" }),
      sized("read", day),
      sized("older", 2 * day),
    ];
    assert.deepEqual(expired(all, { count: 4, days: 1, megabytes: 0 }), ["older"]);
    assert.deepEqual(expired(all, { count: 1, days: 0, megabytes: 0 }), ["older", "read"]);
  });

  it("are never removed for a limit again after the user restored them, and don't take the place of others", () => {
    const all = [
      ...[1, 2, 3].map(age => sized(`kept${age}`, (90 + age) * day, { kept: true }, megabyte)),
      ...[1, 2, 3].map(age => sized(`s${age}`, age * day, {}, megabyte)),
      sized("blank", 9 * day, { kept: true, blank: true }),
      sized("deleted", 9 * day, { kept: true, deleted: now - day }),
    ];
    for (const limits of [{ count: 2 }, { days: 2 }, { megabytes: 2 }])
      assert.deepEqual(expired(all, { ...noLimits, ...limits }), ["deleted", "s3"], JSON.stringify(limits));
  });

  it("are removed with the reason", () => {
    const all = [
      sized("limit", 9 * day),
      sized("blank", 9 * day, { blank: true }),
      sized("deleted", 9 * day, { deleted: now - day }),
    ];
    const reasons = expiredSessions(all, { ...noLimits, days: 1 }, now);
    assert.ok(reasons.length === 3 && reasons.every(({ id, reason }) => id === reason));
  });

  it("satisfy the limits afterwards as far as they may be removed, and no newer one goes before an older one", () => {
    const entry = fc
      .record({
        age: fc.nat(100),
        unread: fc.boolean(),
        isOpen: fc.boolean(),
        size: fc.nat(4),
        deleted: fc.option(fc.nat(3), { nil: undefined }),
      })
      .map(({ age, unread, isOpen, size, deleted }, i = Math.random()) =>
        sized(
          `s${i}`,
          age * day,
          { ...(unread && { unread: true as const }), ...(deleted !== undefined && { deleted: now - deleted * day }) },
          size * megabyte,
          isOpen,
        ),
      );
    const all = fc
      .array(entry, { maxLength: 12 })
      .map(list => list.map((one, i) => ({ ...one, entry: { ...one.entry, id: `s${i}` } })));
    const limits = fc.record({ count: fc.nat(6), days: fc.nat(50), megabytes: fc.nat(8) });
    fc.assert(
      fc.property(all, limits, (sessions, limit) => {
        const gone = new Set(expired(sessions, limit));
        const left = sessions.filter(({ entry: { id, deleted } }) => !gone.has(id) && deleted === undefined);
        const free = left.filter(one => !one.isOpen && !one.entry.unread);
        for (const one of sessions)
          if (one.isOpen || (one.entry.unread && one.entry.deleted === undefined)) assert.ok(!gone.has(one.entry.id));
        if (limit.count > 0) assert.ok(left.length <= limit.count || free.length === 0);
        const bytes = left.reduce((sum, one) => sum + one.bytes, 0);
        if (limit.megabytes > 0) assert.ok(bytes <= limit.megabytes * megabyte || free.length === 0);
        if (limit.days > 0) assert.ok(free.every(one => now - one.entry.updated <= limit.days * day));
        const newest = Math.max(
          ...sessions
            .filter(one => gone.has(one.entry.id) && one.entry.deleted === undefined)
            .map(one => one.entry.updated),
        );
        assert.ok(free.every(one => one.entry.updated >= newest));
      }),
    );
  });
});
