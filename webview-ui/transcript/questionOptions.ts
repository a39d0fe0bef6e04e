// The option buttons of a question, above the composer or in a tool card. They prevent accidental and repeated answers.
import { html, nothing, type TemplateResult } from "lit";
import { Emitter } from "../../src/base/lifecycle.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewQuestion } from "../../src/panel/protocol.ts";
import type { QuestionOption } from "../../src/session/events.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/**
 * A key does not allow within this time after the focus moved here, because it was meant for something else.
 * Milliseconds.
 */
const guardTime = 500;

/** The chosen option of each question. The host decides the outcome. */
const chosenOptions = new Map<string, string>();
const answered = new Emitter<void>();
/** Fires when the user chose an option. */
export const onAnswer = answered.event;

/** Removes the chosen options of questions that are no longer open. */
export function forgetClosedQuestions(open: readonly ViewQuestion[]): void {
  for (const questionId of chosenOptions.keys())
    if (!open.some(({ id }) => id === questionId)) chosenOptions.delete(questionId);
}

/** Handles the options of one card. */
export class QuestionOptions {
  readonly #card: () => Element | null;
  #cardFocusedAt = Infinity;
  #optionFocusedAt = Infinity;

  /** `card` returns the element that must contain the focus for number keys to work. */
  constructor(card: () => Element | null) {
    this.#card = card;
  }

  /** Handles `focusin` on the card. */
  handleFocusIn(event: FocusEvent): void {
    const now = performance.now();
    const from = event.relatedTarget;
    if (!(from instanceof Node && this.#card()?.contains(from))) this.#cardFocusedAt = now;
    this.#optionFocusedAt = now;
  }

  /** Handles `keydown` on the card. Returns true if the key belongs to an option. */
  handleKey(question: ViewQuestion, event: KeyboardEvent): boolean {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
      return false;
    // Some layouts have other signs or digits on the keys of the digits.
    const number = /^[1-9]$/.test(event.key) ? event.key : /^Digit([1-9])$/.exec(event.code)?.[1];
    const option = number === undefined ? undefined : question.options[Number(number) - 1];
    if (!option) return false;
    event.preventDefault();
    const isTooEarly = isAllow(option) && performance.now() - this.#cardFocusedAt < guardTime;
    if (!event.repeat && !isTooEarly) answer(question, option);
    return true;
  }

  /** The buttons, in the agent's order. */
  buttons(question: ViewQuestion): TemplateResult {
    return html`<div class="options">
      ${question.options.map((option, i) => this.#button(question, option, i))}${question.edits ? this.#allEditsButton(question) : nothing}${question.always ? createRuleButton(question) : nothing}${question.plan === undefined ? nothing : commentButton(question.plan)}
    </div>`;
  }

  #button(question: ViewQuestion, option: QuestionOption, at: number): TemplateResult {
    const key = at < 9 ? String(at + 1) : undefined;
    const chosen = chosenOptions.get(question.id);
    // `aria-disabled` instead of `disabled`, because a disabled button would drop the focus onto the page.
    return html`<button
      type="button"
      class=${option === suggestedOption(question) ? "primary" : "secondary"}
      aria-disabled=${chosen === undefined ? nothing : "true"}
      aria-pressed=${chosen === option.id ? "true" : nothing}
      aria-keyshortcuts=${key ?? nothing}
      title=${option.name.length > longName ? visibleText(option.name) : nothing}
      @click=${(event: MouseEvent) => this.#handleClick(event, question, option)}
    >
      <bdi>${visibleText(option.name)}</bdi>${key === undefined ? nothing : html`<kbd aria-hidden="true">${key}</kbd>`}
    </button>`;
  }

  /** It also answers this question. The same guard applies as to options that allow. */
  #allEditsButton(question: ViewQuestion): TemplateResult {
    const allow = (event: MouseEvent): void => {
      const isTooEarly = event.detail === 0 && performance.now() - this.#optionFocusedAt < guardTime;
      if (isTooEarly || chosenOptions.has(question.id)) return;
      chosenOptions.set(question.id, "");
      answered.fire();
      send({ type: "allowAllEdits", isOn: true });
    };
    return html`<button
      class="secondary"
      type="button"
      title=${t("Files outside the workspace, likely secrets, files that programs run, and commands still ask.")}
      aria-disabled=${chosenOptions.has(question.id) ? "true" : nothing}
      @click=${allow}
    >
      ${t("Allow All Edits in This Session")}
    </button>`;
  }

  #handleClick(event: MouseEvent, question: ViewQuestion, option: QuestionOption): void {
    // A click without a pointer comes from a key or from assistive technology; the same guard applies to both.
    const byKey = event.detail === 0;
    if (byKey && isAllow(option) && performance.now() - this.#optionFocusedAt < guardTime) return;
    answer(question, option);
  }
}

function answer(question: ViewQuestion, option: QuestionOption): void {
  if (chosenOptions.has(question.id)) return;
  chosenOptions.set(question.id, option.id);
  answered.fire();
  send({ type: "answer", question: question.id, option: option.id });
}

/** The option to highlight: the one that allows once. Broader options are never highlighted, whatever their order. */
const suggestedOption = (question: ViewQuestion): QuestionOption | undefined =>
  question.options.find(option => option.kind === "allow_once");

/** A button that creates a rule. It opens a list of rules first, so it needs no guard against accidents. */
function createRuleButton({ id }: ViewQuestion): TemplateResult {
  return html`<button class="secondary" type="button" @click=${() => send({ type: "always", question: id })}>
    ${t("Create Rule…")}
  </button>`;
}

/** A button that opens the plan, to comment on its lines. It answers nothing, so it needs no guard against accidents. */
const commentButton = (plan: string): TemplateResult =>
  html`<button
    class="secondary"
    type="button"
    title=${t("Opens the plan. When you send comments on its lines, the agent goes on planning.")}
    @click=${() => send({ type: "openPlan", plan })}
  >
    ${t("Comment…")}
  </button>`;

/** The button can cut a name with more characters, so a hover shows it. */
const longName = 60;

/** Whether an option can allow: all kinds that are not known to reject. */
function isAllow(option: QuestionOption): boolean {
  return !option.kind.startsWith("reject");
}
