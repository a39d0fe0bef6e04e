// What a plan contains: steps, Markdown, or the address of a file. In the card of a sub-agent, and above the composer.
import { html, nothing, type TemplateResult } from "lit";
import { uriFileName } from "../../src/panel/fileNames.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewPlan } from "../../src/panel/protocol.ts";
import type { PlanEntry } from "../../src/session/events.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { fileLink, hrefLink } from "../markdown/links.ts";
import { placeholder } from "./content.ts";

/** The content of a plan, and a link to its file. */
export function planContent(plan: ViewPlan): TemplateResult {
  return html`${planBody(plan)} ${plan.file ? fileOf(plan.file) : nothing}`;
}

/** A file outside the workspace cannot be opened from the chat. */
function fileOf({ path, label, isOutside }: NonNullable<ViewPlan["file"]>): TemplateResult {
  return html`<div class="plan-file">
    ${icon("file")}
    ${
      isOutside
        ? html`<span>${visibleText(label)}</span> <span class="quiet">${t("Outside the workspace")}</span>`
        : fileLink(path, label)
    }
  </div>`;
}

function planBody({ entries, markdown, uri, kind }: ViewPlan): TemplateResult {
  if (markdown !== undefined)
    return html`<div class="plan-text" tabindex="0" role="group" aria-label=${t("Plan")}>
      <parley-markdown .content=${{ text: markdown, live: false }}></parley-markdown>
    </div>`;
  if (uri !== undefined) return html`<div class="plan-text">${hrefLink(uri, uriFileName(uri))}</div>`;
  if (kind !== undefined) return html`<div class="plan-text">${placeholder(kind)}</div>`;
  return html`<ol class="plan-entries" tabindex="0" aria-label=${t("Steps")}>
    ${entries.map(planEntry)}
  </ol>`;
}

/** "3/7 · Writing tests", or the first line of a text. */
export function planSummary({ entries, markdown, uri }: ViewPlan): string {
  if (markdown !== undefined) return firstLine(markdown);
  if (uri !== undefined) return uriFileName(uri);
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
  return html`<li dir="auto" data-status=${entry.status}>
    ${icon(statusIcon(entry.status))}
    <span
      ><span class="sr-only" dir="auto">${statusWord(entry.status)}: </span
      ><span class="plan-step">${entry.content}</span></span
    >
    ${priorityTag(entry.priority)}
  </li>`;
}

/** Medium priority is visible only to screen readers, because sighted users see that there is no tag. */
function priorityTag(priority: string): TemplateResult {
  if (priority === "high") return html`<span class="tag" dir="auto">${t("High priority")}</span>`;
  if (priority === "low") return html`<span class="tag" dir="auto">${t("Low priority")}</span>`;
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
