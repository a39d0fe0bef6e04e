// The time from the agent's last write to the last paint in the real panel, for tool calls with diffs that arrive as fast
// as the pipe accepts them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { over } from "./panelFlood.ts";
import { answered, writeUpdates, type Answered, type Side } from "./panelSides.ts";
import { median, ms, range, type Report } from "./report.ts";

const count = 2000;
const files = 20;
const linesOfFile = 500;
const rounds = 9;

/** Milliseconds. */
const limits = { painted: 250, task: 50 };

interface Run {
  readonly writing: number;
  /** From the last write to the last paint before the turn's end. */
  readonly painted: number;
  /** The part of it until the extension host sends the last message. */
  readonly sent: number;
  readonly paints: number;
  readonly longestTask: number;
  /** The tasks of more than 50 ms. */
  readonly longTasks: number;
}

/** Every round is a session of its own. The first one is a warm-up and is not counted. */
export async function measureToolCalls(panel: Side): Promise<Report> {
  for (let file = 0; file < files; file++) writeFile(panel, file);
  writeUpdates(
    panel,
    Array.from({ length: count }, (_, i) => edit(i)),
  );
  const side = { ...panel, newest: panel.frame.locator(".entries > parley-tool:last-of-type .tool-title") };
  const runs: Run[] = [];
  for (let round = 0; round <= rounds; round++) {
    const run = runOf(await answered(side, `Edit ${count}`));
    if (round > 0) runs.push(run);
  }
  return { tables: [table(runs)], failures: failures(runs) };
}

const nameOf = (file: number): string => `part${file}.js`;
const lineOf = (file: number, line: number): string => `  total += rates[${file}][${line}] * amounts[${line}];\n`;
const changedLineOf = (file: number, line: number): string =>
  `  total += rateOf(${file}, ${line}) * (amounts[${line}] ?? 0);\n`;
/** Every fourth line is edited. */
const isEdited = (line: number): boolean => line % 4 === 1;

/** Writes a file as it is after the edits. */
function writeFile({ workspace }: Side, file: number): void {
  const folder = join(workspace, "src");
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: linesOfFile }, (_, line) => (isEdited(line) ? changedLineOf : lineOf)(file, line));
  writeFileSync(join(folder, nameOf(file)), lines.join(""));
}

/** A finished edit of one line with the lines around it, as agents report it that send only the changed part. */
function edit(i: number): object {
  const file = i % files;
  const line = Math.floor(i / files) * 4 + 1;
  const around = [lineOf(file, line - 1), lineOf(file, line + 1)] as const;
  const path = `$cwd/src/${nameOf(file)}`;
  return {
    sessionUpdate: "tool_call",
    toolCallId: `edit-${i}`,
    title: `Edit ${i + 1}`,
    kind: "edit",
    status: "completed",
    locations: [{ path, line: line + 1 }],
    content: [
      {
        type: "diff",
        path,
        oldText: around.join(lineOf(file, line)),
        newText: around.join(changedLineOf(file, line)),
      },
    ],
  };
}

function runOf({ first, written, ended, watched }: Answered): Run {
  const before = watched.paints.filter(paint => paint.inSight && paint.at > first && paint.at < ended);
  const last = before.at(-1)?.at ?? NaN;
  // After the last paint, the extension host still sends the lines of diffs in folded cards, which changes no paint.
  const sent = watched.arrivals.filter(arrival => arrival.sent > first && arrival.painted <= last + 1);
  // Before that, another conversation leaves the page.
  const tasks = watched.longTasks.filter(task => task.at > first);
  return {
    writing: written - first,
    painted: last - written,
    sent: Math.max(0, (sent.at(-1)?.sent ?? NaN) - written),
    paints: before.length,
    longestTask: Math.max(0, ...tasks.map(task => task.duration)),
    longTasks: tasks.length,
  };
}

/** The browser does not report tasks up to 50 ms. */
const task = (value: number): string => (value <= limits.task ? "≤ 50 ms" : ms(value));

function table(runs: readonly Run[]): Report["tables"][number] {
  const row = (title: string, of: (run: Run) => number): readonly string[] => {
    const values = runs.map(of);
    return [title, ms(median(values)), range(values)];
  };
  const longest = runs.map(run => run.longestTask);
  return {
    columns: [`(e) ${count.toLocaleString("en")} tool calls with diffs`, "panel", "range"],
    rows: [
      row("agent's last write → last paint", run => run.painted),
      row("of that until the extension host sends it", run => run.sent),
      row("the agent writes for", run => run.writing),
      ["longest task", task(median(longest)), task(Math.max(...longest))],
      ["tasks over 50 ms", String(median(runs.map(run => run.longTasks))), ""],
      ["paints until the last", String(Math.round(median(runs.map(run => run.paints)))), ""],
    ],
  };
}

function failures(runs: readonly Run[]): readonly string[] {
  const of = (value: (run: Run) => number): number => median(runs.map(value));
  return [
    ...over(
      "The last paint of tool calls comes",
      of(run => run.painted),
      limits.painted,
      "after the agent's last write",
    ),
    ...over(
      "A task of the panel takes",
      of(run => run.longestTask),
      limits.task,
      "while tool calls flood in",
    ),
  ];
}
