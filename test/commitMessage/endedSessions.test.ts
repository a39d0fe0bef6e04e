// What follows a session that has written a commit message, also while the window closes.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { createGate } from "../../src/base/async.ts";
import { EndedSessions, maxCloseWait } from "../../src/commitMessage/endedSessions.ts";
import type { EndedMessageSession } from "../../src/commitMessage/messageSession.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

describe("the sessions that have written commit messages", () => {
  let clock: FakeClock;
  let ended: EndedSessions;
  let counted: string[];
  let removed: string[];
  beforeEach(() => {
    clock = new FakeClock();
    [counted, removed] = [[], []];
    const usage = {
      add: (name: string) => Promise.resolve(void counted.push(name)),
      flush: () => Promise.resolve(void counted.push("flushed")),
    };
    ended = new EndedSessions(usage, clock, nullLog);
  });

  const session: EndedMessageSession = { spending: [], agentSessions: ["r0", "r1"] };
  const remove = (id: string): Promise<void> => Promise.resolve(void removed.push(id));

  it("are counted, and deleted by the agent", async () => {
    ended.settle({ name: "Stub", remove }, Promise.resolve(session));
    await until(() => removed.length === 2);
    await ended.close();
    assert.deepEqual([counted, removed, clock.pendingTimers], [["Stub", "flushed"], ["r0", "r1"], 0]);
  });

  it("are counted but not deleted if the window closes meanwhile", async () => {
    const end = createGate();
    ended.settle(
      { name: "Stub", remove },
      end.settled.then(() => session),
    );
    const closed = ended.close();
    end.settle();
    await closed;
    assert.deepEqual([counted, removed], [["Stub", "flushed"], []]);
  });

  it("keep a window that closes for 1 s at most", async () => {
    const never = new Promise<never>(() => {});
    ended.settle({ name: "Stub", remove }, never);
    ended.settle({ name: "Slow", remove: () => never }, Promise.resolve(session));
    let isClosed = false;
    const closed = ended.close().then(() => (isClosed = true));
    clock.advance(maxCloseWait - 1);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(isClosed, false);
    clock.advance(1);
    await closed;
    assert.deepEqual(counted, ["Slow", "flushed"]);
  });
});
