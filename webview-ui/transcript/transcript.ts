// The conversation: a keyed list of entries that follows its end and remembers the scroll position.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewQuestion, ViewEntry } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { elementOf, entryList, isRunOpen, setRunOpen } from "./entries.ts";
import { savedState, updateSavedState, setOpen } from "../base/vscodeApi.ts";
import { formatCount, t } from "../base/l10n.ts";
import { Outline, entriesOf, type OutlineItem } from "./outline.ts";
import type { MarkdownElement } from "../markdown/markdown.ts";
import type { StoreChange } from "../base/store.ts";
import {
  costPerFrame,
  earlierLinesPerStep,
  firstFrameCharacters,
  floodPause,
  messageCost,
  minLineHeight,
  screensOfFlood,
} from "../scheduling/limits.ts";
import { StickToEnd } from "../scheduling/stickToEnd.ts";
import { exceedsWindow, messageLength, windowStart } from "../scheduling/visibleWindow.ts";

/** The scroll position is saved this long after a scroll. Milliseconds. */
const anchorSaveDelay = 200;

/** `<parley-transcript>`: pass each new list of entries to `show`. */
export class TranscriptElement extends LightElement {
  static override properties = {
    empty: { attribute: false },
    unseen: { state: true },
    pinned: { state: true },
  };
  /** Shown while there are no entries. */
  declare empty: TemplateResult | typeof nothing;
  declare unseen: number;
  declare pinned: boolean;
  #stickToEnd: StickToEnd | undefined;
  #anchorTimer: ReturnType<typeof setTimeout> | undefined;
  #seenCount = 0;
  #entries: readonly ViewEntry[] = [];
  readonly #outline = new Outline();
  /** The first entry that is painted; null if all are. */
  #firstPaintedId: string | null = null;
  /** How many lines from there will be painted only in the next frames. */
  #deferredLines = 0;
  #frame: number | undefined;
  /** Deferred lines are not painted before this time, because they may leave the page again. */
  #paintMoreAfter = -Infinity;
  #floodTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether lines were added or removed since the last render. */
  #hasMovedLines = false;
  /** Identifies the latest call of `reveal`. */
  #revealToken = {};

  constructor() {
    super();
    this.empty = nothing;
    this.unseen = 0;
    this.pinned = true;
  }

  /** Sets the entries. If some were added or removed, the list is rendered; otherwise only changed entries are. */
  show(
    entries: readonly ViewEntry[],
    { moved, prepended }: Pick<StoreChange, "moved" | "prepended">,
    touched: readonly ViewEntry[],
  ): void {
    const isOther = entries[prepended]?.id !== this.#entries[0]?.id;
    // Invariant: always the latest list, because each render sets the entry of each element from the outline.
    this.#entries = entries;
    let layout = moved;
    for (const entry of touched) layout = this.#outline.update(entry) || layout;
    if (layout) {
      const last = this.#outline.roots.at(-1);
      const before = prepended > 0 ? this.#entryCount() : 0;
      const painted = prepended > 0 ? this.#outline.roots.slice(this.#hiddenLines + this.#deferredLines) : [];
      this.#outline.build(entries);
      if (isOther) this.#openAtEnd();
      else if (prepended > 0) {
        this.#seenCount += this.#entryCount() - before;
        this.#beginBefore(painted);
      } else if (this.pinned) this.#keepToEnd(last);
      this.#keepVisibleRunsUnfolded();
      return this.#repaint();
    }
    for (const entry of touched) {
      const element = elementOf(entry.id);
      if (element) element.entry = entry;
      for (const parent of this.#outline.parents(entry.id)) elementOf(parent)?.requestUpdate();
    }
  }

  /** Sets the open questions, which their tool cards show too. */
  setQuestions(questions: readonly ViewQuestion[], before: readonly ViewQuestion[]): void {
    this.#outline.setQuestions(questions);
    for (const { entry } of [...before, ...questions]) {
      const element = entry === undefined ? null : elementOf(entry);
      if (element) element.question = this.#outline.question(entry as string);
    }
  }

  #openAtEnd(): void {
    this.#outline.unfoldedRuns.clear();
    this.#beginAtEnd(windowStart(this.#outline.roots.length, this.#lengthAt));
  }

  /** Paints about the visible part of the end, and the lines from `start` up to it in the next frames. */
  #beginAtEnd(start: number): void {
    const { roots } = this.#outline;
    this.#beginAt(start);
    let first = roots.length;
    const lines = linesOfScreen();
    for (let seen = 0; first > start && seen < firstFrameCharacters && roots.length - first < lines; first--)
      seen += this.#lengthAt(first - 1);
    this.#deferredLines = first - start;
  }

  /** Paints earlier entries above the painted ones, as many as if all entries had arrived together. */
  #beginBefore(painted: readonly OutlineItem[]): void {
    const { roots } = this.#outline;
    const start = windowStart(roots.length, this.#lengthAt);
    this.#beginAt(start);
    this.#deferredLines = this.pinned ? Math.max(0, roots.length - start - painted.length) : 0;
    if (!this.pinned) void this.#paintAbove(painted[0]);
  }

  /** Paints the lines above a line, which keeps its position on the screen. */
  async #paintAbove(line: OutlineItem | undefined): Promise<void> {
    const element = elementOf(line?.id ?? "");
    const top = element?.getBoundingClientRect().top ?? 0;
    this.#repaint();
    await this.updateComplete;
    // The browser keeps the position too, but not at the very top.
    await this.#stickToEnd?.goTo(() => (element?.getBoundingClientRect().top ?? top) - top);
  }

  /**
   * Lines were added after `last` while the end is followed. If they are more than fit the screen, most of them leave it
   * before anybody sees them, and painting them all would block the page.
   */
  #keepToEnd(last: OutlineItem | undefined): void {
    const { roots } = this.#outline;
    // A line can be a part of a run now.
    const [lastId = ""] = last ? entriesOf(last) : [];
    const added = roots.length - 1 - this.#outline.rootIndexOf(lastId);
    const onScreen = linesOfScreen();
    if (added <= onScreen || this.#isInUse()) return this.#dropBeginning();
    const start = windowStart(roots.length, this.#lengthAt);
    // If no line has to leave the page, all of them are painted.
    if (start === 0) return this.#beginAtEnd(start);
    this.#paintMoreAfter = performance.now() + floodPause;
    this.#beginAtEnd(Math.max(start, roots.length - onScreen * screensOfFlood));
  }

  /** Removes the beginning, which is not visible while the end is followed. Never removes the focused element. */
  #dropBeginning(): void {
    const { roots } = this.#outline;
    const hidden = this.#hiddenLines;
    if (!exceedsWindow(roots.length, hidden, this.#lengthAt)) return;
    const start = windowStart(roots.length, this.#lengthAt);
    const focused = document.activeElement;
    if (!roots.slice(hidden, start).some(item => elementOf(item.id)?.contains(focused))) this.#beginAt(start);
  }

  /** Whether a line has the focus, is pressed, or contains selected text, and so must stay on the page. */
  #isInUse(): boolean {
    const entries = this.querySelector(".entries");
    const selection = getSelection();
    const hasSelection = selection !== null && !selection.isCollapsed && entries?.contains(selection.anchorNode);
    return hasSelection === true || Boolean(entries?.querySelector(":focus, :active"));
  }

  #beginAt(line: number): void {
    const first = line > 0 ? this.#outline.roots[line] : undefined;
    this.#firstPaintedId = first ? (entriesOf(first)[0] ?? null) : null;
  }

  readonly #lengthAt = (line: number): number => {
    const item = this.#outline.roots[line];
    return item?.type === "entry" ? messageLength(this.#outline.entry(item.id)) : 0;
  };

  /** Paints more of the deferred lines, upwards from the end. */
  #paintMore(): void {
    const wait = this.#paintMoreAfter - performance.now();
    if (wait > 0) {
      clearTimeout(this.#floodTimer);
      this.#floodTimer = setTimeout(() => this.#paintMore(), wait);
      return;
    }
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.#deferredLines === 0) return;
      const { roots } = this.#outline;
      let cost = 0;
      while (this.#deferredLines > 0 && cost < costPerFrame) {
        const line = roots[this.#hiddenLines + --this.#deferredLines];
        cost += line?.type === "entry" && this.#outline.entry(line.id)?.kind === "tool" ? 1 : messageCost;
      }
      this.#repaint();
    });
  }

  /** Runs that are visible are not folded until the end is followed again. */
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
    // The button disappears when there are no more earlier entries. Keep the focus in the conversation.
    if (this.#firstPaintedId === null) this.#log.focus({ preventScroll: true });
    await placed;
  }

  /** Sets the entry that text streams into. */
  setLive(live: string | null): void {
    const before = elementOf(this.#outline.live ?? "");
    const after = elementOf(live ?? "");
    this.#outline.live = live;
    if (before && before !== after) before.live = false;
    if (after) after.live = true;
  }

  /** The painted text of an entry, block by block, for screen readers. */
  async spokenText(id: string): Promise<string> {
    const element = elementOf(id);
    if (!element) return "";
    if (element instanceof LightElement) await element.updateComplete;
    for (const text of element.querySelectorAll<MarkdownElement>("parley-markdown")) await text.whenComplete();
    const blocks = element.querySelectorAll(".markdown > :not(.blocks), .blocks > *, .typed");
    return [...blocks].map(block => block.textContent?.trim() ?? "").join("\n");
  }

  /**
   * Scrolls an entry into view: shows earlier lines, and opens the cards and the run that contain it. `place` opens the
   * part of the entry to show, and returns a function for the distance from its target position, which is called until
   * the part is there. Resolves to undefined if there is no such entry.
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
    // Each card renders its body, and the cards in it, in its own update.
    for (const parent of parents) {
      const card = elementOf(parent);
      card?.requestUpdate();
      if (card instanceof LightElement) await card.updateComplete;
    }
    const element = elementOf(id);
    if (!element) return undefined;
    if (element instanceof LightElement) await element.updateComplete;
    // Invariant: the latest call wins; earlier calls stop scrolling.
    const token = (this.#revealToken = {});
    const distance = place ? await place(element) : this.#distanceIntoView(element);
    await this.#stickToEnd?.goTo(() => (token === this.#revealToken ? distance() : 0));
    return element;
  }

  /**
   * Moves the focus to the prompt of the user before (-1) or after (1) the focused one. Without a focused one, it is the
   * nearest on that side of the middle of the panel; at the end of the conversation, all prompts are before it. Resolves
   * to false if there is none.
   */
  async goToPrompt(step: -1 | 1): Promise<boolean> {
    const prompts = this.#entries.filter(entry => entry.kind === "user" && entry.parent === undefined);
    const focused = prompts.findIndex(({ id }) => elementOf(id)?.contains(document.activeElement));
    const before = focused < 0 ? this.#countPromptsBefore(prompts) : focused;
    const prompt = prompts[step < 0 ? before - 1 : focused < 0 ? before : before + 1];
    const element = prompt && (await this.reveal(prompt.id));
    if (!element) return false;
    element.tabIndex = -1;
    // Without a role and a name, screen readers announce nothing.
    element.role = "group";
    element.ariaLabel = element.querySelector("h3")?.textContent ?? "";
    element.focus({ preventScroll: true });
    return true;
  }

  /** How many of the prompts are before the middle of the panel. Entries that are not painted are before it. */
  #countPromptsBefore(prompts: readonly ViewEntry[]): number {
    if (this.pinned) return prompts.length;
    const { top, height } = this.#log.getBoundingClientRect();
    const isAfter = ({ id }: ViewEntry): boolean =>
      (elementOf(id)?.getBoundingClientRect().top ?? -Infinity) > top + height / 2;
    const first = prompts.findIndex(isAfter);
    return first < 0 ? prompts.length : first;
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

  /** Scrolls to the end and follows it. */
  scrollToEnd(): void {
    this.#stickToEnd?.pin();
  }

  /** After a snapshot, restores the scroll position if its entry still exists. */
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
    const entries = this.querySelector(".entries") as HTMLElement;
    const hasEntries = (): boolean => this.#entries.length > 0;
    this.#stickToEnd = new StickToEnd(log, entries, () => this.#handlePinChange(), hasEntries);
    log.addEventListener("scroll", () => {
      this.#anchorTimer ??= setTimeout(() => this.#saveAnchor(), anchorSaveDelay);
    });
  }

  protected override updated(): void {
    if (!this.#hasMovedLines) return;
    this.#hasMovedLines = false;
    if (this.#entries.length === 0) this.#stickToEnd?.pin();
    else this.#stickToEnd?.follow();
    if (this.#deferredLines > 0) this.#paintMore();
  }

  protected override willUpdate(): void {
    if (this.#hasMovedLines && !this.pinned) this.unseen = Math.max(0, this.#entryCount() - this.#seenCount);
  }

  /** The number of entries. Entries of a sub-agent count as one with its call. */
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

  /** Home and End go to the first and last card. Elements in a card can handle these keys first. */
  #keydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.shiftKey || event.altKey) return;
    if (event.key !== "Home" && event.key !== "End") return;
    const target = event.target as HTMLElement;
    // A nested scroll box keeps its keys.
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

/** How many of the lowest lines fill the screen. */
const linesOfScreen = (): number => Math.ceil(innerHeight / minLineHeight);
