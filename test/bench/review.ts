// Changes under review: the time until the hunks of a large file are ready, and the cost of each key after that.
import { runToEnd } from "../../src/base/lineDiff.ts";
import { changedWords } from "../../src/review/changedWords.ts";
import {
  applyAgentEdit,
  keepHunks,
  trackWork,
  undoHunks,
  applyUserEdits,
  applyUndoRedo,
} from "../../src/review/fileChanges.ts";
import { defaultSlices } from "../../src/review/fileComparisons.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import { median, ms, p95, type Report, type Table } from "./report.ts";
import { measureLargeFolder, measureReviewWindow } from "./reviewWindow.ts";

const rounds = 12;
const keys = 200;

/** The parts to measure during development: `PARLEY_BENCH_PARTS=model,window,folder`; all by default. */
const parts = process.env["PARLEY_BENCH_PARTS"]?.split(",") ?? ["model", "window", "folder"];

/** The limits in milliseconds of work: first hunks; a key (p95); and the longest time that blocks other work. */
const limits = { first: 100, key: 16, piece: 16 };

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
  { title: "20,000 lines, every third one changed", base: file(20_000, line), text: file(20_000, every(3)) },
  { title: "100,000 lines, every third one changed", base: file(100_000, line), text: file(100_000, every(3)) },
  { title: "50,000 lines, 1,000 changes", base: file(50_000, line), text: file(50_000, every(50)) },
  { title: "50,000 lines, a new file", base: null, text: file(50_000, line) },
  { title: "one line of 1.1 MB, a letter changed", base: `${long}\n`, text: `${long}!\n` },
];

export async function run(): Promise<Report> {
  const reports = [
    ...(parts.includes("model") ? [await measureModel()] : []),
    ...(parts.includes("window") ? [await measureReviewWindow()] : []),
    ...(parts.includes("folder") ? [await measureLargeFolder()] : []),
  ];
  return {
    tables: reports.flatMap(({ tables }) => tables),
    failures: reports.flatMap(({ failures = [] }) => failures),
    versions: reports.flatMap(({ versions = [] }) => versions),
  };
}

/** The model of one file and of the window, without VS Code. */
async function measureModel(): Promise<Report> {
  const failures: string[] = [];
  const first: string[][] = [];
  const typing: string[][] = [];
  for (const each of cases) {
    const hunks = await firstHunks(each);
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
  return {
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
  };
}

async function firstHunks(
  one: Case,
): Promise<{ readonly row: readonly string[]; readonly time: number; readonly piece: number }> {
  const runs: Compared[] = [];
  for (let i = 0; i < rounds; i++) runs.push(await compared(one));
  runs.shift();
  const of = (value: (run: Compared) => number): number => median(runs.map(value));
  const sum = (kind: keyof Time): number => of(({ pieces }) => pieces.reduce((all, piece) => all + piece[kind], 0));
  const longest = (kind: keyof Time): number => of(({ pieces }) => Math.max(...pieces.map(piece => piece[kind])));
  const count = of(({ pieces }) => pieces.length);
  const row = [ms(sum("wall")), ms(sum("cpu")), `${count}`, ms(longest("wall")), ms(longest("cpu"))];
  return { row: [`${runs[0]?.hunks ?? 0}`, ...row], time: sum("cpu"), piece: longest("cpu") };
}

interface Compared {
  readonly hunks: number;
  /** The work between two turns of the event loop. */
  readonly pieces: readonly Time[];
}

/** The review of a window learns of a change of the agent, as from the editor, until the surfaces can show it. */
async function compared({ base, text }: Case): Promise<Compared> {
  const pieces: Time[] = [];
  let time = timer();
  const review = new WindowReview({
    port: {
      apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
      move: () => Promise.resolve(undefined),
    },
    schedule: run => run(),
    slices: {
      ...defaultSlices,
      pause: async () => {
        pieces.push(time());
        await defaultSlices.pause();
        time = timer();
      },
    },
  });
  await review.agentChanged("/a.ts", base, text, "t");
  const hunks = review.file("/a.ts")?.changes.hunks.length ?? 0;
  pieces.push(time());
  review.dispose();
  return { hunks, pieces };
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
