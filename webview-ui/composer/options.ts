// Below the composer: the agent's options in the agent's order.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { ViewOption, ViewOptionChoice } from "../../src/panel/protocol.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { optionIcons, optionLabel, optionNotes, selectorTitle, warningText } from "./optionLabel.ts";

/** An option with more choices than this gets a searchable list. */
const maxUnsearchedChoices = 15;

/** One selector, searchable list or checkbox per option. */
export function optionControls(options: readonly ViewOption[]): TemplateResult {
  return html`${options.map(option => {
    if (option.type === "boolean") return checkbox(option);
    const tooltip = selectorTitle(option, options);
    if (option.choices.length <= maxUnsearchedChoices) return selector(option, tooltip);
    return html`<parley-picker .option=${option} .tooltip=${tooltip}></parley-picker>`;
  })}`;
}

function selector(option: Extract<ViewOption, { type: "select" }>, tooltip: string): TemplateResult {
  const chosen = option.choices.find(choice => choice.value === option.value);
  const notes = optionNotes(option);
  const change = (event: Event): void =>
    send({ type: "setOption", option: option.id, value: (event.target as HTMLSelectElement).value });
  return html`<span class="option-control" ?data-warning=${option.warning} ?data-pending=${option.pending}>
    ${optionLabel(option, chosen?.name ?? option.value)}
    <select
      class="option"
      data-option=${option.id}
      aria-label=${option.name}
      aria-description=${notes ?? nothing}
      title=${tooltip}
      .value=${live(option.value)}
      @change=${change}
    >
      ${chosen ? nothing : html`<option value=${option.value} selected>${option.value}</option>`}
      ${groups(option.choices).map(([group, choices]) =>
        group === undefined
          ? choices.map(choice => choiceOption(choice, option.value))
          : html`<optgroup label=${group}>${choices.map(choice => choiceOption(choice, option.value))}</optgroup>`,
      )}
    </select>
  </span>`;
}

/** A sign for lists of the browser, which show no icons. The selector shows an icon for its own value. */
const warningSign = "\u26A0\uFE0E";

function choiceOption(choice: ViewOptionChoice, value: string): TemplateResult {
  const { name, description, warning } = choice;
  const isCurrent = choice.value === value;
  return html`<option
    value=${choice.value}
    title=${description ?? nothing}
    aria-label=${warning ? t("{0}, {1}", name, warningText()) : nothing}
    ?selected=${isCurrent}
  >
    ${warning && !isCurrent ? `${name} ${warningSign}` : name}
  </option>`;
}

/** The choices by group in the agent's order. Adjacent choices of the same group are joined. */
function groups(
  choices: readonly ViewOptionChoice[],
): readonly (readonly [string | undefined, readonly ViewOptionChoice[]])[] {
  const out: [string | undefined, ViewOptionChoice[]][] = [];
  for (const choice of choices) {
    const last = out.at(-1);
    if (last && last[0] === choice.group) last[1].push(choice);
    else out.push([choice.group, [choice]]);
  }
  return out;
}

function checkbox(option: Extract<ViewOption, { type: "boolean" }>): TemplateResult {
  const change = (event: Event): void =>
    send({ type: "setOption", option: option.id, value: (event.target as HTMLInputElement).checked });
  const notes = optionNotes(option);
  return html`<label
    class="option"
    title=${[option.description ?? option.name, notes].filter(Boolean).join("\n")}
    ?data-warning=${option.warning && option.value}
    ?data-pending=${option.pending}
  >
    <input
      type="checkbox"
      data-option=${option.id}
      aria-description=${notes ?? nothing}
      .checked=${live(option.value)}
      @change=${change}
    />${optionIcons(option)}<span class="ellipsis" dir="auto">${option.name}</span>
  </label>`;
}
