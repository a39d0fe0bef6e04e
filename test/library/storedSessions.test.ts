// The index of the stored sessions: kept while sessions change, created again from logs, and pruned.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { sessionFileName, SessionWriter } from "../../src/session/log/sessionStore.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { StoredSessions } from "../../src/library/storedSessions.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";
import { TrashFiles } from "../support/fakes/trashFiles.ts";

const day = 24 * 60 * 60 * 1000;
const opened: SessionEvent = { type: "opened", agent: "a", agentName: "A", cwd: "/w" };
const prompt: SessionEvent = {
  type: "message",
  author: "user",
  messageId: "u",
  content: [{ type: "text", text: "Do it" }],
};
const running: SessionEvent = { type: "activity", state: "running" };
const idle: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
const stateOf = (...events: readonly SessionEvent[]): SessionState =>
  logged([opened, ...events]).reduce(reduce, emptySession);

describe("the index of stored sessions", () => {
  let storage: StoredFiles;
  let trash: Map<string, string>;
  let clock: FakeClock;
  let open: Set<string>;
  let elsewhere: () => Promise<ReadonlySet<string>>;
  let index: StoredSessions;
  const newIndex = (): StoredSessions =>
    new StoredSessions({
      ...{ storage, clock, log: nullLog, version: "1", isOpen: (id: string) => open.has(id) },
      trash: new TrashFiles({ sessions: storage.texts, trash }),
      openElsewhere: () => elsewhere(),
    });
  beforeEach(() => {
    storage = new StoredFiles({});
    trash = new Map();
    clock = new FakeClock();
    open = new Set();
    elsewhere = () => Promise.resolve(new Set());
    index = newIndex();
  });
  afterEach(() => {
    index.dispose();
    assert.equal(clock.pendingTimers, 0);
  });
  const writeLog = async (id: string, ...events: readonly SessionEvent[]): Promise<void> => {
    const writer = new SessionWriter({ storage, session: id, isNew: true, clock, log: nullLog });
    for (const one of logged([opened, ...events])) writer.write(one);
    await writer.flush();
  };
  const reloaded = async (): Promise<StoredSessions> => {
    await index.flush();
    index.dispose();
    index = newIndex();
    await index.load();
    return index;
  };

  it("has an entry per session in a file of its own, and keeps it for the next window", async () => {
    await index.load();
    await writeLog("s", prompt);
    open.add("s");
    index.update("s", stateOf(prompt, running), true);
    const { updated } = index.get("s") ?? {};
    assert.deepEqual(index.get("s"), {
      ...{ id: "s", agent: "a", agentName: "A", folder: "/w", title: "Do it", updated, status: "working" },
      usage: [],
    });
    await index.flush();
    assert.ok(storage.texts.has(entryFileName("s")));
    open.clear();
    assert.equal((await reloaded()).entries[0]?.status, "interrupted");
  });

  it("writes an entry that changes often once in a second", async () => {
    const written: string[] = [];
    const write = storage.write.bind(storage);
    storage.write = async (name, text) => (written.push(name), write(name, text));
    for (let i = 0; i < 20; i++) index.update("s", stateOf(...(i % 2 ? [running] : [])), true);
    clock.advance(1000);
    await index.flush();
    assert.deepEqual(written, [entryFileName("s")]);
  });

  it("creates an entry that is lost or damaged again from the log, and ignores entries without a log", async () => {
    await writeLog("lost", prompt);
    await writeLog("damaged", prompt);
    storage.texts.set(entryFileName("damaged"), '{"id":"damaged"');
    storage.texts.set(entryFileName("ghost"), JSON.stringify({ id: "ghost" }));
    storage.texts.set("review.json", "{}");
    await index.load();
    assert.deepEqual(index.entries.map(({ id, title }) => [id, title]).sort(), [
      ["damaged", "Do it"],
      ["lost", "Do it"],
    ]);
    assert.ok(storage.texts.has(entryFileName("lost")));
  });

  it("names logs from which no session can be read, and no empty ones", async () => {
    await writeLog("s", prompt);
    storage.texts.set(sessionFileName("empty"), '{"parley":2}\n');
    storage.texts.set(sessionFileName("broken"), '{"parley":2}\n{"seq":0,"at\n\u0000');
    await index.load();
    assert.deepEqual(index.unreadable, [{ id: "broken", reason: "" }]);
    storage.texts.delete(sessionFileName("broken"));
    await index.load();
    assert.deepEqual(index.unreadable, []);
  });

  it("computes the usage once from the log, if an earlier version of Parley wrote the entry", async () => {
    const counted: SessionEvent = { ...idle, usage: { input: 100, output: 20 } } as SessionEvent;
    await writeLog("old", prompt, running, counted);
    await index.load();
    const { usage, ...old } = index.get("old") ?? assert.fail();
    assert.deepEqual(
      usage?.map(({ tokens }) => tokens),
      [120],
    );
    storage.texts.set(entryFileName("old"), JSON.stringify(old));
    await reloaded();
    assert.equal(index.get("old")?.usage, undefined);
    assert.equal(await index.addMissingUsage(), 0);
    assert.deepEqual(index.get("old")?.usage, usage);
    assert.deepEqual((await reloaded()).get("old"), { ...old, usage });
  });

  it("marks a session as unread when it ends or asks while the user does not see it", async () => {
    await index.load();
    index.update("s", stateOf(prompt, running), false);
    assert.equal(index.get("s")?.unread, undefined);
    open.add("s");
    index.update("s", stateOf(prompt, running, idle), false);
    assert.equal(index.get("s")?.unread, true);
    index.update("s", stateOf(prompt, running, idle), false);
    assert.equal(index.get("s")?.unread, true);
    index.update("s", stateOf(prompt, running, idle), true);
    assert.equal(index.get("s")?.unread, undefined);
    index.mark("s", { unread: true });
    assert.equal(index.get("s")?.unread, true);
  });

  it("keeps the marks and the age of a session that opens before the entries are read", async () => {
    await writeLog("s", prompt, running, idle);
    await index.load();
    index.mark("s", { unread: true, done: true });
    const before = index.get("s");
    await index.flush();
    index.dispose();
    index = newIndex();
    open.add("s");
    clock.advance(day);
    index.update("s", stateOf(prompt, running, idle), false);
    assert.equal(index.get("s"), undefined);
    await index.load();
    assert.deepEqual(index.get("s"), before);
  });

  it("has a session as interrupted until its agent works again", async () => {
    await writeLog("s", prompt, running);
    await index.load();
    assert.equal(index.get("s")?.status, "interrupted");
    open.add("s");
    index.update("s", stateOf(prompt, running, idle), true);
    assert.equal(index.get("s")?.status, "interrupted");
    index.update("s", stateOf(prompt, running, idle, running), true);
    assert.equal(index.get("s")?.status, "working");
    index.update("s", stateOf(prompt, running, idle, running, idle), true);
    assert.equal(index.get("s")?.status, "idle");
  });

  it("has no session as interrupted whose first turn ran while the entries were read", async () => {
    open.add("s");
    index.update("s", stateOf(prompt), true);
    await writeLog("s", prompt, running);
    index.update("s", stateOf(prompt, running), true);
    await index.load();
    assert.equal(index.get("s")?.status, "working");
    index.update("s", stateOf(prompt, running, idle), true);
    assert.equal(index.get("s")?.status, "idle");
    open.delete("s");
    assert.equal(index.get("s")?.status, "idle");
    assert.equal((await reloaded()).get("s")?.status, "idle");
  });

  it("has no session as interrupted whose first turn ended while the entries were read", async () => {
    open.add("s");
    index.update("s", stateOf(prompt, running), true);
    await writeLog("s", prompt, running);
    const loading = index.load();
    index.update("s", stateOf(prompt, running, idle), true);
    await loading;
    assert.equal(index.get("s")?.status, "idle");
  });

  it("takes over what another window changed, and keeps what changed here meanwhile", async () => {
    for (const id of ["here", "there"]) await writeLog(id, prompt);
    await index.load();
    const other = newIndex();
    await other.load();
    other.mark("there", { done: true });
    other.mark("here", { done: true });
    await other.flush();
    other.dispose();
    const loading = index.load();
    index.mark("here", { unread: true });
    await loading;
    assert.equal(index.get("there")?.done, true);
    assert.deepEqual([index.get("here")?.unread, index.get("here")?.done], [true, true]);
    await index.flush();
  });

  it("keeps a mark of one window and the state of another, whichever writes last", async () => {
    const titled = (title: string): SessionState => stateOf(prompt, { type: "titled", title });
    for (const isMarkLast of [false, true]) {
      const id = `s-${isMarkLast}`;
      await writeLog(id, prompt);
      open = new Set([id]);
      await index.load();
      const other = new StoredSessions({
        ...{ storage, clock, log: nullLog, version: "1", isOpen: () => false },
        trash: new TrashFiles({ sessions: storage.texts, trash }),
        openElsewhere: () => Promise.resolve(open),
      });
      await other.load();
      index.update(id, titled("In this window"), true);
      other.mark(id, { pinned: true });
      for (const one of isMarkLast ? [index, other] : [other, index]) await one.flush();
      const shown = ({ title, pinned }: Partial<SessionEntry> = {}) => ({ title, pinned });
      const expected = { title: "In this window", pinned: true };
      await index.load();
      assert.deepEqual(shown(index.get(id)), expected, "in the window that has the session open");
      index.update(id, titled("In this window"), true);
      await index.flush();
      await other.load();
      assert.deepEqual(shown(other.get(id)), expected, "in the other window");
      other.mark(id, { pinned: null });
      await other.flush();
      index.update(id, titled("Another title"), true);
      await index.flush();
      assert.deepEqual(shown(index.get(id)), { title: "Another title", pinned: undefined });
      other.dispose();
    }
  });

  it("keeps a session that is open here if another window deletes it", async () => {
    await writeLog("s", prompt);
    open.add("s");
    await index.load();
    const other = newIndex();
    await other.load();
    other.delete("s");
    await other.flush();
    other.dispose();
    await index.load();
    index.update("s", stateOf(prompt, running), true);
    const stored = (await reloaded()).get("s");
    assert.deepEqual([stored?.status, stored?.deleted], ["working", undefined]);
  });

  const none = { count: 0, days: 0, megabytes: 0 };
  const pruned = async (limits = none): Promise<readonly string[]> => (await index.prune(limits)).map(({ id }) => id);

  it("hides a deleted session, moves it into the trash after a day, and removes its files after a week", async () => {
    await writeLog("s", prompt);
    await index.load();
    index.delete("s");
    assert.deepEqual(index.entries, []);
    clock.advance(day - 1);
    assert.deepEqual(await pruned(), []);
    assert.deepEqual(await index.restore(["s"]), ["s"]);
    assert.equal(index.entries.length, 1);
    index.delete("s");
    await reloaded();
    clock.advance(day);
    assert.deepEqual(await pruned(), ["s"]);
    assert.deepEqual([...storage.texts.keys()], []);
    clock.advance(6 * day - 1);
    await pruned();
    assert.deepEqual(
      (await index.removed()).map(({ id, reason }) => [id, reason]),
      [["s", "deleted"]],
    );
    clock.advance(1);
    await pruned();
    assert.deepEqual([...storage.texts, ...trash], []);
    assert.deepEqual(await index.restore(["s"]), []);
  });

  it("restores sessions that a limit removed, also in the next window, and the limit does not remove them again", async () => {
    for (const id of ["a", "b", "c"]) await writeLog(id, prompt);
    await index.load();
    index.mark("a", { done: true });
    await index.flush();
    const before = new Map(storage.texts);
    clock.advance(2 * day);
    const limits = { ...none, days: 1 };
    assert.deepEqual((await pruned(limits)).toSorted(), ["a", "b", "c"]);
    assert.deepEqual(index.entries, []);
    await reloaded();
    assert.deepEqual((await index.removed()).map(({ id, isSeen }) => [id, isSeen]).sort(), [
      ["a", false],
      ["b", false],
      ["c", false],
    ]);
    await index.markSeen(["a"]);
    assert.equal((await index.removed()).find(({ id }) => id === "a")?.isSeen, true);
    assert.deepEqual(await index.restore(["a", "b", "nothing"]), ["a", "b"]);
    assert.deepEqual(index.entries.map(({ id, done, kept }) => [id, done, kept]).sort(), [
      ["a", true, true],
      ["b", undefined, true],
    ]);
    for (const [name, text] of storage.texts) if (name.endsWith(".jsonl")) assert.equal(text, before.get(name), name);
    assert.deepEqual(await pruned(limits), []);
    await reloaded();
    clock.advance(day);
    assert.deepEqual(await pruned(limits), []);
    assert.equal(index.entries.length, 2);
    index.update("a", stateOf(prompt, { type: "titled", title: "Mine" }), true);
    assert.equal(index.get("a")?.kept, true);
  });

  it("keeps a restored session also if its entry was lost", async () => {
    await writeLog("s", prompt);
    await index.load();
    clock.advance(2 * day);
    storage.texts.delete(entryFileName("s"));
    assert.deepEqual(await pruned({ ...none, days: 1 }), ["s"]);
    assert.deepEqual(await index.restore(["s"]), ["s"]);
    assert.equal(index.get("s")?.kept, true);
    assert.equal((await reloaded()).get("s")?.kept, true);
  });

  it("brings a session back that another window writes on after its removal, once it is closed", async () => {
    await writeLog("s", prompt);
    await index.load();
    clock.advance(2 * day);
    assert.deepEqual(await pruned({ ...none, days: 1 }), ["s"]);
    const log = trash.get("s.jsonl") ?? "";
    storage.texts.set("s.jsonl", "\n");
    elsewhere = () => Promise.resolve(new Set(["s"]));
    await pruned({ ...none, days: 1 });
    assert.equal(storage.texts.get("s.jsonl"), "\n");
    elsewhere = () => Promise.resolve(new Set());
    await pruned({ ...none, days: 1 });
    assert.equal(storage.texts.get("s.jsonl"), `${log}\n`);
    assert.equal(index.get("s")?.kept, true);
  });

  it("removes no session that another window has open, works on or left unread", async () => {
    for (const id of ["old", "shown", "opened", "unread"]) await writeLog(id, prompt);
    await index.load();
    const limits = { count: 0, days: 1, megabytes: 0 };
    clock.advance(2 * day);
    // The other window opens one session while this one removes others, and marks another one as unread.
    let reads = 0;
    elsewhere = () => Promise.resolve(new Set(++reads === 1 ? ["shown"] : ["shown", "opened"]));
    const text = storage.texts.get(entryFileName("unread")) ?? "";
    storage.texts.set(entryFileName("unread"), text.replace("}", ',"unread":true}'));
    assert.deepEqual(await index.prune(limits), [{ id: "old", reason: "limit" }]);
    assert.deepEqual(index.entries.map(({ id }) => id).sort(), ["opened", "shown", "unread"]);
    assert.equal(index.get("unread")?.unread, true);
  });

  it("removes nothing if the sessions of other windows cannot be read", async () => {
    await writeLog("s", prompt);
    await index.load();
    clock.advance(9 * day);
    elsewhere = () => Promise.reject(new Error("The disk is gone."));
    await assert.rejects(index.prune({ count: 1, days: 1, megabytes: 0 }));
    assert.equal(index.entries.length, 1);
  });

  it("shows a session that works in another window as working", async () => {
    await writeLog("s", prompt, running);
    elsewhere = () => Promise.resolve(new Set(["s"]));
    await index.load();
    assert.equal(index.get("s")?.status, "working");
  });

  it("keeps the marks of a session while its state changes", async () => {
    await writeLog("s", prompt);
    await index.load();
    index.mark("s", { done: true, pinned: true });
    index.update("s", stateOf(prompt, { type: "titled", title: "Mine" }), true);
    const { done, pinned, title } = index.get("s") ?? {};
    assert.deepEqual({ done, pinned, title }, { done: true, pinned: true, title: "Mine" });
    const stored = (await reloaded()).get("s");
    assert.deepEqual([stored?.done, stored?.pinned], [true, true]);
  });

  it("is the same after a reload, after any changes", async () => {
    const id = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      fc.record({ do: fc.constant("update"), id, busy: fc.boolean(), seen: fc.boolean() }),
      fc.record({ do: fc.constantFrom("delete", "restore", "done", "undone", "unread", "time"), id }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async steps => {
        index.dispose();
        storage = new StoredFiles({});
        trash = new Map();
        clock = new FakeClock();
        index = newIndex();
        for (const one of ["a", "b", "c"]) await writeLog(one, prompt);
        await index.load();
        for (const one of steps) {
          if (one.do === "update" && "busy" in one)
            index.update(one.id, stateOf(prompt, ...(one.busy ? [running] : [])), one.seen);
          if (one.do === "delete") index.delete(one.id);
          if (one.do === "restore") await index.restore([one.id]);
          if (one.do === "done") index.mark(one.id, { done: true });
          if (one.do === "undone") index.mark(one.id, { done: null });
          if (one.do === "unread") index.mark(one.id, { unread: true });
          if (one.do === "time") clock.advance(500);
        }
        const before = index.entries;
        assert.deepEqual((await reloaded()).entries, before);
      }),
      { numRuns: 50 },
    );
  });
});
