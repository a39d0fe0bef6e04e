// From the agent's last write to the last paint in the real panel, beside a floor in the same run: the same agent and
// chunks through pipe, batch and one text node.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand, webview } from "../../scripts/vscode/workbench.mjs";
import { answerOf, cut } from "./answer.ts";
import { install, type Paint, type Watched } from "./paints.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";
import { withVscode, type Vscode } from "./vscode.ts";

const count = 5000;
const chunkLength = 12;
const rounds = 7;
/** The agent is silent for this long before its turn ends, so that the end's own paints are told apart. Milliseconds. */
const silence = 1500;
/** Nothing was painted for this long: the run is over. Milliseconds. */
const quiet = 500;

const lastWords = "The end of it.";
const text = answerOf(count * chunkLength - lastWords.length) + lastWords;

/** One answer: when things happened, in milliseconds since the agent's last write. */
interface Run {
  readonly writing: number;
  /** The last paint before the turn's end. */
  readonly painted: number;
  readonly paints: number;
  /** From the turn's end to the last paint after it. */
  readonly settled: number;
}

/** A window, and how it is asked for the answer. */
interface Side {
  readonly page: Page;
  readonly workspace: string;
  readonly frame: FrameLocator;
  /** The element that the text appears in. */
  readonly root: string;
  /** Where in it the text of the newest answer is. */
  readonly newest: string;
  ask(): Promise<void>;
}

/** Takes turns between the panel and the floor. */
export function run(): Promise<Report> {
  return withVscode(
    () => ({}),
    async vscode => {
      const floor = await openFloor(vscode);
      const panel = await openPanel(vscode);
      const runs: { readonly panel: Run; readonly floor: Run }[] = [];
      // The first round warms up and is not counted.
      for (let round = 0; round <= rounds; round++) {
        const pair = { floor: await flood(floor), panel: await flood(panel) };
        if (round > 0) runs.push(pair);
      }
      return { tables: [table(runs)], versions: vscode.versions };
    },
  );
}

function table(runs: readonly { readonly panel: Run; readonly floor: Run }[]): Report["tables"][number] {
  const row = (title: string, of: (run: Run) => number): readonly string[] => {
    const panel = runs.map(run => of(run.panel));
    const floor = runs.map(run => of(run.floor));
    const by = ratio(median(panel) / median(floor));
    return [title, ms(median(panel)), range(panel), ms(median(floor)), range(floor), by];
  };
  const paints = (which: "panel" | "floor"): string => String(Math.round(median(runs.map(run => run[which].paints))));
  const settled = runs.map(run => run.panel.settled);
  return {
    columns: ["5,000 chunks, 60 kB", "panel", "range", "floor", "range", "ratio"],
    rows: [
      row("agent's last write → last paint", run => run.painted),
      row("agent's first write → last paint", run => run.writing + run.painted),
      row("the agent writes for", run => run.writing),
      ["paints until then", paints("panel"), "", paints("floor"), "", ""],
      ["end of the turn → last paint", ms(median(settled)), range(settled), "", "", ""],
    ],
  };
}

async function openPanel(vscode: Vscode): Promise<Side> {
  const workspace = newWorkspace(vscode, "panel");
  const page = await vscode.open(workspace);
  await runCommand(page, "Parley: Open Chat");
  const frame = webview(page, "parley.parley");
  const composer = frame.getByRole("textbox", { name: "Message" });
  await composer.waitFor();
  const entries = frame.locator(".entries > *");
  const ask = async (): Promise<void> => {
    // The first answer goes into the session that is there.
    if ((await entries.count()) > 0) {
      await runCommand(page, "Parley: New Session");
      await entries.first().waitFor({ state: "detached" });
    }
    await composer.fill("#script flood.json");
    await composer.press("Enter");
  };
  return { page, workspace, frame, root: ".log", newest: "parley-message:last-of-type .markdown", ask };
}

async function openFloor(vscode: Vscode): Promise<Side> {
  const workspace = newWorkspace(vscode, "floor");
  const page = await vscode.open(workspace, { helper: true });
  await page.getByRole("tab", { name: "Floor" }).click();
  const frame = webview(page, "parley-bench.helper");
  await frame.locator("#text").waitFor();
  const ask = (): Promise<void> => runCommand(page, "Bench: Flood");
  return { page, workspace, frame, root: "#text", newest: "#text", ask };
}

function newWorkspace(vscode: Vscode, name: string): string {
  const workspace = join(vscode.folder, name);
  const marks = "marks.ndjson";
  const steps = [
    { mark: "first", file: marks },
    ...cut(text, chunkLength).map(chunk => ({ chunk })),
    { mark: "written", file: marks },
    { waitMs: silence },
    { mark: "ended", file: marks },
  ];
  mkdirSync(workspace);
  writeFileSync(join(workspace, "flood.json"), JSON.stringify({ steps }));
  return workspace;
}

/** Asks for the answer, waits until all of it is painted and the turn is over, and reads the times. */
async function flood({ page, workspace, frame, root, newest, ask }: Side): Promise<Run> {
  const file = join(workspace, "marks.ndjson");
  rmSync(file, { force: true });
  await page.bringToFront();
  const element = frame.locator(root);
  await element.evaluate(install);
  await ask();
  let marks: ReadonlyMap<string, number> = new Map();
  const over = async (): Promise<boolean> => {
    marks = readMarks(file);
    if (!marks.has("ended")) return false;
    return element.evaluate((_, quiet) => {
      const last = (window as unknown as Watched).paints.at(-1);
      return last !== undefined && performance.timeOrigin + performance.now() - last.at > quiet;
    }, quiet);
  };
  if (!(await waitFor(over, 60_000, 200))) throw new Error("The answer did not come to its end in a minute.");
  const shown = await frame.locator(newest).evaluate(node => node.textContent);
  if (shown?.trim().endsWith(lastWords) !== true) throw new Error("The end of the answer is not on the page.");
  const paints = await element.evaluate(() => (window as unknown as Watched).paints);
  return timesOf(paints, marks);
}

function timesOf(paints: readonly Paint[], marks: ReadonlyMap<string, number>): Run {
  const [first, written, ended] = ["first", "written", "ended"].map(name => marks.get(name) ?? NaN) as [
    number,
    number,
    number,
  ];
  const before = paints.filter(paint => paint.at > first && paint.at < ended);
  const last = before.at(-1)?.at ?? NaN;
  return {
    writing: written - first,
    painted: last - written,
    paints: before.length,
    settled: Math.max(0, (paints.at(-1)?.at ?? NaN) - ended),
  };
}

function readMarks(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter(line => line !== "");
  return new Map(
    lines.map(line => {
      const { name, at } = JSON.parse(line) as { readonly name: string; readonly at: number };
      return [name, at];
    }),
  );
}
