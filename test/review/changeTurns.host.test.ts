// A change is noticed more than once, and an agent can report the call that made it in between.
import assert from "node:assert/strict";
import { meanwhileTurn } from "../../src/history/author.ts";
import { ChangeTurns, type ChangeTurnsOptions } from "../../src/review/vscode/changeTurns.ts";
import type { DatedAuthor } from "../../src/review/vscode/changeAuthor.ts";

describe("a change that was attributed to nobody", () => {
  const path = "/w/a.txt";
  let author: DatedAuthor;
  let touched: (readonly [turn: string, before: string | null | undefined])[];
  let turns: ChangeTurns;
  /** The turn that the review has for the change. */
  let reviewed: string;

  const nobody: DatedAuthor = { kind: "meanwhile", why: "", time: 5 };
  /** Who made the change at a time, if that differs from who made the last one. */
  let earlier: DatedAuthor | undefined;

  beforeEach(async () => {
    author = nobody;
    earlier = undefined;
    touched = [];
    reviewed = meanwhileTurn;
    const review = {
      nameTurn: () => {},
      attributed: (_: string, __: string, turn: string) => void (reviewed = turn),
      file: () => ({ turns: [reviewed] }),
      textOf: () => "after",
    };
    turns = new ChangeTurns({
      review,
      turns: { isOverlap: false, latest: "turn", first: "turn" },
      author: {
        of: (_: string, time?: number) => Promise.resolve((time === undefined ? undefined : earlier) ?? author),
      },
      writing: () => undefined,
      touches: {
        touched: ({ turn, before }: { turn: string; before: string | null | undefined }) =>
          void touched.push([turn, before]),
        written: () => {},
      },
    } as unknown as ChangeTurnsOptions);
    turns.touch(path, "before", await turns.of(path));
  });

  it("keeps the text before it if it is noticed again after the report of its call", async () => {
    author = { kind: "agent", turn: "turn", why: "", time: 5 };
    assert.equal(await turns.touchUnchanged(path, "after"), "turn");
    await turns.reported(path);
    assert.deepEqual(touched, [
      [meanwhileTurn, "before"],
      ["turn", "before"],
    ]);
    assert.equal(reviewed, "turn");
  });

  it("keeps the text before it if the agent changes the file again before the report was handled", async () => {
    author = { kind: "agent", turn: "turn", why: "", time: 5 };
    turns.touch(path, "after", await turns.of(path));
    await turns.reported(path);
    assert.deepEqual(touched.at(-1), ["turn", "before"]);
    assert.equal(touched.length, 2);
  });

  it("stays nobody's if it is noticed again while a call runs that began after it", async () => {
    author = { kind: "agent", turn: "turn", why: "", time: 9 };
    earlier = nobody;
    assert.equal(await turns.touchUnchanged(path, "after"), meanwhileTurn);
    assert.deepEqual(touched, [[meanwhileTurn, "before"]]);
  });
});
