// The two windows that the panel's benchmarks compare: Parley, and the helper's floor.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand, webview } from "../../scripts/vscode/workbench.mjs";
import { cut } from "./answer.ts";
import { install, type Watched } from "./paints.ts";
import type { Vscode } from "./vscode.ts";

/** The agent is silent for this long before its turn ends, so that the paints at the end can be distinguished (ms). */
const silence = 1500;
/** The run is over after this long without a paint (ms). */
const quiet = 500;
const marks = "marks.ndjson";

/** A window, and how to request the answer of `flood.json` in it. */
export interface Side {
  readonly page: Page;
  readonly workspace: string;
  readonly frame: FrameLocator;
  /** The element in which the text appears. */
  readonly root: Locator;
  /** The position in it where the text of the newest answer starts. */
  readonly newest: Locator;
  /** The text box. */
  readonly box: Locator;
  ask(): Promise<void>;
}

/** The times of the events in one answer (ms since the epoch), and the page's records. */
export interface Answered {
  readonly first: number;
  readonly written: number;
  readonly ended: number;
  readonly watched: Omit<Watched, "stopWatching">;
}

/** Opens the chat in a window of its own, on a folder that `fill` fills. Every answer goes into a new session. */
export async function openPanel(vscode: Vscode, fill?: (workspace: string) => void): Promise<Side> {
  const workspace = newWorkspace(vscode, fill ? "filled" : "panel");
  fill?.(workspace);
  const page = await vscode.open(workspace, { helper: true });
  await runCommand(page, "Parley: Open Chat");
  const frame = webview(page, "parley.parley");
  const box = frame.getByRole("textbox", { name: "Message" });
  await box.waitFor();
  const ask = async (): Promise<void> => {
    await newSession({ page, frame });
    await prompt(box, "flood.json");
  };
  const newest = frame.locator("parley-message:last-of-type .markdown");
  return { page, workspace, frame, root: frame.locator(".log"), newest, box, ask };
}

/** Leaves the session, if it has messages. */
export async function newSession({ page, frame }: Pick<Side, "page" | "frame">): Promise<void> {
  const entries = frame.locator(".entries > *");
  if ((await entries.count()) === 0) return;
  await runCommand(page, "Parley: New Session");
  await entries.first().waitFor({ state: "detached" });
}

/** Sends the prompt that makes the demo agent play a script of the workspace. */
export async function prompt(box: Locator, script: string): Promise<void> {
  await box.fill(`#script ${script}`);
  await box.press("Enter");
}

/** Opens the floor in a window of its own. */
export async function openFloor(vscode: Vscode): Promise<Side> {
  const workspace = newWorkspace(vscode, "floor");
  const page = await vscode.open(workspace, { helper: true });
  await page.getByRole("tab", { name: "Floor" }).click();
  const frame = webview(page, "parley-bench.helper");
  const text = frame.locator("#text");
  await text.waitFor();
  const ask = (): Promise<void> => runCommand(page, "Bench: Flood");
  return { page, workspace, frame, root: text, newest: text, box: frame.locator("textarea"), ask };
}

function newWorkspace(vscode: Vscode, name: string): string {
  const workspace = join(vscode.folder, name);
  mkdirSync(workspace);
  return workspace;
}

/** Writes the script of an answer in chunks. With `burst`, this many at once and then a pause of 10 ms. */
export function writeAnswer(
  { workspace }: Side,
  text: string,
  how: { readonly chunkLength: number; readonly burst?: number },
): void {
  const chunks = cut(text, how.chunkLength).map(chunk => ({ chunk }));
  const { burst } = how;
  const steps = [
    { mark: "first", file: marks },
    ...(burst === undefined
      ? chunks
      : chunks.flatMap((chunk, i) => (i % burst === burst - 1 ? [chunk, { waitMs: 10 }] : [chunk]))),
    { mark: "written", file: marks },
    { waitMs: silence },
    { mark: "ended", file: marks },
  ];
  writeFileSync(join(workspace, "flood.json"), JSON.stringify({ steps }));
}

/** Writes the script of updates, one after the other, as fast as the pipe accepts them. */
export function writeUpdates({ workspace }: Side, updates: readonly object[]): void {
  const steps = [
    { mark: "first", file: marks },
    ...updates.map(update => ({ update })),
    { mark: "written", file: marks },
    { waitMs: silence },
    { mark: "ended", file: marks },
  ];
  writeFileSync(join(workspace, "flood.json"), JSON.stringify({ steps }));
}

/** Requests the answer, does something meanwhile, and waits until all of it is painted and the turn is over. */
export async function answered(
  side: Pick<Side, "page" | "workspace" | "root" | "newest" | "ask">,
  lastWords: string,
  meanwhile?: () => Promise<void>,
): Promise<Answered> {
  const { page, workspace, root, newest, ask } = side;
  const file = join(workspace, marks);
  rmSync(file, { force: true });
  await page.bringToFront();
  await root.evaluate(install);
  await ask();
  if (meanwhile) {
    if (!(await waitFor(() => readMarks(file).has("first"), 30_000, 50))) throw new Error("The agent wrote nothing.");
    await meanwhile();
  }
  const over = async (): Promise<boolean> => {
    if (!readMarks(file).has("ended")) return false;
    return root.evaluate((_, quiet) => {
      const last = (window as unknown as Watched).paints.at(-1);
      return last !== undefined && performance.timeOrigin + performance.now() - last.at > quiet;
    }, quiet);
  };
  if (!(await waitFor(over, 120_000, 200))) throw new Error("The answer did not come to its end in two minutes.");
  const isShown = async (): Promise<boolean> =>
    (await newest.evaluate(node => node.textContent))?.trim().endsWith(lastWords) === true;
  // On a busy machine, the extension host can be behind.
  if (!(await waitFor(isShown, 10_000, 200))) throw new Error("The end of the answer is not on the page.");
  const at = readMarks(file);
  const [first, written, ended] = [at.get("first") ?? NaN, at.get("written") ?? NaN, at.get("ended") ?? NaN];
  return { first, written, ended, watched: await noted(side) };
}

/** The page's records so far. */
export function noted({ root }: Pick<Side, "root">): Promise<Answered["watched"]> {
  return root.evaluate(() => {
    const { paints, arrivals, strokes, longTasks } = window as unknown as Watched;
    return { paints, arrivals, strokes, longTasks };
  });
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
