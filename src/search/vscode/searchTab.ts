// The editor tab that searches all conversations: shows the page, and answers its intents.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { PageTab } from "../../editor/pageTab.ts";
import { isSearchIntent, type SearchIntent, type SearchMessage } from "../../panel/searchPage.ts";
import type { RequestedHit } from "../../library/openedFolders.ts";
import type { ConversationSearch } from "../conversationSearch.ts";
import { readQuery } from "../searchQuery.ts";

/** What the user attaches to the message: a whole conversation, or the passage at a hit. */
export type AttachedFind = Extract<SearchIntent, { readonly type: "attachHit" | "attachSession" }>;

export interface SearchTabOptions {
  readonly search: ConversationSearch;
  readonly log: Log;
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  /** Reads the list of stored sessions. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** Opens a conversation, at a hit if there is one. Rejects with a sentence. */
  readonly openSession: (session: string, hit?: RequestedHit) => Promise<void>;
  /** Attaches it to the message in the chat, and shows the chat. Rejects with a sentence. */
  readonly attach: (find: AttachedFind) => Promise<void>;
}

/** The only tab of the search. */
export class SearchTab implements Disposable {
  readonly #options: SearchTabOptions;
  readonly #page: PageTab<SearchMessage>;
  readonly #store = new DisposableStore();
  #hasHits = false;
  readonly #changed = new Emitter<void>();
  /** Fires when the page has its first hit, or none any more. */
  readonly onDidChangeHits: Event<void> = this.#changed.event;
  #reading: Promise<void> | undefined;

  constructor(options: SearchTabOptions) {
    this.#options = options;
    const { log, openPage, search } = options;
    const title = vscode.l10n.t("Search Conversations");
    const about = "the page of the search";
    this.#page = this.#store.add(new PageTab({ viewType: "parley.search", title, about, openPage, log }));
    this.#store.add(this.#page.onDidReceive(message => this.#receive(message)));
    this.#store.add(
      this.#page.onDidClose(() => {
        search.cancel();
        this.#setHits(false);
      }),
    );
  }

  /** Whether the page shows hits. */
  get hasHits(): boolean {
    return this.#hasHits;
  }

  /** Opens the tab, or shows it with the hits that it has. `focus`: what gets the focus then. */
  show(focus: "box" | "hit" = "box"): void {
    if (this.#page.show()) return this.#page.post({ type: "focus", on: focus });
    this.#reading = this.#options.refresh();
  }

  /** Opens the hit after the selected one, or before it. False if no search has been opened. */
  go(step: 1 | -1): boolean {
    if (!this.#page.isReady) return false;
    this.#page.post({ type: "go", step });
    return true;
  }

  dispose(): void {
    this.#options.search.cancel();
    this.#store.dispose();
    this.#changed.dispose();
  }

  /** Searches. The page keeps the hits of the search before until the first message. */
  #search(intent: Extract<SearchIntent, { readonly type: "search" }>): Promise<void> {
    let hasHits = false;
    return this.#options.search.search(intent.request, intent, message => {
      if (message.type === "found") hasHits = true;
      if (message.type === "found" || message.type === "done") this.#setHits(hasHits);
      this.#page.post(message);
    });
  }

  #setHits(hasHits: boolean): void {
    if (this.#hasHits === hasHits) return;
    this.#hasHits = hasHits;
    this.#changed.fire();
  }

  #receive(message: unknown): void {
    const { log } = this.#options;
    if (!isSearchIntent(message)) return log.warn("The page of the search sent an unknown message.");
    this.#run(message).catch((error: unknown) => {
      log.error("An action of the page of the search failed.", asError(error).message);
      this.#page.post({ type: "failed", problem: asError(error).message });
    });
  }

  async #run(intent: SearchIntent): Promise<void> {
    const { openSession, attach } = this.#options;
    switch (intent.type) {
      case "ready":
        this.#page.setReady();
        return this.#page.post({ type: "focus", on: "box" });
      case "search":
        await this.#reading;
        return this.#search(intent);
      case "open": {
        const read = readQuery(intent.query, Date.now());
        return openSession(intent.session, { ...intent, query: "words" in read ? read.words : "" });
      }
      case "show":
        return openSession(intent.session);
      case "attachHit":
      case "attachSession":
        return attach(intent);
      default:
        return intent satisfies never;
    }
  }
}
