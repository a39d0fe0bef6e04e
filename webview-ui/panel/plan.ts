// The agent's plan, pinned above the composer: one line, which expands to the list.
import { html, nothing, type TemplateResult } from "lit";
import type { PlanEntry } from "../../src/session/events.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { openState, setOpen } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/** `<parley-plan>`: all plans of the session. */
export class PlanElement extends LightElement {
  static override properties = { plans: { attribute: false } };
  declare plans: ViewHead["plans"];

  protected override render(): TemplateResult {
    const plans = this.plans.filter(plan => plan.entries.length > 0);
    return html`${plans.map((plan, i) => {
      const name = plans.length === 1 ? t("Plan") : t("Plan {0} of {1}", i + 1, plans.length);
      return this.#plan(plan.id, plan.entries, name);
    })}`;
  }

  #plan(id: string, entries: readonly PlanEntry[], name: string): TemplateResult {
    const open = openState(`plan:${id}`) ?? false;
    const toggle = (): void => {
      setOpen(`plan:${id}`, !open);
      this.requestUpdate();
    };
    return html`<section class="plan" aria-label=${name}>
      <button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
        ${icon(open ? "chevron-down" : "chevron-right")} ${icon("checklist")}
        <span class="ellipsis">${summary(entries)}</span>
      </button>
      ${
        open
          ? html`<ol class="plan-entries" tabindex="0" aria-label=${t("Steps")}>
              ${entries.map(planEntry)}
            </ol>`
          : nothing
      }
    </section>`;
  }
}

/** "3/7 · Writing tests" */
function summary(entries: readonly PlanEntry[]): string {
  const done = entries.filter(entry => entry.status === "completed").length;
  const current =
    entries.find(entry => entry.status === "in_progress") ?? entries.find(entry => entry.status === "pending");
  return `${done}/${entries.length} · ${current?.content ?? t("Plan finished")}`;
}

function planEntry(entry: PlanEntry): TemplateResult {
  return html`<li data-status=${entry.status}>
    ${icon(statusIcon(entry.status))}
    <span><span class="sr-only">${statusWord(entry.status)}: </span>${entry.content}</span>
    ${priorityTag(entry.priority)}
  </li>`;
}

/** Medium priority is visible only to screen readers, because sighted users see that there is no tag. */
function priorityTag(priority: string): TemplateResult {
  if (priority === "high") return html`<span class="tag">${t("High priority")}</span>`;
  if (priority === "low") return html`<span class="tag">${t("Low priority")}</span>`;
  return html`<span class="sr-only">${t("Medium priority")}</span>`;
}

function statusIcon(status: string): string {
  if (status === "completed") return "pass-filled";
  if (status === "in_progress") return "sync";
  return status === "cancelled" ? "circle-slash" : "circle-large-outline";
}

function statusWord(status: string): string {
  if (status === "completed") return t("Done");
  if (status === "in_progress") return t("In progress");
  return status === "cancelled" ? t("Cancelled") : t("Open");
}
