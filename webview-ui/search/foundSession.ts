// A conversation with hits: its title and each line with hits, with the lines around it.
import { html, nothing, type TemplateResult } from "lit";
import type { FoundSession, SearchRow } from "../../src/panel/searchPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { formatCount, t } from "../base/l10n.ts";
import { countHits, sessionTitleText, type FoundHits, type HitPlace } from "./foundHits.ts";

/** What the user does with a conversation. */
interface FoundSessionActions {
  readonly open: (place: HitPlace) => void;
  readonly more: () => void;
}

/** Paints the conversation. */
export function foundSession(found: FoundSession, hits: FoundHits, actions: FoundSessionActions): TemplateResult {
  const { session, title, agent, updated, isDone, rows, isCut } = found;
  const shown = hits.shownRows(found);
  const left = rows.length - shown.length;
  const count = countHits([found]);
  const facts = [
    visibleText(agent),
    new Date(updated).toLocaleDateString(document.documentElement.lang || undefined, { dateStyle: "medium" }),
    ...(isDone ? [t("Done")] : []),
  ];
  const name = sessionTitleText(title);
  return html`<section class="found" aria-label=${name}>
    <h2>
      <span class="found-title" dir="auto">${name}</span>
      ${count === 0 ? nothing : html`<span class="found-count">${formatCount(count)}${isCut ? "+" : ""}</span>`}
      <span class="quiet">${facts.join(" · ")}</span>
    </h2>
    ${
      rows.length === 0
        ? place({ session, row: 0 }, hits, actions, html`<span class="hit-line">${t("Open the conversation")}</span>`)
        : shown.map((row, index) => place({ session, row: index }, hits, actions, rowLines(row)))
    }
    ${
      left === 0
        ? nothing
        : html`<button type="button" class="link found-more" @click=${actions.more}>
            ${left === 1 ? t("Show 1 more line") : t("Show {0} more lines", formatCount(left))}
          </button>`
    }
  </section>`;
}

function place(at: HitPlace, hits: FoundHits, { open }: FoundSessionActions, lines: TemplateResult): TemplateResult {
  const isSelected = hits.isSelected(at);
  return html`<button
    type="button"
    class="hit"
    data-place=${`${at.row} ${at.session}`}
    aria-current=${isSelected ? "true" : nothing}
    @click=${() => open(at)}
  >
    ${lines}
  </button>`;
}

const rowLines = ({ before, line, marks, after }: SearchRow): TemplateResult =>
  html`${before.map(contextLine)}<span class="hit-line" dir="auto">${marked(line, marks)}</span
    >${after.map(contextLine)}`;

const contextLine = (line: string): TemplateResult =>
  html`<span class="context-line quiet" dir="auto">${visibleText(line) || "\u00a0"}</span>`;

function marked(line: string, marks: SearchRow["marks"]): readonly (TemplateResult | string)[] {
  const pieces: (TemplateResult | string)[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(visibleText(line.slice(at, from)), html`<mark>${visibleText(line.slice(from, to))}</mark>`);
    at = to;
  }
  return [...pieces, visibleText(line.slice(at))];
}
