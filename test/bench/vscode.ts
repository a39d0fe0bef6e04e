// A real VS Code with the packed Parley installed, and the benchmarks' own helper.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { whenExiting, type Process } from "../../scripts/tools/processes.mjs";
import { inProject } from "../../scripts/tools/project.mjs";
import { startServer, type Server } from "../../scripts/vscode/server.mjs";
import { launchBrowser, newProfile, openWorkbench } from "../../scripts/vscode/workbench.mjs";
import { helperCommands } from "./reviewedFiles.ts";
import { pack } from "./packed.ts";

/** The environment of a benchmark. */
export interface Vscode {
  readonly versions: readonly string[];
  /** A temporary folder. */
  readonly folder: string;
  /** Where VS Code stores the data of itself and its extensions. */
  readonly dataDir: string;
  /** Opens a window on a folder, with or without the helper, in a browser profile of its own unless one is given. */
  open(workspace: string, how?: { readonly helper?: boolean; readonly profile?: BrowserContext }): Promise<Page>;
  newProfile(): Promise<BrowserContext>;
  /** The processes of VS Code. */
  processes(): readonly Process[];
}

const helperManifest = {
  name: "helper",
  publisher: "parley-bench",
  version: "0.0.1",
  engines: { vscode: "^1.100.0" },
  main: "./helper.js",
  activationEvents: ["onStartupFinished"],
  contributes: {
    commands: [
      { command: "parleyBench.flood", title: "Bench: Flood" },
      ...Object.entries(helperCommands).map(([name, title]) => ({ command: `parleyBench.review.${name}`, title })),
      { command: "parleyBench.heap", title: "Bench: Measure Heap" },
      { command: "parleyBench.toggleRow", title: "Bench: Toggle Row", icon: "icon.svg" },
    ],
    menus: {
      "view/title": [{ command: "parleyBench.toggleRow", when: "view == parleyBench.rows", group: "navigation" }],
    },
    viewsContainers: { activitybar: [{ id: "parleyBench", title: "Floor", icon: "icon.svg" }] },
    views: {
      parleyBench: [{ id: "parleyBench.floor", name: "Floor", type: "webview" }],
      // In the container of Parley, so that both lists have the same place.
      parley: [{ id: "parleyBench.rows", name: "Rows", visibility: "collapsed", when: "parleyBench.rows" }],
    },
  },
};

/** Packs Parley, starts VS Code with it, and ends and removes everything when the work is done. */
export async function withVscode<T>(
  env: (folder: string) => Readonly<Record<string, string>>,
  work: (vscode: Vscode) => Promise<T>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  const packed = await pack();
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forget = whenExiting(removeFolder);
  const helper = writeHelper(folder);
  let server: Server | undefined;
  let browser: Browser | undefined;
  try {
    const agent = join(packed.folder, "dist", "demo-agent.mjs");
    server = await startServer({ vsix: packed.vsix, settings, env: { PARLEY_BENCH_AGENT: agent, ...env(folder) } });
    browser = await launchBrowser();
    const running = { server, browser };
    return await work({
      versions: [`VS Code ${server.version}`, `Chromium ${browser.version()}`],
      folder,
      dataDir: server.dataDir,
      open: (workspace, how) =>
        openWorkbench(
          running.browser,
          running.server,
          { folder: workspace, ...(how?.helper && { extension: helper }) },
          how?.profile,
        ),
      newProfile: () => newProfile(running.browser),
      processes: () => running.server.tree(),
    });
  } finally {
    await browser?.close();
    await server?.stop();
    removeFolder();
    forget();
    packed.remove();
  }
}

function writeHelper(folder: string): string {
  const helper = join(folder, "helper");
  mkdirSync(helper);
  writeFileSync(join(helper, "package.json"), JSON.stringify(helperManifest));
  writeFileSync(join(helper, "helper.js"), readFileSync(inProject("out", "bench", "helper.js")));
  writeFileSync(join(helper, "icon.svg"), readFileSync(inProject("media", "parley.svg")));
  return helper;
}
