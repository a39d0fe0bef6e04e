// The question card: the full details of the request, and the agent's options. It never takes the focus, and it guards
// against accidental answers.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import { visibleText } from "../../src/base/visibleText.ts";
import { showsFile } from "../../src/panel/fileNames.ts";
import type { ViewQuestion, ViewEntry } from "../../src/panel/protocol.ts";
import { questionNavigation, type QuestionPosition } from "./questionNavigation.ts";
import type { FormCardElement } from "./formCard.ts";
import type { PromptPreviewElement } from "./promptPreview.ts";
import { QuestionOptions, onAnswer } from "../transcript/questionOptions.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";
import { titleText, toolParts } from "../transcript/parts.ts";
import { toolKindIcon } from "../transcript/toolCall.ts";

/** `<parley-question>`: one open question, at first the oldest, and how many are open. */
export class QuestionCardElement extends LightElement {
  static override properties = { questions: { attribute: false }, agentName: { attribute: false } };
  declare questions: readonly ViewQuestion[];
  declare agentName: string;
  /** Returns the entry of the tool call that a question is about. */
  entryOf: (id: string) => ViewEntry | undefined = () => undefined;
  /** Called when the last question disappears and the focus was here. */
  onLeave: () => void = () => {};
  readonly #options = new QuestionOptions(() => this.#card);
  #hadFocus = false;
  /** The question that the user moved to. */
  #chosenId: string | undefined;
  #shownId: string | undefined;
  /** The navigation button to focus after the user has moved to another question. */
  #focusNavigation: -1 | 1 | undefined;
  #stopListening: (() => void) | undefined;

  constructor() {
    super();
    this.questions = [];
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

  /** Shows the question with the id, if it is open. */
  show(id: string): void {
    this.#chosenId = id;
    this.requestUpdate();
  }

  /** Focuses the question, at the user's request. */
  focusCard(): void {
    const form = this.#form;
    if (form) form.focusCard();
    else this.querySelector<HTMLElement>(".options button")?.focus();
  }

  /** The shown form or preview. */
  get #form(): FormCardElement | PromptPreviewElement | null {
    return this.querySelector("parley-form:not([hidden]), parley-preview");
  }

  /** The card of a permission. A form has its own keys. */
  get #card(): HTMLElement | null {
    return this.querySelector<HTMLElement>(".question:not(.form-card, .preview-card)");
  }

  /** The question that the user moved to, or the oldest. */
  get #shown(): ViewQuestion | undefined {
    return this.questions.find(({ id }) => id === this.#chosenId) ?? this.questions[0];
  }

  protected override willUpdate(): void {
    const shown = this.#shown;
    const isOther = this.#shownId !== shown?.id;
    this.#shownId = shown?.id;
    this.#hadFocus = isOther && this.contains(document.activeElement);
    // The user has just chosen a prompt in this panel.
    const isChosen = shown?.origin !== undefined;
    if (isOther && isChosen && document.hasFocus()) this.#hadFocus = true;
  }

  protected override updated(): void {
    const card = this.#card;
    if (card) roveTabStop(card);
    const hadFocus = this.#hadFocus;
    this.#hadFocus = false;
    if (this.#focusNavigation !== undefined) return this.#focusNavigationButton();
    if (!hadFocus) return;
    if (this.questions.length > 0) this.focusCard();
    else this.onLeave();
  }

  protected override render(): TemplateResult {
    const shown = this.#shown;
    const card = shown && !isForm(shown) ? keyed(shown.id, this.#question(shown)) : nothing;
    // A hidden form keeps what the user has entered, secrets included.
    const forms = repeat(
      this.questions.filter(isForm),
      ({ id }) => id,
      form =>
        html`<parley-form
          ?hidden=${form !== shown}
          .question=${form}
          .agentName=${this.agentName}
          .position=${this.#positionOf(form)}
        ></parley-form>`,
    );
    // Without white space, so that the element is empty without questions.
    return html`${card}${forms}`;
  }

  #positionOf(question: ViewQuestion): QuestionPosition {
    const at = this.questions.indexOf(question);
    const move = (by: -1 | 1): void => {
      this.#chosenId = this.questions[at + by]?.id;
      this.#focusNavigation = by;
      this.requestUpdate();
    };
    return { at, count: this.questions.length, move };
  }

  #focusNavigationButton(): void {
    const action = this.#focusNavigation === -1 ? "previous" : "next";
    this.#focusNavigation = undefined;
    const form = this.#form;
    void (form?.updateComplete ?? Promise.resolve()).then(() =>
      (form ?? this).querySelector<HTMLElement>(`[data-action="${action}"]`)?.focus(),
    );
  }

  #question(question: ViewQuestion): TemplateResult {
    if (question.preview)
      return html`<parley-preview .question=${question} .position=${this.#positionOf(question)}></parley-preview>`;
    const owner = question.entry === undefined ? undefined : this.entryOf(question.entry);
    return html`<div class="question" role="group" aria-label=${visibleText(question.title)}>
      <div class="question-head" dir="auto">
        ${icon(toolKindIcon(question.toolKind))} <span class="question-title">${titleText(question.title)}</span>
        ${questionNavigation(this.#positionOf(question))}
      </div>
      ${question.description === undefined ? nothing : html`<div class="question-description">${visibleText(question.description)}</div>`}
      ${this.#details(question, owner)}
      ${question.reason === undefined ? nothing : html`<div class="quiet reason" dir="auto">${icon("shield")} <span>${visibleText(question.reason)}</span></div>`}
      ${this.#options.buttons(question)}
    </div>`;
  }

  #details(question: ViewQuestion, owner: ViewEntry | undefined): TemplateResult | typeof nothing {
    const { command, cwd, parts } = question;
    // A diff and a patch show the names of their files.
    const locations = question.locations.filter(({ path }) => !showsFile(parts, path));
    if (command === undefined && cwd === undefined && locations.length + parts.length === 0) return nothing;
    return html`<div class="question-details" tabindex="0" role="group" aria-label=${t("Request details")}>
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
    const question = this.#shown;
    if (card && question && !this.#options.handleKey(question, event)) roveByKey(card, event);
  }

  #focusin(event: FocusEvent): void {
    const card = this.#card;
    if (!card) return;
    this.#options.handleFocusIn(event);
    roveToFocus(card, event);
  }
}

const isForm = (question: ViewQuestion): boolean => question.form !== undefined || question.address !== undefined;

function envList(env: ViewQuestion["env"]): TemplateResult | typeof nothing {
  if (!env) return nothing;
  return html`<ul class="env" aria-label=${t("Environment variables")}>
    ${env.map(({ name, value }) => html`<li><code>${visibleText(`${name}=${value}`)}</code></li>`)}
  </ul>`;
}
