// One field of a form: its label, its control, and the message beside it.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { visibleText } from "../../src/base/visibleText.ts";
import type { FormChoice, FormField, FormValue } from "../../src/session/forms/form.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";

export interface FieldState {
  /** Unique in the page. */
  readonly id: string;
  readonly value: FormValue | undefined;
  /** What is wrong with the answer, as a sentence. */
  readonly fault: string | undefined;
  /** What the user should know about the answer, as a sentence. It can be sent. */
  readonly warning?: string | undefined;
  readonly onInput: (value: FormValue | undefined) => void;
  /** The focus has left the field. */
  readonly onLeave: () => void;
  /** What is offered for the current text, and how to ask for it. Only for fields that complete. */
  readonly values?: readonly string[];
  readonly onComplete?: () => void;
}

/** A list of more choices than this is a list to open. */
const maxRadios = 8;

export function fieldControl(field: FormField, state: FieldState): TemplateResult {
  switch (field.type) {
    case "text":
    case "number":
      return labelled(field, state, textControl(field, state));
    case "boolean":
      return checkboxField(field, state);
    case "select":
      return field.choices.length > maxRadios
        ? labelled(field, state, listControl(field, state))
        : choiceGroup(field, state, radios(field, state));
    case "multiselect":
      return choiceGroup(field, state, checkboxes(field, state));
  }
}

const describedBy = ({ description }: FormField, { id, fault, warning }: FieldState): string | typeof nothing =>
  [description === undefined ? "" : `${id}-about`, (fault ?? warning) === undefined ? "" : `${id}-fault`]
    .join(" ")
    .trim() || nothing;

const title = (field: FormField): TemplateResult =>
  html`${visibleText(field.title)}${field.required ? html` <span class="required" dir="auto">${t("(required)")}</span>` : nothing}`;

const about = ({ description }: FormField, { id }: FieldState): TemplateResult | typeof nothing =>
  description === undefined
    ? nothing
    : html`<div class="quiet pre" dir="auto" id="${id}-about">${visibleText(description)}</div>`;

function message({ fault, warning, id }: FieldState): TemplateResult | typeof nothing {
  if (fault !== undefined)
    return html`<div class="field-fault" dir="auto" id="${id}-fault">${icon("error")} <span>${fault}</span></div>`;
  if (warning === undefined) return nothing;
  return html`<div class="field-warning" dir="auto" id="${id}-fault">${icon("warning")} <span>${warning}</span></div>`;
}

const labelled = (field: FormField, state: FieldState, control: TemplateResult): TemplateResult =>
  html`<div class="field" dir="auto">
    <label for=${state.id}>${title(field)}</label>
    ${about(field, state)} ${control} ${message(state)}
  </div>`;

function textControl(field: Extract<FormField, { type: "text" | "number" }>, state: FieldState): TemplateResult {
  if (field.type === "text" && field.completes) return argumentControl(field, state);
  const isNumber = field.type === "number";
  const read = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value;
    const number = Number(text.trim());
    // A text that is no number stays, so that the message can say so.
    const isNumeric = isNumber && text.trim() !== "" && Number.isFinite(number);
    state.onInput(text === "" ? undefined : isNumeric ? number : text);
  };
  const kind = field.type === "number" ? "text" : field.secret ? "password" : field.format === "date" ? "date" : "text";
  return html`<input
    id=${state.id}
    type=${kind}
    dir="auto"
    inputmode=${isNumber ? "decimal" : field.format === "email" ? "email" : field.format === "uri" ? "url" : nothing}
    autocomplete="off"
    spellcheck="false"
    aria-required=${field.required ? "true" : nothing}
    aria-invalid=${state.fault === undefined ? nothing : "true"}
    aria-describedby=${describedBy(field, state)}
    .value=${textOf(state.value)}
    @input=${read}
    @blur=${state.onLeave}
  />`;
}

function argumentControl(field: Extract<FormField, { type: "text" }>, state: FieldState): TemplateResult {
  const described = describedBy(field, state);
  return html`<parley-argument
    .fieldId=${state.id}
    .value=${textOf(state.value)}
    .values=${state.values ?? []}
    .invalid=${state.fault !== undefined}
    .describedBy=${typeof described === "string" ? described : undefined}
    .required=${field.required}
    .onValue=${(value: string) => state.onInput(value === "" ? undefined : value)}
    .onComplete=${() => state.onComplete?.()}
    .onLeave=${state.onLeave}
  ></parley-argument>`;
}

const textOf = (value: FormValue | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

function checkboxField(field: Extract<FormField, { type: "boolean" }>, state: FieldState): TemplateResult {
  return html`<div class="field" dir="auto">
    <label class="choice">
      <input
        type="checkbox"
        aria-describedby=${describedBy(field, state)}
        .checked=${live(state.value === true)}
        @change=${(event: Event) => state.onInput((event.target as HTMLInputElement).checked)}
      />
      <span>${title(field)}</span>
    </label>
    ${about(field, state)} ${message(state)}
  </div>`;
}

function listControl(field: Extract<FormField, { type: "select" }>, state: FieldState): TemplateResult {
  const choose = (event: Event): void => {
    const at = Number((event.target as HTMLSelectElement).value);
    state.onInput(field.choices[at]?.value);
  };
  return html`<select
    id=${state.id}
    aria-required=${field.required ? "true" : nothing}
    aria-invalid=${state.fault === undefined ? nothing : "true"}
    aria-describedby=${describedBy(field, state)}
    @change=${choose}
    @blur=${state.onLeave}
  >
    <option value="-1" ?selected=${state.value === undefined}>${t("Not chosen")}</option>
    ${field.choices.map(
      (choice, at) =>
        html`<option value=${at} ?selected=${choice.value === state.value}>
          ${visibleText(choice.description === undefined ? choice.name : `${choice.name} – ${choice.description}`)}
        </option>`,
    )}
  </select>`;
}

function choiceGroup(field: FormField, state: FieldState, choices: readonly TemplateResult[]): TemplateResult {
  return html`<fieldset
    class="field"
    dir="auto"
    aria-invalid=${state.fault === undefined ? nothing : "true"}
    aria-describedby=${describedBy(field, state)}
  >
    <legend>${title(field)}</legend>
    ${about(field, state)} ${choices} ${message(state)}
  </fieldset>`;
}

/** An optional field has a button for no answer, because a radio button cannot be released. */
function radios(field: Extract<FormField, { type: "select" }>, state: FieldState): readonly TemplateResult[] {
  const radio = (choice: FormChoice | undefined): TemplateResult =>
    html`<label class="choice">
      <input
        type="radio"
        name=${state.id}
        .checked=${live(state.value === choice?.value)}
        @change=${() => state.onInput(choice?.value)}
      />
      ${choice ? choiceText(choice) : html`<span class="quiet" dir="auto">${t("No answer")}</span>`}
    </label>`;
  return [...field.choices.map(radio), ...(field.required ? [] : [radio(undefined)])];
}

function checkboxes(field: Extract<FormField, { type: "multiselect" }>, state: FieldState): readonly TemplateResult[] {
  const chosen = Array.isArray(state.value) ? (state.value as readonly string[]) : [];
  const toggle = (value: string, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(value);
    else next.delete(value);
    // In the agent's order.
    const values = field.choices.map(choice => choice.value).filter(one => next.has(one));
    state.onInput(values.length === 0 && !field.required ? undefined : values);
  };
  return field.choices.map(
    choice =>
      html`<label class="choice">
        <input
          type="checkbox"
          .checked=${live(chosen.includes(choice.value))}
          @change=${(event: Event) => toggle(choice.value, (event.target as HTMLInputElement).checked)}
        />
        ${choiceText(choice)}
      </label>`,
  );
}

const choiceText = ({ name, description }: FormChoice): TemplateResult =>
  html`<span dir="auto"
    >${visibleText(name)}${
      description === undefined ? nothing : html`<span class="quiet"> – <bdi>${visibleText(description)}</bdi></span>`
    }</span
  >`;
