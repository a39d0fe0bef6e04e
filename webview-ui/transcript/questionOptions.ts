// The options of a question as buttons, wherever they stand: above the composer or in a tool card. Answered on purpose
// only, and once.
import { html, nothing, type TemplateResult } from "lit";
import { Emitter } from "../../src/base/lifecycle.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewQuestion } from "../../src/panel/protocol.ts";
import type { QuestionOption } from "../../src/session/events.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/** For this long after it got the focus, a key does not allow: it was typed for something else. */
const guardTime = 500;

/** The option that was pressed, by question; the host decides what becomes of it. */
const chosenOptions = new Map<string, string>();
const answered = new Emitter<void>();
/** Fires when an option was pressed. */
export const onAnswer = answered.event;

/** Forgets what was pressed for questions that are not open any more. */
export function forgetClosedQuestions(open: readonly ViewQuestion[]): void {
  for (const questionId of chosenOptions.keys())
    if (!open.some(({ id }) => id === questionId)) chosenOptions.delete(questionId);
}

/** What the user does to the options of one card. */
export class QuestionOptions {
  readonly #card: () => Element | null;
  #cardFocusedAt = Infinity;
  #optionFocusedAt = Infinity;

  /** `card` gives the element that must hold the focus for number keys to count. */
  constructor(card: () => Element | null) {
    this.#card = card;
  }

  /** For `focusin` on the card. */
  handleFocusIn(event: FocusEvent): void {
    const now = performance.now();
    const from = event.relatedTarget;
    if (!(from instanceof Node && this.#card()?.contains(from))) this.#cardFocusedAt = now;
    this.#optionFocusedAt = now;
  }

  /** For `keydown` on the card. True if the key is that of an option. */
  handleKey(question: ViewQuestion, event: KeyboardEvent): boolean {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const option = /^[1-9]$/.test(event.key) ? question.options[Number(event.key) - 1] : undefined;
    if (!option) return false;
    event.preventDefault();
    const isTooEarly = isAllow(option) && performance.now() - this.#cardFocusedAt < guardTime;
    if (!event.repeat && !isTooEarly) answer(question, option);
    return true;
  }

  /** The buttons, in the agent's order. */
  buttons(question: ViewQuestion): TemplateResult {
    return html`<div class="options">
      ${question.options.map((option, i) => this.#button(question, option, i))}${question.always ? createRuleButton(question) : nothing}
    </div>`;
  }

  #button(question: ViewQuestion, option: QuestionOption, at: number): TemplateResult {
    const key = at < 9 ? String(at + 1) : undefined;
    const chosen = chosenOptions.get(question.id);
    // aria-disabled rather than disabled: a disabled button would drop the focus onto the page.
    return html`<button
      type="button"
      class=${option === suggestedOption(question) ? "primary" : "secondary"}
      aria-disabled=${chosen === undefined ? nothing : "true"}
      aria-pressed=${chosen === option.id ? "true" : nothing}
      aria-keyshortcuts=${key ?? nothing}
      @click=${(event: MouseEvent) => this.#handleClick(event, question, option)}
    >
      <bdi>${visibleText(option.name)}</bdi>${key === undefined ? nothing : html`<kbd aria-hidden="true">${key}</kbd>`}
    </button>`;
  }

  #handleClick(event: MouseEvent, question: ViewQuestion, option: QuestionOption): void {
    // A click without a pointer is a key, or an assistive device that cannot have hurried either.
    const byKey = event.detail === 0;
    if (byKey && isAllow(option) && performance.now() - this.#optionFocusedAt < guardTime) return;
    answer(question, option);
  }
}

function answer(question: ViewQuestion, option: QuestionOption): void {
  if (chosenOptions.has(question.id)) return;
  chosenOptions.set(question.id, option.id);
  answered.fire();
  send({ type: "answer", ask: question.id, option: option.id });
}

/** The option to stand out: allowing this once. What allows more than that never does, wherever the agent puts it. */
const suggestedOption = (question: ViewQuestion): QuestionOption | undefined =>
  question.options.find(option => option.kind === "allow_once");

/** Makes a rule of the answer. It asks which, so it cannot be pressed by mistake. */
function createRuleButton({ id }: ViewQuestion): TemplateResult {
  return html`<button class="secondary" type="button" @click=${() => send({ type: "always", ask: id })}>
    ${t("Always…")}
  </button>`;
}

/** Whatever is not known to reject might allow. */
function isAllow(option: QuestionOption): boolean {
  return !option.kind.startsWith("reject");
}
