// The time from the agent's last write to the last paint in the real panel, compared with a floor in the same run:
// the same agent and chunks through pipe, batch and one text node.
import { answerOf } from "./answer.ts";
import { answered, writeAnswer, type Answered, type Side } from "./panelSides.ts";
import { median, ms, p95, range, ratio, type Report } from "./report.ts";

const count = 20_000;
const chunkLength = 12;
const rounds = 4;
const lastWords = "The end of it.";

/** Milliseconds, except for the ratio. */
const limits = { painted: 250, ratio: 4, task: 50, posted: 50 };

interface Run {
  readonly writing: number;
  /** From the last write to the last paint before the turn's end. */
  readonly painted: number;
  readonly paints: number;
  /** From the turn's end to the last paint after it. */
  readonly settled: number;
  /** From the last write until all of it is on the page, including content that is not visible. */
  readonly complete: number;
  readonly longestTask: number;
  /** From `postMessage` in the extension host to the paint, and the part of it until the page has the message. */
  readonly posted: number;
  readonly carried: number;
}

/** Alternates between the panel and the floor. */
export async function measureFlood(panel: Side, floor: Side): Promise<Report> {
  const text = answerOf(count * chunkLength - lastWords.length) + lastWords;
  for (const side of [panel, floor]) writeAnswer(side, text, { chunkLength });
  const runs: { readonly panel: Run; readonly floor: Run }[] = [];
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const pair = { floor: runOf(await answered(floor, lastWords)), panel: runOf(await answered(panel, lastWords)) };
    if (round > 0) runs.push(pair);
  }
  return { tables: [table(runs)], failures: failures(runs) };
}

function runOf({ first, written, ended, watched }: Answered): Run {
  const { paints, arrivals, longTasks } = watched;
  const inSight = paints.filter(paint => paint.inSight);
  const before = inSight.filter(paint => paint.at > first && paint.at < ended);
  // Before that, the previous conversation leaves the page; after it, the turn ends.
  const flood = arrivals.filter(({ sent }) => sent > first && sent < ended);
  return {
    writing: written - first,
    painted: (before.at(-1)?.at ?? NaN) - written,
    paints: before.length,
    settled: Math.max(0, (inSight.at(-1)?.at ?? NaN) - ended),
    complete: (paints.findLast(paint => paint.at < ended)?.at ?? NaN) - written,
    // Before that, another conversation leaves the page.
    longestTask: Math.max(0, ...longTasks.filter(task => task.at > first).map(task => task.duration)),
    posted: p95(flood.map(arrival => arrival.painted - arrival.sent)),
    carried: p95(flood.map(arrival => arrival.arrived - arrival.sent)),
  };
}

type Runs = readonly { readonly panel: Run; readonly floor: Run }[];
const middle = (runs: Runs, which: "panel" | "floor", of: (run: Run) => number): number =>
  median(runs.map(run => of(run[which])));

const painted = (run: Run): number => run.painted;
const whole = (run: Run): number => run.writing + run.painted;
const longest = (run: Run): number => run.longestTask;
const posted = (run: Run): number => run.posted;

/** The browser does not report tasks up to 50 ms. */
const task = (value: number): string => (value <= 50 ? "≤ 50 ms" : ms(value));

function table(runs: Runs): Report["tables"][number] {
  const row = (title: string, of: (run: Run) => number): readonly string[] => {
    const panel = runs.map(run => of(run.panel));
    const floor = runs.map(run => of(run.floor));
    const by = ratio(median(panel) / median(floor));
    return [title, ms(median(panel)), range(panel), ms(median(floor)), range(floor), by];
  };
  const of = (which: "panel" | "floor", value: (run: Run) => number): number => middle(runs, which, value);
  const paints = (which: "panel" | "floor"): string => String(Math.round(of(which, run => run.paints)));
  const worst = (which: "panel" | "floor"): string => task(Math.max(...runs.map(run => longest(run[which]))));
  const settled = runs.map(run => run.panel.settled);
  return {
    columns: [`(a) ${count.toLocaleString("en")} chunks, 240 kB`, "panel", "range", "floor", "range", "ratio"],
    rows: [
      row("agent's last write → last paint", painted),
      row("agent's first write → last paint", whole),
      row("the agent writes for", run => run.writing),
      row("`postMessage` → paint, p95", posted),
      row("of that until the page has it, p95", run => run.carried),
      ["longest task", task(of("panel", longest)), worst("panel"), task(of("floor", longest)), worst("floor"), ""],
      row("agent's last write → all on the page", run => run.complete),
      ["paints until the last", paints("panel"), "", paints("floor"), "", ""],
      ["end of the turn → last paint", ms(median(settled)), range(settled), "", "", ""],
    ],
  };
}

function failures(runs: Runs): readonly string[] {
  const by = middle(runs, "panel", whole) / middle(runs, "floor", whole);
  const of = (value: (run: Run) => number): number => middle(runs, "panel", value);
  return [
    ...over("The last paint comes", of(painted), limits.painted, "after the agent's last write"),
    ...(by > limits.ratio
      ? [`The whole answer takes ${ratio(by)} the floor's time; ${limits.ratio}× is allowed.`]
      : []),
    ...over("A task of the panel takes", of(longest), limits.task, "while an answer floods in"),
    ...over("A message is painted", of(posted), limits.posted, "after postMessage, p95"),
  ];
}

/** A sentence about a limit (ms) that was exceeded. */
export function over(what: string, value: number, limit: number, when: string): readonly string[] {
  return value > limit ? [`${what} ${ms(value)} ${when}; ${limit} ms are allowed.`] : [];
}
