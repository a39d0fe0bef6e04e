// Removed sessions: they come back byte for byte within a week, whatever happens meanwhile, and are gone after it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { sessionFileName } from "../../src/session/log/sessionStore.ts";
import { snapshotFileName } from "../../src/session/log/snapshot.ts";
import { entryFileName, parseEntry, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { SessionTrash, trashTime } from "../../src/library/sessionTrash.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { noFiles, SteppingFiles, TrashFiles, type SharedFiles } from "../support/fakes/trashFiles.ts";

const hour = 60 * 60 * 1000;
const ids = ["a", "b", "c"] as const;
const nobody = (): boolean => false;

const entryOf = (id: string, more: Partial<SessionEntry> = {}): SessionEntry => ({
  ...{ id, agent: "x", agentName: "X", folder: "/w", title: `Title ${id}`, updated: 5, status: "idle" },
  ...more,
});

/** A window on the shared files. */
function openWindow(files: SharedFiles, clock: FakeClock, step?: () => Promise<void>): SessionTrash {
  const storage = new SteppingFiles(files.sessions, step ?? (() => Promise.resolve()));
  return new SessionTrash({ storage, trash: new TrashFiles(files, step), clock, log: nullLog });
}

describe("the trash of sessions", () => {
  let files: SharedFiles;
  let clock: FakeClock;
  let trash: SessionTrash;
  beforeEach(() => {
    files = noFiles();
    clock = new FakeClock();
    trash = openWindow(files, clock);
  });
  const store = (id: string, more?: Partial<SessionEntry>): void => {
    files.sessions.set(sessionFileName(id), `log of ${id} \u0000 ü\n`);
    files.sessions.set(snapshotFileName(id), `snapshot of ${id}`);
    files.sessions.set(entryFileName(id), JSON.stringify(entryOf(id, more)));
  };

  it("takes all files of a session, and gives them back", async () => {
    store("a", { done: true });
    store("b");
    const before = new Map(files.sessions);
    assert.ok(await trash.take("a", "limit"));
    assert.deepEqual([...files.sessions.keys()], [sessionFileName("b"), snapshotFileName("b"), entryFileName("b")]);
    const [removed, ...others] = await trash.contents();
    assert.deepEqual(
      [removed?.id, removed?.reason, removed?.entry?.title, others.length],
      ["a", "limit", "Title a", 0],
    );
    assert.ok(await trash.restore("a"));
    assert.deepEqual([...files.trash], []);
    assert.equal(files.sessions.get(sessionFileName("a")), before.get(sessionFileName("a")));
    assert.equal(files.sessions.get(snapshotFileName("a")), before.get(snapshotFileName("a")));
    const entry = parseEntry(files.sessions.get(entryFileName("a")) ?? "", "a");
    assert.deepEqual(entry, entryOf("a", { done: true, kept: true }));
  });

  it("keeps a session for a week after it was removed, and nothing of it after that", async () => {
    store("a");
    await trash.take("a", "limit");
    clock.advance(trashTime - 1);
    await trash.sweep(nobody);
    assert.equal((await trash.contents()).length, 1);
    clock.advance(1);
    await trash.sweep(nobody);
    assert.deepEqual([[...files.sessions], [...files.trash]], [[], []]);
    assert.equal(await trash.restore("a"), false);
  });

  it("does not know a session without a log, and leaves its entry alone", async () => {
    files.sessions.set(entryFileName("ghost"), "{}");
    assert.equal(await trash.take("ghost", "limit"), false);
    assert.equal(await trash.restore("nothing"), false);
    assert.deepEqual([...files.sessions.keys(), ...files.trash.keys()], [entryFileName("ghost")]);
  });

  it("lists a session whose record is lost or damaged, and keeps it for a week from then on", async () => {
    for (const record of [
      undefined,
      "",
      "{",
      "[]",
      '{"removed":"x"}',
      `{"removed":${clock.now() + 1e12},"reason":"limit"}`,
    ]) {
      store("a");
      await trash.take("a", "deleted");
      if (record === undefined) files.trash.delete("a.removed.json");
      else files.trash.set("a.removed.json", record);
      assert.deepEqual(
        (await trash.contents()).map(({ id }) => id),
        ["a"],
      );
      await trash.sweep(nobody);
      clock.advance(trashTime - 1);
      await trash.sweep(nobody);
      assert.equal((await trash.contents()).length, 1, record);
      clock.advance(1);
      await trash.sweep(nobody);
      assert.deepEqual([...files.trash], [], record);
    }
  });

  it("brings a session back that another window has written on, with both parts", async () => {
    store("a");
    await trash.take("a", "limit");
    files.sessions.set(sessionFileName("a"), "\nmore\n");
    assert.deepEqual(await trash.sweep(id => id === "a"), [], "it is open");
    assert.equal(await trash.take("a", "limit"), false, "the part in the trash would be lost");
    assert.deepEqual(await trash.sweep(nobody), ["a"]);
    assert.equal(files.sessions.get(sessionFileName("a")), "log of a \u0000 ü\n\nmore\n");
    assert.equal(files.sessions.get(snapshotFileName("a")), undefined, "it lacks the second part");
    assert.deepEqual([...files.trash], []);
  });

  it("remembers which removals the user has seen", async () => {
    for (const id of ["a", "b"]) {
      store(id);
      await trash.take(id, "limit");
    }
    await trash.markSeen(["b", "nothing"]);
    const seen = (await openWindow(files, clock).contents()).map(({ id, isSeen }) => [id, isSeen]);
    assert.deepEqual(seen, [
      ["a", false],
      ["b", true],
    ]);
    assert.ok(await trash.restore("b"));
  });

  it("lets two windows remove and restore the same session", async () => {
    const second = openWindow(files, clock);
    store("a");
    const log = files.sessions.get(sessionFileName("a"));
    const taken = await Promise.all([trash.take("a", "limit"), second.take("a", "limit")]);
    assert.deepEqual(taken.filter(Boolean).length, 1);
    assert.deepEqual(await Promise.all([trash.restore("a"), second.restore("a")]), [true, true]);
    assert.equal(files.sessions.get(sessionFileName("a")), log);
    assert.deepEqual(parseEntry(files.sessions.get(entryFileName("a")) ?? "", "a"), entryOf("a", { kept: true }));
    assert.deepEqual([...files.trash], []);
  });
});

describe("a removed session", () => {
  const session = fc.record({
    log: fc.string({ unit: "binary" }),
    snapshot: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
    entry: fc.option(
      fc.record({ done: fc.constant(true as const), unread: fc.constant(true as const) }, { requiredKeys: [] }),
      { nil: undefined },
    ),
  });
  const id = fc.constantFrom(...ids);
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("take", "restore"), id }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("sweep", "seen", "contents"), id }) },
  );
  /** A window is killed before a step, or never. */
  const killedAt = fc.option(fc.nat(9), { nil: Infinity });
  const round = fc.record({
    first: action,
    firstEnds: killedAt,
    second: fc.option(action, { nil: undefined }),
    secondEnds: killedAt,
    delays: fc.array(fc.nat(4), { maxLength: 12 }),
    hours: fc.nat(7),
  });

  const never = new Promise<never>(() => {});
  /** Waits as the list says, and never continues after the window was killed. */
  const stepsOf = (ends: number, delays: readonly number[], killed: () => void): (() => Promise<void>) => {
    let at = 0;
    return async () => {
      const step = at++;
      if (step >= ends) {
        killed();
        return never;
      }
      for (let i = 0; i < (delays[step % delays.length] ?? 0); i++) await Promise.resolve();
    };
  };
  const run = (window: SessionTrash, one: { readonly do: string; readonly id: string }): Promise<unknown> => {
    if (one.do === "take") return window.take(one.id, "limit");
    if (one.do === "restore") return window.restore(one.id);
    if (one.do === "seen") return window.markSeen([one.id]);
    return one.do === "sweep" ? window.sweep(nobody) : window.contents();
  };
  /** Runs the action in a window of its own, until it ends or the window is killed. */
  const inWindow = (
    files: SharedFiles,
    clock: FakeClock,
    one: { readonly do: string; readonly id: string },
    ends: number,
    delays: readonly number[],
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const window = openWindow(
        files,
        clock,
        stepsOf(ends, delays, () => resolve(undefined)),
      );
      run(window, one).then(resolve, reject);
    });

  it("comes back byte for byte within the week, whatever two windows do and whenever they are killed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(session, session, session),
        fc.array(round, { maxLength: 12 }),
        async (stored, rounds) => {
          const files = noFiles();
          const clock = new FakeClock();
          const written = new Map(ids.map((one, at) => [one, stored[at]]));
          for (const [one, content] of written) {
            files.sessions.set(sessionFileName(one), content?.log ?? "");
            if (content?.snapshot !== undefined) files.sessions.set(snapshotFileName(one), content.snapshot);
            if (content?.entry) files.sessions.set(entryFileName(one), JSON.stringify(entryOf(one, content.entry)));
          }
          for (const { first, firstEnds, second, secondEnds, delays, hours } of rounds) {
            // Nobody restores a session in the moment in which another window removes it.
            const isRace = second && second.id === first.id && [first.do, second.do].sort().join() === "restore,take";
            await Promise.all([
              inWindow(files, clock, first, firstEnds, delays),
              second && !isRace ? inWindow(files, clock, second, secondEnds, delays.toReversed()) : undefined,
            ]);
            clock.advance(hours * hour);
            for (const one of ids) {
              const places = [files.sessions, files.trash].filter(place => place.has(sessionFileName(one)));
              assert.equal(places.length, 1, `${one} is in one place`);
            }
          }
          const last = openWindow(files, clock);
          const listed = (await last.contents()).map(removed => removed.id);
          for (const [one, content] of written) {
            assert.equal(listed.includes(one), files.trash.has(sessionFileName(one)));
            assert.ok(await last.restore(one));
            assert.equal(files.sessions.get(sessionFileName(one)), content?.log);
            assert.equal(files.sessions.get(snapshotFileName(one)), content?.snapshot);
            const entry = parseEntry(files.sessions.get(entryFileName(one)) ?? "", one);
            const { kept: _, ...back } = entry ?? {};
            assert.deepEqual(entry ? back : undefined, content?.entry && entryOf(one, content.entry));
          }
          // Nothing stays in the trash for longer than a week after it is known.
          clock.advance(trashTime);
          await last.sweep(nobody);
          assert.deepEqual([...files.trash], []);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("leaves nothing after the week, also if the windows that remove it for good are killed", async () => {
    await fc.assert(
      fc.asyncProperty(session, fc.array(fc.nat(12), { maxLength: 6 }), async (content, kills) => {
        const files = noFiles();
        const clock = new FakeClock();
        files.sessions.set(sessionFileName("a"), content.log);
        if (content.snapshot !== undefined) files.sessions.set(snapshotFileName("a"), content.snapshot);
        if (content.entry) files.sessions.set(entryFileName("a"), JSON.stringify(entryOf("a", content.entry)));
        for (const kill of kills) await inWindow(files, clock, { do: "take", id: "a" }, kill, [1]);
        assert.ok((await openWindow(files, clock).take("a", "limit")) || files.trash.has(sessionFileName("a")));
        clock.advance(trashTime);
        for (const kill of kills) await inWindow(files, clock, { do: "sweep", id: "a" }, kill, [1]);
        await openWindow(files, clock).sweep(nobody);
        assert.deepEqual([[...files.sessions], [...files.trash]], [[], []]);
      }),
      { numRuns: 1000 },
    );
  });
});
