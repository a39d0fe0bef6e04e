// The options of a question as buttons, wherever they stand: above the composer or in a tool card. Answered on purpose
// only, and once.
import { html, nothing, type TemplateResult } from "lit";
import { Emitter } from "../../src/base/lifecycle.ts";
import { visible } from "../../src/base/visibleText.ts";
import type { ViewAsk } from "../../src/panel/protocol.ts";
import type { AskOption } from "../../src/session/events.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/** For this long after it got the focus, a key does not allow: it was typed for something else. */
const GUARD = 500;

/** The option that was pressed, by question; the host decides what becomes of it. */
const answers = new Map<string, string>();
const changed = new Emitter<void>();
/** Fires when an option was pressed. */
export const onAnswer = changed.event;

/** Forgets what was pressed for questions that are not open any more. */
export function keepAnswers(open: readonly ViewAsk[]): void {
  for (const ask of answers.keys()) if (!open.some(({ id }) => id === ask)) answers.delete(ask);
}

/** What the user does to the options of one card. */
export class AskOptions {
  readonly #card: () => Element | null;
  #cardFocusedAt = Infinity;
  #optionFocusedAt = Infinity;

  /** `card` gives the element that must hold the focus for number keys to count. */
  constructor(card: () => Element | null) {
    this.#card = card;
  }

  /** For `focusin` on the card. */
  focused(event: FocusEvent): void {
    const now = performance.now();
    const from = event.relatedTarget;
    if (!(from instanceof Node && this.#card()?.contains(from))) this.#cardFocusedAt = now;
    this.#optionFocusedAt = now;
  }

  /** For `keydown` on the card. True if the key is that of an option. */
  key(ask: ViewAsk, event: KeyboardEvent): boolean {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const option = /^[1-9]$/.test(event.key) ? ask.options[Number(event.key) - 1] : undefined;
    if (!option) return false;
    event.preventDefault();
    const early = isAllow(option) && performance.now() - this.#cardFocusedAt < GUARD;
    if (!event.repeat && !early) answer(ask, option);
    return true;
  }

  /** The buttons, in the agent's order. */
  buttons(ask: ViewAsk): TemplateResult {
    return html`<div class="options">
      ${ask.options.map((option, i) => this.#button(ask, option, i))}${ask.always ? alwaysButton(ask) : nothing}
    </div>`;
  }

  #button(ask: ViewAsk, option: AskOption, at: number): TemplateResult {
    const key = at < 9 ? String(at + 1) : undefined;
    const given = answers.get(ask.id);
    // aria-disabled rather than disabled: a disabled button would drop the focus onto the page.
    return html`<button
      type="button"
      class=${option === suggested(ask) ? "primary" : "secondary"}
      aria-disabled=${given === undefined ? nothing : "true"}
      aria-pressed=${given === option.id ? "true" : nothing}
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
    answer(ask, option);
  }
}

function answer(ask: ViewAsk, option: AskOption): void {
  if (answers.has(ask.id)) return;
  answers.set(ask.id, option.id);
  changed.fire();
  send({ type: "answer", ask: ask.id, option: option.id });
}

/** The option to stand out: allowing this once. What allows more than that never does, wherever the agent puts it. */
const suggested = (ask: ViewAsk): AskOption | undefined => ask.options.find(option => option.kind === "allow_once");

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
