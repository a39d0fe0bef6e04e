// A stored session opens from its snapshot and the rest of its log, with the same state as from the whole log.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { LoggedEvent, SessionEvent } from "../../src/session/events.ts";
import { openLog, readEvents, writeSnapshot } from "../../src/session/log/openLog.ts";
import { SessionWriter } from "../../src/session/log/sessionStore.ts";
import { snapshotFileName } from "../../src/session/log/snapshot.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";

const json = <T>(value: T): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => (inner instanceof Map ? [...inner] : inner)));
const chunk = (messageId: string, text: string): SessionEvent => ({
  type: "messageChunk",
  author: "agent",
  messageId,
  content: { type: "text", text },
});

async function append(storage: StoredFiles, events: readonly LoggedEvent[], isNew: boolean): Promise<void> {
  const writer = new SessionWriter({ storage, session: "s", isNew, clock: new FakeClock(), log: nullLog });
  for (const one of events) writer.write(one);
  await writer.flush();
}

const optionsOf = (storage: StoredFiles, version = "1.0.0") => ({ storage, session: "s", version, log: nullLog });

/** Stores the events and a snapshot after the first `covered` of them. */
async function stored(events: readonly LoggedEvent[], covered: number): Promise<StoredFiles> {
  const storage = new StoredFiles({});
  await append(storage, events.slice(0, covered), true);
  // The JSON of the log leaves out what is undefined.
  const state = replayAtOnce(json(events.slice(0, covered)) as readonly LoggedEvent[], nullLog);
  if (covered > 0) await writeSnapshot(optionsOf(storage), () => state);
  await append(storage, events.slice(covered), false);
  return storage;
}

describe("a stored session with a snapshot", () => {
  it("has the same state as without it, wherever the snapshot was taken", async () => {
    const property = fc.asyncProperty(eventsArb, fc.nat(), async (events, at) => {
      const all = logged(events);
      if (all.length === 0) return;
      const covered = at % (all.length + 1);
      const storage = await stored(all, covered);
      const opened = await openLog(optionsOf(storage));
      storage.texts.delete(snapshotFileName("s"));
      const whole = await openLog(optionsOf(storage));
      assert.ok(opened && whole);
      assert.deepEqual(json({ ...opened, replayed: 0 }), json({ ...whole, replayed: 0 }));
      assert.deepEqual([opened.replayed, whole.replayed], [all.length - covered, all.length]);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  const events = logged(Array.from({ length: 20 }, (_, i) => chunk(`m${i}`, `é${i}`)));
  const damages: readonly (readonly [string, (storage: StoredFiles) => void])[] = [
    ["is damaged", storage => storage.texts.set(snapshotFileName("s"), "{")],
    [
      "is longer than the log",
      storage => storage.texts.set("s.jsonl", (storage.texts.get("s.jsonl") ?? "").slice(0, 300)),
    ],
    [
      "belongs to another log of the same length",
      storage => storage.texts.set("s.jsonl", (storage.texts.get("s.jsonl") ?? "").replaceAll('"agent"', '"thought"')),
    ],
    [
      "lacks a part of the state",
      storage => {
        const { state, ...rest } = JSON.parse(storage.texts.get(snapshotFileName("s")) ?? "") as { state: object };
        storage.texts.set(snapshotFileName("s"), JSON.stringify({ ...rest, state: { ...state, plans: undefined } }));
      },
    ],
  ];
  for (const [what, damage] of damages) {
    it(`is read from its log if the snapshot ${what}`, async () => {
      const storage = await stored(events, 15);
      damage(storage);
      const opened = await openLog(optionsOf(storage));
      storage.texts.delete(snapshotFileName("s"));
      assert.deepEqual(json(opened), json(await openLog(optionsOf(storage))));
    });
  }

  it("is read from its log by another version of Parley", async () => {
    const storage = await stored(events, 15);
    assert.equal((await openLog(optionsOf(storage)))?.replayed, 5);
    assert.equal((await openLog(optionsOf(storage, "2.0.0")))?.replayed, 20);
  });

  it("does not exist if there is no log, or a log without events", async () => {
    assert.equal(await openLog(optionsOf(new StoredFiles({}))), undefined);
    assert.equal(await openLog(optionsOf(new StoredFiles({ "s.jsonl": '{"parley":2}\n' }))), undefined);
  });

  it("has each event once if the snapshot has events that the log got later", async () => {
    const storage = new StoredFiles({});
    await append(storage, events.slice(0, 10), true);
    await writeSnapshot(optionsOf(storage), () => replayAtOnce(events.slice(0, 15), nullLog));
    await append(storage, events.slice(10), false);
    const opened = await openLog(optionsOf(storage));
    assert.equal(opened?.replayed, 5);
    assert.deepEqual(json(opened.state), json(replayAtOnce(events, nullLog).state));
  });

  it("is read in slices, also if a slice ends within a character or a line", async () => {
    const storage = new StoredFiles({});
    const long = logged([chunk("a", "é".repeat(250_000)), chunk("b", "👍".repeat(120_000)), chunk("c", "end")]);
    await append(storage, long, true);
    assert.deepEqual((await readEvents(storage, "s.jsonl"))?.events, json(long));
  });

  it("opens a log of 100,000 events by reading only the last hundred as events", async () => {
    const many = logged(
      Array.from({ length: 100_000 }, (_, i) =>
        i % 10 === 0
          ? ({ type: "tool", toolCallId: `t${i}`, patch: { title: `Read file ${i}`, status: "completed" } } as const)
          : chunk(`m${Math.floor(i / 10)}`, "some words of an answer "),
      ),
    );
    const storage = await stored(many, 99_900);
    const opened = await openLog(optionsOf(storage));
    assert.equal(opened?.replayed, 100);
  });
});
