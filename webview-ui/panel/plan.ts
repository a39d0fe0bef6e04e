// The agent's plan, pinned above the composer: one line, which expands to the list.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewHead, ViewPlan } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { openState, setOpen } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { planContent, planSummary } from "../transcript/planContent.ts";

/** `<parley-plan>`: all plans of the session. */
export class PlanElement extends LightElement {
  static override properties = { plans: { attribute: false } };
  declare plans: ViewHead["plans"];

  protected override render(): TemplateResult {
    const { plans } = this;
    return html`${plans.map((plan, i) => {
      const name = plans.length === 1 ? t("Plan") : t("Plan {0} of {1}", i + 1, plans.length);
      return this.#plan(plan.id, plan, name);
    })}`;
  }

  #plan(id: string, plan: ViewPlan, name: string): TemplateResult {
    const open = openState(`plan:${id}`) ?? false;
    const toggle = (): void => {
      setOpen(`plan:${id}`, !open);
      this.requestUpdate();
    };
    return html`<section class="plan" aria-label=${name}>
      <button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
        ${icon(open ? "chevron-down" : "chevron-right")} ${icon("checklist")}
        <span class="ellipsis">${planSummary(plan)}</span>
      </button>
      ${open ? planContent(plan) : nothing}
    </section>`;
  }
}
