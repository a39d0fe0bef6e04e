// Opens the built panel in headless Chromium on the play page, and sends it messages as the extension host would.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { startPlay } from "../../scripts/play.mjs";
import { maxTestTime } from "../../scripts/tools/quiet.mjs";
import type { Intent } from "../../src/panel/intents.ts";
import type { HostMessage, View, ViewPatch } from "../../src/panel/protocol.ts";
import { snapshot } from "./scenes.ts";

declare global {
  interface Window {
    play: {
      intents: Intent[];
      reports: string[];
      post(message: unknown): void;
      answersHello: boolean;
      painted: number;
    };
  }
}

export interface Options {
  readonly theme?: "dark" | "light" | "hc" | "hc-light";
  readonly width?: number;
  readonly height?: number;
  /** Freezes the clock; `page.clock` advances it. */
  readonly frozen?: boolean;
  /** A fixed time in ms since the epoch; timers still run. */
  readonly at?: number;
  /** The texts of the panel in another language. */
  readonly translations?: Readonly<Record<string, string>>;
  /** Shows the page of an editor tab instead of the panel. */
  readonly page?: "rules" | "search" | "usage" | "candidates" | "inspector";
  /** Receives every message of the panel, as the extension host does. Nothing else answers them. */
  readonly host?: (message: unknown) => void;
}

/** A panel on a page. */
export class PanelPage {
  readonly page: Page;
  readonly log: Locator;
  readonly composer: Locator;
  #revision = 1;

  constructor(page: Page, translations: Options["translations"] = {}) {
    this.page = page;
    this.log = page.getByRole("log", { name: translations["Conversation"] ?? "Conversation" });
    this.composer = page.getByRole("textbox", { name: translations["Message"] ?? "Message" });
  }

  /** The intents that the panel sent, except `hello` and `used`. */
  async intents(): Promise<Intent[]> {
    const all = await this.page.evaluate(() => window.play.intents);
    return all.filter(({ type }) => type !== "hello" && type !== "used");
  }

  /** How often the panel reported that the user began to use it. */
  uses(): Promise<number> {
    return this.page.evaluate(() => window.play.intents.filter(({ type }) => type === "used").length);
  }

  /** Sends patches and waits until the panel has handled them. */
  async patch(...patches: readonly ViewPatch[]): Promise<void> {
    await this.post({ type: "patch", base: this.#revision, revision: ++this.#revision, patches });
  }

  async show(view: View): Promise<void> {
    await this.post(snapshot(view, ++this.#revision));
  }

  /** Sends a message and waits until the panel has handled it. */
  async post(message: HostMessage): Promise<void> {
    await this.page.evaluate(async sent => {
      window.play.post(sent);
      await new Promise<void>(resolve => {
        const heard = (event: MessageEvent): void => {
          if (event.data !== "handled") return;
          removeEventListener("message", heard);
          resolve();
        };
        addEventListener("message", heard);
        window.postMessage("handled", "*");
      });
    }, message);
  }

  /** Paints all deferred parts immediately. */
  complete(): Promise<void> {
    return this.page.evaluate(() => {
      for (const text of document.querySelectorAll("parley-markdown"))
        (text as HTMLElement & { complete(): void }).complete();
    });
  }

  /** The processor time in seconds that the page's main thread spends on `work` and on painting it. */
  async taskTime(work: () => Promise<void>): Promise<number> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    };
    const before = await spent();
    await work();
    await this.page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))));
    const seconds = (await spent()) - before;
    await session.detach();
    return seconds;
  }

  /** The transcript's HTML without lit's markers, and without the colours of code that is highlighted when visible. */
  html(): Promise<string> {
    return this.page.evaluate(() => transcriptHtml());
  }

  /** Releases the page for another panel of the same test. */
  async free(): Promise<void> {
    if (shared.taken.delete(this.page)) await free(this.page);
    else await this.page.context().close();
  }

  /** Asserts that no policy violation and no error was reported. */
  async assertClean(): Promise<void> {
    assert.deepEqual(await this.page.evaluate(() => window.play.reports), []);
    const reports = (await this.intents()).filter(intent => intent.type === "report");
    assert.deepEqual(reports, []);
  }
}

declare function transcriptHtml(): string;

/** Each test file is a bundle with its own copy of this module, so shared state is kept outside of it. */
interface Shared {
  browser?: Promise<Browser>;
  play?: ReturnType<typeof startPlay>;
  /** Pages to reuse, because a new document in a page costs a quarter of a new page. */
  readonly free: Page[];
  readonly taken: Set<Page>;
  /** What receives the messages of a page. */
  readonly hosts: WeakMap<Page, (message: unknown) => void>;
}

const holder = globalThis as { parleyPanels?: Shared };
if (!holder.parleyPanels) {
  holder.parleyPanels = { free: [], taken: new Set(), hosts: new WeakMap() };
  after("closes the browser of the panel tests", async () => {
    await (await holder.parleyPanels?.browser)?.close();
    await (await holder.parleyPanels?.play)?.close();
  });
}
const shared = holder.parleyPanels;

/**
 * Opens a panel that receives `messages` after its `hello`, in a new document without stored data. Use inside
 * {@link usePanel}.
 */
export async function openPanel(messages: readonly HostMessage[], options: Options = {}): Promise<PanelPage> {
  assert.ok(shared.play, "call usePanel() in the suite");
  const play = await shared.play;
  play.show(messages);
  const { width = 480, height = 800 } = options;
  const page = shared.free.pop() ?? (await newPage());
  shared.taken.add(page);
  await page.setViewportSize({ width, height });
  if (options.at !== undefined) {
    spoil(page);
    await page.clock.setFixedTime(options.at);
  }
  if (options.frozen) {
    spoil(page);
    await page.clock.install();
  }
  const { translations } = options;
  if (translations) {
    spoil(page);
    await page.route(`${play.url}?*`, async route => {
      const response = await route.fetch();
      const table = `<script type="application/json" id="l10n">${JSON.stringify(translations)}</script>`;
      await route.fulfill({ response, body: (await response.text()).replace("</head>", () => `${table}</head>`) });
    });
  }
  if (options.host) shared.hosts.set(page, options.host);
  const query = `${options.host ? "&hosted" : ""}${options.page ? `&page=${options.page}` : ""}`;
  await page.goto(`${play.url}?theme=${options.theme ?? "dark"}${query}`);
  const panel = new PanelPage(page, translations);
  if (options.page) return panel;
  await panel.log.waitFor();
  // The composer is shown before the first view.
  if (messages.length > 0) await page.locator("parley-header").waitFor();
  if (options.frozen) await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  return panel;
}

/** No machine is too slow for a step of the browser within this time (ms). */
const maxStepTime = 90_000;

/** A page with its own profile. */
async function newPage(): Promise<Page> {
  assert.ok(shared.browser);
  const context = await (await shared.browser).newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(maxStepTime);
  const page = await context.newPage();
  await page.addInitScript(() => {
    Object.assign(window, {
      transcriptHtml: () => {
        const log = document.querySelector(".log")?.cloneNode(true) as Element | undefined;
        for (const code of log?.querySelectorAll(".far pre code") ?? []) {
          code.replaceChildren(code.textContent ?? "");
          code.removeAttribute("class");
        }
        return (log?.innerHTML ?? "").replace(/<!--.*?-->/gs, "");
      },
    });
  });
  await page.exposeFunction("parleyHost", (message: unknown) => shared.hosts.get(page)?.(message));
  spoilWhenUsed(page, ["addInitScript", "exposeFunction", "exposeBinding"]);
  spoilWhenUsed(page.context(), ["addInitScript", "exposeFunction", "exposeBinding", "newCDPSession"], page);
  return page;
}

/** Excludes the page from reuse by other tests. */
function spoil(page: Page): void {
  shared.taken.delete(page);
}

/** Spoils the page when one of these methods is called, because their effects cannot be undone. */
function spoilWhenUsed<Owner extends object>(owner: Owner, names: readonly (keyof Owner)[], page?: Page): void {
  for (const name of names) {
    const method = owner[name];
    assert.ok(typeof method === "function");
    const wrapped = (...args: readonly unknown[]): unknown => {
      spoil(page ?? (owner as unknown as Page));
      return Reflect.apply(method, owner, args);
    };
    Object.assign(owner, { [name]: wrapped });
  }
}

/** Releases the pages of the test, for reuse unless it failed. */
async function freePages(failed: boolean): Promise<void> {
  const reused = failed ? [] : [...shared.taken].filter(page => !page.isClosed());
  shared.taken.clear();
  const kept = new Set([...shared.free, ...reused].map(page => page.context()));
  for (const context of (await shared.browser)?.contexts() ?? []) if (!kept.has(context)) await context.close();
  for (const page of reused) await free(page);
}

/** Resets the page: no stored data, routes, listeners or hover. */
async function free(page: Page): Promise<void> {
  for (const event of ["request", "requestfailed", "response", "console", "pageerror", "popup", "dialog"])
    page.removeAllListeners(event);
  await page.unrouteAll();
  shared.hosts.delete(page);
  await page.context().clearPermissions();
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: "reduce" });
  await page.evaluate(() => {
    // Discards state that the panel still saves.
    Storage.prototype.setItem = () => {};
    sessionStorage.clear();
    localStorage.clear();
  });
  await page.goto("about:blank");
  await page.mouse.move(-1, -1);
  shared.free.push(page);
}

/** Draws a picture into out/screenshots, if the environment asks for pictures. */
export async function picture(panel: PanelPage, name: string): Promise<void> {
  if (!process.env["PARLEY_PICTURES"]) return;
  mkdirSync(join("out", "screenshots"), { recursive: true });
  await panel.page.screenshot({ path: join("out", "screenshots", `${name}.png`), animations: "disabled" });
}

/** Starts the browser and the page server that all suites share, and frees the pages after each test. */
export function usePanel(): void {
  before(async function () {
    this.timeout(maxTestTime);
    assert.ok(existsSync("dist/webview/main.js"), "Build the panel first.");
    const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
    shared.browser ??= chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    shared.play ??= startPlay();
    await Promise.all([shared.browser, shared.play]);
  });
  afterEach("frees the pages of the test", async function () {
    await freePages(this.currentTest?.state === "failed");
  });
}
