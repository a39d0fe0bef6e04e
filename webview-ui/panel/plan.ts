// The agent's plan, pinned above the composer: one line, which expands to the list.
import { html, nothing, type TemplateResult } from "lit";
import type { Plan, PlanEntry } from "../../src/session/events.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { openState, setOpen } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { hrefLink } from "../markdown/links.ts";
import { fileName, placeholder } from "../transcript/content.ts";

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

  #plan(id: string, plan: Plan, name: string): TemplateResult {
    const open = openState(`plan:${id}`) ?? false;
    const toggle = (): void => {
      setOpen(`plan:${id}`, !open);
      this.requestUpdate();
    };
    return html`<section class="plan" aria-label=${name}>
      <button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
        ${icon(open ? "chevron-down" : "chevron-right")} ${icon("checklist")}
        <span class="ellipsis">${summary(plan)}</span>
      </button>
      ${open ? planBody(plan) : nothing}
    </section>`;
  }
}

function planBody({ entries, markdown, uri, kind }: Plan): TemplateResult {
  if (markdown !== undefined)
    return html`<div class="plan-text" tabindex="0" role="group" aria-label=${t("Plan")}>
      <parley-markdown .content=${{ text: markdown, live: false }}></parley-markdown>
    </div>`;
  if (uri !== undefined) return html`<div class="plan-text">${hrefLink(uri, fileName(uri))}</div>`;
  if (kind !== undefined) return html`<div class="plan-text">${placeholder(kind)}</div>`;
  return html`<ol class="plan-entries" tabindex="0" aria-label=${t("Steps")}>
    ${entries.map(planEntry)}
  </ol>`;
}

/** "3/7 · Writing tests", or the first line of a text. */
function summary({ entries, markdown, uri }: Plan): string {
  if (markdown !== undefined) return firstLine(markdown);
  if (uri !== undefined) return fileName(uri);
  if (entries.length === 0) return t("Plan");
  const done = entries.filter(entry => entry.status === "completed").length;
  const current =
    entries.find(entry => entry.status === "in_progress") ?? entries.find(entry => entry.status === "pending");
  return `${done}/${entries.length} · ${current?.content ?? t("Plan finished")}`;
}

function firstLine(markdown: string): string {
  const line = markdown.split("\n").find(each => each.trim() !== "") ?? "";
  return line.replace(/^\s*(?:#+|[-*]|\d+\.)\s+/, "");
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
