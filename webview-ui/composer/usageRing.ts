// Below the composer: the usage of the context window as a ring, with its numbers and those of the turn as a tooltip.
import { formatMoney } from "../../src/base/money.ts";
import { html, nothing, svg, type TemplateResult } from "lit";
import type { TurnUsage } from "../../src/session/events.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { LightElement } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";
import { commaSeparated, twoSentences } from "../../src/base/sentences.ts";

const ringRadius = 6;

/** The keys of the head that the ring shows. */
type Usage = Pick<ViewHead, "usage" | "turnUsage">;

/** `<parley-usage>` */
export class UsageRingElement extends LightElement {
  static override properties = {
    usage: {
      attribute: false,
      hasChanged: (usage: Usage | undefined, before: Usage | undefined): boolean =>
        usage?.usage !== before?.usage || usage?.turnUsage !== before?.turnUsage,
    },
  };
  declare usage: Usage | undefined;

  protected override render(): TemplateResult | typeof nothing {
    return this.usage ? usageRing(this.usage) : nothing;
  }
}

/** A small ring that shows the context usage. Its name contains the numbers. Empty if the agent reports only the turn. */
function usageRing({ usage, turnUsage }: Usage): TemplateResult | typeof nothing {
  const lines = [...(usage ? [contextText(usage)] : []), ...(turnUsage ? turnTexts(turnUsage) : [])];
  if (lines.length === 0) return nothing;
  const share = usage ? shareOf(usage) : undefined;
  const circumference = 2 * Math.PI * ringRadius;
  return html`<span
    class="usage"
    role="img"
    tabindex="0"
    aria-label=${lines.reduce(twoSentences)}
    data-level=${(share ?? 0) >= 0.9 ? "high" : "normal"}
  >
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      ${svg`<circle class="usage-track" cx="8" cy="8" r=${ringRadius} />
        <circle class="usage-share" cx="8" cy="8" r=${ringRadius} transform="rotate(-90 8 8)" stroke-dasharray="${circumference * (share ?? 0)} ${circumference}" />`}
    </svg>
    ${share === undefined ? nothing : html`<span aria-hidden="true">${Math.round(share * 100)}%</span>`}
    <span class="usage-tip" aria-hidden="true">${lines.map(line => html`<span>${line}</span>`)}</span>
  </span>`;
}

/** Undefined if the size of the context window is not known. */
const shareOf = ({ used, size }: NonNullable<ViewHead["usage"]>): number | undefined =>
  size > 0 ? Math.min(1, Math.max(0, used / size)) : undefined;

function contextText(usage: NonNullable<ViewHead["usage"]>): string {
  const share = shareOf(usage);
  const context =
    share === undefined
      ? t("Context: {0} tokens used", formatCount(usage.used))
      : t(
          "Context: {0} of {1} tokens used ({2}%)",
          formatCount(usage.used),
          formatCount(usage.size),
          Math.round(share * 100),
        );
  return usage.cost === undefined ? context : `${context} · ${t("Cost: {0}", formatMoney(usage.cost))}`;
}

/** One line for the turn, and one for each model if there are several. */
function turnTexts(usage: TurnUsage): readonly string[] {
  const { models = [] } = usage;
  const turn = countsText(usage);
  const perModel = models.map(each => `${visibleText(each.model)}: ${countsText(each)}`);
  if (turn === "") return perModel.length === 0 ? [] : [t("This turn: {0}", perModel.join(" · "))];
  return [t("This turn: {0}", turn), ...(models.length > 1 ? perModel : [])];
}

function countsText(usage: Omit<TurnUsage, "models">): string {
  const { input, output, total, thought, cachedRead, cachedWrite } = usage;
  const counts: readonly (readonly [number | undefined, (count: string) => string])[] = [
    [input, count => t("{0} input tokens", count)],
    [output, count => t("{0} output tokens", count)],
    // The total says nothing new beside input and output.
    [input === undefined || output === undefined ? total : undefined, count => t("{0} tokens", count)],
    [thought, count => t("{0} thinking tokens", count)],
    [cachedRead, count => t("{0} cached tokens read", count)],
    [cachedWrite, count => t("{0} cached tokens written", count)],
  ];
  return commaSeparated(counts.flatMap(([count, text]) => (count ? [text(formatCount(count))] : [])));
}
