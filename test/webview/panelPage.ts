// Opens the built panel in headless Chromium on the play page, and speaks to it as the extension host would.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { startPlay } from "../../scripts/play.mjs";
import type { HostMessage, Intent, View, ViewPatch } from "../../src/chat/protocol.ts";
import { snapshot } from "./scenes.ts";

declare global {
  interface Window {
    play: { intents: Intent[]; reports: string[]; post(message: unknown): void; answersHello: boolean };
  }
}

export interface Options {
  readonly theme?: "dark" | "light" | "hc" | "hc-light";
  readonly width?: number;
  readonly height?: number;
  /** Time stands still and is moved by `page.clock`. */
  readonly frozen?: boolean;
}

/** One panel on a page. */
export class PanelPage {
  readonly page: Page;
  readonly log: Locator;
  readonly composer: Locator;
  #revision = 1;

  constructor(page: Page) {
    this.page = page;
    this.log = page.getByRole("log", { name: "Conversation" });
    this.composer = page.getByRole("textbox", { name: "Message" });
  }

  /** What the panel has asked for, without its greeting. */
  async intents(): Promise<Intent[]> {
    const all = await this.page.evaluate(() => window.play.intents);
    return all.filter(intent => intent.type !== "hello");
  }

  /** Sends patches and waits until they have been painted. */
  async patch(...patches: readonly ViewPatch[]): Promise<void> {
    await this.post({ type: "patch", base: this.#revision, revision: ++this.#revision, patches });
  }

  async show(view: View): Promise<void> {
    await this.post(snapshot(view, ++this.#revision));
  }

  /** Sends any message and waits until the panel has handled it. */
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

  /** The transcript's DOM without the marks that lit leaves. */
  html(): Promise<string> {
    return this.page.evaluate(() => transcriptHtml());
  }

  /** Nothing was reported: no policy violation, no error. */
  async assertClean(): Promise<void> {
    assert.deepEqual(await this.page.evaluate(() => window.play.reports), []);
    const reports = (await this.intents()).filter(intent => intent.type === "report");
    assert.deepEqual(reports, []);
  }
}

declare function transcriptHtml(): string;

let browser: Browser | undefined;
let play: Awaited<ReturnType<typeof startPlay>> | undefined;

/** Opens a panel that is greeted with `messages`. Use inside {@link usePanel}. */
export async function openPanel(messages: readonly HostMessage[], options: Options = {}): Promise<PanelPage> {
  assert.ok(browser && play, "call usePanel() in the suite");
  play.show(messages);
  const { width = 480, height = 800 } = options;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    Object.assign(window, {
      transcriptHtml: () => (document.querySelector(".log")?.innerHTML ?? "").replace(/<!--.*?-->/gs, ""),
    });
  });
  if (options.frozen) await page.clock.install();
  await page.goto(`${play.url}?theme=${options.theme ?? "dark"}`);
  const panel = new PanelPage(page);
  await panel.log.waitFor();
  if (messages.length > 0) await panel.composer.waitFor();
  if (options.frozen) await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  return panel;
}

/** Starts one browser and one page server for a suite, and ends them after it. */
export function usePanel(): void {
  before(async function () {
    this.timeout(30_000);
    assert.ok(existsSync("dist/webview/main.js"), "build the panel first");
    const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    play = await startPlay();
  });
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  after(async () => {
    await browser?.close();
    await play?.close();
    browser = undefined;
    play = undefined;
  });
}
