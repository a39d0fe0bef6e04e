// The question card: what will run, in full, and the agent's options. Never takes the focus, never answers by accident.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { visible } from "../src/base/visible.ts";
import type { AskOption } from "../src/session/events.ts";
import type { ViewAsk, ViewEntry } from "../src/chat/protocol.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "./element.ts";
import { send } from "./host.ts";
import { t } from "./l10n.ts";
import { fileLink } from "./links.ts";
import { titleText, toolParts } from "./parts.ts";
import { kindIcon } from "./toolCall.ts";

/** For this long after it got the focus, a key does not allow: it was typed for something else. */
const GUARD = 500;

/** `<parley-asks>`: the oldest open question, and how many wait behind it. */
export class AsksElement extends LightElement {
  static override properties = { asks: { attribute: false }, answered: { state: true } };
  declare asks: readonly ViewAsk[];
  /** The option that was pressed; the host decides what becomes of it. */
  declare answered: { readonly ask: string; readonly option: string } | null;
  /** Finds the tool card a question is about. */
  entryOf: (id: string) => ViewEntry | undefined = () => undefined;
  /** Called when the last question is gone and the focus was here. */
  onLeave: () => void = () => {};
  #cardFocusedAt = Infinity;
  #optionFocusedAt = Infinity;
  #hadFocus = false;

  constructor() {
    super();
    this.asks = [];
    this.answered = null;
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => this.#focusin(event));
  }

  /** Gives the focus to the question, on the user's wish. */
  focusCard(): void {
    this.querySelector<HTMLElement>(".options button")?.focus();
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("asks")) return;
    const before = changed.get("asks") as readonly ViewAsk[] | undefined;
    this.#hadFocus = before?.[0]?.id !== this.asks[0]?.id && this.contains(document.activeElement);
    if (this.answered && !this.asks.some(ask => ask.id === this.answered?.ask)) this.answered = null;
  }

  protected override updated(): void {
    const card = this.querySelector<HTMLElement>(".ask");
    if (card) roveTabStop(card);
    if (!this.#hadFocus) return;
    this.#hadFocus = false;
    if (card) this.focusCard();
    else this.onLeave();
  }

  protected override render(): TemplateResult {
    const [ask] = this.asks;
    return html`${ask ? keyed(ask.id, this.#card(ask)) : nothing}`;
  }

  #card(ask: ViewAsk): TemplateResult {
    const owner = ask.entry === undefined ? undefined : this.entryOf(ask.entry);
    return html`<div class="ask" role="group" aria-label=${visible(ask.title)}>
      <div class="ask-head">
        ${icon(kindIcon(ask.toolKind))} <span class="ask-title">${titleText(ask.title)}</span>
        ${this.asks.length > 1 ? html`<span class="quiet">${t("1 of {0}", this.asks.length)}</span>` : nothing}
      </div>
      ${this.#details(ask, owner)}
      ${ask.reason === undefined ? nothing : html`<div class="quiet reason">${icon("shield")} <span>${visible(ask.reason)}</span></div>`}
      <div class="options">
        ${ask.options.map((option, i) => this.#option(ask, option, i))}${ask.always ? alwaysButton(ask) : nothing}
      </div>
    </div>`;
  }

  #details(ask: ViewAsk, owner: ViewEntry | undefined): TemplateResult | typeof nothing {
    const { command, cwd, parts } = ask;
    // A diff names its file itself.
    const locations = ask.locations.filter(
      ({ path }) => !parts.some(part => part.type === "diff" && part.path === path),
    );
    if (command === undefined && cwd === undefined && locations.length + parts.length === 0) return nothing;
    return html`<div class="ask-details" tabindex="0" role="group" aria-label=${t("What it is about")}>
      ${command === undefined ? nothing : html`<div class="command"><code>${visible(command)}</code></div>`}
      ${cwd === undefined ? nothing : html`<div class="quiet folder">${icon("folder")} <span>${t("in {0}", visible(cwd))}</span></div>`}
      ${
        locations.length === 0
          ? nothing
          : html`<div class="locations">
              ${locations.map(({ path, label, line }) => fileLink(path, line === undefined ? label : `${label}:${line}`, line))}
            </div>`
      }
      ${envList(ask.env)} ${toolParts(parts, owner, false)}
    </div>`;
  }

  #option(ask: ViewAsk, option: AskOption, at: number): TemplateResult {
    const key = at < 9 ? String(at + 1) : undefined;
    const pressed = this.answered?.ask === ask.id && this.answered.option === option.id;
    // aria-disabled rather than disabled: a disabled button would drop the focus onto the page.
    return html`<button
      type="button"
      class=${option === suggested(ask) ? "primary" : "secondary"}
      aria-disabled=${this.answered?.ask === ask.id ? "true" : nothing}
      aria-pressed=${pressed ? "true" : nothing}
      aria-keyshortcuts=${key ?? nothing}
      @click=${(event: MouseEvent) => this.#clicked(event, ask, option)}
    >
      <bdi>${visible(option.name)}</bdi>${key === undefined ? nothing : html`<kbd aria-hidden="true">${key}</kbd>`}
    </button>`;
  }

  #clicked(event: MouseEvent, ask: ViewAsk, option: AskOption): void {
    // A click without a pointer is a key, or an assistive device that cannot have hurried either.
    const byKey = event.detail === 0;
    if (byKey && isAllow(option) && performance.now() - this.#optionFocusedAt < GUARD) return;
    this.#answer(ask, option);
  }

  #keydown(event: KeyboardEvent): void {
    const card = this.querySelector<HTMLElement>(".ask");
    const [ask] = this.asks;
    if (!card || !ask || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const option = /^[1-9]$/.test(event.key) ? ask.options[Number(event.key) - 1] : undefined;
    if (!option) return roveByKey(card, event);
    event.preventDefault();
    if (event.repeat || (isAllow(option) && performance.now() - this.#cardFocusedAt < GUARD)) return;
    this.#answer(ask, option);
  }

  #focusin(event: FocusEvent): void {
    const card = this.querySelector<HTMLElement>(".ask");
    if (!card) return;
    const now = performance.now();
    if (!(event.relatedTarget instanceof Node && card.contains(event.relatedTarget))) this.#cardFocusedAt = now;
    this.#optionFocusedAt = now;
    roveToFocus(card, event);
  }

  #answer(ask: ViewAsk, option: AskOption): void {
    if (this.answered?.ask === ask.id) return;
    this.answered = { ask: ask.id, option: option.id };
    send({ type: "answer", ask: ask.id, option: option.id });
  }
}

/** The option to stand out: allowing this once. What allows more than that never does, wherever the agent puts it. */
const suggested = (ask: ViewAsk): AskOption | undefined => ask.options.find(option => option.kind === "allow_once");

function envList(env: ViewAsk["env"]): TemplateResult | typeof nothing {
  if (!env) return nothing;
  return html`<ul class="env" aria-label=${t("Environment variables")}>
    ${env.map(({ name, value }) => html`<li><code>${visible(`${name}=${value}`)}</code></li>`)}
  </ul>`;
}

/** Makes a rule of the answer. It asks which, so it cannot be pressed by mistake. */
function alwaysButton({ id }: ViewAsk): TemplateResult {
  return html`<button class="secondary" type="button" @click=${() => send({ type: "always", ask: id })}>
    ${t("Always…")}
  </button>`;
}

/** Whatever is not known to reject might allow. */
function isAllow(option: AskOption): boolean {
  return !option.kind.startsWith("reject");
}
