// The find bar over the transcript. The host searches; the bar counts the hits, navigates between them and highlights
// them.
import { html, nothing, type TemplateResult } from "lit";
import type { FindHit } from "../../src/panel/find/findProtocol.ts";
import type { PanelMessage, ViewEntry } from "../../src/panel/protocol.ts";
import { LightElement } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { isMac } from "../base/keyName.ts";
import { FindMarks } from "./findMarks.ts";
import { send } from "../base/vscodeApi.ts";
import { formatCount, t } from "../base/l10n.ts";
import type { StoreChange } from "../base/store.ts";
import type { TranscriptElement } from "../transcript/transcript.ts";

type Found = Extract<PanelMessage, { type: "found" }>;
/** A hit of the search of all conversations. */
export type FindTarget = Extract<PanelMessage, { type: "findAt" }>;
type Toggle = "matchCase" | "wholeWord" | "regex";

/** The shortest time between two searches while the conversation changes. Milliseconds. */
const refreshInterval = 300;

/** By physical key, because Alt types another letter on some keyboards. */
const toggleKeys: Readonly<Record<string, Toggle>> = { KeyC: "matchCase", KeyW: "wholeWord", KeyR: "regex" };

/** The parts of the panel that the bar uses. */
export interface FindContext {
  readonly transcript: () => TranscriptElement;
  readonly entries: () => readonly ViewEntry[];
  /** Focuses the default element, for when nothing had the focus before. */
  readonly focusElsewhere: () => void;
}

/** `<parley-find>`: set `around` before it is opened. */
export class FindElement extends LightElement {
  static override properties = {
    shown: { state: true },
    query: { state: true },
    matchCase: { state: true },
    wholeWord: { state: true },
    regex: { state: true },
    found: { state: true },
    current: { state: true },
    spoken: { state: true },
  };
  declare around: FindContext;
  declare shown: boolean;
  declare query: string;
  declare matchCase: boolean;
  declare wholeWord: boolean;
  declare regex: boolean;
  /** The latest results for the query. */
  declare found: Found | undefined;
  /** The index of the current hit; -1 if there is none yet. */
  declare current: number;
  declare spoken: string;
  #request = 0;
  #isWaiting = false;
  /** The user started the search, so its results are announced. */
  #announcesResults = false;
  /** The direction to go when the results arrive, because Enter was pressed before. */
  #pendingStep: 1 | -1 | undefined;
  /** The hit to go to, once the results and its entry have arrived. */
  #target: FindTarget | undefined;
  #isStale = false;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #focusBefore: HTMLElement | undefined;
  readonly #marks = new FindMarks(() => this.around.transcript());

  constructor() {
    super();
    Object.assign(this, { shown: false, query: "", matchCase: false, wholeWord: false, regex: false });
    Object.assign(this, { found: undefined, current: -1, spoken: "" });
    this.addEventListener("keydown", event => this.#keydown(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("keydown", this.#shortcut, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.#shortcut, true);
    this.#reset();
  }

  /** Shows and focuses the bar. Text selected on one line becomes the query. */
  async open(): Promise<void> {
    const selected = getSelection()?.toString() ?? "";
    if (!this.contains(document.activeElement)) {
      this.#noteFocus();
      if (selected.trim() !== "" && selected.length <= 200 && !selected.includes("\n")) this.query = selected;
    }
    await this.#show();
    if (this.query !== "") this.#search();
  }

  /** Shows and focuses the bar with these words, and goes to the hit. */
  async openAt(target: FindTarget): Promise<void> {
    if (!this.contains(document.activeElement)) this.#noteFocus();
    const { query, matchCase, wholeWord, regex } = target;
    Object.assign(this, { query, matchCase, wholeWord, regex });
    await this.#show();
    this.#search();
    this.#target = target;
  }

  #noteFocus(): void {
    const active = document.activeElement;
    this.#focusBefore = active instanceof HTMLElement && active !== document.body ? active : undefined;
  }

  async #show(): Promise<void> {
    if (!this.shown) document.addEventListener("keydown", this.#escape, true);
    this.shown = true;
    await this.updateComplete;
    this.#input?.focus();
    this.#input?.select();
  }

  /** Hides the bar and its highlights, and returns the focus. */
  close(): void {
    if (!this.shown) return;
    const hadFocus = this.contains(document.activeElement);
    this.shown = false;
    this.#reset();
    if (!hadFocus) return;
    if (this.#focusBefore?.isConnected) this.#focusBefore.focus();
    else this.around.focusElsewhere();
  }

  /** Shows results from the host. */
  showResults(found: Found): void {
    if (!this.shown || found.request !== this.#request) return;
    this.#isWaiting = false;
    const before = this.found?.hits[this.current];
    this.found = found;
    this.current = before ? indexOf(found.hits, before, this.current) : -1;
    this.#marks.set(found.hits, this.current);
    if (this.#announcesResults) this.spoken = this.#statusText();
    this.#announcesResults = false;
    const step = this.#pendingStep;
    this.#pendingStep = undefined;
    if (step !== undefined) this.#go(step);
    this.#goToTarget();
    if (this.#isStale) this.#scheduleRefresh();
  }

  /** Searches again after a delay because the conversation changed. The current hit stays in place. */
  viewChanged(change: StoreChange): void {
    this.#goToTarget();
    if (!this.shown || this.query === "" || !(change.moved || change.touched.size > 0)) return;
    this.#isStale = true;
    if (!this.#isWaiting) this.#scheduleRefresh();
  }

  get #input(): HTMLInputElement | null {
    return this.querySelector("input");
  }

  #reset(): void {
    document.removeEventListener("keydown", this.#escape, true);
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#isStale = this.#isWaiting = false;
    this.#target = undefined;
    this.#marks.clear();
    this.found = undefined;
    this.current = -1;
    this.spoken = "";
    // Lets the host drop its state for this search.
    if (this.#request > 0) this.#sendQuery("");
  }

  #scheduleRefresh(): void {
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined;
      if (this.#isStale && !this.#isWaiting) this.#sendQuery(this.query);
    }, refreshInterval);
  }

  /** Starts a search for the user. */
  #search(): void {
    this.found = undefined;
    this.current = -1;
    this.spoken = "";
    this.#pendingStep = undefined;
    this.#target = undefined;
    this.#announcesResults = true;
    this.#marks.set([], -1);
    this.#sendQuery(this.query);
  }

  #sendQuery(query: string): void {
    const { matchCase, wholeWord, regex } = this;
    this.#isStale = false;
    this.#isWaiting = true;
    send({ type: "find", request: ++this.#request, query, matchCase, wholeWord, regex });
  }

  /** The beginning of a long conversation arrives after its end. */
  #goToTarget(): void {
    const target = this.#target;
    const hits = this.found?.hits;
    if (!target || !hits || !this.around.entries().some(({ id }) => id === target.entry)) return;
    this.#target = undefined;
    const first = hits.findIndex(({ entry }) => entry === target.entry);
    if (first < 0) return;
    const last = hits.findLastIndex(({ entry }) => entry === target.entry);
    this.current = Math.min(first + target.nth, last);
    this.spoken = this.#statusText();
    void this.#marks.goTo(this.current);
  }

  #go(step: 1 | -1): void {
    this.#target = undefined;
    const hits = this.found?.hits;
    if (!hits) {
      if (this.#isWaiting) this.#pendingStep = step;
      return;
    }
    if (hits.length === 0) return;
    this.current = this.current < 0 ? this.#nearest(hits, step) : (this.current + step + hits.length) % hits.length;
    this.spoken = this.#statusText();
    void this.#marks.goTo(this.current);
  }

  /** The hit to start with: the nearest to the visible part. */
  #nearest(hits: readonly FindHit[], step: 1 | -1): number {
    const order = new Map(this.around.entries().map((entry, i) => [entry.id, i]));
    const from = order.get(this.#marks.firstInSight() ?? "") ?? 0;
    const place = (hit: FindHit): number => order.get(hit.entry) ?? 0;
    if (step > 0) return Math.max(0, hits.findIndex(hit => place(hit) >= from)); // prettier-ignore
    const last = hits.findLastIndex(hit => place(hit) < from);
    return last < 0 ? hits.length - 1 : last;
  }

  #toggle(toggle: Toggle): void {
    this[toggle] = !this[toggle];
    this.#search();
  }

  #keydown(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return;
    const toggle = event.altKey && !event.ctrlKey && !event.shiftKey ? toggleKeys[event.code] : undefined;
    const isEnter = event.key === "Enter" && event.target === this.#input;
    if (toggle) this.#toggle(toggle);
    else if (isEnter || event.key === "F3") this.#go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }

  /**
   * Ctrl+F, or ⌘F on macOS. Handled here and not passed on to VS Code, whose keybindings cannot know that the focus is
   * in this page: for them a view loses the focus when its page gets it.
   */
  #shortcut = (event: KeyboardEvent): void => {
    const { metaKey, ctrlKey } = event;
    const isModified = isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
    const isF = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() === "f" : event.code === "KeyF";
    if (!isModified || !isF || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    void this.open();
  };

  /** Handles Escape before other listeners: it stops a running turn only if there is nothing left to close. */
  #escape = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "F3" && !this.contains(event.target as Node)) {
      event.preventDefault();
      this.#go(event.shiftKey ? -1 : 1);
    }
    if (event.key !== "Escape" || isPopupOpen()) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  };

  #statusText(): string {
    const { found } = this;
    if (this.query === "" || !found) return "";
    if (found.problem !== undefined) return found.problem;
    if (found.total === 0) return t("No results");
    const total = found.truncated ? `${formatCount(found.total)}+` : formatCount(found.total);
    if (this.current >= 0) return t("{0} of {1}", formatCount(this.current + 1), total);
    return found.total === 1 ? t("1 result") : t("{0} results", total);
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.shown) return nothing;
    const failed = this.found?.problem !== undefined;
    const none = (this.found?.total ?? 0) === 0;
    return html`<div class="find" role="search" aria-label=${t("Find in conversation")}>
      <div class="find-box">
        <input
          type="text"
          dir="auto"
          aria-label=${t("Find in conversation")}
          placeholder=${t("Find in conversation")}
          aria-invalid=${failed}
          aria-describedby="parley-find-words"
          spellcheck="false"
          .value=${this.query}
          @input=${this.#handleInput}
        />
        ${this.#toggleButton("matchCase", "case-sensitive", t("Match Case (Alt+C)"))}
        ${this.#toggleButton("wholeWord", "whole-word", t("Match Whole Word (Alt+W)"))}
        ${this.#toggleButton("regex", "regex", t("Use Regular Expression (Alt+R)"))}
      </div>
      <div id="parley-find-words" class="find-words" data-failed=${failed || (this.found !== undefined && none)}>
        ${this.#statusText()}
      </div>
      <div class="find-buttons">
        ${iconButton("arrow-up", { label: t("Previous Match (Shift+Enter)"), softDisabled: none, onClick: () => this.#go(-1) })}
        ${iconButton("arrow-down", { label: t("Next Match (Enter)"), softDisabled: none, onClick: () => this.#go(1) })}
        ${iconButton("close", { label: t("Close (Escape)"), onClick: () => this.close() })}
      </div>
      <div class="sr-only" role="status">${this.spoken}</div>
    </div>`;
  }

  #handleInput = (event: Event): void => {
    this.query = (event.target as HTMLInputElement).value;
    this.#search();
  };

  #toggleButton(toggle: Toggle, codicon: string, label: string): TemplateResult {
    return iconButton(codicon, {
      label,
      classes: "find-toggle",
      pressed: this[toggle],
      onClick: () => this.#toggle(toggle),
    });
  }
}

/** The new index of the hit; if it no longer exists, the index of the hit in its place. */
function indexOf(hits: readonly FindHit[], hit: FindHit, before: number): number {
  const isSame = (other: FindHit | undefined): boolean =>
    other?.entry === hit.entry && other.part === hit.part && other.nth === hit.nth && other.text === hit.text;
  if (isSame(hits[before])) return before;
  const at = hits.findIndex(isSame);
  return at >= 0 ? at : Math.min(before, hits.length - 1);
}

/** Whether a popup is open, which Escape closes first. */
function isPopupOpen(): boolean {
  return document.querySelector("dialog[open], :popover-open, [role=listbox], [role=menu]") !== null;
}
