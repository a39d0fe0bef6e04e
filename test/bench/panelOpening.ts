// The time from the click on the chat's icon, in a window that has just been opened, to the end of a long conversation
// whose log is on disk, and to a character that is typed into the composer. Compared with opening a webview that shows
// nothing.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BrowserContext, FrameLocator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { webview } from "../../scripts/vscode/workbench.mjs";
import { lastWords, writeLongSession } from "./longSession.ts";
import { watchOpening, type Opening } from "./opening.ts";
import { over } from "./panelFlood.ts";
import { heapOf, type Heap } from "./panelHeap.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";
import type { Vscode } from "./vscode.ts";

const rounds = 4;
/** The position of the text box in the previous round, by the webview's extension. It will be the same again. */
const boxes = new Map<
  string,
  { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
>();
const isOpened = "The end is painted.";
/** Milliseconds. */
const betweenClicks = 200;
const limits = { painted: 500, typed: 700 };

interface Run {
  readonly painted: number;
  readonly typed: number;
  readonly longestTask: number;
}

/** Opens both alternately, each time in a new window; the heap is that of the last panel. */
export async function measureOpening(vscode: Vscode): Promise<Report & { readonly heap: Heap }> {
  const workspace = join(vscode.folder, "opening");
  mkdirSync(workspace);
  const chat = await newProfile(vscode, { box: ".log", words: lastWords, isOpened });
  const empty = await newProfile(vscode, { box: "#text", words: "", isOpened });
  const log = await makeSession(vscode, workspace, chat);
  const runs: { readonly panel: Run; readonly empty: Run }[] = [];
  let heap: Heap | undefined;
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const idle = await open(vscode, workspace, empty, { tab: "Floor", owner: "parley-bench.helper" });
    await log.restore();
    const panel = await open(vscode, workspace, chat, { tab: "Parley", owner: "parley.parley" });
    heap = panel.heap;
    if (round > 0) runs.push({ panel: panel.run, empty: idle.run });
  }
  if (!heap) throw new Error("Nothing was opened.");
  return { ...reportOf(runs), heap };
}

function reportOf(runs: readonly { readonly panel: Run; readonly empty: Run }[]): Report {
  const row = (title: string, of: (run: Run) => number): readonly string[] => {
    const panel = runs.map(run => of(run.panel));
    const empty = runs.map(run => of(run.empty));
    const by = ratio(median(panel) / median(empty));
    return [title, ms(median(panel)), range(panel), ms(median(empty)), range(empty), by];
  };
  const painted = (run: Run): number => run.painted;
  const typed = (run: Run): number => run.typed;
  const tasks = (of: readonly Run[]): string => {
    const longest = median(of.map(run => run.longestTask));
    return longest <= 50 ? "≤ 50 ms" : ms(longest);
  };
  const panels = runs.map(run => run.panel);
  return {
    tables: [
      {
        columns: ["(c) a session of 10,000 updates", "panel", "range", "empty webview", "range", "ratio"],
        rows: [
          row("click → its end is painted", painted),
          row("click → a typed character is painted", typed),
          ["longest task on the way", tasks(panels), "", tasks(runs.map(run => run.empty)), "", ""],
        ],
      },
    ],
    failures: [
      ...over("The end of a long session is painted", median(panels.map(painted)), limits.painted, "after the click"),
      ...over("A typed character is painted", median(panels.map(typed)), limits.typed, "after the click"),
    ],
  };
}

async function newProfile(vscode: Vscode, watched: Parameters<typeof watchOpening>[0]): Promise<BrowserContext> {
  const profile = await vscode.newProfile();
  await profile.addInitScript(watchOpening, watched);
  return profile;
}

/** Makes the window's current session one whose log can be restored. */
async function makeSession(
  vscode: Vscode,
  workspace: string,
  profile: BrowserContext,
): Promise<{ restore(): Promise<void> }> {
  const page = await vscode.open(workspace, { profile });
  await tab(page, "Parley").click();
  await webview(page, "parley.parley").getByRole("textbox", { name: "Message" }).waitFor();
  const remembered = (): string | undefined => findRecord(join(vscode.dataDir, "data"));
  if (!(await waitFor(() => remembered() !== undefined, 20_000))) throw new Error("No session was remembered.");
  await leave(page);
  const file = remembered() ?? "";
  const folder = dirname(file);
  const { text } = JSON.parse(readFileSync(file, "utf8")) as { readonly text: string };
  const { id } = JSON.parse(text) as { readonly id: string };
  return {
    async restore() {
      rmSync(join(folder, `${id}.jsonl`), { force: true });
      const append = async (name: string, text: string): Promise<void> => appendFileSync(join(folder, name), text);
      const unused = (): Promise<never> => Promise.reject(new Error("A log is only appended to."));
      await writeLongSession({ append, write: unused, read: unused }, id, workspace);
    },
  };
}

/** The file in which the window remembers its session. */
function findRecord(folder: string): string | undefined {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find(file =>
    /parley\.parley\/sessions\/window-[^/]+\.json$/.test(file),
  );
  return found && join(folder, found);
}

const tab = (page: Page, name: string): ReturnType<Page["locator"]> =>
  page.locator(".activitybar").getByRole("tab", { name, exact: false });

/**
 * VS Code continues to start for this long after its extensions are ready (ms). The benchmark measures the panel only.
 */
const settling = 4000;
/** VS Code in a browser stores the state of a window at least this often (ms). */
const remembering = 6000;

/** Returns to the explorer, so that the next window opens with it. */
async function leave(page: Page): Promise<void> {
  await tab(page, "Explorer").click();
  await page.locator(".explorer-viewlet").waitFor();
  await page.waitForTimeout(remembering);
  await page.close({ runBeforeUnload: true });
}

async function open(
  vscode: Vscode,
  workspace: string,
  profile: BrowserContext,
  { tab: name, owner }: { readonly tab: string; readonly owner: string },
): Promise<{ readonly run: Run; readonly heap: Heap }> {
  const page = await vscode.open(workspace, { profile, helper: true });
  await page.getByRole("button", { name: "Extensions started" }).waitFor({ timeout: 30_000 });
  await page.locator(".explorer-viewlet").waitFor();
  await page.waitForTimeout(settling);
  const opened = page.waitForEvent("console", { predicate: message => message.text() === isOpened, timeout: 30_000 });
  await tab(page, name).click();
  await opened;
  const inside = webview(page, owner);
  const box = boxes.get(owner);
  const done = async (): Promise<boolean> => {
    // VS Code focuses the view that it opens, perhaps after the user has clicked into the box. The user then clicks
    // again.
    if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    else await inside.locator("textarea").click();
    await page.keyboard.press("x");
    await page.waitForTimeout(betweenClicks);
    return (await openingOf(inside)).typed > 0;
  };
  if (!(await waitFor(done, 30_000))) throw new Error(`Nothing could be typed into ${name}.`);
  const { painted, typed, longTasks } = await openingOf(inside);
  const clicked = await page.evaluate(() => (window as unknown as { opening: Opening }).opening.clicked);
  const at = await inside.locator("textarea").boundingBox();
  if (at) boxes.set(owner, at);
  const heap = await heapOf(page, owner);
  await inside.locator("textarea").fill("");
  await leave(page);
  return { run: { painted: painted - clicked, typed: typed - clicked, longestTask: Math.max(0, ...longTasks) }, heap };
}

function openingOf(frame: FrameLocator): Promise<Opening> {
  return frame.locator("textarea").evaluate(() => (window as unknown as { opening: Opening }).opening);
}
