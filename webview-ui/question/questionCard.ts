// The question card: the full details of the request, and the agent's options. It never takes the focus, and it guards
// against accidental answers.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewQuestion, ViewEntry } from "../../src/panel/protocol.ts";
import type { FormCardElement } from "./formCard.ts";
import type { PromptPreviewElement } from "./promptPreview.ts";
import { QuestionOptions, onAnswer } from "../transcript/questionOptions.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";
import { titleText, toolParts } from "../transcript/parts.ts";
import { toolKindIcon } from "../transcript/toolCall.ts";

/** `<parley-asks>`: the oldest open question, and how many are open. */
export class QuestionCardElement extends LightElement {
  static override properties = { asks: { attribute: false }, agentName: { attribute: false } };
  declare asks: readonly ViewQuestion[];
  declare agentName: string;
  /** Returns the entry of the tool call that a question is about. */
  entryOf: (id: string) => ViewEntry | undefined = () => undefined;
  /** Called when the last question disappears and the focus was here. */
  onLeave: () => void = () => {};
  readonly #options = new QuestionOptions(() => this.#card);
  #hadFocus = false;
  #stopListening: (() => void) | undefined;

  constructor() {
    super();
    this.asks = [];
    this.agentName = "";
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => this.#focusin(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const listener = onAnswer(() => this.requestUpdate());
    this.#stopListening = () => listener.dispose();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopListening?.();
  }

  /** Focuses the question, at the user's request. */
  focusCard(): void {
    const form = this.querySelector<FormCardElement | PromptPreviewElement>("parley-form, parley-preview");
    if (form) form.focusCard();
    else this.querySelector<HTMLElement>(".options button")?.focus();
  }

  /** The card of a permission. A form has its own keys. */
  get #card(): HTMLElement | null {
    return this.querySelector<HTMLElement>(".ask:not(.form-card, .preview-card)");
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("asks")) return;
    const before = changed.get("asks") as readonly ViewQuestion[] | undefined;
    const isOther = before?.[0]?.id !== this.asks[0]?.id;
    this.#hadFocus = isOther && this.contains(document.activeElement);
    // The user has just chosen a prompt in this panel.
    const isChosen = this.asks[0]?.isPrompt === true || this.asks[0]?.preview !== undefined;
    if (isOther && isChosen && document.hasFocus()) this.#hadFocus = true;
  }

  protected override updated(): void {
    const card = this.#card;
    if (card) roveTabStop(card);
    if (!this.#hadFocus) return;
    this.#hadFocus = false;
    if (this.asks.length > 0) this.focusCard();
    else this.onLeave();
  }

  protected override render(): TemplateResult {
    const [question] = this.asks;
    return html`${question ? keyed(question.id, this.#question(question)) : nothing}`;
  }

  #question(question: ViewQuestion): TemplateResult {
    if (question.preview)
      return html`<parley-preview .question=${question} .count=${this.asks.length}></parley-preview>`;
    if (question.form || question.address) {
      return html`<parley-form
        .question=${question}
        .agentName=${this.agentName}
        .count=${this.asks.length}
      ></parley-form>`;
    }
    const owner = question.entry === undefined ? undefined : this.entryOf(question.entry);
    return html`<div class="ask" role="group" aria-label=${visibleText(question.title)}>
      <div class="ask-head">
        ${icon(toolKindIcon(question.toolKind))} <span class="ask-title">${titleText(question.title)}</span>
        ${this.asks.length > 1 ? html`<span class="quiet">${t("1 of {0}", this.asks.length)}</span>` : nothing}
      </div>
      ${question.description === undefined ? nothing : html`<div class="ask-description">${visibleText(question.description)}</div>`}
      ${this.#details(question, owner)}
      ${question.reason === undefined ? nothing : html`<div class="quiet reason">${icon("shield")} <span>${visibleText(question.reason)}</span></div>`}
      ${this.#options.buttons(question)}
    </div>`;
  }

  #details(question: ViewQuestion, owner: ViewEntry | undefined): TemplateResult | typeof nothing {
    const { command, cwd, parts } = question;
    // A diff shows its own file name.
    const locations = question.locations.filter(
      ({ path }) => !parts.some(part => part.type === "diff" && part.path === path),
    );
    if (command === undefined && cwd === undefined && locations.length + parts.length === 0) return nothing;
    return html`<div class="ask-details" tabindex="0" role="group" aria-label=${t("Request details")}>
      ${command === undefined ? nothing : html`<div class="command"><code>${visibleText(command)}</code></div>`}
      ${cwd === undefined ? nothing : html`<div class="quiet folder">${icon("folder")} <span>${t("in {0}", visibleText(cwd))}</span></div>`}
      ${
        locations.length === 0
          ? nothing
          : html`<div class="locations">
              ${locations.map(({ path, label, line }) => fileLink(path, line === undefined ? label : `${label}:${line}`, line))}
            </div>`
      }
      ${envList(question.env)} ${toolParts(parts, owner, false)}
    </div>`;
  }

  #keydown(event: KeyboardEvent): void {
    const card = this.#card;
    const [question] = this.asks;
    if (card && question && !this.#options.handleKey(question, event)) roveByKey(card, event);
  }

  #focusin(event: FocusEvent): void {
    const card = this.#card;
    if (!card) return;
    this.#options.handleFocusIn(event);
    roveToFocus(card, event);
  }
}

function envList(env: ViewQuestion["env"]): TemplateResult | typeof nothing {
  if (!env) return nothing;
  return html`<ul class="env" aria-label=${t("Environment variables")}>
    ${env.map(({ name, value }) => html`<li><code>${visibleText(`${name}=${value}`)}</code></li>`)}
  </ul>`;
}
