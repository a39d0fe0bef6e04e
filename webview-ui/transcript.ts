// The conversation: a keyed list of entries that follows its end, and remembers where the reader was.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ViewEntry } from "../src/chat/protocol.ts";
import { LightElement, icon } from "./element.ts";
import { memory, remember } from "./host.ts";
import { count, t } from "./l10n.ts";
import { StickToEnd } from "./stick.ts";

interface EntryElement extends HTMLElement {
  entry: ViewEntry;
  live: boolean;
}

const ANCHOR_DELAY = 200;
/** A long conversation opens with this many entries, and shows as many more on demand. */
const SHOWN = 200;

/** `<parley-transcript>`: give it every new list of entries by `show`. */
export class TranscriptElement extends LightElement {
  static override properties = {
    empty: { attribute: false },
    unseen: { state: true },
    pinned: { state: true },
  };
  /** What stands in the place of entries while there are none. */
  declare empty: TemplateResult | typeof nothing;
  declare unseen: number;
  declare pinned: boolean;
  readonly #elements = new Map<string, EntryElement>();
  #stick: StickToEnd | undefined;
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  #seenCount = 0;
  #entries: readonly ViewEntry[] = [];
  /** How many entries at the start are not painted. */
  #hidden = 0;
  /** Whether elements have come or gone since {@link TranscriptElement.#elements} was filled. */
  #moved = false;
  /** The id of the entry that is being streamed into. */
  #live: string | null = null;
  /** The place that is being gone to. */
  #wish = {};

  constructor() {
    super();
    this.empty = nothing;
    this.unseen = 0;
    this.pinned = true;
  }

  /** The entries from now on: all are walked if some came or went, else only those that changed are repainted. */
  show(entries: readonly ViewEntry[], moved: boolean, touched: Iterable<ViewEntry>): void {
    if (entries[0]?.id !== this.#entries[0]?.id) this.#hidden = Math.max(0, entries.length - SHOWN);
    // Invariant: always the newest list, since any render of the transcript sets every element's entry from it.
    this.#entries = entries;
    if (moved) return this.#repaint();
    for (const entry of touched) {
      const element = this.#elements.get(entry.id);
      if (element) element.entry = entry;
    }
  }

  #repaint(): void {
    this.#moved = true;
    this.requestUpdate();
  }

  async #showEarlier(from: number): Promise<void> {
    const first = this.#elements.get(this.#entries[this.#hidden]?.id ?? "");
    const top = first?.getBoundingClientRect().top ?? 0;
    this.#hidden = Math.max(0, from);
    this.#repaint();
    await this.updateComplete;
    // The button may be gone with its last entries: the focus stays in the conversation.
    if (this.#hidden === 0) this.#log.focus({ preventScroll: true });
    // The browser keeps the place by itself, but not at the very top, where the button is.
    await this.#stick?.goTo(() => (first?.getBoundingClientRect().top ?? top) - top);
  }

  /** Moves the liveness from one entry to another. */
  setLive(live: string | null): void {
    const before = this.#elements.get(this.#live ?? "");
    const after = this.#elements.get(live ?? "");
    this.#live = live;
    if (before && before !== after) before.live = false;
    if (after) after.live = true;
  }

  /** The text of an entry as it is painted, block by block, for speech. */
  async spokenText(id: string): Promise<string> {
    const element = this.#elements.get(id);
    if (!element) return "";
    if (element instanceof LightElement) await element.updateComplete;
    const blocks = element.querySelectorAll(".markdown > *, .typed");
    return [...blocks].map(block => block.textContent?.trim() ?? "").join("\n");
  }

  /** Goes to the end and follows it. */
  toEnd(): void {
    this.#stick?.pin();
  }

  /**
   * Goes to an entry, also to one of the earlier that are not painted yet. `place` opens what is to be seen of it, and gives
   * how far that is from where it should be, asked again until it is there; left out, the entry is opened and comes to
   * the top. False when there is no such entry.
   */
  async reveal(id: string, place?: (entry: HTMLElement) => Promise<() => number>): Promise<boolean> {
    const at = this.#entries.findIndex(entry => entry.id === id);
    if (at < 0) return false;
    if (at < this.#hidden) {
      this.#hidden = Math.max(0, this.#hidden - SHOWN * Math.ceil((this.#hidden - at) / SHOWN));
      this.#repaint();
      await this.updateComplete;
    }
    const element = this.#elements.get(id);
    if (!element) return false;
    // Invariant: the newest wish wins; the older stop moving.
    const wish = (this.#wish = {});
    const distance = place ? await place(element) : this.#atTop(element);
    await this.#stick?.goTo(() => (wish === this.#wish ? distance() : 0));
    return true;
  }

  #atTop(element: HTMLElement): () => number {
    element.querySelector<HTMLElement>(":is(.fold, .tool-head)[aria-expanded=false]")?.click();
    return () => element.getBoundingClientRect().top - this.#log.getBoundingClientRect().top;
  }

  /** After a snapshot: where the reader was, if that is still there. */
  async restoreAnchor(): Promise<void> {
    const { anchor } = memory;
    const at = this.#entries.findIndex(entry => entry.id === anchor?.id);
    if (at >= 0 && at < this.#hidden) this.#hidden = at;
    await this.updateComplete;
    const element = anchor && this.#elements.get(anchor.id);
    if (!anchor || !element) return this.toEnd();
    const log = this.#log;
    await this.#stick?.goTo(
      () => element.getBoundingClientRect().top - log.getBoundingClientRect().top + anchor.offset,
    );
  }

  get #log(): HTMLElement {
    return this.querySelector(".log") as HTMLElement;
  }

  protected override firstUpdated(): void {
    const log = this.#log;
    this.#stick = new StickToEnd(log, this.querySelector(".entries") as HTMLElement, () => this.#pinChanged());
    log.addEventListener("scroll", () => {
      this.#anchorTimer ??= setTimeout(() => this.#saveAnchor(), ANCHOR_DELAY);
    });
  }

  protected override updated(): void {
    if (!this.#moved) return;
    this.#moved = false;
    this.#elements.clear();
    for (const child of this.querySelectorAll<EntryElement>(":scope > .log > .entries > *"))
      this.#elements.set(child.entry.id, child);
    this.#stick?.follow();
  }

  protected override willUpdate(): void {
    if (this.#moved && !this.pinned) this.unseen = Math.max(0, this.#entries.length - this.#seenCount);
  }

  protected override render(): TemplateResult {
    const lastPrompt = this.#entries.findLastIndex(entry => entry.kind === "user");
    return html`<div class="log" role="log" aria-label=${t("Conversation")} aria-live="off" tabindex="0">
        <h2 class="sr-only">${t("Conversation")}</h2>
        ${this.empty} ${this.#hidden > 0 ? this.#earlier() : nothing}
        <div class="entries">
          ${repeat(
            this.#entries.slice(this.#hidden),
            entry => entry.id,
            (entry, at) => this.#entry(entry, at + this.#hidden > lastPrompt),
          )}
        </div>
      </div>
      ${this.pinned ? nothing : this.#jump()}`;
  }

  #entry(entry: ViewEntry, current: boolean): TemplateResult {
    const live = entry.id === this.#live;
    switch (entry.kind) {
      case "user":
      case "agent":
      case "thought":
        return html`<parley-message class="entry" .entry=${entry} .live=${live}></parley-message>`;
      case "tool":
        return html`<parley-tool class="entry" .entry=${entry} .live=${live}></parley-tool>`;
      default:
        return html`<parley-row class="entry" .entry=${entry} .live=${live} .current=${current}></parley-row>`;
    }
  }

  #earlier(): TemplateResult {
    return html`<button class="earlier secondary" type="button" @click=${() => this.#showEarlier(this.#hidden - SHOWN)}>
      ${t("Show Earlier Entries ({0})", count(this.#hidden))}
    </button>`;
  }

  #jump(): TemplateResult {
    const words = this.unseen > 0 ? t("Jump to Latest ({0} new)", count(this.unseen)) : t("Jump to Latest");
    return html`<button class="jump" type="button" @click=${() => this.toEnd()}>
      ${icon("arrow-down")} ${words}
    </button>`;
  }

  #pinChanged(): void {
    this.pinned = this.#stick?.pinned ?? true;
    this.#seenCount = this.#entries.length;
    this.unseen = 0;
    this.#saveAnchor();
  }

  #saveAnchor(): void {
    clearTimeout(this.#anchorTimer);
    this.#anchorTimer = undefined;
    const anchor = this.pinned ? null : this.#anchor();
    if (anchor?.id !== memory.anchor?.id || anchor?.offset !== memory.anchor?.offset) remember({ anchor });
  }

  #anchor(): { readonly id: string; readonly offset: number } | null {
    const top = this.#log.getBoundingClientRect().top;
    for (const [id, element] of this.#elements) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { id, offset: Math.round(top - box.top) };
    }
    return null;
  }
}
