// The harness of the end-to-end tests: a real VS Code with Parley, which tests operate through Chromium as a person
// does. A window costs eight seconds of two processors. So tests share one window if possible, with `sharedWorkbench`.
// Tests of the window itself get their own workspace and window from `openWorkbench`.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Browser, BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import { whenExiting } from "../../scripts/tools/processes.mjs";
import { inProject, root } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { openDesktop, type Desktop } from "../../scripts/vscode/desktop.mjs";
import { startServer, type Server } from "../../scripts/vscode/server.mjs";
import {
  harmlessErrors,
  launchBrowser,
  newProfile,
  openWorkbench as openPage,
  runCommand,
  shortWindowArgs,
  webview,
} from "../../scripts/vscode/workbench.mjs";
import { profileInLanguage, type LanguagePack } from "./languagePack.ts";

export { answerTrust, chooseRow, openFile, reloadWindow, runCommand } from "../../scripts/vscode/workbench.mjs";

/**
 * Whether VS Code detects changes to its settings file. The build of the minimum version doesn't, unlike its desktop.
 */
export const canChangeSettings = process.env["PARLEY_VSCODE"] !== "minimum";

/** The ID of Parley, which contains the publisher. `npm run release` sets it. */
const extensionId = process.env["PARLEY_EXTENSION_ID"] ?? "parley.parley";

/** The desktop VS Code that replaces the one in Chromium. `npm run test:desktop` sets it. */
const desktopVscode = process.env["PARLEY_DESKTOP"];

/** Options for the window of a test. Each of settings, env, trust, vsix and extensions costs a separate server. */
export interface WorkbenchOptions {
  /** The workspace as paths and texts. The default is a copy of examples/sample-workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are added to the copy of examples/sample-workspace. */
  readonly addedFiles?: Readonly<Record<string, string>>;
  /** The workspace file among them, if the workspace has several folders. */
  readonly workspaceFile?: string;
  /** User settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** If true, VS Code asks whether you trust the workspace. Otherwise the workspace is trusted. */
  readonly trust?: boolean;
  /** A packaged extension that replaces the one under development. */
  readonly vsix?: string;
  /** The folders of further extensions. */
  readonly extensions?: readonly string[];
  /** The texts of Parley in {@link foreignLanguage}, by the English ones. VS Code's own texts stay English. */
  readonly translations?: Readonly<Record<string, string>>;
  /** The display language of VS Code. */
  readonly languagePack?: LanguagePack;
}

/** The language of a window with translations. It is nobody's, so that no language pack is missing. */
const foreignLanguage = "qps-ploc";

/** An open window of VS Code. At the end of the test, it is closed and its workspace is removed. */
export interface Workbench {
  readonly page: Page;
  /** The workspace folder. */
  readonly folder: string;
  readonly server: Vscode;
  /** The errors that the window and its webviews have reported, without known harmless ones. */
  readonly errors: readonly string[];
}

/** A running VS Code: the server for Chromium, or a desktop. */
type Vscode = Server | Desktop;

interface Opened extends Workbench {
  readonly options: WorkbenchOptions;
  readonly errors: string[];
}

/** Every test file is a bundle with its own copy of this module, so shared state is stored outside of it. */
interface Shared {
  hooked: boolean;
  browser?: Promise<Browser>;
  server?: Promise<Server>;
  /** The shared windows, by their settings. */
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
      // An earlier test can have left a shared window in any state.
      shared.kept.clear();
    }
    await closeAll();
  });
  after("stops VS Code", async () => {
    await Promise.all([...shared.servers].map(server => stopServer(server)));
    await (await shared.browser)?.close();
  });
}

/** Opens a window of VS Code on a new workspace, and waits until it is restored. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const folder = newWorkspace(options);
  if (desktopVscode) return watch(await onDesktop(desktopVscode, folder, options));
  const server = await serverFor(options);
  server.writeSettings(usual(options.settings));
  shared.browser ??= launchBrowser(shortWindowArgs);
  const { translations, languagePack } = options;
  const profile = languagePack
    ? await profileInLanguage(await shared.browser, server, languagePack, still)
    : translations && (await foreignProfile(await shared.browser));
  const extension = translations && translatedExtension(translations);
  const opens = { ...target(folder, options), ...(extension && { extension }) };
  const page = await openPage(await shared.browser, server, opens, profile, still);
  return watch({ page, folder, server, options, errors: [] });
}

/** A browser profile in which VS Code takes {@link foreignLanguage} for its own language. */
async function foreignProfile(browser: Browser): Promise<BrowserContext> {
  const profile = await newProfile(browser, still);
  await profile.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(foreignLanguage)};`);
  return profile;
}

/** A folder with the extension under development and these translations. */
function translatedExtension(translations: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-translated-")));
  shared.folders.add(folder);
  for (const name of ["package.json", "package.nls.json", "dist", "media"])
    cpSync(inProject(name), join(folder, name), { recursive: true });
  writeFiles(folder, { [`l10n/bundle.l10n.${foreignLanguage}.json`]: JSON.stringify(translations) });
  return folder;
}

/** Turns animations off: without a graphics card, the processors that the tests need draw each frame. */
const still = { reducedMotion: "reduce" } as const;

/**
 * The shared window. It shows only the chat: no editor, an empty session, and a workspace that is a new copy of
 * examples/sample-workspace plus `files`. The state that VS Code stored in earlier tests stays. Consecutive tests with
 * the same settings share a window. A failed test ends the sharing.
 */
export async function sharedWorkbench(
  files: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Workbench & { readonly panel: FrameLocator }> {
  const usualKey = JSON.stringify({});
  const key = JSON.stringify(settings);
  // Keep the default window and one other window, because each uses half a gigabyte.
  for (const other of shared.kept.keys()) if (other !== key && other !== usualKey) shared.kept.delete(other);
  await closeAll();
  const known = shared.kept.get(key);
  if (known) {
    known.server.writeSettings(usual(settings));
    // Errors of earlier tests don't belong to this test.
    known.errors.length = 0;
    fillWorkspace(known.folder, files);
    return { ...known, panel: await cleared(known.page) };
  }
  // VS Code misses folders that are created while it begins to watch the workspace, and never reports changes in them.
  const workbench = opened(await openWorkbench({ ...(key !== usualKey && { settings }), addedFiles: files }));
  shared.kept.set(key, workbench);
  return { ...workbench, panel: await openChat(workbench.page) };
}

/** Closes the editors and panels of an earlier test, and starts a session. */
async function cleared(page: Page): Promise<FrameLocator> {
  await page.keyboard.press("Escape");
  await runCommand(page, "View: Close All Editors");
  // The earlier test can have left unsaved text, which may not be noticed as such before.
  const discard = page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" });
  await until(async () => {
    if (await discard.isVisible()) await discard.click({ timeout: 5000 }).catch(() => undefined);
    return (await page.locator(".tab").count()) === 0;
  });
  if (await page.locator(".part.panel").isVisible()) await runCommand(page, "View: Toggle Panel Visibility");
  const panel = await openChat(page);
  await keepChanges(panel);
  // Sessions stay open, so a turn that an earlier test left running would run on.
  const stop = panel.getByRole("button", { name: "Stop" });
  if (await stop.isVisible()) {
    await stop.click({ timeout: 5000 }).catch(() => undefined);
    await stop.waitFor({ state: "hidden", timeout: 5000 }).catch(() => undefined);
  }
  await newSession(page, panel);
  await keepChanges(panel);
  return panel;
}

/**
 * Keeps all changes. Shortly after a turn, the files that are written for the next test are changes of the agent. They
 * can appear late, and editors of an earlier test can close at this moment because their files are removed.
 */
async function keepChanges(panel: FrameLocator): Promise<void> {
  const changes = panel.getByRole("region", { name: "Changes" });
  let isShown = await changes.isVisible();
  for (let tries = 0; isShown; tries++) {
    if (tries === 10) throw new Error("Changes appear again although they were kept ten times.");
    const keep = changes.getByRole("button", { name: "Keep All", exact: true });
    await keep.click({ timeout: 5000 }).catch(() => undefined);
    isShown = await changes.waitFor({ state: "hidden", timeout: 5000 }).then(
      () => false,
      () => true,
    );
  }
}

/** Starts a session by its command, and waits until the panel shows it. */
export async function newSession(page: Page, panel: FrameLocator): Promise<void> {
  await startingSession(panel, () => runCommand(page, "Parley: New Session"));
  const conversation = panel.getByRole("log", { name: "Conversation" });
  await conversation.getByRole("heading", { name: /^You:/ }).first().waitFor({ state: "detached" });
}

/**
 * Starts a session by the given action, and waits until the panel shows it. A prompt that is sent earlier would go to
 * the previous session, and two empty sessions differ only in their IDs.
 */
export async function startingSession(panel: FrameLocator, start: () => Promise<unknown>): Promise<void> {
  const before = await panel.locator("main[data-session]").getAttribute("data-session");
  await start();
  await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
}

/**
 * Quits VS Code and starts it with the same data, workspace and profile. `whileStopped` can change the data. In
 * Chromium, the page of the workbench is still open at that time.
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

/** Quits VS Code for good. `afterwards` can read the data, which is then removed. */
export async function quitVscode(workbench: Workbench, afterwards: () => Promise<void>): Promise<void> {
  const { page, server } = opened(workbench);
  if (desktopVscode) shared.opened.delete(opened(workbench));
  else await page.goto("about:blank");
  await stopServer(server, { keepData: true });
  try {
    await afterwards();
  } finally {
    rmSync(server.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether another window can show a folder that a window shows already. A desktop shows that window instead. */
export const canOpenTwice = desktopVscode === undefined;

/** Whether VS Code keeps secrets after a reload. The desktop of the tests has no keyring. */
export const keepsSecrets = desktopVscode === undefined;

/** Whether a window can have translations. A desktop needs a language pack instead. */
export const canTranslate = desktopVscode === undefined;

/** Opens another window on the folder of this one, in a new profile. */
export async function openAgain(workbench: Workbench): Promise<Workbench> {
  const { page, folder, server, options } = opened(workbench);
  if (!("port" in server)) throw new Error("Only a VS Code in Chromium opens a folder twice.");
  const second = await openPage(await browserOf(page), server, target(folder, options), undefined, still);
  return watch({ page: second, folder, server, options, errors: [] });
}

/** Closes the window as a user does, with its unload handlers. A shared window is no longer shared. */
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
  return webview(page, extensionId);
}

/** Shows the chat panel by its command, and waits for its document. */
export async function openChat(page: Page): Promise<FrameLocator> {
  await runCommand(page, "Parley: Open Chat");
  // The composer appears before the session.
  await chat(page).locator("parley-header").waitFor();
  return chat(page);
}

/** A view in the side bar. */
export const viewPane = (page: Page, name: string): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: new RegExp(`^${name}`) }) });

/** Expands a view in the side bar, which a shared window can have done before. */
export async function expandView(page: Page, name: string): Promise<void> {
  const header = viewPane(page, name).locator(".pane-header");
  if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
}

/** Allows the next command that an agent runs in a terminal of Parley without asking first. */
export async function allowCommand(panel: FrameLocator, option: "Once" | "This Command for This Session" = "Once") {
  const question = panel.getByRole("group", { name: /wants to run a command in/ });
  await question.getByRole("button", { name: new RegExp(`Allow ${option}`) }).click();
}

/** The themes of tests that take pictures for visual inspection: both with PARLEY_PICTURES, otherwise the dark one. */
export const pictureThemes = (
  [
    ["dark", "Default Dark Modern"],
    ["light", "Default Light Modern"],
  ] as const
).slice(0, process.env["PARLEY_PICTURES"] ? 2 : 1);

/**
 * Takes a screenshot of the window into out/screenshots, if PARLEY_PICTURES is set. Nothing compares it: it is for
 * people who look at a change.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env["PARLEY_PICTURES"]) await takeScreenshot(page, name);
}

/** Takes a screenshot of the window into out/screenshots. Returns its path. */
export async function takeScreenshot(page: Page, name: string): Promise<string> {
  const path = inProject("out", "screenshots", `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
  return path;
}

/** Writes files into a workspace and creates their folders. */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
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
  // A running server can detect changed settings too late for the next window.
  const { env, trust, vsix, settings, extensions } = options;
  const ownServer = [env, trust, vsix, settings, extensions].some(each => each !== undefined);
  const starting = ownServer ? startServer(serverOptions(options)) : (shared.server ??= startServer(serverOptions({})));
  const server = await starting;
  shared.servers.add(server);
  return server;
}

function serverOptions(options: WorkbenchOptions): Parameters<typeof startServer>[0] {
  const { env, settings, trust, vsix, extensions } = options;
  const own = { settings: usual(settings), ownHome: true, env: { ...usualEnv, ...env } };
  return { ...own, ...(trust && { trust }), ...(vsix && { vsix }), ...(extensions && { extensions }) };
}

/** Turns off the delays of the demo agent. */
const usualEnv = { PARLEY_DEMO_SPEED: "0" };

/** In a browser, VS Code saves automatically, unlike on a desktop. */
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

function newWorkspace({ files, addedFiles }: WorkbenchOptions): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-workspace-")));
  shared.folders.add(folder);
  if (files) writeFiles(folder, files);
  else fillWorkspace(folder, addedFiles);
  return folder;
}

/** Replaces the content of the folder by a copy of the sample workspace and these files. */
function fillWorkspace(folder: string, files: Readonly<Record<string, string>> = {}): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 5 });
  cpSync(inProject("examples", "sample-workspace"), folder, { recursive: true });
  writeFiles(folder, files);
}

/**
 * What VS Code logs on a busy machine: it saves without waiting for the extensions that listen to saves, and reads its own
 * files in the workspace while they are replaced for the next test.
 */
const busyErrors =
  /Aborted onWillSaveTextDocument-event|EntryNotFound \(FileSystemError\): Error: ENOENT[^\n]*\/\.vscode\//;

function watch(workbench: Opened): Workbench {
  shared.opened.add(workbench);
  const { page, errors } = workbench;
  page.on("pageerror", error => errors.push(error.stack ?? error.message));
  page.on("console", message => {
    const text = `${message.text()} (${message.location().url})`;
    if (message.type() === "error" && !harmlessErrors.test(text) && !busyErrors.test(text)) errors.push(text);
  });
  return workbench;
}

function opened(workbench: Workbench): Opened {
  for (const each of shared.opened) if (each === workbench) return each;
  throw new Error("That window is closed already.");
}

async function browserOf(page: Page): Promise<Browser> {
  return page.context().browser() ?? (await (shared.browser ??= launchBrowser(shortWindowArgs)));
}

async function pictureFailure(title: string): Promise<void> {
  const name = title.replace(/[^\w-]+/g, "-").slice(0, 100);
  for (const [index, { page, errors }] of [...shared.opened].entries()) {
    try {
      console.log(`    picture: ${await takeScreenshot(page, `failed-${name}${index > 0 ? `-${index}` : ""}`)}`);
      for (const text of await openTexts(page)) console.log(`    shown by the window: ${text}`);
    } catch (thrown) {
      // A failed hook would end the suite. The test can have closed its window.
      console.log(`    no picture: ${String(thrown).split("\n")[0]}`);
    }
    for (const error of errors.slice(-5)) console.log(`    reported by the window: ${error}`);
  }
}

/** The texts of what VS Code shows above its parts: lists, dialogs and notifications. The test can wait for another one. */
async function openTexts(page: Page): Promise<readonly string[]> {
  const surfaces = page.locator(".quick-input-widget, .monaco-dialog-box, .notification-toast, .notifications-center");
  const texts: string[] = [];
  for (const surface of await surfaces.all())
    if (await surface.isVisible()) texts.push((await surface.innerText()).replace(/\s+/g, " ").trim());
  return texts.filter(Boolean);
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

/** Answers the question before a session is deleted. */
export async function confirmDeletion(page: Page, title: string): Promise<void> {
  const dialog = page.getByRole("dialog").filter({ hasText: `Delete the session “${title}”?` });
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}
