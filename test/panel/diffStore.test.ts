// Diffs that are computed once, in slices, for all panels.
import assert from "node:assert/strict";
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { DiffBody, View } from "../../src/panel/protocol.ts";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { emptyHead } from "../support/fakes/heads.ts";

type FileDiff = Extract<ToolContent, { type: "diff" }>;
const file = (seed: number): string => Array.from({ length: 20_000 }, (_, i) => `line ${i} of ${seed}\n`).join("");
const large = (seed = 1): FileDiff => ({ type: "diff", path: "/a", oldText: file(0), newText: file(seed) });
const small: FileDiff = { type: "diff", path: "/b", oldText: "a\n", newText: "b\n" };

/** A store whose scheduled work runs when the test requests it. */
class Turns {
  readonly #later: (() => void)[] = [];
  changes = 0;
  readonly failures: unknown[] = [];
  readonly store = new DiffStore({
    defer: run => this.#later.push(run),
    onDidCompute: () => this.changes++,
    onError: error => this.failures.push(error),
  });
  /** Runs all scheduled work and returns the number of slices. */
  run(): number {
    let turns = 0;
    for (let next = this.#later.shift(); next; next = this.#later.shift(), turns++) next();
    return turns;
  }
}

const fold = (events: readonly SessionEvent[]): SessionState =>
  events.reduce((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);
const edit = (content: readonly ToolContent[]): SessionEvent => ({
  type: "tool",
  toolCallId: "t",
  patch: { title: "Edit", content },
});
const bodies = (view: View): readonly DiffBody[] =>
  view.entries.flatMap(entry => (entry.kind === "tool" ? entry.parts : [])).filter(part => part.type === "diff");

describe("the diff store", () => {
  it("returns small diffs at once and large ones later, and fires an event when they are ready", () => {
    const turns = new Turns();
    assert.equal(turns.store.diff(small).added, 1);
    const item = large();
    assert.equal(turns.store.diff(item).state, "computing");
    assert.ok(turns.run() >= 3);
    assert.deepEqual([turns.store.diff(item).added, turns.changes, turns.store.version], [20_000, 1, 1]);
  });

  it("limits the work of many small diffs in one turn of the event loop", () => {
    const turns = new Turns();
    const items = Array.from({ length: 300 }, (_, i) => ({ ...small, newText: `${i}\n`.repeat(500) }));
    const ready = items.filter(item => turns.store.diff(item).state === undefined).length;
    assert.ok(ready > 0 && ready < items.length, `${ready} were ready`);
    turns.run();
    assert.ok(items.every(item => turns.store.diff(item).added === 500));
  });

  it("computes the same texts once, also when they return in other content", () => {
    const turns = new Turns();
    const item = large();
    turns.store.diff(item);
    turns.run();
    const again = turns.store.diff(structuredClone(item));
    assert.equal(again, turns.store.diff(item));
    assert.equal(turns.store.diff({ ...item, deleted: true }).state, "computing");
  });

  it("has compared the diffs of calls that arrived one by one before they are projected, also once their lines are found", () => {
    const turns = new Turns();
    const projector = new WholeProjector(turns.store);
    let state = emptySession;
    const next = (event: SessionEvent): void => {
      state = reduce(state, { seq: 0, at: 0, event });
      projector.prepare(state);
      turns.run();
    };
    // As many calls as a flood brings before their lines are found.
    const calls = 2500;
    for (let i = 0; i < calls; i++) {
      const item: FileDiff = { ...small, oldText: `${-i - 1}\n`.repeat(10), newText: `${i}\n`.repeat(10) };
      next({ type: "tool", toolCallId: `t${i}`, patch: { title: "Edit", content: [item] } });
    }
    assert.ok(bodies(projector.project(state, emptyHead)).every(({ state }) => state === undefined));
    for (let i = 0; i < calls; i++)
      state = reduce(state, {
        seq: 0,
        at: 0,
        event: { type: "diffLines", toolCallId: `t${i}`, lines: [{ item: 0, line: 7 }] },
      });
    const placed = bodies(projector.project(state, emptyHead));
    assert.ok(placed.every(({ state, hunks }) => state === undefined && hunks[0]?.oldStart === 7));
    assert.equal(turns.changes, 0);
  });

  it("forgets pending work when it is disposed", () => {
    const turns = new Turns();
    turns.store.diff(large());
    turns.store.dispose();
    turns.run();
    assert.equal(turns.changes, 0);
  });

  it("gives two panels the same object, first without and later with the diff", () => {
    const turns = new Turns();
    const [one, two] = [new WholeProjector(turns.store), new WholeProjector(turns.store)];
    const state = fold([edit([large(), small])]);
    const first = one.project(state, emptyHead);
    assert.deepEqual(
      bodies(first).map(body => body.state),
      ["computing", "computing"],
    );
    assert.equal(one.project(state, emptyHead).entries, first.entries);
    turns.run();
    const [then, other] = [one.project(state, emptyHead), two.project(state, emptyHead)];
    assert.deepEqual(
      bodies(then).map(body => [body.state, body.added]),
      [
        [undefined, 20_000],
        [undefined, 1],
      ],
    );
    assert.equal(bodies(then)[0]?.hunks, bodies(other)[0]?.hunks);
    assert.equal(one.project(state, emptyHead).entries, then.entries);
  });
});
