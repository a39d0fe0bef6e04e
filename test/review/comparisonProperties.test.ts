// Properties of a comparison in slices: what the user does meanwhile has the same result as without it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { WindowReview } from "../../src/review/windowReview.ts";

const path = "/folder/a.txt";

/** A review whose comparisons pause until the test continues them. */
function paused(time: number) {
  const waiting: (() => void)[] = [];
  const port = {
    apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
    move: () => Promise.resolve(undefined),
  };
  const pause = (): Promise<void> => new Promise(resolve => void waiting.push(resolve));
  const review = new WindowReview({ port, schedule: run => run(), slices: { time, pause } });
  review.turnBegan("t1", "One");
  review.turnBegan("t2", "Two");
  /** Continues comparisons until the work is done, or for some slices. */
  const proceed = async (work: Promise<void>, until = Infinity): Promise<void> => {
    let isDone = false;
    void work.then(() => (isDone = true));
    for (let i = 0; i < until; i++) {
      await turn();
      if (isDone) return;
      waiting.shift()?.();
    }
  };
  return { review, waiting, proceed };
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Texts that take several slices to compare. */
const big = Array.from({ length: 6000 }, (_, i) => `line ${i} of the file\n`);
const changedLines = fc.tuple(fc.nat(40), fc.integer({ min: 2, max: 40 }), fc.nat(6));
const edited = (mark: string, [first, step, insert]: readonly [number, number, number]): string =>
  big
    .map((line, i) => {
      if (i < first || (i - first) % step > 0) return line;
      return (i - first) % (step * 7) === 0 ? mark.repeat(insert) + line : `${mark}${i}\n`;
    })
    .join("");

const state = (review: WindowReview): unknown => {
  const { base, text, hunks } = review.file(path)?.changes ?? {};
  return { base, text, hunks: hunks?.map(hunk => ({ base: hunk.base, text: hunk.text, turns: hunk.turns })) };
};

describe("a comparison in slices", () => {
  it("has the same result with a key and a Keep during it as without slices", async () => {
    let pauses = 0;
    await fc.assert(
      fc.asyncProperty(changedLines, changedLines, fc.nat(5), fc.nat(6000), async (one, two, at, line) => {
        const [first, second] = [edited("one\n", one), edited("two\n", two)];
        const place = { line, character: 0 };
        const typed = second.replace(new RegExp(`^((?:.*\\n){${line}})`), "$1typed\n");
        const key = [{ start: place, end: place, text: "typed\n" }];
        const run = async (isSliced: boolean): Promise<unknown> => {
          const { review, waiting, proceed } = paused(0);
          await proceed(review.agentChanged(path, big.join(""), first, "t1"));
          const ids = (review.file(path)?.changes.hunks ?? []).filter((_, i) => i % 3 === 0).map(({ id }) => id);
          const keep = (): Promise<void> => review.keep({ kind: "hunks", path, ids });
          if (!isSliced) await keep();
          const comparison = review.agentChanged(path, big.join(""), second, "t2");
          if (isSliced) {
            await proceed(comparison, at);
            pauses += waiting.length;
            // The editor reports the key after the agent's text.
            const keyed = review.userChanged(path, key, typed);
            if (waiting.length > 0) await keep();
            else return undefined;
            await proceed(Promise.all([comparison, keyed]).then(() => undefined));
          } else {
            await proceed(comparison);
            await proceed(review.userChanged(path, key, typed));
          }
          assert.equal(review.file(path)?.changes.text, typed);
          return state(review);
        };
        const sliced = await run(true);
        // The comparison was complete before the key.
        if (sliced === undefined) return;
        assert.deepEqual(sliced, await run(false));
      }),
      { numRuns: 40 },
    );
    assert.ok(pauses > 5, `the comparisons paused ${pauses} times`);
  });

  it("has the same result with a Keep during a user's edit of many lines as without slices", async () => {
    let pauses = 0;
    const edits = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 40 }));
    await fc.assert(
      fc.asyncProperty(changedLines, edits, fc.nat(5), async (one, [first, step], at) => {
        const text = edited("one\n", one);
        const lines = text.split("\n").slice(0, -1);
        const isEdited = (i: number): boolean => i >= first && (i - first) % step === 0;
        const after = lines.map((line, i) => `${isEdited(i) ? "  " : ""}${line}\n`).join("");
        const made = lines.flatMap((_, line) => {
          const place = { line, character: 0 };
          return isEdited(line) ? [{ start: place, end: place, text: "  " }] : [];
        });
        const run = async (isSliced: boolean): Promise<unknown> => {
          const { review, waiting, proceed } = paused(0);
          await proceed(review.agentChanged(path, big.join(""), text, "t1"));
          const ids = (review.file(path)?.changes.hunks ?? []).filter((_, i) => i % 3 === 0).map(({ id }) => id);
          const keep = (): Promise<void> => review.keep({ kind: "hunks", path, ids });
          if (!isSliced) await keep();
          const comparison = review.userChanged(path, made, after);
          if (isSliced) {
            await proceed(comparison, at);
            pauses += waiting.length;
            await keep();
          }
          await proceed(comparison);
          assert.equal(review.file(path)?.changes.text, after);
          return state(review);
        };
        assert.deepEqual(await run(true), await run(false));
      }),
      { numRuns: 20 },
    );
    assert.ok(pauses > 5, `the comparisons paused ${pauses} times`);
  });

  it("of a moved file with many changes pauses too, and does not bring back what was kept meanwhile", async () => {
    for (const isKept of [false, true]) {
      const { review, waiting, proceed } = paused(0);
      const [from, base, text] = ["/folder/old.txt", big.join(""), edited("one\n", [0, 3, 1])];
      await proceed(review.agentChanged(from, base, null, "t1"));
      await proceed(review.agentChanged(path, null, text, "t1"));
      const moved = review.agentMoved({ from, to: path, turn: "t1", before: base, why: "" });
      await proceed(moved, 3);
      assert.equal(waiting.length, 1);
      if (isKept) await review.keep({ kind: "file", path });
      await proceed(moved);
      assert.equal(review.file(path)?.movedFrom, isKept ? undefined : from);
      assert.equal(review.file(from) !== undefined, isKept, "the deletion waits for review if the file was not moved");
    }
  });

  it("is complete at once for a short text", () => {
    const { review, waiting } = paused(1000);
    void review.agentChanged(path, "a\n", "b\n", "t1");
    assert.equal(review.file(path)?.changes.hunks.length, 1);
    assert.deepEqual(waiting, []);
  });
});
