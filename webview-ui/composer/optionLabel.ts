// What stands before the value of an option: its name if the value says nothing, and icons for its state.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewOption } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";

/** Values that say nothing without the name of their option. Words in parentheses don't count: “Default (fast)”. */
const empty =
  /^(?:on|off|default|auto|automatic|none|normal|standard|enabled?|disabled?|yes|no|true|false|low|medium|high|x-?high|max|min|minimal|\d+)$/i;

function withoutParentheses(text: string): string {
  const [start, end] = [text.indexOf("("), text.lastIndexOf(")")];
  return start >= 0 && start < end ? text.slice(0, start) + text.slice(end + 1) : text;
}

/** The name of the option if its value says nothing, then the icons. */
export function optionLabel(option: ViewOption, valueName: string): TemplateResult {
  const saysNothing = empty.test(withoutParentheses(valueName).trim());
  // The control has the name as its label already.
  const name = html`<span class="option-name ellipsis" aria-hidden="true">${t("{0}:", option.name)}</span>`;
  return html`${saysNothing ? name : nothing}${optionIcons(option)}`;
}

/** Icons for a value that approves everything, and for one that the agent does not have yet. */
export const optionIcons = (option: ViewOption): TemplateResult =>
  html`${option.warning ? icon("warning") : nothing}${option.pending ? icon("clockface") : nothing}`;

/** The same in words; undefined if there is nothing to say. */
export function optionNotes(option: ViewOption): string | undefined {
  const warning = option.type === "boolean" && !option.value ? t("On approves everything") : t("Approves everything");
  const notes = [option.warning ? warning : "", option.pending ? t("Pending until the agent is connected") : ""];
  return notes.filter(Boolean).join(". ") || undefined;
}

/** What a value is marked with that approves everything. */
export const warningText = (): string => t("approves everything");
