// Two windows on one folder: each remembers what it shows, and the next window continues what the last one showed.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { WindowRecord } from "../../src/library/windowRecord.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

describe("the record of a window", () => {
  let storage: StoredFiles;
  let clock: FakeClock;
  let running: Set<number>;
  let ids = 0;
  const windowOf = (pid: number): WindowRecord => {
    running.add(pid);
    return new WindowRecord({
      ...{ storage, clock, log: nullLog, pid },
      newId: () => `w${++ids}`,
      isRunning: one => running.has(one),
    });
  };
  /** Claims a record while the time passes. */
  const claim = async (record: WindowRecord): Promise<string | undefined> => {
    let isDone = false;
    const claimed = record.claim().finally(() => (isDone = true));
    while (!isDone) {
      await new Promise(resolve => setImmediate(resolve));
      if (clock.pendingTimers > 0 && !isDone) clock.advance(100);
    }
    return claimed;
  };
  beforeEach(() => {
    storage = new StoredFiles({});
    clock = new FakeClock();
    running = new Set();
  });

  it("is taken over by the next window, after a reload and after the window was killed", async () => {
    const first = windowOf(1);
    assert.equal(await claim(first), undefined);
    await first.write("one");
    await first.release();
    const second = windowOf(2);
    assert.equal(await claim(second), "one");
    await second.write("two");
    running.delete(2);
    const third = windowOf(3);
    assert.equal(await claim(third), "two");
    await third.release();
  });

  it("is not taken over from a running window, and windows do not overwrite each other", async () => {
    const [first, second] = [windowOf(1), windowOf(2)];
    await claim(first);
    await first.write("one");
    assert.equal(await claim(second), undefined);
    await second.write("two");
    assert.deepEqual([await first.others(), await second.others()], [["two"], ["one"]]);
    await first.release();
    await second.release();
    const next = [windowOf(3), windowOf(4)];
    const claimed = [await claim(next[0] ?? assert.fail()), await claim(next[1] ?? assert.fail())];
    assert.deepEqual([...claimed].sort(), ["one", "two"]);
    for (const record of next) await record.release();
  });

  it("is taken over by one of two windows that start at the same time", async () => {
    const first = windowOf(1);
    await claim(first);
    await first.write("one");
    await first.release();
    const [second, third] = [windowOf(2), windowOf(3)];
    const claimed = await Promise.all([claim(second), claim(third)]);
    assert.deepEqual(
      claimed.filter(text => text !== undefined),
      ["one"],
    );
    await second.release();
    await third.release();
  });

  it("is awaited while the earlier window still closes", async () => {
    const first = windowOf(1);
    await claim(first);
    await first.write("one");
    clock.after(500, () => void first.release());
    const second = windowOf(2);
    assert.equal(await claim(second), "one");
    await second.release();
  });

  it("is taken over from a process id that another program has now", async () => {
    const first = windowOf(1);
    await claim(first);
    await first.write("one");
    const text = new Map(storage.texts);
    await first.release();
    storage.texts.clear();
    for (const [name, value] of text) storage.texts.set(name, value);
    clock.advance(90_001);
    const second = windowOf(2);
    assert.equal(await claim(second), "one");
    clock.advance(80_000);
    assert.deepEqual(await windowOf(3).others(), ["one"]);
    await second.release();
  });

  it("is ignored if it is damaged, and records of many earlier windows are removed", async () => {
    storage.texts.set("window-x.0.json", "{");
    for (let i = 0; i < 9; i++) storage.texts.set(`window-a${i}.0.json`, JSON.stringify({ at: i, text: `t${i}` }));
    const record = windowOf(1);
    assert.equal(await claim(record), "t8");
    assert.equal([...storage.texts.keys()].filter(name => /^window-a\d\.0/.test(name)).length, 5);
    await record.release();
  });
});
