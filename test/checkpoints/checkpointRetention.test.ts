// Which checkpoints of a session the limits remove: what is removed can be restored for a week.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseIndex, serializeIndex, type TurnRecord } from "../../src/checkpoints/checkpointIndex.ts";
import {
  applyLimits,
  areAllBeyond,
  isRemoved,
  removedTime,
  restoredRecords,
  seenRecords,
} from "../../src/checkpoints/checkpointRetention.ts";

const day = 24 * 60 * 60 * 1000;
const turn = (id: string, at: number): TurnRecord => ({ id, kind: "turn", at, trees: [], files: {} });
const shown = (records: readonly TurnRecord[]): readonly string[] =>
  records.filter(record => !isRemoved(record)).map(({ id }) => id);

describe("the limits for checkpoints", () => {
  it("remove the oldest by number and by age, and leave the others as they are", () => {
    const records = [1, 2, 3, 4].map(at => turn(`t${at}`, at * day));
    assert.equal(applyLimits(records, { count: 4, age: 9 * day }, 5 * day), records);
    assert.deepEqual(shown(applyLimits(records, { count: 3, age: 9 * day }, 5 * day)), ["t2", "t3", "t4"]);
    assert.deepEqual(shown(applyLimits(records, { count: 9, age: 2 * day }, 5 * day)), ["t3", "t4"]);
    assert.ok(!areAllBeyond(records, { count: 9, age: 2 * day }, 5 * day));
    assert.ok(areAllBeyond(records, { count: 9, age: day / 2 }, 5 * day));
  });

  it("begin the week again if the clock was wrong", () => {
    const wrong = [{ ...turn("t1", 1), removed: 900 * day }];
    assert.deepEqual(applyLimits(wrong, { count: 1, age: day }, 5 * day)[0]?.removed, 5 * day);
    assert.deepEqual(
      applyLimits(applyLimits(wrong, { count: 1, age: day }, 5 * day), { count: 1, age: day }, 12 * day),
      [],
    );
  });

  it("never lose a checkpoint that was removed less than a week ago, and keep each for not much longer than they say", () => {
    const step = fc.record({
      do: fc.constantFrom("turn", "turn", "turn", "limits", "restore", "seen", "wait"),
      count: fc.integer({ min: 1, max: 6 }),
      days: fc.integer({ min: 1, max: 20 }),
      hours: fc.nat(60),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        let now = 1000 * day;
        let limits = { count: 3, age: 5 * day };
        let records: readonly TurnRecord[] = [];
        /** The turns and when each was seen to be removed, if it is. */
        const known = new Map<string, number | undefined>();
        for (const [index, one] of steps.entries()) {
          now += one.hours * 60 * 60 * 1000;
          if (one.do === "limits") limits = { count: one.count, age: one.days * day };
          if (one.do === "seen") records = seenRecords(records);
          if (one.do === "restore") {
            records = restoredRecords(records, now);
            assert.deepEqual(
              shown(records),
              [...known.keys()].filter(id => records.some(record => record.id === id)),
            );
            for (const id of known.keys()) known.set(id, undefined);
          }
          if (one.do === "turn") {
            records = [...records, turn(`t${index}`, now)];
            known.set(`t${index}`, undefined);
          }
          records = applyLimits(parseIndex(serializeIndex(records)), limits, now);
          // Nothing but the beginning is removed, because a restore needs everything after it.
          const firstShown = records.findIndex(record => !isRemoved(record));
          assert.ok(records.slice(Math.max(0, firstShown)).every(record => !isRemoved(record)) || firstShown < 0);
          for (const [id, removed] of known) {
            const record = records.find(each => each.id === id);
            if (!record) {
              assert.ok(removed !== undefined && now - removed >= removedTime, `${id} is gone too early`);
              known.delete(id);
            } else known.set(id, record.removed);
          }
          for (const { id, removed } of records) assert.ok(known.has(id) && (removed ?? now) > now - removedTime);
          const visible = records.filter(record => !isRemoved(record));
          const isRestored = visible.some(({ kept }) => kept !== undefined && now - kept <= limits.age);
          if (!isRestored) {
            assert.ok(visible.length <= limits.count);
            assert.ok(visible.every(({ at }) => now - at <= limits.age));
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
