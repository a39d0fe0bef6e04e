// In place of the composer: why a session can only be read, and what the user can do.
import { html, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { NextStep } from "../../src/base/errors.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import { stepName } from "../transcript/problem.ts";

const steps: readonly NextStep[] = ["exportSession", "openSettings", "newSession"];

/** The notice of a session whose agent is no longer in the settings. */
export function readOnlyNotice({ agent }: ViewHead): TemplateResult {
  const name = visibleText(agent?.name ?? t("The agent"));
  return html`<div class="read-only" role="group" aria-label=${t("Read only")}>
    <div class="problem-text">
      ${icon("lock")}
      <span class="sentence"
        >${t("{0} is no longer in your settings, so you can only read and export this conversation.", name)}</span
      >
    </div>
    <div class="buttons">
      ${steps.map(
        (step, at) =>
          html`<button
            class=${at === 0 ? "primary" : "secondary"}
            type="button"
            @click=${() => send({ type: "nextStep", step })}
          >
            ${stepName(step)}
          </button>`,
      )}
    </div>
  </div>`;
}
