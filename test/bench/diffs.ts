// Diffs of files of 20,000 lines, as the extension host computes them for a tool call: the time until the diff is
// ready, and the longest time in which no other work can run.
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import type { DiffBody } from "../../src/panel/protocol.ts";
import { median, ms, type Report } from "./report.ts";

const lines = 20_000;
const rounds = 7;
/** The extension host may be blocked for at most this long (ms). */
const limit = 50;

interface Case {
  readonly title: string;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

const line = (i: number, seed = 0): string =>
  `  const value${i}_${seed} = compute(${(i * 7919 + seed) % 99991}, "item ${i}");`;
const file = (make: (i: number) => string): readonly string[] => Array.from({ length: lines }, (_, i) => make(i));
const plain = file(i => line(i));
/** A few words in an order that never repeats. */
const shuffled = (seed: number, words: number): readonly string[] => {
  let state = seed;
  return file(() => `word ${(state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % words}`);
};

const cases: readonly Case[] = [
  { title: "one line changed in the middle", old: plain, new: plain.with(lines / 2, line(1, 1)) },
  { title: "every 50th line changed", old: plain, new: file(i => (i % 50 === 0 ? line(i, 1) : line(i))) },
  { title: "every other line changed", old: plain, new: file(i => (i % 2 === 0 ? line(i, 1) : line(i))) },
  {
    title: "half of the lines moved to the end",
    old: plain,
    new: [...plain.slice(lines / 2), ...plain.slice(0, lines / 2)],
  },
  { title: "entirely different", old: plain, new: file(i => line(i, 1)) },
  { title: "1,000 lines that repeat, shuffled", old: shuffled(1, 1000), new: shuffled(2, 1000) },
  { title: "two lines that repeat, shuffled", old: shuffled(1, 2), new: shuffled(2, 2) },
  { title: "only the line ends changed", old: plain, new: plain.map(each => `${each}\r`) },
];

export async function run(): Promise<Report> {
  const rows: string[][] = [];
  let worst = 0;
  for (const each of cases) {
    const runs: Measured[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await measure(each));
    const longest = median(runs.slice(1).map(one => one.longest));
    worst = Math.max(worst, longest);
    rows.push([
      each.title,
      ms(median(runs.slice(1).map(one => one.until))),
      `${median(runs.map(one => one.turns))}`,
      ms(longest),
      ms(Math.max(...runs.slice(1).map(one => one.longest))),
    ]);
  }
  return {
    tables: [
      {
        columns: ["20,000 lines, 1.1 MB on either side", "diff is there", "turns", "longest turn", "worst of 6"],
        rows,
      },
    ],
    failures: worst > limit ? [`A diff held the extension host for ${ms(worst)}, and ${limit} ms is the limit.`] : [],
  };
}

interface Measured {
  readonly until: number;
  readonly longest: number;
  readonly turns: number;
}

function measure(each: Case): Promise<Measured> {
  const [oldText, newText] = [each.old, each.new].map(all => `${all.join("\n")}\n`) as [string, string];
  // Concatenated strings are only flattened when they are first read, whereas an agent's texts arrive flat.
  const item = { type: "diff", path: "/a", oldText: whole(oldText), newText: whole(newText) } as const;
  return new Promise((resolve, reject) => {
    let longest = 0;
    let turns = 0;
    const started = performance.now();
    const turn = (run: () => void): void => {
      const began = performance.now();
      run();
      turns++;
      longest = Math.max(longest, performance.now() - began);
    };
    const store = new DiffStore({
      defer: run => void setImmediate(() => turn(run)),
      onDidCompute: () => ended(),
      onError: reject,
    });
    const ended = (): void => {
      const body: DiffBody = store.diff(item);
      if (body.hunks.length === 0 && body.lineEnds === undefined) reject(new Error("There is no diff."));
      // Include the last turn of the event loop.
      setImmediate(() => resolve({ until: performance.now() - started, longest, turns }));
    };
    let body: DiffBody | undefined;
    turn(() => (body = store.diff(item)));
    if (body?.state !== "computing") ended();
  });
}

const whole = (text: string): string => Buffer.from(text).toString();
