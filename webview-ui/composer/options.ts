// Below the composer: the agent's options in the agent's order, and the usage of the context window.
import { html, nothing, svg, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { OptionChoice, SessionOption } from "../../src/session/events.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { send } from "../base/vscodeApi.ts";
import { formatCount, t } from "../base/l10n.ts";

/** An option with more choices than this gets a searchable list. */
const maxUnsearchedChoices = 15;

/** One selector, searchable list or checkbox per option. */
export function optionControls(options: readonly SessionOption[]): TemplateResult {
  return html`${options.map(option => {
    if (option.type === "boolean") return checkbox(option);
    if (option.choices.length <= maxUnsearchedChoices) return selector(option);
    return html`<parley-picker .option=${option}></parley-picker>`;
  })}`;
}

function selector(option: Extract<SessionOption, { type: "select" }>): TemplateResult {
  const chosen = option.choices.find(choice => choice.value === option.value);
  const title = [option.name, chosen?.description ?? option.description].filter(Boolean).join(": ");
  const change = (event: Event): void =>
    send({ type: "setOption", option: option.id, value: (event.target as HTMLSelectElement).value });
  return html`<select
    class="option"
    aria-label=${option.name}
    title=${title}
    .value=${live(option.value)}
    @change=${change}
  >
    ${chosen ? nothing : html`<option value=${option.value} selected>${option.value}</option>`}
    ${groups(option.choices).map(([group, choices]) =>
      group === undefined
        ? choices.map(choice => choiceOption(choice, option.value))
        : html`<optgroup label=${group}>${choices.map(choice => choiceOption(choice, option.value))}</optgroup>`,
    )}
  </select>`;
}

function choiceOption(choice: OptionChoice, value: string): TemplateResult {
  return html`<option value=${choice.value} title=${choice.description ?? nothing} ?selected=${choice.value === value}>
    ${choice.name}
  </option>`;
}

/** The choices by group in the agent's order. Adjacent choices of the same group are joined. */
function groups(choices: readonly OptionChoice[]): readonly (readonly [string | undefined, readonly OptionChoice[]])[] {
  const out: [string | undefined, OptionChoice[]][] = [];
  for (const choice of choices) {
    const last = out.at(-1);
    if (last && last[0] === choice.group) last[1].push(choice);
    else out.push([choice.group, [choice]]);
  }
  return out;
}

function checkbox(option: Extract<SessionOption, { type: "boolean" }>): TemplateResult {
  const change = (event: Event): void =>
    send({ type: "setOption", option: option.id, value: (event.target as HTMLInputElement).checked });
  return html`<label class="option" title=${option.description ?? option.name}>
    <input type="checkbox" .checked=${live(option.value)} @change=${change} /><span class="ellipsis"
      >${option.name}</span
    >
  </label>`;
}

const ringRadius = 6;

/** A small ring that shows the context usage. Its name contains the numbers. */
export function usageRing(usage: ViewHead["usage"]): TemplateResult | typeof nothing {
  if (usage === null) return nothing;
  const share = usage.size > 0 ? Math.min(1, Math.max(0, usage.used / usage.size)) : 0;
  const circumference = 2 * Math.PI * ringRadius;
  const words = usageText(usage, share);
  return html`<span
    class="usage"
    role="img"
    tabindex="0"
    aria-label=${words}
    data-level=${share >= 0.9 ? "high" : "normal"}
  >
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      ${svg`<circle class="usage-track" cx="8" cy="8" r=${ringRadius} />
        <circle class="usage-share" cx="8" cy="8" r=${ringRadius} transform="rotate(-90 8 8)" stroke-dasharray="${circumference * share} ${circumference}" />`}
    </svg>
    <span aria-hidden="true">${Math.round(share * 100)}%</span>
    <span class="usage-tip" aria-hidden="true">${words}</span>
  </span>`;
}

function usageText(usage: NonNullable<ViewHead["usage"]>, share: number): string {
  const context =
    usage.size > 0
      ? t(
          "Context: {0} of {1} tokens used ({2}%)",
          formatCount(usage.used),
          formatCount(usage.size),
          Math.round(share * 100),
        )
      : t("Context: {0} tokens used", formatCount(usage.used));
  return usage.cost === undefined
    ? context
    : `${context} · ${t("Cost: {0}", formatMoney(usage.cost.amount, usage.cost.currency))}`;
}

function formatMoney(amount: number, currency: string): string {
  // Intl throws for strings that are not currency codes.
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`;
  return amount.toLocaleString(undefined, { style: "currency", currency, maximumFractionDigits: 4 });
}
