// What windows on one folder know of the sessions of each other.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { WindowRecord } from "../../src/library/windowRecord.ts";
import { RememberedSessionsFile } from "../../src/library/rememberedSessions.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

describe("the remembered sessions of windows on one folder", () => {
  it("name the sessions that another running window has open, and not those that it only remembers", async () => {
    const storage = new StoredFiles({ "window-damaged.7.json": '{"at":0,"text":"{"}' });
    const clock = new FakeClock();
    const running = new Set([1, 2, 7]);
    const records: WindowRecord[] = [];
    const windowOf = (pid: number): RememberedSessionsFile => {
      const isRunning = (one: number): boolean => running.has(one);
      const record = new WindowRecord({ storage, clock, log: nullLog, pid, isRunning, newId: () => `w${pid}` });
      records.push(record);
      return new RememberedSessionsFile({ storage, record, log: nullLog });
    };
    const [first, second] = [windowOf(1), windowOf(2)];
    const session = (id: string): { id: string; agent: string; cwd: string } => ({ id, agent: "a", cwd: "/w" });
    first.write({ shown: session("a"), open: [session("earlier"), session("a")], live: ["a", "unused"] });
    second.write({ shown: undefined, open: [], live: ["b"] });
    await Promise.all([first.whenIdle(), second.whenIdle()]);
    assert.deepEqual([...(await second.openElsewhere())], ["a", "unused"]);
    assert.deepEqual([...(await first.openElsewhere())], ["b"]);
    running.delete(1);
    assert.deepEqual([...(await second.openElsewhere())], []);
    for (const record of records) await record.release();
  });
});
