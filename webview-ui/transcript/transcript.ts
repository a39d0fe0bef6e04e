// The conversation: a keyed list of entries that follows its end, and remembers where the reader was.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewAsk, ViewEntry } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { elementOf, entryList, isOpen, setRunOpen } from "./entries.ts";
import { memory, remember, setOpen } from "../base/vscodeApi.ts";
import { count, t } from "../base/l10n.ts";
import { Outline, entriesOf, type Item } from "./outline.ts";
import type { MarkdownElement } from "../markdown/markdown.ts";
import type { Change } from "../base/store.ts";
import { StickToEnd } from "../scheduling/stickToEnd.ts";
import { isTooMuch, lengthOf, windowStart } from "../scheduling/visibleWindow.ts";

const ANCHOR_DELAY = 200;
/** How many more lines are shown on demand. */
const MORE = 200;
/** So many more lines come each frame until all are painted. */
const AT_ONCE = 16;
/** A conversation opens with about what can be seen of it: no more lines than that, with so many characters. */
const SEEN = 1200;

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
  #stick: StickToEnd | undefined;
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  #seenCount = 0;
  #entries: readonly ViewEntry[] = [];
  readonly #outline = new Outline();
  /** The entry from which on lines are painted; null for all. */
  #from: string | null = null;
  /** How many lines after those that are not painted are still to come, in the next frames. */
  #coming = 0;
  #frame: number | undefined;
  /** Whether lines have come or gone since the last render. */
  #moved = false;
  /** The place that is being gone to. */
  #wish = {};

  constructor() {
    super();
    this.empty = nothing;
    this.unseen = 0;
    this.pinned = true;
  }

  /** The entries from now on: all are walked if some came or went, else only those that changed are repainted. */
  show(
    entries: readonly ViewEntry[],
    { moved, prepended }: Pick<Change, "moved" | "prepended">,
    touched: readonly ViewEntry[],
  ): void {
    const isOther = entries[prepended]?.id !== this.#entries[0]?.id;
    // Invariant: always the newest list, since any render sets every element's entry from the outline.
    this.#entries = entries;
    let layout = moved;
    for (const entry of touched) layout = this.#outline.touch(entry) || layout;
    if (layout) {
      const before = prepended > 0 ? this.#count() : 0;
      const painted = prepended > 0 ? this.#outline.roots.slice(this.#hidden + this.#coming) : [];
      this.#outline.build(entries);
      if (isOther) this.#openAtEnd();
      else if (prepended > 0) {
        this.#seenCount += this.#count() - before;
        this.#beginBefore(painted);
      } else if (this.pinned) this.#dropBeginning();
      this.#hold();
      return this.#repaint();
    }
    for (const entry of touched) {
      const element = elementOf(entry.id);
      if (element) element.entry = entry;
      for (const parent of this.#outline.parents(entry.id)) elementOf(parent)?.requestUpdate();
    }
  }

  /** The open questions: each shows at its tool card too. */
  setAsks(asks: readonly ViewAsk[], before: readonly ViewAsk[]): void {
    this.#outline.setAsks(asks);
    for (const { entry } of [...before, ...asks]) {
      const element = entry === undefined ? null : elementOf(entry);
      if (element) element.ask = this.#outline.ask(entry as string);
    }
  }

  #openAtEnd(): void {
    const { roots, held } = this.#outline;
    held.clear();
    const start = windowStart(roots.length, this.#lengthAt);
    this.#beginAt(start);
    let first = roots.length;
    for (let seen = 0; first > start && seen < SEEN && roots.length - first < AT_ONCE; first--)
      seen += this.#lengthAt(first - 1);
    this.#coming = first - start;
  }

  /** Earlier entries came: they are painted above what is there, as many as there would be if all had come at once. */
  #beginBefore(painted: readonly Item[]): void {
    const { roots } = this.#outline;
    const start = windowStart(roots.length, this.#lengthAt);
    this.#beginAt(start);
    this.#coming = this.pinned ? Math.max(0, roots.length - start - painted.length) : 0;
    if (!this.pinned) void this.#paintAbove(painted[0]);
  }

  /** Paints what came above a line, which stays where it is. */
  async #paintAbove(line: Item | undefined): Promise<void> {
    const element = elementOf(line?.id ?? "");
    const top = element?.getBoundingClientRect().top ?? 0;
    this.#repaint();
    await this.updateComplete;
    // The browser keeps the place by itself, but not at the very top.
    await this.#stick?.goTo(() => (element?.getBoundingClientRect().top ?? top) - top);
  }

  /** Who follows the end does not see the beginning go. The focus is not taken from anybody. */
  #dropBeginning(): void {
    const { roots } = this.#outline;
    const hidden = this.#hidden;
    if (!isTooMuch(roots.length, hidden, this.#lengthAt)) return;
    const start = windowStart(roots.length, this.#lengthAt);
    const focused = document.activeElement;
    if (!roots.slice(hidden, start).some(item => elementOf(item.id)?.contains(focused))) this.#beginAt(start);
  }

  #beginAt(line: number): void {
    const first = line > 0 ? this.#outline.roots[line] : undefined;
    this.#from = first ? (entriesOf(first)[0] ?? null) : null;
  }

  readonly #lengthAt = (line: number): number => {
    const item = this.#outline.roots[line];
    return item?.type === "entry" ? lengthOf(this.#outline.entry(item.id)) : 0;
  };

  /** Paints more of what is still to come, upwards from the end. */
  #paintMore(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#coming = Math.max(0, this.#coming - AT_ONCE);
      this.#repaint();
    });
  }

  /** What the reader looks at is not folded away: it is once the end is followed again. */
  #hold(): void {
    if (this.pinned) return;
    for (const item of this.#outline.roots)
      if (item.type === "run" && !elementOf(item.id) && item.entries.some(id => elementOf(id)))
        this.#outline.held.add(item.id);
  }

  /** How many lines at the start are not painted. */
  get #hidden(): number {
    return this.#from === null ? 0 : Math.max(0, this.#outline.rootOf(this.#from));
  }

  #repaint(): void {
    this.#moved = true;
    this.requestUpdate();
  }

  async #showEarlier(to: number): Promise<void> {
    const first = this.#outline.roots[this.#hidden];
    this.#beginAt(to);
    this.#coming = 0;
    const placed = this.#paintAbove(first);
    await this.updateComplete;
    // The button may be gone with its last entries: the focus stays in the conversation.
    if (this.#from === null) this.#log.focus({ preventScroll: true });
    await placed;
  }

  /** Moves the liveness from one entry to another. */
  setLive(live: string | null): void {
    const before = elementOf(this.#outline.live ?? "");
    const after = elementOf(live ?? "");
    this.#outline.live = live;
    if (before && before !== after) before.live = false;
    if (after) after.live = true;
  }

  /** The text of an entry as it is painted, block by block, for speech. */
  async spokenText(id: string): Promise<string> {
    const element = elementOf(id);
    if (!element) return "";
    if (element instanceof LightElement) await element.updateComplete;
    for (const text of element.querySelectorAll<MarkdownElement>("parley-markdown")) await text.whenComplete();
    const blocks = element.querySelectorAll(".markdown > :not(.blocks), .blocks > *, .typed");
    return [...blocks].map(block => block.textContent?.trim() ?? "").join("\n");
  }

  /**
   * Brings an entry into sight: shows earlier lines, opens the cards and the run it stands in, and scrolls to it. `place`
   * opens what is to be seen of it, and gives how far that is from where it should be, asked again until it is there.
   * Undefined where there is no such entry.
   */
  async reveal(id: string, place?: (entry: HTMLElement) => Promise<() => number>): Promise<HTMLElement | undefined> {
    const outline = this.#outline;
    const root = outline.rootOf(id);
    if (root < 0) return undefined;
    const line = outline.roots[root];
    if (root < this.#hidden && line) this.#from = entriesOf(line)[0] ?? null;
    this.#coming = 0;
    const parents = outline.parents(id);
    for (const each of [...parents, id]) {
      const run = outline.runOf(each);
      if (run && !isOpen(run)) setRunOpen(run, true);
      if (each !== id) setOpen(each, true);
    }
    this.#repaint();
    await this.updateComplete;
    // Each card makes its body, and the cards in it, in an update of its own.
    for (const parent of parents) {
      const card = elementOf(parent);
      card?.requestUpdate();
      if (card instanceof LightElement) await card.updateComplete;
    }
    const element = elementOf(id);
    if (!element) return undefined;
    if (element instanceof LightElement) await element.updateComplete;
    // Invariant: the newest wish wins; the older stop moving.
    const wish = (this.#wish = {});
    const distance = place ? await place(element) : this.#intoSight(element);
    await this.#stick?.goTo(() => (wish === this.#wish ? distance() : 0));
    return element;
  }

  #intoSight(element: HTMLElement): () => number {
    const log = this.#log;
    return () => {
      const box = element.getBoundingClientRect();
      const view = log.getBoundingClientRect();
      const margin = Math.max(0, Math.min(view.height / 4, (view.height - box.height) / 2));
      const isSeen = box.top >= view.top && (box.bottom <= view.bottom || box.height > view.height);
      return isSeen && box.top < view.bottom - margin ? 0 : box.top - view.top - margin;
    };
  }

  /** Goes to the end and follows it. */
  toEnd(): void {
    this.#stick?.pin();
  }

  /** After a snapshot: where the reader was, if that is still there. */
  async restoreAnchor(): Promise<void> {
    const { anchor } = memory;
    const at = anchor ? this.#outline.rootOf(anchor.id) : -1;
    const line = this.#outline.roots[at];
    if (line && at < this.#hidden + this.#coming) {
      if (at < this.#hidden) this.#from = entriesOf(line)[0] ?? null;
      this.#coming = 0;
      this.#repaint();
    }
    await this.updateComplete;
    const element = anchor && (elementOf(anchor.id) ?? (line && elementOf(line.id)));
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
    this.#stick?.follow();
    if (this.#coming > 0) this.#paintMore();
  }

  protected override willUpdate(): void {
    if (this.#moved && !this.pinned) this.unseen = Math.max(0, this.#count() - this.#seenCount);
  }

  /** What a sub-agent does counts as one with its call. */
  #count(): number {
    return this.#outline.roots.reduce((sum, item) => sum + entriesOf(item).length, 0);
  }

  protected override render(): TemplateResult {
    const hidden = this.#hidden;
    return html`<div
        class="log"
        role="log"
        aria-label=${t("Conversation")}
        aria-live="off"
        tabindex="0"
        @keydown=${this.#keydown}
      >
        <h2 class="sr-only">${t("Conversation")}</h2>
        ${this.empty} ${hidden > 0 ? this.#earlier(hidden) : nothing}
        <div class="entries">
          ${entryList(this.#outline.roots.slice(hidden + this.#coming), this.#outline, () => this.#repaint())}
        </div>
      </div>
      ${this.pinned ? nothing : this.#jump()}`;
  }

  /** Home and End go to the first and last card; what stands in a card may use them first. */
  #keydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.shiftKey || event.altKey) return;
    if (event.key !== "Home" && event.key !== "End") return;
    const target = event.target as HTMLElement;
    // A box that scrolls by itself keeps its keys.
    if (target !== this.#log && !target.matches("button, summary, [role=link]")) return;
    const stops = [...this.querySelectorAll<HTMLElement>(".entries :is(button, summary, [role=link])")].filter(
      ({ tabIndex }) => tabIndex >= 0,
    );
    const stop = event.key === "Home" ? stops[0] : stops.at(-1);
    if (!stop) return;
    event.preventDefault();
    if (event.key === "End") this.toEnd();
    stop.focus();
  };

  #earlier(hidden: number): TemplateResult {
    return html`<button class="earlier secondary" type="button" @click=${() => this.#showEarlier(hidden - MORE)}>
      ${t("Show Earlier Entries ({0})", count(hidden))}
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
    this.#seenCount = this.#count();
    this.unseen = 0;
    if (this.pinned && this.#outline.held.size > 0) {
      this.#outline.held.clear();
      this.#repaint();
    }
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
    for (const element of this.querySelectorAll<HTMLElement>(":scope > .log > .entries > [data-key]")) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { id: element.dataset["key"] as string, offset: Math.round(top - box.top) };
    }
    return null;
  }
}
