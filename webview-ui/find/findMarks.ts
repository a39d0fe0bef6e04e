// Highlights hits with the CSS Custom Highlight API, which changes no nodes. Only entries near the visible part are
// read.
import type { FindHit } from "../../src/panel/find/findProtocol.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import type { LightElement } from "../base/element.ts";
import { PaintedEntry } from "./findText.ts";
import type { TranscriptElement } from "../transcript/transcript.ts";

const allHighlightName = "parley-find";
const currentHighlightName = "parley-find-current";
/** Entries up to this many pixels outside the visible part are highlighted too. */
const markMargin = 600;
/** The gap between the bar and the content below it. Pixels. */
const barGap = 8;
const maxOpeningFrames = 10;

type PaintedElement = LightElement & { readonly entry: ViewEntry };

/** The highlights of one search. */
export class FindMarks {
  readonly #transcript: () => TranscriptElement;
  readonly #observer = new MutationObserver(() => this.#schedulePaint());
  #watchedLog: HTMLElement | null = null;
  #hits: readonly FindHit[] = [];
  #byEntry = new Map<string, number[]>();
  #current = -1;
  #frame: number | undefined;

  constructor(transcript: () => TranscriptElement) {
    this.#transcript = transcript;
  }

  /** Sets the hits to highlight. The hit at `current` gets its own style. */
  set(hits: readonly FindHit[], current: number): void {
    this.#hits = hits;
    this.#current = current;
    this.#byEntry = new Map();
    for (const [i, { entry }] of hits.entries()) {
      const list = this.#byEntry.get(entry);
      if (list) list.push(i);
      else this.#byEntry.set(entry, [i]);
    }
    this.#watch();
    this.#paint();
  }

  clear(): void {
    this.#observer.disconnect();
    this.#watchedLog?.removeEventListener("scroll", this.#schedulePaint);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#watchedLog = null;
    this.set([], -1);
  }

  /** The id of the first entry that is visible below the bar. */
  firstInSight(): string | undefined {
    const top = this.#top;
    return this.#entries.find(element => element.getBoundingClientRect().bottom > top)?.entry.id;
  }

  /** Reveals the hit at that index: paints, opens and scrolls as needed. */
  async goTo(index: number): Promise<void> {
    const hit = this.#hits[index];
    this.#current = index;
    if (!hit) return;
    await this.#transcript().reveal(hit.entry, async element => {
      const place = await openHit(element as PaintedElement, hit);
      // Scroll boxes inside the entry.
      const inner = place instanceof Range ? place.startContainer.parentElement : place;
      inner?.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.#paint();
      return () => this.#distance(boxOf(element as PaintedElement, hit));
    });
    this.#paint();
  }

  get #log(): HTMLElement {
    return this.#transcript().querySelector(".log") as HTMLElement;
  }
  get #entries(): readonly PaintedElement[] {
    // The head of a run of look-ups is a line without an entry of its own.
    return [...this.#transcript().querySelectorAll<PaintedElement>(":scope > .log > .entries .entry:not(.look-ups)")];
  }

  /** The top of the visible part of the transcript, which is below the bar. */
  get #top(): number {
    const bar = document.querySelector(".find")?.getBoundingClientRect();
    return Math.max(this.#log.getBoundingClientRect().top, (bar?.bottom ?? 0) + barGap);
  }

  /** How far to scroll: nowhere if the box is visible, otherwise to the upper half. */
  #distance(box: DOMRect): number {
    const log = this.#log.getBoundingClientRect();
    const top = this.#top;
    if (box.top >= top && box.bottom <= log.bottom) return 0;
    return box.top - Math.max(top, log.top + log.height * 0.3);
  }

  #watch(): void {
    if (this.#watchedLog || this.#hits.length === 0) return;
    this.#watchedLog = this.#log;
    this.#watchedLog.addEventListener("scroll", this.#schedulePaint, { passive: true });
    this.#observer.observe(this.#watchedLog, { subtree: true, childList: true, characterData: true });
  }

  readonly #schedulePaint = (): void => {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#paint();
    });
  };

  #paint(): void {
    for (const element of document.querySelectorAll<HTMLElement>("[data-found]")) delete element.dataset["found"];
    const all = new Highlight();
    const current = new Highlight();
    current.priority = 1;
    const log = this.#hits.length > 0 ? this.#log.getBoundingClientRect() : undefined;
    for (const element of log ? this.#entries : []) {
      const hits = this.#byEntry.get(element.entry.id);
      if (!hits || !log) continue;
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom < log.top - markMargin || top > log.bottom + markMargin) continue;
      const painted = new PaintedEntry(element, element.entry);
      for (const index of hits) {
        const hit = this.#hits[index] as FindHit;
        const range = painted.range(hit);
        if (range) (index === this.#current ? current : all).add(range);
        if (index !== this.#current) continue;
        const holder = range ? drawnFormulaOf(range) : painted.holder(hit);
        if (holder) holder.dataset["found"] = "";
      }
    }
    document.documentElement.classList.toggle("finding", this.#hits.length > 0);
    CSS.highlights.set(allHighlightName, all);
    CSS.highlights.set(currentHighlightName, current);
  }
}

/**
 * Opens the folded elements that contain the hit, as the user would. Returns its range, or its holder if it is not
 * painted.
 */
async function openHit(element: PaintedElement, hit: FindHit): Promise<Range | HTMLElement> {
  const range = (): Range | undefined => new PaintedEntry(element, element.entry).range(hit);
  if (!range()) {
    element.querySelector<HTMLElement>(":is(.fold, .tool-head)[aria-expanded=false]")?.click();
    await element.updateComplete;
  }
  for (let more = moreLinesButton(element, hit); more && !range(); more = moreLinesButton(element, hit)) {
    more.click();
    await new Promise(requestAnimationFrame);
  }
  // Terminals paint asynchronously.
  for (let frame = 0; frame < maxOpeningFrames && !range(); frame++) await new Promise(requestAnimationFrame);
  const found = range();
  for (let box = parentOf(found)?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
  return found ?? new PaintedEntry(element, element.entry).holder(hit);
}

/** The button that shows more lines of a diff, if there are more. */
const moreLinesButton = (element: HTMLElement, { part }: FindHit): HTMLElement | null =>
  element.querySelector(`[data-part="${part}"] parley-diff-lines > button`);

/** The formula whose source contains the range, if it is drawn over its source. */
const drawnFormulaOf = (range: Range): HTMLElement | null | undefined =>
  parentOf(range)?.closest<HTMLElement>(".formula.drawn");

const parentOf = (range: Range | undefined): Element | null | undefined => range?.startContainer.parentElement;

function boxOf(element: PaintedElement, hit: FindHit): DOMRect {
  const painted = new PaintedEntry(element, element.entry);
  return (painted.range(hit) ?? painted.holder(hit)).getBoundingClientRect();
}
