// The card of a form or a web address. It never takes the focus, and Enter never sends an incomplete form.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { PanelMessage, ViewQuestion } from "../../src/panel/protocol.ts";
import { defaultAnswers, fieldFault, type Form, type FormField, type FormValue } from "../../src/session/forms/form.ts";
import { LightElement, icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import { questionNavigation, type QuestionPosition } from "./questionNavigation.ts";
import { forgetFormDraft, formDraft, keepFormDraft } from "./formDrafts.ts";
import { addressDetails } from "./addressDetails.ts";
import { faultText } from "./faultText.ts";
import { fieldControl } from "./formField.ts";

/** A key does not send within this time after the focus moved here, because it was meant for something else (ms). */
const guardTime = 500;

const noValues: readonly string[] = [];

/** `<parley-form>`: one form or web address. Its answers, except secrets, survive a reload. */
export class FormCardElement extends LightElement {
  static override properties = {
    question: { attribute: false },
    agentName: { attribute: false },
    position: { attribute: false },
  };
  declare question: ViewQuestion | undefined;
  declare agentName: string;
  declare position: QuestionPosition;
  #answers = new Map<string, FormValue>();
  /** The fields that show their faults: those that the user has left, and all once the user has tried to send. */
  readonly #checked = new Set<string>();
  /** Fields that the extension host refused with this answer. */
  readonly #refused = new Map<string, FormValue | undefined>();
  /** Fields whose pattern the extension host could not check with this answer. */
  readonly #unchecked = new Map<string, FormValue | undefined>();
  /** The values that were offered last, by field, with the text that they complete. */
  readonly #offered = new Map<string, { readonly typed: string; readonly values: readonly string[] }>();
  #focusedAt = Infinity;
  #isAnswered = false;

  constructor() {
    super();
    this.agentName = "";
    this.position = { at: 0, count: 1, move: () => {} };
    this.addEventListener("focusin", event => {
      if (!(event.relatedTarget instanceof Node && this.contains(event.relatedTarget)))
        this.#focusedAt = performance.now();
    });
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get("question") as ViewQuestion | undefined;
    if (!changed.has("question") || before?.id === this.question?.id) return;
    this.#isAnswered = false;
    const form = this.question?.form;
    this.#answers = new Map(form ? [...startAnswers(form), ...formDraft(form)] : []);
  }

  /** Focuses the first control, at the user's request. */
  focusCard(): void {
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(":is(input, select, button)")?.focus());
  }

  /** Shows which answers do not have the pattern that the agent asks for, and which could not be checked. */
  showHeld({ question: id, faulty, unchecked }: Extract<PanelMessage, { type: "formHeld" }>): void {
    const { question } = this;
    if (id !== question?.id) return;
    this.#isAnswered = false;
    // The form was about to be sent, and is edited again.
    if (question.form) keepFormDraft(question.form, this.#answers);
    for (const name of faulty) this.#refused.set(name, this.#answers.get(name));
    for (const name of unchecked) this.#unchecked.set(name, this.#answers.get(name));
    for (const name of [...faulty, ...unchecked]) this.#checked.add(name);
    this.requestUpdate();
    void this.#focusFault();
  }

  protected override render(): TemplateResult | typeof nothing {
    const { question } = this;
    if (!question) return nothing;
    return html`<form
      class="question form-card"
      novalidate
      aria-label=${visibleText(question.title)}
      @submit=${this.#submit}
      @keydown=${this.#keydown}
    >
      <div class="question-head" dir="auto">
        ${icon(question.address ? "link-external" : "question")}
        <span class="question-title">${visibleText(question.title)}</span>
        ${questionNavigation(this.position)}
      </div>
      <div class="quiet" dir="auto">
        ${
          question.origin === undefined
            ? t("Asked by {0}.", visibleText(question.asker ?? this.agentName))
            : visibleText(question.origin)
        }
      </div>
      ${question.form ? this.#form(question.form) : nothing}
      ${question.address ? addressDetails(question.address, question.opened ? this.agentName : undefined) : nothing}
      ${question.form ? this.#buttons(question.origin === undefined ? t("Send") : t("Continue"), "cancel") : this.#addressButtons(question)}
    </form>`;
  }

  #form({ title, description, fields }: Form): TemplateResult {
    return html`${title === undefined ? nothing : html`<div class="form-title" dir="auto">${visibleText(title)}</div>`}
      ${description === undefined ? nothing : html`<div class="quiet pre" dir="auto">${visibleText(description)}</div>`}
      <div class="fields">
        ${fields.map((field, i) =>
          fieldControl(field, {
            id: `field-${i}`,
            value: this.#answers.get(field.name),
            fault: this.#checked.has(field.name) ? this.#fault(field) : undefined,
            warning: this.#isUnchecked(field)
              ? t(
                  "Parley could not check this answer against the pattern that is asked for. Confirm again to send it as it is.",
                )
              : undefined,
            onInput: value => this.#set(field, value),
            onLeave: () => this.#leave(field),
            values: this.#offeredFor(field),
            onComplete: () => this.#complete(field),
          }),
        )}
      </div>`;
  }

  /** The values for exactly what the field has now. */
  #offeredFor({ name }: FormField): readonly string[] {
    const offered = this.#offered.get(name);
    return offered && offered.typed === (this.#answers.get(name) ?? "") ? offered.values : noValues;
  }

  #complete({ name }: FormField): void {
    const { question } = this;
    if (!question) return;
    const typed = this.#answers.get(name);
    const others = [...this.#answers].filter(([field]) => field !== name).map(([field, value]) => ({ field, value }));
    send({
      type: "completeArgument",
      question: question.id,
      field: name,
      typed: typeof typed === "string" ? typed : "",
      others,
    });
  }

  /** Shows the values that the server offers for a field. */
  showValues({ question, field, typed, values }: Extract<PanelMessage, { type: "argumentValues" }>): void {
    if (question !== this.question?.id) return;
    this.#offered.set(field, { typed, values });
    this.requestUpdate();
  }

  #buttons(sendLabel: string, cancel: "cancel"): TemplateResult {
    const disabled = this.#isAnswered ? "true" : nothing;
    return html`<div class="options">
      <button class="primary" type="submit" aria-disabled=${disabled}>${sendLabel}</button>
      ${
        this.question?.origin !== undefined
          ? nothing
          : html`<button
              class="secondary"
              type="button"
              aria-disabled=${disabled}
              @click=${() => this.#close("decline")}
            >
              ${t("Decline")}
            </button>`
      }
      <button class="secondary" type="button" aria-disabled=${disabled} @click=${() => this.#close(cancel)}>
        ${t("Cancel")}
      </button>
    </div>`;
  }

  #addressButtons(question: ViewQuestion): TemplateResult {
    if (!question.opened) return this.#buttons(t("Open in Browser"), "cancel");
    return html`<div class="options">
      <button class="secondary" type="submit">${t("Open Again")}</button>
      <button class="secondary" type="button" @click=${() => this.#close("cancel")}>${t("Close")}</button>
    </div>`;
  }

  #fault(field: FormField): string | undefined {
    const value = this.#answers.get(field.name);
    const fault = fieldFault(field, value);
    if (fault) return faultText(fault);
    const isRefused = this.#refused.has(field.name) && this.#refused.get(field.name) === value;
    return isRefused ? t("The agent asks for another form of text.") : undefined;
  }

  /** Whether the answer is the one whose pattern could not be checked. */
  #isUnchecked = ({ name }: FormField): boolean =>
    this.#unchecked.has(name) && this.#unchecked.get(name) === this.#answers.get(name);

  #set(field: FormField, value: FormValue | undefined): void {
    if (value === undefined) this.#answers.delete(field.name);
    else this.#answers.set(field.name, value);
    if (this.question?.form) keepFormDraft(this.question.form, this.#answers);
    this.requestUpdate();
  }

  #leave(field: FormField): void {
    // An empty field is not reported before the user tries to send.
    const value = this.#answers.get(field.name);
    if (value === undefined || value === "") return;
    this.#checked.add(field.name);
    this.requestUpdate();
  }

  #keydown = (event: KeyboardEvent): void => {
    if (event.target instanceof Element && event.target.closest(".question-navigation")) return;
    // A key that was held down, or meant for what had the focus before, must not send the form.
    const isEarly = performance.now() - this.#focusedAt < guardTime;
    if (event.key === "Enter" && (event.repeat || isEarly)) event.preventDefault();
  };

  #submit = (event: Event): void => {
    event.preventDefault();
    const { question } = this;
    if (!question || this.#isAnswered) return;
    if (question.address) return send({ type: "openAddress", question: question.id });
    const fields = question.form?.fields ?? [];
    for (const { name } of fields) this.#checked.add(name);
    this.requestUpdate();
    if (fields.some(field => this.#fault(field) !== undefined)) return void this.#focusFault();
    this.#isAnswered = true;
    if (question.form) forgetFormDraft(question.form);
    const answers = [...this.#answers].map(([field, value]) => ({ field, value }));
    const unchecked = fields.filter(this.#isUnchecked).map(({ name }) => name);
    const confirmed = unchecked.length > 0 && { unchecked };
    send({ type: "answerForm", question: question.id, action: "accept", answers, ...confirmed });
  };

  async #focusFault(): Promise<void> {
    await this.updateComplete;
    const first =
      this.querySelector<HTMLElement>("[aria-invalid='true']") ??
      this.querySelector<HTMLElement>(".field:has(.field-warning) input");
    (first?.matches("fieldset") ? first.querySelector<HTMLElement>("input") : first)?.focus();
  }

  #close(action: "decline" | "cancel"): void {
    if (!this.question || this.#isAnswered) return;
    this.#isAnswered = true;
    if (this.question.form) forgetFormDraft(this.question.form);
    this.requestUpdate();
    send({ type: "answerForm", question: this.question.id, action });
  }
}

/** A required checkbox is answered also while it is off. */
function startAnswers(form: Form): ReadonlyMap<string, FormValue> {
  const answers = new Map(defaultAnswers(form));
  for (const { name, type, required } of form.fields)
    if (type === "boolean" && required && !answers.has(name)) answers.set(name, false);
  return answers;
}
