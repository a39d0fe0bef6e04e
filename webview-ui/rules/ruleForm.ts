// The form of one permission rule. Each condition has one value per line.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { ruleScopes, ruleTexts, type RuleFields, type RuleScope } from "../../src/panel/rulesPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { conditionHint, conditionName, effectName } from "./ruleWords.ts";

/** A rule that is being edited. */
export interface RuleDraft {
  /** Absent: it is a new rule. */
  readonly row?: string;
  scope: RuleScope;
  fields: RuleFields;
  /** Whether the user has changed it. */
  isChanged?: true;
  /** The request that saves it. */
  request: number;
  /** What is wrong with it, as a sentence. */
  problem?: string;
}

interface FormEvents {
  readonly onInput: () => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** A rule of the settings can have another one, until the user chooses one of these. */
const effects: readonly string[] = ["allow", "ask", "deny"];

/** The form. It changes the draft. */
export function ruleForm(draft: RuleDraft, { onInput, onSave, onCancel }: FormEvents): TemplateResult {
  const { fields, problem, row } = draft;
  const save = (event: Event): void => {
    event.preventDefault();
    onSave();
  };
  const saveByKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
  };
  const selected = (event: Event): string => (event.target as HTMLSelectElement).value;
  return html`<form
    class="rule-form"
    aria-label=${row === undefined ? t("New rule") : t("Edit rule")}
    @submit=${save}
    @keydown=${saveByKey}
  >
    <div class="field">
      <label for="rule-effect">${t("Effect")}</label>
      <select
        id="rule-effect"
        @change=${(event: Event) => {
          draft.fields = { ...draft.fields, effect: selected(event) };
          onInput();
        }}
      >
        ${[...effects, ...(effects.includes(fields.effect) ? [] : [fields.effect])].map(
          effect => html`<option value=${effect} ?selected=${effect === fields.effect}>${effectName(effect)}</option>`,
        )}
      </select>
    </div>
    ${row === undefined ? scopeField(draft, onInput, selected) : nothing}
    ${ruleTexts.map(
      condition =>
        html`<div class="field">
          <label for="rule-${condition}">${conditionName(condition)}</label>
          <div class="quiet" id="rule-${condition}-about">${conditionHint(condition)}</div>
          <textarea
            id="rule-${condition}"
            rows="1"
            dir="ltr"
            spellcheck="false"
            autocapitalize="off"
            aria-describedby="rule-${condition}-about"
            .value=${live(fields[condition].join("\n"))}
            @input=${(event: Event) => {
              const lines = (event.target as HTMLTextAreaElement).value.split("\n");
              draft.fields = { ...draft.fields, [condition]: lines };
              onInput();
            }}
          ></textarea>
        </div>`,
    )}
    <p class="quiet">${t("Write one value per line. All conditions that are not empty must match.")}</p>
    <div role="alert" class="field-fault">
      ${problem === undefined ? nothing : html`${icon("error")} <span>${visibleText(problem)}</span>`}
    </div>
    <div class="form-buttons">
      <button type="submit" class="primary">${t("Save")}</button>
      <button type="button" class="secondary" @click=${onCancel}>${t("Cancel")}</button>
    </div>
  </form>`;
}

const scopeField = (draft: RuleDraft, onInput: () => void, selected: (event: Event) => string): TemplateResult =>
  html`<div class="field">
    <label for="rule-scope">${t("Applies")}</label>
    <select
      id="rule-scope"
      @change=${(event: Event) => {
        const scope = ruleScopes.find(one => one === selected(event));
        if (scope) draft.scope = scope;
        onInput();
      }}
    >
      ${ruleScopes.map(
        scope =>
          html`<option value=${scope} ?selected=${scope === draft.scope}>
            ${scope === "user" ? t("Everywhere (user settings)") : t("In this workspace")}
          </option>`,
      )}
    </select>
  </div>`;
