// "2 of 3" with buttons to move between the open questions and forms.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../base/l10n.ts";
import { iconButton } from "../base/iconButton.ts";

/** The position of a card among the open ones. */
export interface QuestionPosition {
  /** Counts from 0. */
  readonly at: number;
  readonly count: number;
  /** Shows the card before (-1) or after (1) this one. */
  readonly move: (by: -1 | 1) => void;
}

/** The position and its buttons, or nothing for a single card. */
export function questionNavigation({ at, count, move }: QuestionPosition): TemplateResult | typeof nothing {
  if (count < 2) return nothing;
  const step = (by: -1 | 1, codicon: string, label: string): TemplateResult =>
    iconButton(codicon, {
      label,
      action: by < 0 ? "previous" : "next",
      softDisabled: at + by < 0 || at + by >= count,
      onClick: () => {
        if (at + by >= 0 && at + by < count) move(by);
      },
    });
  return html`<span class="question-navigation">
    ${step(-1, "chevron-left", t("Previous Question"))}
    <span class="quiet">${t("{0} of {1}", at + 1, count)}</span>
    ${step(1, "chevron-right", t("Next Question"))}
  </span>`;
}
