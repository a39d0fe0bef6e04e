// The window of the benchmark of several sessions, operated as a person does.
import type { FrameLocator, Locator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand, webview } from "../../scripts/vscode/workbench.mjs";
import {
  watchClick,
  watchStream,
  watchWords,
  type ClickedPage,
  type PaintedPage,
  type StreamWatch,
} from "./paintedStreams.ts";

const warmUp = 2000;
const measured = 8000;
/** Between two switches (ms). */
const pause = 500;
/** The prompts of an idle session. Each has 20 updates. */
const prompts = 10;

export class SessionsWindow {
  readonly page: Page;
  readonly #panel: FrameLocator;

  constructor(page: Page) {
    this.page = page;
    this.#panel = webview(page, "parley.parley");
  }

  async start(): Promise<void> {
    await runCommand(this.page, "Parley: Open Chat");
    await this.#panel.getByRole("textbox", { name: "Message" }).waitFor();
    const chosen = this.#panel.getByRole("button", { name: /^Agent: / });
    if ((await chosen.getAttribute("aria-label"))?.includes("Stream")) return;
    const isOther = await this.#startsSession(async () => {
      await chosen.click();
      await this.#panel.getByRole("menu", { name: "Agent" }).locator('[data-value="stream"]').click();
    });
    if (!isOther) throw new Error("The agent was not selected.");
  }

  /** Starts a session with the prompt, which streams. */
  async streamInNew(text: "stream" | "flood"): Promise<void> {
    await this.newSession();
    await this.send(text);
  }

  /** Starts a session with the prompt, and waits until it shows the words and the turn has ended. */
  async answerInNew(text: string, words = text): Promise<void> {
    await this.newSession();
    await this.send(text, words);
    await this.ended();
  }

  async newSession(): Promise<void> {
    await this.#startsSession(() => this.#panel.getByRole("button", { name: "New Session" }).click());
  }

  /** Sends the prompt, and waits until the conversation shows the words. */
  async send(text: string, words = text): Promise<void> {
    const box = this.#panel.getByRole("textbox", { name: "Message" });
    await box.fill(text);
    await box.press("Enter");
    await this.#panel.locator(".log").getByText(words).last().waitFor({ timeout: 120_000 });
  }

  async ended(): Promise<void> {
    await this.#panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden", timeout: 120_000 });
  }

  async #startsSession(start: () => Promise<void>): Promise<boolean> {
    const main = this.#panel.locator("main[data-session]");
    const before = await main.getAttribute("data-session");
    await start();
    return waitFor(async () => (await main.getAttribute("data-session")) !== before, 20_000, 20);
  }

  /** How the stream of the shown session is painted. */
  async watch(): Promise<StreamWatch> {
    await this.page.waitForTimeout(warmUp);
    const log = this.#panel.locator(".log");
    await log.evaluate(watchStream);
    await this.page.waitForTimeout(measured);
    const watched = await log.evaluate(() => (window as unknown as PaintedPage).stream);
    if (watched.latencies.length === 0) throw new Error("Nothing was painted.");
    return watched;
  }

  /** Starts a session with 10 prompts and 200 updates. */
  async makeIdle(): Promise<void> {
    await this.newSession();
    const answered = this.#panel.getByRole("heading", { name: "You: short" });
    for (let sent = 1; sent <= prompts; sent++) {
      await this.send("short");
      if (!(await waitFor(async () => (await answered.count()) === sent, 20_000, 20)))
        throw new Error("The prompt is not in the conversation.");
      await this.ended();
    }
  }

  /** Deletes the shown session. */
  async delete(): Promise<void> {
    const main = this.#panel.locator("main[data-session]");
    const before = await main.getAttribute("data-session");
    await runCommand(this.page, "Parley: Delete Session");
    await this.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    if (!(await waitFor(async () => (await main.getAttribute("data-session")) !== before, 20_000, 20)))
      throw new Error("The session was not deleted.");
  }

  /** Shows the rows of a view of the sidebar. */
  async expand(view: string): Promise<Locator> {
    const pane = this.page.locator(".pane", { has: this.page.locator(".pane-header", { hasText: view }) });
    const header = pane.locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
    await pane.locator(".monaco-list-row").first().waitFor();
    return pane;
  }

  /** The time from a click on the row of the session until its end is painted. */
  async switchTime(pane: Locator, title: string, words: string): Promise<number> {
    const log = this.#panel.locator(".log");
    await log.evaluate(watchWords, words);
    const time = await this.#time(log, () => pane.locator(".monaco-list-row", { hasText: title }).first().click());
    await this.page.waitForTimeout(pause);
    return time;
  }

  /** The time from a click until the page paints what it watches in this element. */
  async #time(painted: Locator, click: () => Promise<void>): Promise<number> {
    await this.page.evaluate(watchClick);
    await click();
    const at = (): Promise<number> => painted.evaluate(() => (window as unknown as PaintedPage).paintedAt);
    if (!(await waitFor(async () => (await at()) > 0, 20_000, 50))) throw new Error("It was not painted.");
    return (await at()) - (await this.page.evaluate(() => (window as unknown as ClickedPage).clickedAt));
  }

  /** The time from a click on a button in the title of the view until a row with the words is painted. */
  async listTime(pane: Locator, button: string, words: string): Promise<number> {
    await pane.locator(".pane-header").hover();
    const rows = pane.locator(".monaco-list-rows");
    await rows.evaluate(watchRow, words);
    const time = await this.#time(rows, () => pane.getByRole("button", { name: button }).click());
    await this.page.waitForTimeout(pause);
    return time;
  }
}

/** Waits until a row of the list has the words. The page receives its source, so it uses nothing from outside. */
function watchRow(rows: Element, words: string): void {
  const page = window as unknown as PaintedPage;
  page.stopWatching?.();
  page.paintedAt = NaN;
  const { port1, port2 } = new MessageChannel();
  const before = rows.textContent?.includes(words) === true;
  port1.onmessage = () => {
    page.paintedAt = performance.timeOrigin + performance.now();
    port1.close();
  };
  const observer = new MutationObserver(() => {
    if ((rows.textContent?.includes(words) === true) === before) return;
    observer.disconnect();
    requestAnimationFrame(() => port2.postMessage(0));
  });
  observer.observe(rows, { subtree: true, childList: true, characterData: true });
  page.stopWatching = () => observer.disconnect();
}
