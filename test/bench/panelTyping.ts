// From a key to its paint in the composer while an answer streams in, compared with a text box in an idle webview.
import { answerOf } from "./answer.ts";
import { over } from "./panelFlood.ts";
import { answered, noted, writeAnswer, type Answered, type Side } from "./panelSides.ts";
import { install } from "./paints.ts";
import { median, ms, p95, range, type Report } from "./report.ts";

const chunkLength = 12;
/** The number of chunks at once, every 10 ms and a little. */
const burst = 11;
const seconds = 12;
const rounds = 2;
const keys = 150;
const keyPace = 45;
const lastWords = "The end of it.";
const limits = { above: 8, task: 50 };

interface Run {
  readonly stroke: number;
  readonly longestTask: number;
  /** Chunks per second. */
  readonly pace: number;
}

/** Alternates between the panel and the empty webview. */
export async function measureTyping(panel: Side, empty: Side): Promise<Report> {
  const count = seconds * 1000;
  writeAnswer(panel, answerOf(count * chunkLength - lastWords.length) + lastWords, { chunkLength, burst });
  const runs: { readonly panel: Run; readonly empty: Run }[] = [];
  for (let round = 0; round < rounds; round++) {
    await empty.page.bringToFront();
    await empty.root.evaluate(install);
    await type(empty);
    const idle = runOf(await noted(empty), NaN, 0);
    const { first, written, watched } = await answered(panel, lastWords, () => type(panel));
    runs.push({ empty: idle, panel: runOf(watched, (count * 1000) / (written - first), first) });
  }
  const panels = runs.map(run => run.panel);
  const empties = runs.map(run => run.empty);
  const strokes = (of: readonly Run[]): readonly number[] => of.map(run => run.stroke);
  const above = median(strokes(panels)) - median(strokes(empties));
  const tasks = (of: readonly Run[]): string => {
    const longest = Math.max(...of.map(run => run.longestTask));
    return longest <= 50 ? "≤ 50 ms" : ms(longest);
  };
  const pace = Math.round(median(panels.map(run => run.pace))).toLocaleString("en");
  return {
    tables: [
      {
        columns: [`(b) typing at ${pace} chunks a second`, "p95", "range", "longest task"],
        rows: [
          [
            "empty webview, nothing else going on",
            ms(median(strokes(empties))),
            range(strokes(empties)),
            tasks(empties),
          ],
          ["composer, while the answer streams in", ms(median(strokes(panels))), range(strokes(panels)), tasks(panels)],
          ["above the empty one", ms(above), "", ""],
        ],
      },
    ],
    failures: [
      ...over("A key is painted", above, limits.above, "later than in an empty webview, p95"),
      ...over("A task takes", median(panels.map(run => run.longestTask)), limits.task, "while somebody types"),
    ],
  };
}

async function type({ page, box }: Side): Promise<void> {
  await box.click();
  const words = "what people write while an agent works ".repeat(keys).slice(0, keys);
  await page.keyboard.type(words, { delay: keyPace });
  if (!(await box.inputValue()).endsWith(words)) throw new Error("What was typed is not in the text box.");
  await box.fill("");
}

function runOf({ strokes, longTasks }: Answered["watched"], pace: number, from: number): Run {
  const typed = strokes.map(stroke => stroke.painted - stroke.pressed);
  return {
    stroke: p95(typed),
    longestTask: Math.max(0, ...longTasks.filter(task => task.at > from).map(task => task.duration)),
    pace,
  };
}
