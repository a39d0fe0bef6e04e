// Opens the workbench of a started server in Chromium, and operates it as a person does.
import { chromium } from "playwright-core";
import { ensureChromium } from "./chromium.mjs";

/**
 * @typedef {import("playwright-core").Browser} Browser
 * @typedef {import("playwright-core").Page} Page
 */
/**
 * @typedef {import("playwright-core").FrameLocator} FrameLocator
 * @typedef {import("./server.mjs").Server} Server
 */

/**
 * @typedef {object} Target the content of a window
 * @property {string} [folder] the workspace, if it is one folder
 * @property {string} [workspace] the file that lists the folders of the workspace
 * @property {string} [extension] the folder of an extension under development
 * @property {string} [tests] a module whose run() the extension host calls instead of its normal work
 * @property {string} [file] a file to open
 * @property {string} [token] the server's, if it has one
 */

/** The features that Playwright disables, except for ThirdPartyStoragePartitioning: a webview with another origin needs it
 * to register its service worker. */
const withoutFeatures = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "MediaRouter",
  "PaintHolding",
  "Translate",
  "AutoDeElevate",
  "OptimizationHints",
];

/** The time limit of a step, in milliseconds. No machine is too slow for it, and a test can take it twice. */
const stepTimeout = 90_000;

/**
 * Arguments for the windows of tests, which are too short for optimizing compilers and a process for graphics to pay off.
 * A window costs a tenth less processor time with them.
 */
export const shortWindowArgs = ["--js-flags=--no-opt --no-maglev", "--in-process-gpu"];

/**
 * Starts a headless Chromium that can access only this machine.
 * @param {readonly string[]} [args]
 */
export function launchBrowser(args = []) {
  return chromium.launch({
    executablePath: ensureChromium(),
    headless: true,
    // This process handles signals itself. Playwright still ends the browser when this process exits.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // Chromium opens only pages of these tests. Its sandbox is not available to root or in most containers.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${withoutFeatures.join(",")}`,
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
      ...args,
    ],
  });
}

/**
 * The address of a window.
 * @param {Pick<Server, "origin" | "authority">} server
 * @param {Target} target
 */
export function workbenchUrl(server, { folder, workspace, extension, tests, file, token }) {
  /** @param {string} name @param {string | undefined} file */
  const entry = (name, file) => (file ? [[name, `vscode-remote://${server.authority}${file}`]] : []);
  const payload = [
    ...entry("extensionDevelopmentPath", extension),
    ...entry("extensionTestsPath", tests),
    ...entry("openFile", file),
  ];
  const url = new URL(server.origin);
  if (token) url.searchParams.set("tkn", token);
  if (folder) url.searchParams.set("folder", folder);
  if (workspace) url.searchParams.set("workspace", workspace);
  if (payload.length > 0) url.searchParams.set("payload", JSON.stringify(payload));
  return url.href;
}

/**
 * A browser profile with the permissions of a desktop.
 * @param {Browser} browser
 * @param {import("playwright-core").BrowserContextOptions} [look] options for its windows
 */
export function newProfile(browser, look) {
  const permissions = ["clipboard-read", "clipboard-write"];
  return browser.newContext({ viewport: { width: 1400, height: 900 }, permissions, ...look });
}

/**
 * Opens a window in a new browser profile, or in the given one, and waits until VS Code has restored it. A profile
 * keeps the state of VS Code and its extensions, so a new window in the same profile restores that state.
 * @param {Browser} browser
 * @param {Server} server
 * @param {Target} target
 * @param {import("playwright-core").BrowserContext} [profile]
 * @param {import("playwright-core").BrowserContextOptions} [look] options for the windows of the new profile
 * @returns {Promise<Page>}
 */
export async function openWorkbench(browser, server, target, profile, look) {
  const context = profile ?? (await newProfile(browser, look));
  context.setDefaultTimeout(stepTimeout);
  const page = await context.newPage();
  await page.goto(workbenchUrl(server, target));
  await restored(page);
  return page;
}

/**
 * Waits until the workbench is restored, also after a reload.
 * @param {Page} page
 */
export async function restored(page) {
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  // The function runs in the page, where VS Code sets `driver` on the window.
  await page.waitForFunction("window.driver !== undefined", undefined, { timeout: 60_000 });
  await page.evaluate("window.driver.whenWorkbenchRestored()");
}

/**
 * Messages that this VS Code logs with or without an extension: it lacks parts that only official builds have, 1.100
 * reports a search for files that Quick Open has canceled, a tree that is being refreshed renders the menu of a row that it
 * has just forgotten, and TypeScript is asked for the colors of a file that has just gone.
 */
export const harmlessErrors =
  /TreeError [^]*Data tree node not found[^]*\.rerender|Canceled: Error: Canceled[^]*workbench\.js|serviceWorker\.js|vsda|update\/check|favicon|\/_static\/src\/browser\/media\/templates\.png|net::ERR_NAME_NOT_RESOLVED|authentication provider 'github'|<semantic> TypeScript Server Error/;

/**
 * Reloads the window, as the command Reload Window does.
 * @param {Page} page
 */
export async function reloadWindow(page) {
  await page.reload();
  await restored(page);
}

/**
 * The document inside the webview of an extension, which is two frames deep.
 * @param {Page} page
 * @param {string} [extension] its id, as in the manifest: publisher.name
 * @returns {FrameLocator}
 */
export function webview(page, extension) {
  const owner = extension ? `[src*="extensionId=${extension}&"]` : "";
  return page.frameLocator(`iframe.webview.ready${owner}`).frameLocator("iframe#active-frame");
}

/**
 * Runs a command by its title, through the Command Palette.
 * @param {Page} page
 * @param {string} title
 */
export async function runCommand(page, title) {
  // Match the whole title, because VS Code lists the last used command first.
  const exact = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?:…|\\.\\.\\.)?$`);
  await pick(page, "F1", `>${title}`, page.locator(".label-name", { hasText: exact }));
}

/**
 * Opens a file of the workspace by name, through Go to File. VS Code lists files while it still searches: it can replace
 * the rows at the moment of the click, and opens another file, or none.
 * @param {Page} page
 * @param {string} name
 */
export async function openFile(page, name) {
  const tab = page.locator(".tabs-container .tab.active", { hasText: name });
  for (let attempt = 1; ; attempt++) {
    await pick(page, "Control+P", name, page.getByText(name));
    try {
      return await tab.waitFor({ timeout: attempt < maxOpenAttempts ? 10_000 : stepTimeout });
    } catch (error) {
      if (attempt === maxOpenAttempts) throw error;
    }
  }
}

const maxOpenAttempts = 3;

/**
 * Opens a list with a key, types into it, and selects the row. The list doesn't show commands and files that are added
 * after it was opened, such as those of an extension in a window that was just restored. It is reopened until it does.
 * @param {Page} page
 * @param {string} key
 * @param {string} text
 * @param {import("playwright-core").Locator} inRow the content of the row
 */
async function pick(page, key, text, inRow) {
  const list = page.locator(".quick-input-widget");
  const wanted = list.locator(".quick-input-list .monaco-list-row", { has: inRow }).first();
  for (let attempt = 1; ; attempt++) {
    // In a window that was just restored, the first attempts fail, so their timeouts are short.
    const timeout = Math.min(250 * 2 ** attempt, 2000);
    await noteNextClick(page, listRow);
    try {
      await page.keyboard.press(key);
      await enter(list.locator("input").first(), text, timeout);
      // VS Code can replace the rows between the moment at which Playwright finds one and the click of its mouse.
      await wanted.evaluate(clickIfVisible, undefined, { timeout });
      if (await hasClicked(page)) return;
      throw new Error("The list closed before the click, because something else took the focus.");
    } catch (error) {
      // On a busy machine, the time can be over just after the click, and a command must not run twice.
      if (await hasClicked(page)) return;
      if (attempt === 12) throw error;
      // Only the list gets the key: in the panel, Escape stops the turn. The list can have closed meanwhile.
      // The first key can close a hover of the list instead.
      while (await list.isVisible()) {
        await list
          .locator("input")
          .first()
          .press("Escape", { timeout: 2000 })
          .catch(() => {});
        await list.waitFor({ state: "hidden", timeout: 2000 }).catch(() => {});
      }
    }
  }
}

/** @param {unknown} row */
function clickIfVisible(row) {
  const element = /** @type {{ checkVisibility(): boolean, click(): void }} */ (row);
  if (element.checkVisibility()) element.click();
}

/** A row of a list of VS Code. */
const listRow = ".monaco-list-row";

/**
 * Notes whether the next click in the page is in an element with this selector. VS Code can draw an element again between
 * the two halves of a click, which is then in neither.
 * @param {Page} page
 * @param {string} selector
 */
export async function noteNextClick(page, selector) {
  await page.evaluate(`globalThis.hasClicked = false;
    addEventListener("click", event => {
      hasClicked = event.composedPath()[0].closest?.(${JSON.stringify(selector)}) != null;
    }, { capture: true, once: true });`);
}

/**
 * Whether the click that was noted last was in such an element.
 * @param {Page} page
 * @returns {Promise<boolean>}
 */
export const hasClicked = page => page.evaluate("globalThis.hasClicked === true");

/**
 * Chooses a row of an open list of VS Code with the mouse. It clicks again only if no click was in a row.
 * @param {import("playwright-core").Locator} row
 */
export async function chooseRow(row) {
  const page = row.page();
  for (;;) {
    await noteNextClick(page, listRow);
    await row.click();
    if (await hasClicked(page)) return;
  }
}

/**
 * Sets the text of an input. Keys and `fill` go to the focused element, and VS Code can give the focus back to the panel
 * at this moment.
 * @param {import("playwright-core").Locator} input
 * @param {string} text
 * @param {number} timeout
 */
async function enter(input, text, timeout) {
  await input.waitFor({ timeout });
  await input.evaluate(
    (element, value) => {
      const field = /** @type {{ value: string, focus(): void, dispatchEvent(event: Event): boolean }} */ (
        /** @type {unknown} */ (element)
      );
      field.focus();
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    },
    text,
    { timeout },
  );
}

/**
 * Answers the question whether you trust the authors of the folder.
 * @param {Page} page
 * @param {boolean} trusted
 */
export async function answerTrust(page, trusted) {
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.getByRole("button", { name: trusted ? /^Yes/ : /^No/ }).click();
  await dialog.waitFor({ state: "hidden" });
}
