// The page of usage: what agents report of tokens and cost, by day, agent and model.
import { html, nothing, type TemplateResult } from "lit";
import { formatMoney } from "../../src/base/money.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import {
  usagePeriods,
  type UsageIntent,
  type UsageLine,
  type UsageMessage,
  type UsagePeriod,
  type UsageView,
} from "../../src/panel/usagePage.ts";
import { LightElement } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";

export class UsageElement extends LightElement {
  send: (intent: UsageIntent) => void = () => undefined;
  #view: UsageView | undefined;
  #outcome = "";

  /** Takes a message of the host. */
  receive(message: UsageMessage): void {
    if (message.type === "usage") this.#view = message.view;
    else this.#outcome = message.problem === undefined ? t("Exported the usage.") : visibleText(message.problem);
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const view = this.#view;
    return html`<main class="usage">
      <h1>${t("Usage")}</h1>
      <p class="quiet">
        ${t("Tokens and cost of the sessions in this workspace, as agents report them. Nothing is sent anywhere.")}
      </p>
      <div class="usage-bar">
        <select aria-label=${t("Period")} @change=${this.#choose}>
          ${usagePeriods.map(
            period => html`<option value=${period} ?selected=${period === view?.period}>${periodText(period)}</option>`,
          )}
        </select>
        <button
          type="button"
          class="secondary"
          ?disabled=${!view || view.total.turns === 0}
          @click=${() => this.send({ type: "export" })}
        >
          ${t("Export as CSV…")}
        </button>
      </div>
      <p role="status">${this.#statusText()}</p>
      ${view ? (view.total.turns === 0 ? emptyNote(view) : tables(view)) : nothing}
    </main>`;
  }

  readonly #choose = (event: Event): void => {
    this.#outcome = "";
    this.send({ type: "choose", period: (event.target as HTMLSelectElement).value as UsagePeriod });
  };

  #statusText(): string {
    if (!this.#view || this.#view.isReading) return t("Reading sessions…");
    const { unread = 0 } = this.#view;
    if (this.#outcome !== "" || unread === 0) return this.#outcome;
    return unread === 1
      ? t("1 session could not be read, so its usage is missing.")
      : t("{0} sessions could not be read, so their usage is missing.", formatCount(unread));
  }
}

function periodText(period: UsagePeriod): string {
  switch (period) {
    case "today":
      return t("Today");
    case "week":
      return t("Last 7 days");
    case "month":
      return t("Last 30 days");
    case "all":
      return t("All time");
  }
}

const emptyNote = ({ isReading }: UsageView): TemplateResult | typeof nothing =>
  isReading
    ? nothing
    : html`<p class="usage-empty">
        ${t("No usage in this period. Parley can count only tokens and cost that an agent reports, and some report none.")}
      </p>`;

function tables({ days, agents, models, total }: UsageView): TemplateResult {
  return html`${table(t("By day"), t("Day"), days, total)} ${table(t("By agent"), t("Agent"), agents)}
  ${table(t("By model"), t("Model"), models)}`;
}

function table(title: string, first: string, lines: readonly UsageLine[], total?: UsageLine): TemplateResult {
  return html`<div class="usage-scroll" role="region" tabindex="0" aria-label=${title}>
    <table>
      <caption>
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${first}</th>
          ${[t("Turns"), t("Tokens"), t("Cost")].map(name => html`<th scope="col" class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines.map(line => row(line.name === "" ? t("Not known") : visibleText(line.name), line))}
      </tbody>
      ${
        total
          ? html`<tfoot>
              ${row(t("Total"), total)}
            </tfoot>`
          : nothing
      }
    </table>
  </div>`;
}

function row(name: string, { turns, input, output, tokens, costs }: UsageLine): TemplateResult {
  const parts = t("{0} input, {1} output", formatCount(input), formatCount(output));
  return html`<tr>
    <th scope="row"><bdi>${name}</bdi></th>
    <td class="number">${formatCount(turns)}</td>
    <td class="number" title=${input + output > 0 ? parts : nothing}>${tokens > 0 ? formatCount(tokens) : "–"}</td>
    <td class="number">
      ${costs.length === 0 ? "–" : costs.map(cost => html`<div>${visibleText(formatMoney(cost))}</div>`)}
    </td>
  </tr>`;
}
