// The page of permission rules: what a rule decides about a typed request, and the lists of rules, in which each rule can
// be edited and deleted. The host checks and stores; this element only keeps the form that is open.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { RuleFields, RuleRow, RulesIntent, RulesMessage, RulesView } from "../../src/panel/rulesPage.ts";
import { ruleScopes, ruleTexts, type RuleScope } from "../../src/panel/rulesPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { icon, LightElement } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { t } from "../base/l10n.ts";
import { conditionName, effectIcon, effectName } from "./ruleWords.ts";
import { ruleForm, type RuleDraft } from "./ruleForm.ts";
import { RuleTrial } from "./ruleTrial.ts";

const emptyFields: RuleFields = { effect: "allow", command: [], path: [], domain: [], kind: [], agent: [] };

export class RulesElement extends LightElement {
  send: (intent: RulesIntent) => void = () => undefined;
  #view: RulesView | undefined;
  #draft: RuleDraft | undefined;
  /** The last outcome, as a sentence, for screen readers and for the eye. */
  #outcome: { readonly text: string; readonly isProblem: boolean } | undefined;
  /** The row that the host was asked to delete. */
  #deleted: RuleRow | undefined;
  #request = 0;
  /** A selector of the control that gets the focus after the next update. */
  #focus: string | undefined;
  readonly #trial = new RuleTrial(
    this,
    intent => this.send(intent),
    row => this.#reveal(row),
  );

  /** Takes a message of the host. */
  receive(message: RulesMessage): void {
    switch (message.type) {
      case "rules":
        this.#view = message.view;
        this.#trial.repeat();
        break;
      case "tested":
        this.#trial.receive(message);
        break;
      case "saved":
        if (message.request === this.#draft?.request) this.#saved(message.row, message.problem);
        break;
      case "changed":
        this.#changed(message.row, message.problem);
        break;
      case "reveal":
        this.#reveal(message.row);
        break;
      default:
        message satisfies never;
    }
    this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener("keydown", this.#onKey);
    this.addEventListener("focusin", this.#onFocus);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener("keydown", this.#onKey);
    this.removeEventListener("focusin", this.#onFocus);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const control = this.#focus === undefined ? undefined : this.querySelector<HTMLElement>(this.#focus);
    if (!control) return;
    this.#focus = undefined;
    control.focus();
    control.scrollIntoView({ block: "nearest" });
  }

  protected override render(): TemplateResult {
    const view = this.#view;
    return html`<main class="rules">
      <h1>${t("Permission Rules")}</h1>
      <p class="quiet">
        ${t("Deny takes precedence over ask, and ask over allow. You are asked about everything that no rule allows.")}
      </p>
      ${this.#trial.render(view?.rows ?? [])}
      <div class="rules-bar">
        <button type="button" class="primary" data-action="add" @click=${() => this.#add("user")}>
          ${icon("add")} ${t("Add Rule")}
        </button>
        ${
          view?.undo === undefined
            ? nothing
            : html`<button
                type="button"
                class="secondary"
                data-action="undo"
                aria-keyshortcuts="Control+Z Meta+Z"
                title=${visibleText(view.undo)}
                @click=${() => this.#undo()}
              >
                ${icon("discard")} ${t("Undo")}
              </button>`
        }
        <div class="outcome" role="status">${this.#outcome ? outcomeText(this.#outcome) : nothing}</div>
      </div>
      ${view ? ruleScopes.map(scope => this.#list(scope, view)) : html`<p class="quiet">${t("Loading…")}</p>`}
    </main>`;
  }

  #list(scope: RuleScope, { rows }: RulesView): TemplateResult {
    const own = rows.filter(row => row.scope === scope);
    const draft = this.#draft;
    // A rule that is gone while it is edited keeps its form.
    const isNew = draft?.scope === scope && !own.some(({ id }) => id === draft.row);
    const title = scope === "user" ? t("Everywhere (user settings)") : t("In this workspace");
    return html`<section aria-labelledby="rules-${scope}">
      <div class="rules-head">
        <h2 id="rules-${scope}">${title}</h2>
        ${
          scope === "user"
            ? iconButton("go-to-file", {
                label: t("Open Settings"),
                onClick: () => this.send({ type: "openSettings" }),
              })
            : nothing
        }
      </div>
      ${isNew ? this.#form(draft) : nothing}
      ${
        own.length === 0
          ? html`<p class="quiet">${t("There are no rules here.")}</p>`
          : html`<ol class="rule-list">
              ${repeat(
                own,
                ({ id }) => id,
                row =>
                  html`<li class="rule" tabindex="-1" data-row=${row.id} ?data-decides=${this.#trial.decides(row.id)}>
                    ${draft?.row === row.id ? this.#form(draft) : this.#row(row)}
                  </li>`,
              )}
            </ol>`
      }
    </section>`;
  }

  #row(row: RuleRow): TemplateResult {
    const { fields, problem } = row;
    const name = visibleText(row.name);
    return html`<div class="rule-row">
      <div class="rule-text">
        <div class="rule-effect" data-effect=${fields.effect}>
          ${icon(effectIcon(fields.effect))} <strong>${effectName(fields.effect)}</strong>
          ${this.#trial.decides(row.id) ? html`<span class="tag">${t("Decides the test")}</span>` : nothing}
        </div>
        <dl>
          ${ruleTexts
            .filter(condition => fields[condition].length > 0)
            .map(
              condition =>
                html`<div>
                  <dt class="quiet">${conditionName(condition)}</dt>
                  ${fields[condition].map(text => html`<dd><code>${visibleText(text)}</code></dd>`)}
                </div>`,
            )}
        </dl>
        ${
          problem === undefined
            ? nothing
            : html`<div class="field-fault">${icon("warning")} <span>${visibleText(problem)}</span></div>`
        }
      </div>
      ${iconButton("edit", {
        ...{ label: t("Edit {0}", name), title: t("Edit"), action: "edit" },
        onClick: () => this.#edit(row),
      })}
      ${iconButton("trash", {
        ...{ label: t("Delete {0}", name), title: t("Delete"), action: "delete" },
        onClick: () => this.#delete(row),
      })}
    </div>`;
  }

  #form(draft: RuleDraft): TemplateResult {
    return ruleForm(draft, {
      onInput: () => {
        draft.isChanged = true;
        this.requestUpdate();
      },
      onSave: () => this.#save(draft),
      onCancel: () => this.#cancel(),
    });
  }

  /** The user has moved on before the control existed. */
  readonly #onFocus = (): void => {
    this.#focus = undefined;
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape" && this.#draft && target.closest(".rule-form")) {
      event.preventDefault();
      this.#cancel();
    }
    const isUndo =
      event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    // In a field, the keys undo what was typed.
    if (!isUndo || target.closest("input, textarea") || this.#view?.undo === undefined) return;
    event.preventDefault();
    this.#undo();
  };

  #add(scope: RuleScope): void {
    this.#open({ scope, fields: emptyFields });
  }

  #edit({ id, scope, fields }: RuleRow): void {
    this.#open({ row: id, scope, fields });
  }

  #open({ row, scope, fields }: Pick<RuleDraft, "row" | "scope" | "fields">): void {
    this.#focus = ".rule-form select";
    this.requestUpdate();
    // Nothing that was typed is lost.
    if (this.#draft?.isChanged) {
      this.#outcome = { text: t("Save or cancel the rule that you are editing first."), isProblem: true };
      return;
    }
    this.#outcome = undefined;
    this.#draft = { ...(row !== undefined && { row }), scope, fields, request: ++this.#request };
  }

  #save(draft: RuleDraft): void {
    const { row, scope, fields } = draft;
    draft.request = ++this.#request;
    this.send({ type: "save", request: draft.request, scope, fields, ...(row !== undefined && { row }) });
  }

  #cancel(): void {
    const row = this.#draft?.row;
    this.#draft = undefined;
    this.#focus = row === undefined ? "[data-action=add]" : `${rowSelector(row)} [data-action=edit]`;
    this.requestUpdate();
  }

  #saved(row: string | undefined, problem: string | undefined): void {
    const draft = this.#draft;
    if (!draft) return;
    if (problem !== undefined) {
      draft.problem = problem;
      return;
    }
    this.#draft = undefined;
    this.#outcome = { text: t("The rule is saved."), isProblem: false };
    this.#focus = row === undefined ? "[data-action=add]" : `${rowSelector(row)} [data-action=edit]`;
  }

  #delete(row: RuleRow): void {
    this.#deleted = row;
    this.send({ type: "delete", row: row.id });
  }

  #undo(): void {
    this.#deleted = undefined;
    this.send({ type: "undo" });
  }

  #changed(row: string | undefined, problem: string | undefined): void {
    const deleted = this.#deleted;
    this.#deleted = undefined;
    if (problem !== undefined) {
      this.#outcome = { text: problem, isProblem: true };
      return;
    }
    const text = deleted
      ? t("The rule is deleted. Undo brings it back.")
      : row === undefined
        ? t("The rule that was added is removed.")
        : t("The rule is back.");
    this.#outcome = { text, isProblem: false };
    this.#focus = row === undefined ? (deleted ? "[data-action=undo]" : "[data-action=add]") : rowSelector(row);
  }

  /** Shows a row, and gives it the focus. */
  #reveal(row: string): void {
    this.#focus = rowSelector(row);
    this.requestUpdate();
  }
}

const rowSelector = (row: string): string => `[data-row="${CSS.escape(row)}"]`;

const outcomeText = ({ text, isProblem }: { readonly text: string; readonly isProblem: boolean }): TemplateResult =>
  html`${isProblem ? icon("error") : nothing} <span>${visibleText(text)}</span>`;
