// Sessions on disk: whatever happens to the file, its complete lines can be read again.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { replayInSlices } from "../../src/session/log/replay.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";
import { SessionWriter, readSession, type TextStorage } from "../../src/session/log/sessionStore.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

class MemoryStorage implements TextStorage {
  readonly files = new Map<string, string>();
  appends = 0;
  fails = false;
  async append(name: string, text: string): Promise<void> {
    this.appends++;
    if (this.fails) throw new Error("disk full");
    this.files.set(name, (this.files.get(name) ?? "") + text);
  }
  async write(name: string, text: string): Promise<void> {
    this.files.set(name, text);
  }
  async read(name: string): Promise<string | undefined> {
    return this.files.get(name);
  }
}

async function stored(storage: MemoryStorage, events: readonly LoggedEvent[], isNew = true): Promise<string> {
  const writer = new SessionWriter({ ...writing, storage, isNew, clock: new FakeClock() });
  for (const one of events) writer.write(one);
  await writer.flush();
  return storage.files.get("s.jsonl") ?? "";
}

const writing = { session: "s", isNew: true, log: nullLog };
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const chunk = (text: string): LoggedEvent["event"] => ({
  type: "messageChunk",
  author: "agent",
  messageId: "m",
  content: { type: "text", text },
});

describe("a stored session", () => {
  it("is read as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(eventsArb, async events => {
        const storage = new MemoryStorage();
        await stored(storage, logged(events));
        const read = await readSession(storage, "s");
        assert.deepEqual(read ?? [], json(logged(events)));
      }),
      { numRuns: 50 },
    );
  });

  it("lacks only the events that cannot be written, and reports the first of them once", async () => {
    const storage = new MemoryStorage();
    let reports = 0;
    const writer = new SessionWriter({ ...writing, storage, clock: new FakeClock(), onLeftOut: () => reports++ });
    let deep: unknown = "the end";
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const unwritable: LoggedEvent["event"] = { type: "tool", toolCallId: "t", patch: { rawInput: deep } };
    for (const one of logged([chunk("a"), unwritable, chunk("b"), unwritable, chunk("c")])) writer.write(one);
    await writer.flush();
    const read = await readSession(storage, "s");
    assert.deepEqual(
      read?.map(({ seq }) => seq),
      [0, 2, 4],
    );
    assert.equal(reports, 1);
  });

  it("lets other work run while a long log is read and replayed, with the same result as at once", async () => {
    const storage = new MemoryStorage();
    const events = logged(Array.from({ length: 4000 }, (_, i) => ({ ...chunk("x".repeat(500)), messageId: `m${i}` })));
    await stored(storage, events);
    let turns = 0;
    const count = (): void => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const read = (await readSession(storage, "s")) ?? [];
    const readTurns = turns;
    const replayed = await replayInSlices(read, nullLog);
    clearImmediate(counting);
    assert.ok(readTurns >= 5, `${readTurns} turns while it was read`);
    assert.ok(turns - readTurns >= 5, `${turns - readTurns} turns while it was replayed`);
    assert.deepEqual(json(replayed), json(replayAtOnce(events, nullLog)));
    assert.equal(replayed.nextSeq, 4000);
  });

  it("opens if its file was cut at any byte, with every line before the cut, and can be continued", async () => {
    const events = logged([chunk("é"), chunk("a\nb"), { type: "plan", planId: "p", entries: [] }, chunk("👍")]);
    const whole = Buffer.from(await stored(new MemoryStorage(), events), "utf8");
    const more = logged([chunk("later")]);
    for (let length = 0; length <= whole.length; length++) {
      const storage = new MemoryStorage();
      const left = whole.subarray(0, length).toString("utf8");
      storage.files.set("s.jsonl", left);
      const lines = left.split("\n").filter(row => events.some(one => row === JSON.stringify(one))).length;
      assert.deepEqual(await readSession(storage, "s"), json(events.slice(0, lines)), `cut at ${length}`);
      await stored(storage, more, false);
      assert.deepEqual(
        await readSession(storage, "s"),
        json([...events.slice(0, lines), ...more]),
        `continued at ${length}`,
      );
    }
  });

  it("begins with the version of its format, also after it is continued", async () => {
    const storage = new MemoryStorage();
    const text = await stored(storage, logged([chunk("a")]));
    assert.deepEqual(JSON.parse(text.split("\n")[0] ?? ""), { parley: 2 });
    const continued = await stored(storage, logged([chunk("b")]), false);
    assert.equal(continued.split("\n").filter(row => row.includes("parley")).length, 1);
    assert.equal((await readSession(storage, "s"))?.length, 2);
  });

  it("skips lines that are not events", async () => {
    const storage = new MemoryStorage();
    const [one] = logged([chunk("a")]);
    storage.files.set("s.jsonl", `null\n7\n{}\n{"seq":1,"at":2,"event":{}}\n${JSON.stringify(one)}\n`);
    assert.deepEqual(await readSession(storage, "s"), [one]);
  });

  it("is undefined if nothing was stored", async () => {
    assert.equal(await readSession(new MemoryStorage(), "s"), undefined);
  });

  it("keeps the beginning of an oversized text and reports the size of the rest", async () => {
    const storage = new MemoryStorage();
    await stored(storage, logged([chunk("x".repeat(300_000))]));
    const [one] = (await readSession(storage, "s")) ?? [];
    const text = one?.event.type === "messageChunk" && one.event.content.type === "text" ? one.event.content.text : "";
    assert.ok(text.startsWith("xxx") && text.endsWith("[37856 more characters were not kept]"));
  });

  it("is written in batches with a short delay, and completely when it is disposed", async () => {
    const storage = new MemoryStorage();
    const clock = new FakeClock();
    const writer = new SessionWriter({ ...writing, storage, clock });
    for (const one of logged([chunk("a"), chunk("b")])) writer.write(one);
    assert.equal(storage.appends, 0);
    clock.advance(250);
    await writer.flush();
    assert.equal(storage.appends, 1);
    for (const one of logged([chunk("c")])) writer.write(one);
    writer.dispose();
    await writer.flush();
    assert.deepEqual([storage.appends, clock.pendingTimers], [2, 0]);
  });

  it("keeps events that the disk refuses, reports that once, and stores them in order as soon as it can", async () => {
    const storage = new MemoryStorage();
    const clock = new FakeClock();
    const entered: string[] = [];
    const problems: string[] = [];
    const log = { ...nullLog, error: (message: string) => entered.push(message) };
    const writer = new SessionWriter({ ...writing, storage, clock, log, onFailed: reason => problems.push(reason) });
    const [one, two, three] = logged([chunk("a"), chunk("b"), chunk("c")]);
    assert.ok(one && two && three);
    storage.fails = true;
    writer.write(one);
    await writer.flush();
    writer.write(two);
    await writer.flush();
    assert.deepEqual([entered.length, problems], [1, ["disk full"]]);
    storage.fails = false;
    clock.advance(5000);
    writer.write(three);
    await writer.flush();
    assert.deepEqual(await readSession(storage, "s"), [one, two, three]);
    storage.fails = true;
    writer.write(one);
    writer.dispose();
    await writer.flush();
    assert.deepEqual([problems.length, clock.pendingTimers], [2, 0]);
  });
});
