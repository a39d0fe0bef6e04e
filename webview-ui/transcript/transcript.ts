// The conversation: a keyed list of entries that follows its end, and remembers where the reader was.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewQuestion, ViewEntry } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { elementOf, entryList, isRunOpen, setRunOpen } from "./entries.ts";
import { savedState, updateSavedState, setOpen } from "../base/vscodeApi.ts";
import { formatCount, t } from "../base/l10n.ts";
import { Outline, entriesOf, type OutlineItem } from "./outline.ts";
import type { MarkdownElement } from "../markdown/markdown.ts";
import type { StoreChange } from "../base/store.ts";
import { StickToEnd } from "../scheduling/stickToEnd.ts";
import { exceedsWindow, messageLength, windowStart } from "../scheduling/visibleWindow.ts";

const anchorSaveDelay = 200;
/** How many more lines are shown on demand. */
const earlierLinesPerStep = 200;
/** So many more lines come each frame until all are painted. */
const linesPerFrame = 16;
/** A conversation opens with about what can be seen of it: no more lines than that, with so many characters. */
const initialCharacters = 1200;

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
  #stickToEnd: StickToEnd | undefined;
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  #seenCount = 0;
  #entries: readonly ViewEntry[] = [];
  readonly #outline = new Outline();
  /** The entry from which on lines are painted; null for all. */
  #firstPaintedId: string | null = null;
  /** How many lines after those that are not painted are still to come, in the next frames. */
  #deferredLines = 0;
  #frame: number | undefined;
  /** Whether lines have come or gone since the last render. */
  #hasMovedLines = false;
  /** The place that is being gone to. */
  #revealToken = {};

  constructor() {
    super();
    this.empty = nothing;
    this.unseen = 0;
    this.pinned = true;
  }

  /** The entries from now on: all are walked if some came or went, else only those that changed are repainted. */
  show(
    entries: readonly ViewEntry[],
    { moved, prepended }: Pick<StoreChange, "moved" | "prepended">,
    touched: readonly ViewEntry[],
  ): void {
    const isOther = entries[prepended]?.id !== this.#entries[0]?.id;
    // Invariant: always the newest list, since any render sets every element's entry from the outline.
    this.#entries = entries;
    let layout = moved;
    for (const entry of touched) layout = this.#outline.update(entry) || layout;
    if (layout) {
      const before = prepended > 0 ? this.#entryCount() : 0;
      const painted = prepended > 0 ? this.#outline.roots.slice(this.#hiddenLines + this.#deferredLines) : [];
      this.#outline.build(entries);
      if (isOther) this.#openAtEnd();
      else if (prepended > 0) {
        this.#seenCount += this.#entryCount() - before;
        this.#beginBefore(painted);
      } else if (this.pinned) this.#dropBeginning();
      this.#keepVisibleRunsUnfolded();
      return this.#repaint();
    }
    for (const entry of touched) {
      const element = elementOf(entry.id);
      if (element) element.entry = entry;
      for (const parent of this.#outline.parents(entry.id)) elementOf(parent)?.requestUpdate();
    }
  }

  /** The open questions: each shows at its tool card too. */
  setQuestions(questions: readonly ViewQuestion[], before: readonly ViewQuestion[]): void {
    this.#outline.setQuestions(questions);
    for (const { entry } of [...before, ...questions]) {
      const element = entry === undefined ? null : elementOf(entry);
      if (element) element.ask = this.#outline.question(entry as string);
    }
  }

  #openAtEnd(): void {
    const { roots, unfoldedRuns: held } = this.#outline;
    held.clear();
    const start = windowStart(roots.length, this.#lengthAt);
    this.#beginAt(start);
    let first = roots.length;
    for (let seen = 0; first > start && seen < initialCharacters && roots.length - first < linesPerFrame; first--)
      seen += this.#lengthAt(first - 1);
    this.#deferredLines = first - start;
  }

  /** Earlier entries came: they are painted above what is there, as many as there would be if all had come at once. */
  #beginBefore(painted: readonly OutlineItem[]): void {
    const { roots } = this.#outline;
    const start = windowStart(roots.length, this.#lengthAt);
    this.#beginAt(start);
    this.#deferredLines = this.pinned ? Math.max(0, roots.length - start - painted.length) : 0;
    if (!this.pinned) void this.#paintAbove(painted[0]);
  }

  /** Paints what came above a line, which stays where it is. */
  async #paintAbove(line: OutlineItem | undefined): Promise<void> {
    const element = elementOf(line?.id ?? "");
    const top = element?.getBoundingClientRect().top ?? 0;
    this.#repaint();
    await this.updateComplete;
    // The browser keeps the place by itself, but not at the very top.
    await this.#stickToEnd?.goTo(() => (element?.getBoundingClientRect().top ?? top) - top);
  }

  /** Who follows the end does not see the beginning go. The focus is not taken from anybody. */
  #dropBeginning(): void {
    const { roots } = this.#outline;
    const hidden = this.#hiddenLines;
    if (!exceedsWindow(roots.length, hidden, this.#lengthAt)) return;
    const start = windowStart(roots.length, this.#lengthAt);
    const focused = document.activeElement;
    if (!roots.slice(hidden, start).some(item => elementOf(item.id)?.contains(focused))) this.#beginAt(start);
  }

  #beginAt(line: number): void {
    const first = line > 0 ? this.#outline.roots[line] : undefined;
    this.#firstPaintedId = first ? (entriesOf(first)[0] ?? null) : null;
  }

  readonly #lengthAt = (line: number): number => {
    const item = this.#outline.roots[line];
    return item?.type === "entry" ? messageLength(this.#outline.entry(item.id)) : 0;
  };

  /** Paints more of what is still to come, upwards from the end. */
  #paintMore(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#deferredLines = Math.max(0, this.#deferredLines - linesPerFrame);
      this.#repaint();
    });
  }

  /** What the reader looks at is not folded away: it is once the end is followed again. */
  #keepVisibleRunsUnfolded(): void {
    if (this.pinned) return;
    for (const item of this.#outline.roots)
      if (item.type === "run" && !elementOf(item.id) && item.entries.some(id => elementOf(id)))
        this.#outline.unfoldedRuns.add(item.id);
  }

  /** How many lines at the start are not painted. */
  get #hiddenLines(): number {
    return this.#firstPaintedId === null ? 0 : Math.max(0, this.#outline.rootIndexOf(this.#firstPaintedId));
  }

  #repaint(): void {
    this.#hasMovedLines = true;
    this.requestUpdate();
  }

  async #showEarlier(to: number): Promise<void> {
    const first = this.#outline.roots[this.#hiddenLines];
    this.#beginAt(to);
    this.#deferredLines = 0;
    const placed = this.#paintAbove(first);
    await this.updateComplete;
    // The button may be gone with its last entries: the focus stays in the conversation.
    if (this.#firstPaintedId === null) this.#log.focus({ preventScroll: true });
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
    const root = outline.rootIndexOf(id);
    if (root < 0) return undefined;
    const line = outline.roots[root];
    if (root < this.#hiddenLines && line) this.#firstPaintedId = entriesOf(line)[0] ?? null;
    this.#deferredLines = 0;
    const parents = outline.parents(id);
    for (const each of [...parents, id]) {
      const run = outline.runOf(each);
      if (run && !isRunOpen(run)) setRunOpen(run, true);
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
    const token = (this.#revealToken = {});
    const distance = place ? await place(element) : this.#distanceIntoView(element);
    await this.#stickToEnd?.goTo(() => (token === this.#revealToken ? distance() : 0));
    return element;
  }

  #distanceIntoView(element: HTMLElement): () => number {
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
  scrollToEnd(): void {
    this.#stickToEnd?.pin();
  }

  /** After a snapshot: where the reader was, if that is still there. */
  async restoreAnchor(): Promise<void> {
    const { anchor } = savedState;
    const at = anchor ? this.#outline.rootIndexOf(anchor.id) : -1;
    const line = this.#outline.roots[at];
    if (line && at < this.#hiddenLines + this.#deferredLines) {
      if (at < this.#hiddenLines) this.#firstPaintedId = entriesOf(line)[0] ?? null;
      this.#deferredLines = 0;
      this.#repaint();
    }
    await this.updateComplete;
    const element = anchor && (elementOf(anchor.id) ?? (line && elementOf(line.id)));
    if (!anchor || !element) return this.scrollToEnd();
    const log = this.#log;
    await this.#stickToEnd?.goTo(
      () => element.getBoundingClientRect().top - log.getBoundingClientRect().top + anchor.offset,
    );
  }

  get #log(): HTMLElement {
    return this.querySelector(".log") as HTMLElement;
  }

  protected override firstUpdated(): void {
    const log = this.#log;
    this.#stickToEnd = new StickToEnd(log, this.querySelector(".entries") as HTMLElement, () =>
      this.#handlePinChange(),
    );
    log.addEventListener("scroll", () => {
      this.#anchorTimer ??= setTimeout(() => this.#saveAnchor(), anchorSaveDelay);
    });
  }

  protected override updated(): void {
    if (!this.#hasMovedLines) return;
    this.#hasMovedLines = false;
    this.#stickToEnd?.follow();
    if (this.#deferredLines > 0) this.#paintMore();
  }

  protected override willUpdate(): void {
    if (this.#hasMovedLines && !this.pinned) this.unseen = Math.max(0, this.#entryCount() - this.#seenCount);
  }

  /** What a sub-agent does counts as one with its call. */
  #entryCount(): number {
    return this.#outline.roots.reduce((sum, item) => sum + entriesOf(item).length, 0);
  }

  protected override render(): TemplateResult {
    const hidden = this.#hiddenLines;
    return html`<div
        class="log"
        role="log"
        aria-label=${t("Conversation")}
        aria-live="off"
        tabindex="0"
        @keydown=${this.#keydown}
      >
        <h2 class="sr-only">${t("Conversation")}</h2>
        ${this.empty} ${hidden > 0 ? this.#earlierButton(hidden) : nothing}
        <div class="entries">
          ${entryList(this.#outline.roots.slice(hidden + this.#deferredLines), this.#outline, () => this.#repaint())}
        </div>
      </div>
      ${this.pinned ? nothing : this.#jumpButton()}`;
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
    if (event.key === "End") this.scrollToEnd();
    stop.focus();
  };

  #earlierButton(hidden: number): TemplateResult {
    return html`<button
      class="earlier secondary"
      type="button"
      @click=${() => this.#showEarlier(hidden - earlierLinesPerStep)}
    >
      ${t("Show Earlier Entries ({0})", formatCount(hidden))}
    </button>`;
  }

  #jumpButton(): TemplateResult {
    const words = this.unseen > 0 ? t("Jump to Latest ({0} new)", formatCount(this.unseen)) : t("Jump to Latest");
    return html`<button class="jump" type="button" @click=${() => this.scrollToEnd()}>
      ${icon("arrow-down")} ${words}
    </button>`;
  }

  #handlePinChange(): void {
    this.pinned = this.#stickToEnd?.isPinned ?? true;
    this.#seenCount = this.#entryCount();
    this.unseen = 0;
    if (this.pinned && this.#outline.unfoldedRuns.size > 0) {
      this.#outline.unfoldedRuns.clear();
      this.#repaint();
    }
    this.#saveAnchor();
  }

  #saveAnchor(): void {
    clearTimeout(this.#anchorTimer);
    this.#anchorTimer = undefined;
    const anchor = this.pinned ? null : this.#anchor();
    if (anchor?.id !== savedState.anchor?.id || anchor?.offset !== savedState.anchor?.offset)
      updateSavedState({ anchor });
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
