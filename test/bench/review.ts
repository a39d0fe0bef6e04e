// Changes under review: the time until the hunks of a large file are ready, and the cost of each key after that.
import { runToEnd, type Work } from "../../src/base/lineDiff.ts";
import { changedWords } from "../../src/review/changedWords.ts";
import {
  applyAgentEdit,
  keepHunks,
  trackWork,
  undoHunks,
  applyUserEdits,
  applyUndoRedo,
} from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { median, ms, p95, type Report, type Table } from "./report.ts";

const rounds = 12;
const keys = 200;

/** The limits in milliseconds of work: first hunks; a key (p95); and the longest time that blocks other work. */
const limits = { first: 100, key: 16, piece: 20 };

/** The steps of work in one turn of the event loop, as many as for the diffs of tool calls. */
const turn = 10_000;

interface Case {
  readonly title: string;
  readonly base: string | null;
  readonly text: string;
}

const line = (i: number, seed = 0): string =>
  `  const value${i}_${seed} = compute(${(i * 7919 + seed) % 99991}, "item ${i}");\n`;
const file = (lines: number, make: (i: number) => string): string =>
  whole(Array.from({ length: lines }, (_, i) => make(i)).join(""));
/** Concatenated strings are only flattened when they are first read, whereas texts from a disk are flat. */
const whole = (text: string): string => Buffer.from(text).toString();
const every = (n: number) => (i: number) => (i % n === n - 1 ? line(i, 1) : line(i));
const long = "x = y + z; ".repeat(100_000);

const scattered: Case = {
  title: "10,000 lines, 200 changes",
  base: file(10_000, line),
  text: file(10_000, every(50)),
};
const cases: readonly Case[] = [
  scattered,
  { title: "10,000 lines, every other one changed", base: file(10_000, line), text: file(10_000, every(2)) },
  {
    title: "10,000 lines, all of them changed: one hunk",
    base: file(10_000, line),
    text: file(10_000, i => line(i, 1)),
  },
  { title: "50,000 lines, 1,000 changes", base: file(50_000, line), text: file(50_000, every(50)) },
  { title: "50,000 lines, a new file", base: null, text: file(50_000, line) },
  { title: "one line of 1.1 MB, a letter changed", base: `${long}\n`, text: `${long}!\n` },
];

export function run(): Promise<Report> {
  const failures: string[] = [];
  const first: string[][] = [];
  const typing: string[][] = [];
  for (const each of cases) {
    const hunks = firstHunks(each);
    first.push([each.title, ...hunks.row]);
    const held = each === scattered ? limits : { ...limits, first: Infinity };
    if (hunks.time > held.first)
      failures.push(`${each.title}: hunks took ${ms(hunks.time)}, ${held.first} ms is the limit.`);
    if (hunks.piece > held.piece)
      failures.push(`${each.title}: a piece took ${ms(hunks.piece)}, ${held.piece} ms is the limit.`);
    const key = typed(each);
    typing.push([each.title, ...key.row]);
    if (each === scattered && key.p95 > held.key)
      failures.push(`${each.title}: a key took ${ms(key.p95)}, ${held.key} ms is the limit.`);
  }
  return Promise.resolve({
    tables: [
      {
        columns: ["first hunks", "hunks", "are there after", "CPU", "pieces", "longest piece", "CPU of that"],
        rows: first,
      },
      {
        columns: ["a key", "elsewhere, p50", "p95", "CPU, p95", "in a hunk, p50", "p95", "CPU, p95"],
        rows: typing,
      },
      others(scattered),
    ],
    failures,
  });
}

function firstHunks({ base, text }: Case): {
  readonly row: readonly string[];
  readonly time: number;
  readonly piece: number;
} {
  const runs = Array.from({ length: rounds }, () => inPieces(trackWork(base, text, "t"))).slice(1);
  const hunks = runs[0]?.value.hunks.length ?? 0;
  const count = runs[0]?.pieces.length ?? 0;
  const sum = (of: keyof Time): number =>
    median(runs.map(({ pieces }) => pieces.reduce((all, one) => all + one[of], 0)));
  // The slices are the same in each run. Their medians remove the influence of other work on the machine.
  const longest = (of: keyof Time): number =>
    Math.max(...Array.from({ length: count }, (_, i) => median(runs.map(({ pieces }) => pieces[i]?.[of] ?? 0))));
  const row = [ms(sum("wall")), ms(sum("cpu")), `${count}`, ms(longest("wall")), ms(longest("cpu"))];
  return { row: [`${hunks}`, ...row], time: sum("cpu"), piece: longest("cpu") };
}

/** The duration by the clock, and the processor time, which excludes other programs. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

function timer(): () => Time {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const used = process.cpuUsage(cpu);
    return { wall: performance.now() - wall, cpu: (used.user + used.system) / 1000 };
  };
}

/** Does the work like an extension host, in several turns of the event loop, and returns the duration of each. */
function inPieces<T>(work: Work<T>): { readonly value: T; readonly pieces: readonly Time[] } {
  const pieces: Time[] = [];
  for (;;) {
    const time = timer();
    for (let steps = 0; steps < turn;) {
      const next = work.next();
      if (next.done) return { value: next.value, pieces: [...pieces, time()] };
      steps += next.value;
    }
    pieces.push(time());
  }
}

function typed({ base, text }: Case): { readonly row: readonly string[]; readonly p95: number } {
  const start = runToEnd(trackWork(base, text, "t"));
  const hunk = start.hunks[Math.floor(start.hunks.length / 2)];
  if (!hunk) throw new Error("There is no hunk.");
  const inside = series(start, hunk.text.from);
  const elsewhere = hunk.text.from > 0 ? series(start, hunk.text.from - 1) : undefined;
  const of = (times: readonly Time[], kind: keyof Time): readonly number[] => times.map(one => one[kind]);
  const shown = (times: readonly Time[] | undefined): readonly string[] =>
    times ? [ms(median(of(times, "wall"))), ms(p95(of(times, "wall"))), ms(p95(of(times, "cpu")))] : ["", "", ""];
  const worst = Math.max(...[inside, ...(elsewhere ? [elsewhere] : [])].map(times => p95(of(times, "cpu"))));
  return { row: [...shown(elsewhere), ...shown(inside)], p95: worst };
}

/** Keys typed one after the other into a line; every fiftieth begins a new line. */
function series(start: FileChanges, first: number): readonly Time[] {
  let changes = start;
  let at = { line: first, character: 0 };
  const times: Time[] = [];
  for (let i = 0; i < keys; i++) {
    const breaks = i % 50 === 49;
    const time = timer();
    changes = applyUserEdits(changes, [{ start: at, end: at, text: breaks ? "\n" : "k" }]);
    // The first ones are still being compiled.
    if (i >= 10) times.push(time());
    at = breaks ? { line: at.line + 1, character: 0 } : { ...at, character: at.character + 1 };
  }
  return times;
}

function others({ title, base, text }: Case): Table {
  const start = runToEnd(trackWork(base, text, "t"));
  const all = start.hunks.map(hunk => hunk.id);
  const other = text.replace("value5000_0", "value5000_2");
  const typed = applyUserEdits(start, [
    { start: { line: 5, character: 0 }, end: { line: 5, character: 0 }, text: "k" },
  ]);
  const measured = (run: () => unknown): string[] => {
    const times = Array.from({ length: rounds }, () => {
      const began = performance.now();
      run();
      return performance.now() - began;
    }).slice(1);
    return [ms(median(times)), ms(Math.max(...times))];
  };
  return {
    columns: [title, "median", "worst of 11"],
    rows: [
      ["the agent changes one more line", ...measured(() => applyAgentEdit(start, other, "t2"))],
      ["keep one hunk", ...measured(() => keepHunks(start, all.slice(100, 101)))],
      ["keep all", ...measured(() => keepHunks(start, all))],
      ["undo one hunk", ...measured(() => undoHunks(start, all.slice(100, 101)))],
      ["undo all", ...measured(() => undoHunks(start, all))],
      ["the editor goes back to an earlier text", ...measured(() => applyUndoRedo(typed, text, [start, typed]))],
      ["the editor goes back to a text not seen before", ...measured(() => applyUndoRedo(start, other, [start]))],
      ["changed words of all hunks", ...measured(() => start.hunks.map(hunk => changedWords(start, hunk)))],
    ],
  };
}
