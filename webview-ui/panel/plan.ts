// The agent's plan, pinned above the composer: one line, which expands to the list. A finished plan folds with its turn,
// and can be closed.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { isPlanDone } from "../../src/session/planProgress.ts";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { openState, send, setOpen } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { planContent, planSummary } from "../transcript/planContent.ts";

type ListedPlan = ViewHead["plans"][number];

/** The keys of a plan in the saved state: whether it is open while the agent works on it, open afterwards, and closed. */
export const planKeys = (id: string): readonly [working: string, finished: string, closed: string] => [
  `plan:${id}`,
  `finishedPlan:${id}`,
  `closedPlan:${id}`,
];

/** `<parley-plan>`: all plans of the session. */
export class PlanElement extends LightElement {
  static override properties = { plans: { attribute: false }, isWorking: { attribute: false } };
  declare plans: ViewHead["plans"];
  /** Whether a turn is running. */
  declare isWorking: boolean;
  /** Called when the plan was closed that had the focus. */
  onLeave: () => void = () => {};

  constructor() {
    super();
    this.plans = [];
    this.isWorking = false;
  }

  protected override willUpdate(): void {
    // What the user did with a finished plan does not apply to the next one.
    for (const plan of this.plans.filter(each => !this.#isFinished(each))) {
      const [, finished, closed] = planKeys(plan.id);
      for (const key of [finished, closed]) if (openState(key)) setOpen(key, false);
    }
  }

  protected override render(): TemplateResult {
    const shown = this.plans.filter(plan => !this.#isFinished(plan) || !openState(planKeys(plan.id)[2]));
    return html`${shown.map((plan, i) => {
      const name = shown.length === 1 ? t("Plan") : t("Plan {0} of {1}", i + 1, shown.length);
      return this.#plan(plan, name);
    })}`;
  }

  #isFinished(plan: ListedPlan): boolean {
    return !this.isWorking && isPlanDone(plan);
  }

  #plan(plan: ListedPlan, name: string): TemplateResult {
    const [working, finished, closed] = planKeys(plan.id);
    const isFinished = this.#isFinished(plan);
    const key = isFinished ? finished : working;
    const open = openState(key) ?? false;
    const set = (changed: string, value: boolean): void => {
      setOpen(changed, value);
      this.requestUpdate();
    };
    const close = (): void => {
      set(closed, true);
      this.onLeave();
    };
    return html`<section class="plan" aria-label=${name}>
      <div class="plan-line">
        <button class="fold" dir="auto" type="button" aria-expanded=${open} @click=${() => set(key, !open)}>
          ${icon(open ? "chevron-down" : "chevron-right")} ${icon("checklist")}
          <span class="ellipsis">${planSummary(plan)}</span>
        </button>
        ${iconButton("go-to-file", { label: t("Open {0}", name), title: t("Open Plan"), onClick: () => send({ type: "openPlan", plan: plan.id }) })}
        ${isFinished ? iconButton("close", { label: t("Close {0}", name), title: t("Close"), onClick: close }) : nothing}
      </div>
      ${open ? planContent(plan) : nothing}
    </section>`;
  }
}
