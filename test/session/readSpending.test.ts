// What the turns in a log have used, read without most of its lines.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { openLog } from "../../src/session/log/openLog.ts";
import { readSpending } from "../../src/session/log/readSpending.ts";
import { SessionWriter } from "../../src/session/log/sessionStore.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const usd = (amount: number): { readonly amount: number; readonly currency: string } => ({ amount, currency: "USD" });

async function stored(events: readonly SessionEvent[]): Promise<StoredFiles> {
  const storage = new StoredFiles({});
  const writer = new SessionWriter({ storage, session: "s", isNew: true, clock: new FakeClock(), log: nullLog });
  for (const one of logged(events)) writer.write(one);
  await writer.flush();
  return storage;
}

const spendingOf = (storage: StoredFiles) => readSpending({ storage, session: "s", log: nullLog });

/** The same from the whole state. */
const wholeOf = async (storage: StoredFiles) =>
  (await openLog({ storage, session: "s", version: "1.0.0", log: nullLog }))?.state.spending;

describe("the usage in a log", () => {
  const message: SessionEvent = {
    type: "messageChunk",
    ...{ author: "agent", messageId: 'm"1', content: { type: "text", text: "Done." } },
  };
  const tool: SessionEvent = { type: "tool", toolCallId: "t", patch: { title: "Edit", status: "completed" } };
  const running: SessionEvent = { type: "activity", state: "running" };
  const idle: SessionEvent = {
    type: "activity",
    state: "idle",
    stopReason: "end_turn",
    usage: { input: 3, output: 4 },
  };

  it("is that of its state, for any events", async () => {
    const turn = fc.constantFrom<SessionEvent>(
      message,
      { ...message, author: "user" },
      { ...message, content: { type: "text", text: "" } },
      { type: "message", author: "agent", messageId: 'm"1', shownAuthor: "user" },
      tool,
      running,
      idle,
      { type: "usage", used: 1, size: 2, cost: usd(0.5) },
      { type: "usage", used: 1, size: 2, cost: usd(2) },
      { type: "usage", used: 1, size: 2 },
      { type: "agentSession", sessionId: "a" },
    );
    const property = fc.asyncProperty(
      fc.array(fc.oneof(fc.array(turn, { maxLength: 12 }), eventsArb), { maxLength: 6 }),
      async runs => {
        const storage = await stored(runs.flat());
        const nothing = { turns: [] };
        assert.deepEqual((await spendingOf(storage)) ?? nothing, (await wholeOf(storage)) ?? nothing);
      },
    );
    await fc.assert(property, { numRuns: 1000 });
  });

  it("does not count a cost that can be of earlier work, of which only the repeated lines are left out", async () => {
    const turns = [
      running,
      message,
      message,
      tool,
      tool,
      { type: "usage", used: 1, size: 2, cost: usd(9) },
      idle,
    ] as const;
    for (const [before, cost] of [
      [[], usd(9)],
      [[message, message], undefined],
      [[tool, tool], undefined],
    ] as const) {
      const storage = await stored([...before, ...turns]);
      const spending = await spendingOf(storage);
      assert.deepEqual(
        spending?.turns.map(each => each.cost),
        [cost],
      );
      assert.deepEqual(spending, await wholeOf(storage));
    }
  });

  it("is read without the texts, the output and the tool calls that follow the first ones", async () => {
    const output = "x".repeat(50);
    const text: SessionEvent = { ...message, content: { type: "text", text: output } };
    const terminal: SessionEvent = { type: "terminalOutput", terminalId: "t1", text: output };
    const many = Array.from({ length: 200 }, () => [text, tool, terminal]).flat();
    const storage = await stored([running, ...many, idle]);
    const { parse } = JSON;
    let parsed = 0;
    JSON.parse = (...args: Parameters<typeof parse>): unknown => (parsed++, parse(...args));
    try {
      assert.equal((await spendingOf(storage))?.turns.length, 1);
    } finally {
      JSON.parse = parse;
    }
    assert.ok(parsed > 0 && parsed < 10, `${parsed}`);
  });

  it("is missing without a log", async () => {
    assert.equal(await spendingOf(new StoredFiles({})), undefined);
  });
});
