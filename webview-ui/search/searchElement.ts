// The page that searches all conversations: the box, the hits by conversation, and the keys that move between them. The
// host searches and opens.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type {
  FoundFolder,
  FoundSession,
  SearchIntent,
  SearchMessage,
  UnsearchedSession,
} from "../../src/panel/searchPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { icon, LightElement } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatCount, t } from "../base/l10n.ts";
import { countHits, FoundHits, sessionTitleText, type HitPlace } from "./foundHits.ts";
import { foundSession } from "./foundSession.ts";

type Toggle = "matchCase" | "wholeWord" | "regex" | "allFolders";

/** A search begins when nothing was typed for this long. Milliseconds. */
const typingPause = 80;
/** The conversations that are painted first, and with each press of the button below them. */
const sessionsPerPress = 50;

/** By physical key, because Alt types another letter on some keyboards. */
const toggleKeys: Readonly<Record<string, Toggle>> = {
  KeyC: "matchCase",
  KeyW: "wholeWord",
  KeyR: "regex",
  KeyA: "allFolders",
};

export class SearchElement extends LightElement {
  send: (intent: SearchIntent) => void = () => undefined;
  #query = "";
  #toggles: Readonly<Record<Toggle, boolean>> = {
    ...{ matchCase: false, wholeWord: false, regex: false },
    allFolders: false,
  };
  #request = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hits = new FoundHits();
  #isSearching = false;
  /** The hits are those of an earlier search, until the first message of this one. */
  #isOld = false;
  #left = 0;
  #isCut = false;
  #problem: string | undefined;
  #unsearched: readonly UnsearchedSession[] = [];
  #shownSessions = sessionsPerPress;
  /** A selector of the control that gets the focus after the next update. */
  #focus: string | undefined;

  /** Takes a message of the host. */
  receive(message: SearchMessage): void {
    if ("request" in message && message.request !== this.#request) return;
    switch (message.type) {
      case "found":
        this.#begin();
        this.#hits.add(message.sessions);
        break;
      case "reading":
        this.#left = message.left;
        break;
      case "done":
        this.#begin();
        this.#isSearching = false;
        this.#left = 0;
        this.#isCut = message.isCut;
        this.#unsearched = message.unsearched;
        this.#problem = message.problem;
        break;
      case "failed":
        this.#problem = message.problem;
        break;
      case "focus":
        this.#focus = "input";
        if (message.on === "hit") this.#select(this.#hits.selected ?? this.#hits.next(1), "input");
        break;
      case "go":
        this.#go(message.step);
        break;
      default:
        message satisfies never;
    }
    this.requestUpdate();
  }

  /** The first message of a search replaces the hits of the search before. */
  #begin(): void {
    if (!this.#isOld) return;
    this.#isOld = false;
    this.#hits = new FoundHits();
    this.#shownSessions = sessionsPerPress;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener("keydown", this.#onKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener("keydown", this.#onKey);
    clearTimeout(this.#timer);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const control = this.#focus === undefined ? undefined : this.querySelector<HTMLElement>(this.#focus);
    this.#focus = undefined;
    if (!control) return;
    control.focus();
    if (control instanceof HTMLInputElement) control.select();
    else control.scrollIntoView({ block: "nearest" });
  }

  protected override render(): TemplateResult {
    const { sessions } = this.#hits;
    const shown = sessions.slice(0, this.#shownSessions);
    const isWrong = this.#problem !== undefined;
    return html`<main class="search">
      <h1 class="sr-only">${t("Search Conversations")}</h1>
      <div class="search-head" role="search" aria-label=${t("Search conversations")}>
        <div class="find-box">
          <input
            type="text"
            dir="auto"
            aria-label=${t("Search conversations")}
            placeholder=${t("Search conversations")}
            aria-invalid=${isWrong}
            aria-describedby="search-status search-hint"
            spellcheck="false"
            maxlength="2000"
            .value=${this.#query}
            @input=${this.#onInput}
          />
          ${this.#toggleButton("matchCase", "case-sensitive", t("Match Case (Alt+C)"))}
          ${this.#toggleButton("wholeWord", "whole-word", t("Match Whole Word (Alt+W)"))}
          ${this.#toggleButton("regex", "regex", t("Use Regular Expression (Alt+R)"))}
          ${this.#toggleButton("allFolders", "folder-library", t("Search All Folders (Alt+A)"))}
        </div>
        <p id="search-hint" class="quiet">
          ${t("Filters: {0}", "agent:  file:  after:2026-01-31  before:yesterday  is:done")}
        </p>
        <div id="search-status" role="status" data-failed=${isWrong}>${this.#statusText()}</div>
        ${this.#unsearched.length === 0 ? nothing : this.#unsearchedNote()}
      </div>
      <div class="search-results" aria-busy=${this.#isSearching}>
        ${repeat(
          byFolder(shown),
          ({ folder }) => folder?.uri ?? "",
          ({ folder, sessions: found }) => (folder ? this.#otherFolder(folder, found) : this.#found(found)),
        )}
      </div>
      ${
        shown.length === sessions.length
          ? nothing
          : html`<button
              type="button"
              class="secondary"
              data-action="more"
              @click=${() => {
                this.#shownSessions += sessionsPerPress;
                this.requestUpdate();
              }}
            >
              ${t("Show More Conversations")}
            </button>`
      }
    </main>`;
  }

  #otherFolder({ name, label }: FoundFolder, found: readonly FoundSession[]): TemplateResult {
    const shown = visibleText(name);
    return html`<section class="found-folder" aria-label=${t("Folder {0}", shown)}>
      <h2>
        ${icon("folder")}<span class="found-title" dir="auto">${shown}</span>
        <span class="quiet" dir="ltr">${visibleText(label)}</span>
      </h2>
      ${this.#found(found)}
    </section>`;
  }

  #found(sessions: readonly FoundSession[]): unknown {
    return repeat(
      sessions,
      ({ session }) => session,
      found =>
        foundSession(found, this.#hits, {
          open: place => this.#open(place),
          attach: place => this.#attach(place),
          attachAll: () => this.#attachAll(found.session),
          more: () => this.#showMore(found.session),
        }),
    );
  }

  #unsearchedNote(): TemplateResult {
    return html`<details class="unsearched">
      <summary>
        ${icon("warning")}
        ${
          this.#unsearched.length === 1
            ? t("1 conversation was not searched, or not all of it")
            : t("{0} conversations were not searched, or not all of them", formatCount(this.#unsearched.length))
        }
      </summary>
      <ul>
        ${this.#unsearched.map(
          ({ title, folder, reason }) =>
            html`<li>
              ${
                folder === undefined
                  ? t("“{0}”: {1}", sessionTitleText(title), visibleText(reason))
                  : t("“{0}” in {1}: {2}", sessionTitleText(title), visibleText(folder), visibleText(reason))
              }
            </li>`,
        )}
      </ul>
    </details>`;
  }

  #statusText(): string {
    if (this.#problem !== undefined) return visibleText(this.#problem);
    if (this.#left > 0)
      return this.#left === 1
        ? t("Reading 1 conversation for the first time or after a change…")
        : t("Reading {0} conversations for the first time or after a change…", formatCount(this.#left));
    if (this.#query.trim() === "" || this.#request === 0) return "";
    if (this.#isSearching) return t("Searching…");
    const { sessions } = this.#hits;
    const hits = countHits(sessions);
    if (sessions.length === 0) return t("No results");
    const inSessions =
      sessions.length === 1 ? t("1 conversation") : t("{0} conversations", formatCount(sessions.length));
    if (hits === 0) return inSessions;
    const isMore = this.#isCut || sessions.some(({ isCut }) => isCut);
    const count = isMore ? `${formatCount(hits)}+` : formatCount(hits);
    return hits === 1 && !isMore ? t("1 hit in {0}", inSessions) : t("{0} hits in {1}", count, inSessions);
  }

  #toggleButton(toggle: Toggle, codicon: string, label: string): TemplateResult {
    return iconButton(codicon, {
      label,
      classes: "find-toggle",
      pressed: this.#toggles[toggle],
      onClick: () => this.#toggle(toggle),
    });
  }

  #toggle(toggle: Toggle): void {
    this.#toggles = { ...this.#toggles, [toggle]: !this.#toggles[toggle] };
    this.#search();
  }

  readonly #onInput = (event: Event): void => {
    this.#query = (event.target as HTMLInputElement).value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), typingPause);
  };

  #search(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isSearching = true;
    this.#isOld = true;
    this.#left = 0;
    this.#problem = undefined;
    this.#unsearched = [];
    this.send({ type: "search", request: ++this.#request, query: this.#query, ...this.#toggles });
    this.requestUpdate();
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.metaKey) return this.#onAttachKey(event);
    const toggle = event.altKey && !event.shiftKey ? toggleKeys[event.code] : undefined;
    if (toggle) this.#toggle(toggle);
    else if (event.altKey) return;
    else if (event.key === "F4") this.#go(event.shiftKey ? -1 : 1);
    else if (event.shiftKey) return;
    else if (event.target instanceof HTMLInputElement) {
      if (event.key === "Enter") this.#enter();
      else if (event.key === "ArrowDown") this.#select(this.#hits.selected ?? this.#hits.next(1));
      else return;
    } else if (event.key === "Escape") this.#focus = "input";
    else if ((event.target as HTMLElement).closest("[data-place]")) {
      if (event.key === "ArrowDown") this.#select(this.#hits.next(1));
      else if (event.key === "ArrowUp") this.#select(this.#hits.next(-1), "input");
      else return;
    } else return;
    event.preventDefault();
    this.requestUpdate();
  };

  /** Ctrl+Enter and Cmd+Enter attach the hit that has the focus, or in the box the one that Enter opens. */
  #onAttachKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.altKey || event.shiftKey) return;
    const isInBox = event.target instanceof HTMLInputElement;
    const row = (event.target as HTMLElement).closest(".hit-row")?.querySelector<HTMLElement>("[data-place]");
    if (!isInBox && !row) return;
    event.preventDefault();
    if (isInBox && this.#timer !== undefined) return this.#search();
    const place = row ? placeOf(row) : (this.#hits.selected ?? this.#hits.next(1));
    if (place && !this.#isOld) this.#attach(place);
  }

  /** Enter in the box opens the selected hit, or the first one. What was typed last is searched first. */
  #enter(): void {
    if (this.#timer !== undefined) return this.#search();
    const place = this.#hits.selected ?? this.#hits.next(1);
    if (place && !this.#isOld) this.#open(place);
  }

  /** Goes on in this folder only: a hit of another one would open a window. */
  #go(step: 1 | -1): void {
    const place = this.#hits.nextInFolder(step);
    if (place && !this.#isOld) this.#open(place);
  }

  /** Selects the hit. `otherwise`: the control that gets the focus if there is none. */
  #select(place: HitPlace | undefined, otherwise?: string): void {
    if (!place) return void (this.#focus = otherwise);
    this.#hits.select(place);
    const at = this.#hits.sessions.findIndex(({ session }) => session === place.session);
    this.#shownSessions = Math.max(this.#shownSessions, at + 1);
    this.#focus = placeSelector(place);
  }

  #open(place: HitPlace): void {
    this.#select(place);
    this.#problem = undefined;
    const row = this.#hits.rowAt(place);
    if (row) {
      const { entry, nth } = row;
      const { allFolders: _, ...how } = this.#toggles;
      this.send({ type: "open", session: place.session, entry, nth, query: this.#query, ...how });
    } else this.send({ type: "show", session: place.session });
    this.requestUpdate();
  }

  /** Attaches the passage at the hit, or the conversation if only filters were typed. */
  #attach(place: HitPlace): void {
    this.#select(place);
    this.requestUpdate();
    if (this.#hits.folderAt(place))
      return void (this.#problem = t("A conversation of another folder cannot be attached. Open its folder first."));
    const row = this.#hits.rowAt(place);
    if (!row) return this.#attachAll(place.session);
    const { entry, lineInEntry, column } = row;
    this.#problem = undefined;
    this.send({ type: "attachHit", session: place.session, entry, lineInEntry, column });
    this.requestUpdate();
  }

  #attachAll(session: string): void {
    this.#problem = undefined;
    this.send({ type: "attachSession", session });
    this.requestUpdate();
  }

  #showMore(session: string): void {
    this.#hits.showAll(session);
    this.requestUpdate();
  }
}

/** The conversations of each folder, in the order of the hits. */
function byFolder(
  sessions: readonly FoundSession[],
): readonly { readonly folder: FoundFolder | undefined; readonly sessions: readonly FoundSession[] }[] {
  const groups = new Map<string, { folder: FoundFolder | undefined; sessions: FoundSession[] }>();
  for (const found of sessions) {
    const group = groups.get(found.folder?.uri ?? "");
    if (group) group.sessions.push(found);
    else groups.set(found.folder?.uri ?? "", { folder: found.folder, sessions: [found] });
  }
  return [...groups.values()];
}

const placeOf = ({ dataset }: HTMLElement): HitPlace | undefined => {
  const [, row, session] = /^(\d+) (.*)$/s.exec(dataset["place"] ?? "") ?? [];
  return row === undefined || session === undefined ? undefined : { session, row: Number(row) };
};

const placeSelector = ({ session, row }: HitPlace): string => `[data-place="${CSS.escape(`${row} ${session}`)}"]`;
