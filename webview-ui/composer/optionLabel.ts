// What stands before the value of an option: its name if the value says nothing, and icons for its state.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewOption } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { withKey } from "../base/keyName.ts";
import { t } from "../base/l10n.ts";
import { twoSentences } from "../../src/base/sentences.ts";

type SelectOption = Extract<ViewOption, { type: "select" }>;

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

/** The letters of the keys that change the mode and choose the model. */
const letters: Readonly<Record<string, string>> = { mode: "M", model: "E" };

/**
 * The tooltip of a selector: its name, the key if a command changes this option, the description of its value or its own,
 * and the notes. `options`: all options, because the commands take the first selector of a category.
 */
export function selectorTitle(option: SelectOption, options: readonly ViewOption[]): string {
  const { name, value, choices, category = "", description } = option;
  const chosen = choices.find(choice => choice.value === value);
  const first = options.find(each => each.type === "select" && each.category === category);
  const letter = first?.id === option.id ? letters[category] : undefined;
  const titled = letter === undefined ? name : withKey(name, letter);
  const line = [titled, chosen?.description ?? description].filter(Boolean).join(": ");
  return [line, optionNotes(option)].filter(Boolean).join("\n");
}

/** The same in words; undefined if there is nothing to say. */
export function optionNotes(option: ViewOption): string | undefined {
  const warning = option.type === "boolean" && !option.value ? t("On approves everything") : t("Approves everything");
  const notes = [option.warning ? warning : "", option.pending ? t("Pending until the agent is connected") : ""];
  return notes.filter(Boolean).reduce((all, note) => (all === "" ? note : twoSentences(all, note)), "") || undefined;
}

/** What a value is marked with that approves everything. */
export const warningText = (): string => t("approves everything");
