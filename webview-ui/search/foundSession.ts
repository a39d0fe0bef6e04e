// A conversation with hits: its title and each line with hits, with the lines around it.
import { html, nothing, type TemplateResult } from "lit";
import type { FoundSession, SearchRow } from "../../src/panel/searchPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatCount, t } from "../base/l10n.ts";
import { countHits, sessionTitleText, type FoundHits, type HitPlace } from "./foundHits.ts";

/** What the user does with a conversation. */
interface FoundSessionActions {
  readonly open: (place: HitPlace) => void;
  /** Attaches the passage at a hit to the message in the chat. */
  readonly attach: (place: HitPlace) => void;
  readonly attachAll: () => void;
  readonly more: () => void;
}

/** Paints the conversation. One of another folder can only be opened there. */
export function foundSession(found: FoundSession, hits: FoundHits, actions: FoundSessionActions): TemplateResult {
  const { session, folder, title, agent, updated, isDone, rows, isCut } = found;
  const shown = hits.shownRows(found);
  const left = rows.length - shown.length;
  const count = countHits([found]);
  const facts = [
    visibleText(agent),
    new Date(updated).toLocaleDateString(document.documentElement.lang || undefined, { dateStyle: "medium" }),
    ...(isDone ? [t("Done")] : []),
  ];
  const name = sessionTitleText(title);
  const head = html`<span class="found-title" dir="auto">${name}</span>
    ${count === 0 ? nothing : html`<span class="found-count">${formatCount(count)}${isCut ? "+" : ""}</span>`}
    <span class="quiet">${facts.join(" · ")}</span>`;
  return html`<section class="found" aria-label=${name}>
    <div class="found-head">
      ${folder ? html`<h3>${head}</h3>` : html`<h2>${head}</h2>`}
      ${folder ? nothing : attachButton(name, actions.attachAll)}
    </div>
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

const attachButton = (name: string, attach: () => void): TemplateResult =>
  html`<button
    type="button"
    class="link found-attach"
    aria-label=${t("Attach to Message: {0}", name)}
    title=${t("Attach the Whole Conversation to the Message")}
    @click=${attach}
  >
    ${icon("attach")} ${t("Attach to Message")}
  </button>`;

function place(at: HitPlace, hits: FoundHits, actions: FoundSessionActions, lines: TemplateResult): TemplateResult {
  const isSelected = hits.isSelected(at);
  const folder = hits.folderAt(at);
  const line = folder ? undefined : hits.rowAt(at)?.line;
  return html`<div class="hit-row">
    <button
      type="button"
      class="hit"
      data-place=${`${at.row} ${at.session}`}
      aria-current=${isSelected ? "true" : nothing}
      title=${folder ? t("Open the Folder {0} in a New Window", visibleText(folder.name)) : nothing}
      aria-keyshortcuts=${folder ? nothing : "Control+Enter Meta+Enter"}
      @click=${() => actions.open(at)}
    >
      ${lines}
    </button>
    ${
      line === undefined
        ? nothing
        : iconButton("attach", {
            label: t("Attach to Message: {0}", visibleText(line.trim().slice(0, maxLabelLength))),
            title: t("Attach to Message (Ctrl+Enter or ⌘Enter)"),
            action: "attach",
            onClick: () => actions.attach(at),
          })
    }
  </div>`;
}
/** The names of buttons have no more of a line. UTF-16 units. */
const maxLabelLength = 60;

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
