// What the end-to-end tests stand on: a real VS Code with Parley in it, worked through Chromium as a person would.
// A window takes eight seconds of two processors. So tests share one wherever they can, with `sharedWorkbench`, and get
// a workspace and a window of their own from `openWorkbench` where the window itself is what they test.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { whenExiting } from "../../scripts/tools/processes.mjs";
import { inProject, root } from "../../scripts/tools/project.mjs";
import { openDesktop, type Desktop } from "../../scripts/vscode/desktop.mjs";
import { startServer, type Server } from "../../scripts/vscode/server.mjs";
import {
  harmlessErrors,
  launchBrowser,
  openWorkbench as openPage,
  runCommand,
  webview,
} from "../../scripts/vscode/workbench.mjs";

export { answerTrust, openFile, reloadWindow, runCommand } from "../../scripts/vscode/workbench.mjs";

/** Whether VS Code sees that its settings file has changed. The build of the minimum version does not, unlike its desktop. */
export const canChangeSettings = process.env["PARLEY_VSCODE"] !== "minimum";

/** The desktop VS Code to use in place of the one in Chromium; `npm run test:desktop` says which. */
const desktopVscode = process.env["PARLEY_DESKTOP"];

/** What a test may ask of its window. Each of settings, env, trust and vsix costs a server of its own. */
export interface WorkbenchOptions {
  /** The workspace, as paths and texts; a copy of examples/sample-workspace if left out. */
  readonly files?: Readonly<Record<string, string>>;
  /** The file among them that lists the workspace's folders, if there are several. */
  readonly workspaceFile?: string;
  /** User settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** True if VS Code is to ask whether the workspace is trusted; otherwise it simply is. */
  readonly trust?: boolean;
  /** A packaged extension to install, in place of the one under development. */
  readonly vsix?: string;
}

/** An open window of VS Code. It is closed, and its workspace removed, when the test ends. */
export interface Workbench {
  readonly page: Page;
  /** The workspace folder. */
  readonly folder: string;
  readonly server: Vscode;
  /** What the window and its webviews have reported as errors so far, without the known harmless ones. */
  readonly errors: readonly string[];
}

/** A running VS Code: the server of the one in Chromium, or a desktop. */
type Vscode = Server | Desktop;

interface Opened extends Workbench {
  readonly options: WorkbenchOptions;
  readonly errors: string[];
}

/** Every test file is a bundle with its own copy of this module, so what they share is kept outside of it. */
interface Shared {
  hooked: boolean;
  browser?: Promise<Browser>;
  server?: Promise<Server>;
  /** The windows that tests share, by the settings they were opened for. */
  readonly kept: Map<string, Opened>;
  readonly opened: Set<Opened>;
  readonly servers: Set<Vscode>;
  readonly folders: Set<string>;
}

const shared = sharedState();
if (!shared.hooked) addHooks();

function sharedState(): Shared {
  const holder = globalThis as { parleyEndToEnd?: Shared };
  holder.parleyEndToEnd ??= {
    hooked: false,
    kept: new Map(),
    opened: new Set(),
    servers: new Set(),
    folders: new Set(),
  };
  return holder.parleyEndToEnd;
}

function addHooks(): void {
  shared.hooked = true;
  whenExiting(() => removeFolders());
  afterEach("closes the windows of the test", async function () {
    const test = this.currentTest;
    if (test?.state === "failed") {
      await pictureFailure(test.fullTitle());
      // Shared windows may have been left in any state.
      shared.kept.clear();
    }
    await closeAll();
  });
  after("stops VS Code", async () => {
    await Promise.all([...shared.servers].map(server => stopServer(server)));
    await (await shared.browser)?.close();
  });
}

/** Opens a window of VS Code on a fresh workspace, and waits until it is restored. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const folder = newWorkspace(options.files);
  if (desktopVscode) return watch(await onDesktop(desktopVscode, folder, options));
  const server = await serverFor(options);
  server.writeSettings(usual(options.settings));
  shared.browser ??= launchBrowser();
  const page = await openPage(await shared.browser, server, target(folder, options), undefined, still);
  return watch({ page, folder, server, options, errors: [] });
}

/** Nothing turns or glides: without a graphics card each of its frames is drawn by the processors that tests need. */
const still = { reducedMotion: "reduce" } as const;

/**
 * The window that tests share, with the chat shown and nothing else: no editor, an empty session, and a workspace that is
 * a fresh copy of examples/sample-workspace with `files` added. What VS Code remembers of earlier tests stays. Tests with
 * settings share theirs as long as they follow each other; a test that fails ends the sharing.
 */
export async function sharedWorkbench(
  files: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Workbench & { readonly panel: FrameLocator }> {
  const usualKey = JSON.stringify({});
  const key = JSON.stringify(settings);
  // The usual window, and one other at a time: each takes half a gigabyte.
  for (const other of shared.kept.keys()) if (other !== key && other !== usualKey) shared.kept.delete(other);
  await closeAll();
  const known = shared.kept.get(key);
  if (known) {
    known.server.writeSettings(usual(settings));
    // What earlier tests let pass is not this one's.
    known.errors.length = 0;
    fillWorkspace(known.folder, files);
    return { ...known, panel: await cleared(known.page) };
  }
  const workbench = opened(await openWorkbench(key === usualKey ? {} : { settings }));
  shared.kept.set(key, workbench);
  writeFiles(workbench.folder, files);
  return { ...workbench, panel: await openChat(workbench.page) };
}

/** Closes what an earlier test has opened, and begins a session. */
async function cleared(page: Page): Promise<FrameLocator> {
  await page.keyboard.press("Escape");
  await runCommand(page, "View: Close All Editors");
  await page.locator(".tab").first().waitFor({ state: "detached" });
  if (await page.locator(".part.panel").isVisible()) await runCommand(page, "View: Toggle Panel Visibility");
  const panel = await openChat(page);
  const changes = panel.getByRole("region", { name: "Changes" });
  if (await changes.isVisible()) {
    const keep = changes.getByRole("button", { name: "Keep All", exact: true });
    // What an earlier test left may go with its files at this moment.
    await Promise.race([keep.click(), changes.waitFor({ state: "hidden" })]);
    await changes.waitFor({ state: "hidden" });
  }
  await newSession(page, panel);
  return panel;
}

/** Starts a session by its command, and waits until the panel shows it. */
export async function newSession(page: Page, panel: FrameLocator): Promise<void> {
  await startingSession(panel, () => runCommand(page, "Parley: New Session"));
  const conversation = panel.getByRole("log", { name: "Conversation" });
  await conversation.getByRole("heading", { name: /^You:/ }).first().waitFor({ state: "detached" });
}

/**
 * Does what starts a session, and waits until the panel shows the session. A prompt sent earlier would go to the session
 * before, and two empty sessions differ in nothing but their ids.
 */
export async function startingSession(panel: FrameLocator, start: () => Promise<unknown>): Promise<void> {
  const before = await panel.locator("main[data-session]").getAttribute("data-session");
  await start();
  await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
}

/**
 * Stops VS Code, as quitting it does, and starts it on the same data, workspace and profile. `whileStopped` may change the
 * data; in Chromium the workbench's page is still open then.
 */
export async function restartVscode(
  workbench: Workbench,
  whileStopped: () => Promise<void> = async () => {},
): Promise<Workbench> {
  const { page, folder, server, options } = opened(workbench);
  if (desktopVscode) {
    await stopServer(server, { keepData: true });
    await whileStopped();
    shared.opened.delete(opened(workbench));
    return watch(await onDesktop(desktopVscode, folder, options, server.dataDir));
  }
  if (server === (await shared.server))
    throw new Error("Only a server of the test's own can be restarted: pass `env`.");
  const profile = page.context();
  await page.goto("about:blank");
  await stopServer(server, { keepData: true });
  await whileStopped();
  if (!("port" in server)) throw new Error("Only a VS Code in Chromium has a port.");
  const { port, dataDir } = server;
  const again = await startServer({ ...serverOptions(options), port, dataDir });
  shared.servers.add(again);
  const next = await openPage(await browserOf(page), again, target(folder, options), profile);
  await page.close();
  shared.opened.delete(opened(workbench));
  return watch({ page: next, folder, server: again, options, errors: [] });
}

/** Closes the window as a user does: what runs before it unloads, runs. A window that tests shared is shared no longer. */
export async function closeWindow(workbench: Workbench): Promise<void> {
  const { page, server } = workbench;
  if (desktopVscode) {
    await stopServer(server);
    for (const each of shared.opened) if (each.page === page) shared.opened.delete(each);
  } else await page.close({ runBeforeUnload: true });
  for (const [key, each] of shared.kept) if (each.page === page) shared.kept.delete(key);
}

/** The document of Parley's chat panel. */
export function chat(page: Page): FrameLocator {
  return webview(page, "parley.parley");
}

/** Shows the chat panel by its command, and waits for its document. */
export async function openChat(page: Page): Promise<FrameLocator> {
  await runCommand(page, "Parley: Open Chat");
  // The composer is there before the session is shown.
  await chat(page).locator("parley-header").waitFor();
  return chat(page);
}

/**
 * Presses Ctrl+K and the key until it is done. VS Code learns of a hunk at the cursor a moment after it shows the cursor's
 * place, and rejects the keys until then. They are only pressed again once VS Code has rejected them: keys that it took
 * would otherwise decide on the next hunk, too.
 */
export async function chord(page: Page, key: string, isDone: () => Promise<boolean>): Promise<void> {
  const status = page.locator(".statusbar-item");
  const rejected = status.filter({ hasText: "is not a command" });
  while (!(await isDone())) {
    await page.keyboard.press("Control+K");
    await status.filter({ hasText: "Waiting for second key" }).waitFor();
    await page.keyboard.press(key);
    while (!(await isDone()) && (await rejected.count()) === 0)
      await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)));
  }
}

/** What assistive technology is told of an element and all inside it: roles and names, as Playwright writes them. */
export function rolesAndNames(element: Locator): Promise<string> {
  return element.ariaSnapshot();
}

/** Takes a picture of the window into out/screenshots, and gives its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
  const path = inProject("out", "screenshots", `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
  return path;
}

/** Writes files into a workspace, making the folders they lie in. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function onDesktop(
  executable: string,
  folder: string,
  options: WorkbenchOptions,
  dataDir?: string,
): Promise<Opened> {
  const { workspace, ...opened } = target(folder, options);
  const windowOptions = {
    ...serverOptions(options),
    ...opened,
    folder: workspace ?? folder,
    ...(dataDir && { dataDir }),
  };
  const { page, desktop } = await openDesktop(executable, windowOptions);
  shared.servers.add(desktop);
  return { page, folder, server: desktop, options, errors: [] };
}

async function serverFor(options: WorkbenchOptions): Promise<Server> {
  // A running server may notice changed settings too late for the window that is about to open.
  const { env, trust, vsix, settings } = options;
  const ownServer = [env, trust, vsix, settings].some(each => each !== undefined);
  const starting = ownServer ? startServer(serverOptions(options)) : (shared.server ??= startServer(serverOptions({})));
  const server = await starting;
  shared.servers.add(server);
  return server;
}

function serverOptions(options: WorkbenchOptions): Parameters<typeof startServer>[0] {
  const { env, settings, trust, vsix } = options;
  return { settings: usual(settings), env: { ...usualEnv, ...env }, ...(trust && { trust }), ...(vsix && { vsix }) };
}

/** The demo agent does not wait for a person to read along. */
const usualEnv = { PARLEY_DEMO_SPEED: "0" };

/** In a browser VS Code saves by itself, unlike on a desktop. */
const usual = (settings: WorkbenchOptions["settings"]): Record<string, unknown> => ({
  "files.autoSave": "off",
  ...settings,
});

function target(
  folder: string,
  { vsix, workspaceFile }: WorkbenchOptions,
): { folder?: string; workspace?: string; extension?: string } {
  const opened = workspaceFile === undefined ? { folder } : { workspace: join(folder, workspaceFile) };
  return vsix ? opened : { ...opened, extension: root };
}

function newWorkspace(files: WorkbenchOptions["files"]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-workspace-")));
  shared.folders.add(folder);
  if (files) writeFiles(folder, files);
  else fillWorkspace(folder);
  return folder;
}

/** Makes the folder a copy of the sample workspace, with these files. */
function fillWorkspace(folder: string, files: Readonly<Record<string, string>> = {}): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 5 });
  cpSync(inProject("examples", "sample-workspace"), folder, { recursive: true });
  writeFiles(folder, files);
}

function watch(workbench: Opened): Workbench {
  shared.opened.add(workbench);
  const { page, errors } = workbench;
  page.on("pageerror", error => errors.push(error.stack ?? error.message));
  page.on("console", message => {
    const text = `${message.text()} (${message.location().url})`;
    if (message.type() === "error" && !harmlessErrors.test(text)) errors.push(text);
  });
  return workbench;
}

function opened(workbench: Workbench): Opened {
  for (const each of shared.opened) if (each === workbench) return each;
  throw new Error("That window is closed already.");
}

async function browserOf(page: Page): Promise<Browser> {
  return page.context().browser() ?? (await (shared.browser ??= launchBrowser()));
}

async function pictureFailure(title: string): Promise<void> {
  const name = title.replace(/[^\w-]+/g, "-").slice(0, 100);
  for (const [index, { page, errors }] of [...shared.opened].entries()) {
    console.log(`    picture: ${await screenshot(page, `failed-${name}${index > 0 ? `-${index}` : ""}`)}`);
    for (const error of errors.slice(-5)) console.log(`    reported by the window: ${error}`);
  }
}

async function closeAll(): Promise<void> {
  const common = await shared.server;
  const kept = new Set(shared.kept.values());
  for (const each of shared.opened) {
    if (kept.has(each)) continue;
    await each.page.context().close();
    shared.opened.delete(each);
  }
  const needed = new Set<Vscode | undefined>([common, ...[...kept].map(({ server }) => server)]);
  for (const server of shared.servers) if (!needed.has(server)) await stopServer(server);
  removeFolders([...kept].map(({ folder }) => folder));
}

function removeFolders(except: readonly string[] = []): void {
  for (const folder of shared.folders) {
    if (except.includes(folder)) continue;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    shared.folders.delete(folder);
  }
}

async function stopServer(server: Vscode, how: { readonly keepData?: boolean } = {}): Promise<void> {
  shared.servers.delete(server);
  const killed = await server.stop(how);
  if (killed.length > 0) console.log(`    had to be killed:\n    ${killed.join("\n    ")}`);
}
