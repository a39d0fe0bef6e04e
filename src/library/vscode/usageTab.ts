// The editor tab of the usage: shows the page, and answers its intents.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { PageTab } from "../../editor/pageTab.ts";
import { isUsageIntent, type UsageIntent, type UsageMessage, type UsagePeriod } from "../../panel/usagePage.ts";
import { usageCsv, usageView, type AgentUsage } from "../usageReport.ts";

/** What was used. */
export interface UsageSource {
  readonly entries: readonly AgentUsage[];
  readonly onDidChange: Event<void>;
  /** Resolves with the number of sessions that could not be read. */
  addMissingUsage(): Promise<number>;
}

export interface UsageTabOptions {
  readonly stored: UsageSource;
  /** What sessions have used that are not stored. */
  readonly others?: Pick<UsageSource, "entries" | "onDidChange">;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  /** Reads what other windows have stored. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** Asks for the file. Undefined if the user chose none. */
  readonly chooseFile: (name: string) => Promise<vscode.Uri | undefined>;
}

/** Asks where to save a CSV file with this name. */
export async function chooseCsvFile(name: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t("Export Usage"),
    filters: { CSV: ["csv"] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
}

/** Sessions change often. The page is painted again at most this often. Milliseconds. */
const paintInterval = 500;

/** The only tab of the usage. */
export class UsageTab implements Disposable {
  readonly #options: UsageTabOptions;
  readonly #page: PageTab<UsageMessage>;
  readonly #store = new DisposableStore();
  #isReading = false;
  #unread = 0;
  #period: UsagePeriod = "week";
  #timer: Disposable | undefined;

  constructor(options: UsageTabOptions) {
    this.#options = options;
    const { log, openPage, stored, others } = options;
    const [viewType, title, about] = ["parley.usage", vscode.l10n.t("Usage"), "the page of the usage"];
    this.#page = this.#store.add(new PageTab({ viewType, title, about, openPage, log }));
    this.#store.add(this.#page.onDidReceive(message => this.#receive(message)));
    for (const source of [stored, ...(others ? [others] : [])])
      this.#store.add(source.onDidChange(() => this.#showLater()));
  }

  /** Opens the tab, or shows it. */
  show(): void {
    if (this.#page.show()) return;
    void this.#read();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  get #entries(): readonly AgentUsage[] {
    const { stored, others } = this.#options;
    return [...stored.entries, ...(others?.entries ?? [])];
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.#options.refresh();
      this.#unread = await this.#options.stored.addMissingUsage();
    } catch (error) {
      this.#options.log.error("The usage of the sessions could not be read.", asError(error).message);
    } finally {
      this.#isReading = false;
      this.#show();
    }
  }

  #receive(message: unknown): void {
    const { log } = this.#options;
    if (!isUsageIntent(message)) return log.warn("The page of the usage sent an unknown message.");
    this.#run(message).catch((error: unknown) => {
      log.error("The usage could not be exported.", asError(error).message);
      this.#page.post({ type: "exported", problem: asError(error).message });
    });
  }

  async #run(intent: UsageIntent): Promise<void> {
    switch (intent.type) {
      case "ready":
        this.#page.setReady();
        return this.#show();
      case "choose":
        this.#period = intent.period;
        return this.#show();
      case "export": {
        const { clock, chooseFile } = this.#options;
        const text = usageCsv(this.#entries, this.#period, clock.now());
        const file = await chooseFile("usage.csv");
        if (!file) return;
        await vscode.workspace.fs.writeFile(file, Buffer.from(text, "utf8"));
        return this.#page.post({ type: "exported" });
      }
      default:
        return intent satisfies never;
    }
  }

  #showLater(): void {
    if (!this.#page.isOpen) return;
    this.#timer ??= this.#options.clock.after(paintInterval, () => {
      this.#timer = undefined;
      this.#show();
    });
  }

  #show(): void {
    if (!this.#page.isReady) return;
    const { clock } = this.#options;
    const view = usageView(this.#entries, this.#period, clock.now());
    this.#page.post({
      type: "usage",
      view: {
        ...view,
        ...(this.#isReading && { isReading: true as const }),
        ...(this.#unread > 0 && { unread: this.#unread }),
      },
    });
  }
}
