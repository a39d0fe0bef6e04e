// The new problems of the latest turn in the composer: a switch that sends them with the next message.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewNewProblems } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

/** The switch. It is there only while the problems can go with the next message. */
export function newProblemsSwitch(problems: ViewNewProblems | null | undefined): TemplateResult | typeof nothing {
  if (!problems) return nothing;
  const { count, isSent } = problems;
  return html`<div class="message-switch" role="group" aria-label=${t("New problems")}>
    <button
      type="button"
      aria-pressed=${isSent}
      title=${t("Send the new problems of the latest turn with the next message")}
      @click=${() => send({ type: "sendNewProblems", isOn: !isSent })}
    >
      ${icon(isSent ? "warning" : "circle-slash")}
      <span class="ellipsis">${count === 1 ? t("1 new problem") : t("{0} new problems", formatCount(count))}</span>
    </button>
  </div>`;
}
