// Four sessions in worktrees of a repository of 100,000 files, in a real VS Code: the memory of the extension host, and the
// memory, the processor time and the watches of the process that watches files.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand, webview } from "../../scripts/vscode/workbench.mjs";
import { fileAt, makeRepository } from "./largeRepository.ts";
import { heapFile, heapOf } from "./extensionHostHeap.ts";
import type { Report } from "./report.ts";
import { withVscode, type Vscode } from "./vscode.ts";

const sessionCount = 4;
/** The files that are changed in each worktree. */
const writes = 1000;
/** The memory of a session, in bytes. */
const maxSession = 2_000_000;

/** Starts the sessions, one after the other, and measures. */
export function measureWorktreeSessions(): Promise<Report> {
  return withVscode(
    folder => ({ PARLEY_BENCH_HEAP: heapFile(folder) }),
    async vscode => {
      const root = join(vscode.folder, "work");
      makeRepository(root);
      const page = await vscode.open(root, { helper: true });
      await page.getByRole("button", { name: "Extensions started" }).waitFor({ timeout: 60_000 });
      await runCommand(page, "Parley: Open Chat");
      const panel = webview(page, "parley.parley");
      const heap = (): Promise<number> => heapOf(page, heapFile(vscode.folder));
      // The first session also loads code.
      await answered(panel, "one");
      const [alone, before] = [await settled(vscode), await heap()];
      for (let session = 1; session <= sessionCount; session++) await newWorktreeSession(page, panel, session);
      const [watching, full] = [await settled(vscode), await heap()];
      const change = (top: string): void => {
        for (let file = 0; file < writes; file++) writeFileSync(fileAt(top, file, 1), `changed ${file}\n`);
      };
      for (let session = 1; session <= sessionCount; session++)
        change(join(dirname(root), "work.worktrees", nameOf(session)));
      const changed = await settled(vscode);
      const [mb, seconds] = [
        (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`,
        (ms: number) => `${(ms / 1000).toFixed(1)} s`,
      ];
      const each = (full - before) / sessionCount;
      return {
        tables: [
          {
            columns: [`${sessionCount} sessions in worktrees of 100,000 files, in VS Code`, "value", "limit"],
            rows: [
              ["memory of the extension host for each session", mb(each), mb(maxSession)],
              ["watched folders, for the window alone", `${alone.watches}`, ""],
              ["watched folders, with the sessions", `${watching.watches}`, ""],
              ["memory of the watcher, for the window alone", mb(alone.memory), ""],
              ["memory of the watcher, with the sessions", mb(watching.memory), ""],
              [
                "processor time of the watcher to begin with the four worktrees",
                seconds(watching.time - alone.time),
                "",
              ],
              [
                `processor time of the watcher for ${sessionCount * writes} changed files`,
                seconds(changed.time - watching.time),
                "",
              ],
            ],
          },
        ],
        failures:
          each > maxSession ? [`A session in a worktree needs ${mb(each)}, the limit is ${mb(maxSession)}.`] : [],
        versions: vscode.versions,
      };
    },
  );
}

const nameOf = (session: number): string => `parley-session${session === 1 ? "" : `-${session}`}`;

async function newWorktreeSession(page: Page, panel: FrameLocator, session: number): Promise<void> {
  const before = await panel.locator("main[data-session]").getAttribute("data-session");
  await runCommand(page, "Parley: New Session in Worktree…");
  const input = page.locator(".quick-input-widget input");
  const branch = nameOf(session).replace("-", "/");
  if (!(await waitFor(async () => (await input.inputValue()) === branch, 30_000, 50)))
    throw new Error(`The branch ${branch} was not proposed.`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Last commit of main" }).first().waitFor();
  await page.keyboard.press("Enter");
  // An earlier session has the same notice.
  await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor({ timeout: 120_000 });
  await panel.getByText("This session works in a worktree").first().waitFor({ timeout: 120_000 });
  await answered(panel, `${session}`);
}

/** Sends a prompt, and waits until the turn has ended. */
async function answered(panel: FrameLocator, text: string): Promise<void> {
  const box = panel.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
  await panel.locator("parley-message[data-kind=agent]").first().waitFor({ timeout: 60_000 });
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden", timeout: 60_000 });
}

/** What the process that watches files uses: bytes, processor time in ms, and the number of folders. */
interface WatcherUse {
  readonly memory: number;
  readonly time: number;
  readonly watches: number;
}

/** Waits until the watcher has been idle for two seconds. */
async function settled(vscode: Vscode): Promise<WatcherUse> {
  const watcher = vscode.processes().find(({ command }) => command.includes("--type=fileWatcher"));
  if (!watcher) throw new Error("VS Code has no process that watches files.");
  let [use, since] = [useOf(watcher.pid), performance.now()];
  const isIdle = (): boolean => {
    const now = useOf(watcher.pid);
    if (now.time !== use.time) since = performance.now();
    use = now;
    return performance.now() - since > 2000;
  };
  if (!(await waitFor(isIdle, 120_000, 200))) throw new Error("The watcher did not become idle.");
  return use;
}

/** Reads what Linux reports of the process. Its unit of time is 10 ms. */
function useOf(pid: number): WatcherUse {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const memory = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
  // The name of the process, in parentheses, can contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const time = (Number(fields[11]) + Number(fields[12])) * 10;
  const infos = readdirSync(`/proc/${pid}/fdinfo`).map(name => textOrNone(`/proc/${pid}/fdinfo/${name}`));
  const watches = infos.reduce((sum, info) => sum + [...info.matchAll(/^inotify wd:/gm)].length, 0);
  return { memory, time, watches };
}

/** The text of a file; empty if the process has closed it meanwhile. */
function textOrNone(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
