// The list of messages: rows of one height, of which only those near the visible part exist. It asks for rows by position,
// and follows the newest message until the user scrolls up.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { maxRowsAtOnce, type InspectorList, type InspectorRow } from "../../src/panel/inspectorPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { LightElement } from "../base/element.ts";
import { formatSize, t } from "../base/l10n.ts";
import {
  directionIcon,
  directionName,
  faultSentence,
  messageName,
  rowLabel,
  startTimeText,
  timeText,
} from "./messageWords.ts";

/** The height of a row (pixels), as in inspector.css. */
const rowHeight = 22;
/** Rows that exist above and below the visible ones. */
const margin = 10;
/** Rows that are asked for above and below the visible ones. */
const askedMargin = 100;
/** A position nearer to the end than this counts as the end (pixels). */
const endTolerance = 8;

export class MessageListElement extends LightElement {
  /** Asks for rows. */
  ask: (from: number, count: number) => void = () => undefined;
  /** The user selects the message at a position. */
  choose: (position: number) => void = () => undefined;
  /** The user opens the selected message. */
  open: () => void = () => undefined;
  /** Whether the newest message is followed has changed. */
  followed: () => void = () => undefined;

  #list: InspectorList | undefined;
  readonly #rows = new Map<number, InspectorRow>();
  #asked = { from: 0, count: 0 };
  #selected: number | undefined;
  #isFollowing = true;
  #lastTop = 0;
  readonly #observer = new ResizeObserver(() => {
    if (this.#isFollowing) this.#scrollToEnd();
    this.requestUpdate();
  });

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Shows another state of the list. */
  setList(list: InspectorList): void {
    const before = this.#list;
    this.#list = list;
    if (before?.list !== list.list) {
      this.#rows.clear();
      this.#asked = { from: 0, count: 0 };
      this.#selected = undefined;
      this.#setFollowing(true);
    }
    // The visible rows stay where they are, although rows above them are gone.
    const gone = before?.list === list.list ? list.removed - before.removed : 0;
    if (gone > 0 && !this.#isFollowing && this.#box) this.#setTop(this.#box.scrollTop - gone * rowHeight);
    this.requestUpdate();
  }

  /** Takes the rows that were asked for, the first of which is at the position `from`. Changes of all others are not sent. */
  setRows(from: number, rows: readonly InspectorRow[]): void {
    this.#rows.clear();
    for (const [at, row] of rows.entries()) this.#rows.set(from + at, row);
    this.requestUpdate();
  }

  /** Replaces the row at the position, which has changed. */
  setRow(position: number, row: InspectorRow): void {
    this.#rows.set(position, row);
    this.requestUpdate();
  }

  /** Selects the position and brings it into view. */
  reveal(position: number): void {
    this.#selected = position;
    const box = this.#box;
    const top = (position - (this.#list?.removed ?? 0)) * rowHeight;
    if (box && (top < box.scrollTop || top + rowHeight > box.scrollTop + box.clientHeight)) {
      const isNear = Math.abs(top - box.scrollTop) < box.clientHeight * 2;
      const above = top < box.scrollTop;
      this.#setFollowing(false);
      // The new height must be there before the place can be reached.
      this.#setSpace();
      this.#setTop(isNear ? (above ? top : top + rowHeight - box.clientHeight) : top - box.clientHeight / 3);
    } else if (position < (this.#list?.end ?? 0) - 1) this.#setFollowing(false);
    this.requestUpdate();
  }

  /** Follows the newest message from now on, or no longer. */
  setFollowing(isFollowing: boolean): void {
    this.#setFollowing(isFollowing);
    if (isFollowing) this.#scrollToEnd();
  }

  /** Gives the list the focus. */
  override focus(): void {
    this.#box?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  protected override firstUpdated(): void {
    if (this.#box) this.#observer.observe(this.#box);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.#setSpace();
    if (this.#isFollowing) this.#scrollToEnd();
    const rows = this.querySelector<HTMLElement>(".message-rows");
    if (rows) rows.style.transform = `translateY(${(this.#range.first - (this.#list?.removed ?? 0)) * rowHeight}px)`;
    this.#askForMissing();
  }

  protected override render(): TemplateResult {
    const { first, end } = this.#range;
    const positions = Array.from({ length: end - first }, (_, at) => first + at);
    const selected = this.#selected ?? -1;
    return html`<div class="message-head" aria-hidden="true">
        <span></span><span class="message-time">${t("Time (s)")}</span><span>${t("Message")}</span>
        <span class="message-id">${t("ID")}</span><span class="message-session">${t("Session")}</span>
        <span class="message-wait">${t("Answer")}</span><span class="message-size">${t("Size")}</span>
      </div>
      <div
        class="message-list"
        role="listbox"
        tabindex="0"
        aria-label=${t("Messages")}
        aria-activedescendant=${selected >= first && selected < end ? `message-${selected}` : nothing}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
        @click=${this.#onClick}
        @dblclick=${() => this.open()}
      >
        <div class="message-space" role="presentation">
          <div class="message-rows" role="presentation">${positions.map(position => this.#row(position))}</div>
        </div>
      </div>`;
  }

  #row(position: number): TemplateResult {
    const row = this.#rows.get(position);
    const { removed = 0, end = 0 } = this.#list ?? {};
    return html`<div
      id="message-${position}"
      class="message-row"
      role="option"
      data-position=${position}
      aria-selected=${position === this.#selected}
      aria-posinset=${position - removed + 1}
      aria-setsize=${end - removed}
      title=${row?.faults ? row.faults.map(faultSentence).join("\n") : nothing}
    >
      <span class="sr-only">${row ? rowLabel(row) : t("Loading…")}</span>
      ${rowCells(row)}
    </div>`;
  }

  get #box(): HTMLElement | null {
    return this.querySelector(".message-list");
  }

  /** The positions of the rows that exist. */
  get #range(): { readonly first: number; readonly end: number } {
    const { removed = 0, end = 0 } = this.#list ?? {};
    const box = this.#box;
    const height = box?.clientHeight ?? 0;
    const visible = Math.ceil(height / rowHeight) + 1;
    const top = this.#isFollowing
      ? Math.max(0, end - removed - visible)
      : Math.floor((box?.scrollTop ?? 0) / rowHeight);
    return {
      first: Math.min(end, removed + Math.max(0, top - margin)),
      end: Math.min(end, removed + top + visible + margin),
    };
  }

  #askForMissing(): void {
    const { first, end } = this.#range;
    let isMissing = false;
    for (let position = first; position < end && !isMissing; position++) isMissing = !this.#rows.has(position);
    const { from, count } = this.#asked;
    // Rows that were asked for are on their way.
    if (!isMissing || (first >= from && end <= from + count)) return;
    const start = Math.max(this.#list?.removed ?? 0, first - askedMargin);
    this.#asked = { from: start, count: Math.min(maxRowsAtOnce, end - start + askedMargin) };
    this.ask(this.#asked.from, this.#asked.count);
  }

  #setSpace(): void {
    const { removed = 0, end = 0 } = this.#list ?? {};
    const space = this.querySelector<HTMLElement>(".message-space");
    if (space) space.style.height = `${(end - removed) * rowHeight}px`;
  }

  #setTop(top: number): void {
    const box = this.#box;
    if (!box) return;
    box.scrollTop = Math.max(0, top);
    this.#lastTop = box.scrollTop;
  }

  #scrollToEnd(): void {
    this.#setTop(this.#box?.scrollHeight ?? 0);
  }

  #setFollowing(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.followed();
  }

  readonly #onScroll = (): void => {
    const box = this.#box;
    if (!box || box.scrollTop === this.#lastTop) return this.requestUpdate();
    const isUp = box.scrollTop < this.#lastTop;
    this.#lastTop = box.scrollTop;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= endTolerance;
    if (isUp && !isAtEnd) this.#setFollowing(false);
    else if (!isUp && isAtEnd) this.#setFollowing(true);
    this.requestUpdate();
  };

  readonly #onClick = (event: MouseEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-position]");
    if (row) this.#select(Number(row.dataset["position"]));
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { removed = 0, end = 0 } = this.#list ?? {};
    if (end === removed) return;
    if (event.key === "Enter") {
      if (this.#selected === undefined) return;
      event.preventDefault();
      return this.open();
    }
    const page = Math.max(1, Math.floor((this.#box?.clientHeight ?? 0) / rowHeight) - 1);
    const at = this.#selected;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at === undefined ? this.#firstVisible : at + 1,
      ArrowUp: at === undefined ? end - 1 : at - 1,
      PageDown: (at ?? this.#firstVisible) + page,
      PageUp: (at ?? end) - page,
      Home: removed,
      End: end - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#select(Math.min(end - 1, Math.max(removed, to)));
    if (event.key === "End") this.setFollowing(true);
  };

  get #firstVisible(): number {
    return (this.#list?.removed ?? 0) + Math.ceil((this.#box?.scrollTop ?? 0) / rowHeight);
  }

  #select(position: number): void {
    this.reveal(position);
    this.choose(position);
  }
}

/** The cells of a row that may not be there yet. They are the same elements for every row, so that scrolling makes none. */
function rowCells(row: InspectorRow | undefined): TemplateResult {
  const { dir = "note", time, id = "", session = "", wait, bytes, isError, faults } = row ?? {};
  const state = isError ? "error" : faults ? "warning" : undefined;
  return html`<span class="message-direction" aria-hidden="true" title=${row ? directionName(dir) : ""}
      ><span class="codicon ${row ? `codicon-${directionIcon(dir)}` : ""}"></span
    ></span>
    <span class="message-time" aria-hidden="true">${time === undefined ? "" : startTimeText(time)}</span>
    <span class="message-name" aria-hidden="true">
      <span class="codicon ${state ? `codicon-${state}` : ""}" ?hidden=${!state}></span
      ><bdi class="ellipsis">${row ? messageName(row) : ""}</bdi>
    </span>
    <span class="message-id ellipsis" aria-hidden="true">${visibleText(id)}</span>
    <span class="message-session ellipsis" aria-hidden="true">${visibleText(session)}</span>
    <span class="message-wait" aria-hidden="true">${wait === undefined ? "" : timeText(wait)}</span>
    <span class="message-size" aria-hidden="true">${bytes === undefined ? "" : formatSize(bytes)}</span>`;
}
