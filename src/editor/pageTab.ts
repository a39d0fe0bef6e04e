// The editor tab of a page of Parley, such as the page of the usage. At most one is open.
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { createWebviewPanel } from "./editorItems.ts";

export interface PageTabOptions {
  readonly viewType: string;
  readonly title: string;
  /** The page as log messages name it, such as `the page of the usage`. */
  readonly about: string;
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  readonly log: Log;
}

export class PageTab<Message> implements Disposable {
  readonly #options: PageTabOptions;
  readonly #received = new Emitter<unknown>();
  readonly #closed = new Emitter<void>();
  /** Fires with each message of the page, which is not checked. */
  readonly onDidReceive: Event<unknown> = this.#received.event;
  /** Fires when the tab was closed. */
  readonly onDidClose: Event<void> = this.#closed.event;
  #tab: vscode.WebviewPanel | undefined;
  #isReady = false;

  constructor(options: PageTabOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#tab !== undefined;
  }

  /** Whether the page receives messages. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The page receives messages from now on, because it has loaded. */
  setReady(): void {
    this.#isReady = true;
  }

  /** Opens the tab, or shows the one that is open. Returns whether it was open. */
  show(): boolean {
    if (this.#tab) {
      this.#tab.reveal();
      return true;
    }
    const { viewType, title, openPage } = this.#options;
    const tab = createWebviewPanel(viewType, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      // The page keeps what the user has entered and found there.
      retainContextWhenHidden: true,
    });
    this.#tab = tab;
    const messages = tab.webview.onDidReceiveMessage((message: unknown) => this.#received.fire(message));
    tab.onDidDispose(() => {
      messages.dispose();
      this.#tab = undefined;
      this.#isReady = false;
      this.#closed.fire();
    });
    openPage(tab.webview);
    return false;
  }

  /** Sends the message to the page. A closed page, or one that has not loaded, receives nothing. */
  post(message: Message): void {
    if (!this.#isReady) return;
    const { about, log } = this.#options;
    this.#tab?.webview.postMessage(message).then(undefined, (error: unknown) => {
      log.debug(`A message did not reach ${about}.`, asError(error).message);
    });
  }

  /** Closes the tab. */
  close(): void {
    this.#tab?.dispose();
  }

  dispose(): void {
    this.close();
    this.#received.dispose();
    this.#closed.dispose();
  }
}
