// The elements of the transcript's lines: entries, and folded runs of look-ups.
import { formatMoney } from "../../src/base/money.ts";
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ViewQuestion, ViewEntry } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { openState, updateSavedState, savedState } from "../base/vscodeApi.ts";
import { formatCount, formatDuration, t } from "../base/l10n.ts";
import { problemCounts } from "./problemCounts.ts";
import { entriesOf, countLookUps, runId, type OutlineItem, type Outline } from "./outline.ts";

/** The properties that all elements of entries share. */
export interface EntryElement extends HTMLElement {
  entry: ViewEntry;
  live: boolean;
  question?: ViewQuestion | undefined;
  requestUpdate(): void;
}

/** The DOM id of an entry or run. It does not contain the agent's id, which could collide with other DOM ids. */
function elementId(id: string): string {
  const known = elementIds.get(id) ?? `parley-entry-${elementIds.size}`;
  elementIds.set(id, known);
  return known;
}
const elementIds = new Map<string, string>();

/** The element of an entry or run; null if it is not painted. */
export const elementOf = (id: string): EntryElement | null =>
  document.getElementById(elementId(id)) as EntryElement | null;

/** Paints lines of the outline. `repaint` is called when the user opens or closes a run. */
export function entryList(items: readonly OutlineItem[], outline: Outline, repaint: () => void): TemplateResult {
  const lines = items.flatMap(item => (item.type === "run" ? runLines(item, outline) : [{ item, inRun: false }]));
  return html`${repeat(
    lines,
    ({ item }) => item.id,
    ({ item, inRun }) =>
      html`${item.type === "run" ? runHead(item, outline, repaint) : entryElement(item.id, outline, inRun)}${turnLine(
        item.type === "run" && !isRunOpen(item) ? (item.entries.at(-1) ?? "") : item.id,
        outline,
      )}`,
  )}`;
}

/** The line at the end of a finished turn. A turn that goes on after all has none. */
function turnLine(id: string, outline: Outline): TemplateResult | typeof nothing {
  const entry = outline.entry(id);
  if (!entry?.turn || ("over" in entry && entry.over)) return nothing;
  const text = turnText(entry.turn);
  const problems = problemCounts(entry);
  return html`<div class="turn-line" role="note" aria-label=${t("Finished turn")}>
    ${text}${text === "" || problems === nothing ? nothing : " · "}${problems}
  </div>`;
}

/** "12 s · 3 tool calls · 1 file · 1,234 tokens · $0.02" */
function turnText({ duration, calls, files, tokens, cost }: NonNullable<ViewEntry["turn"]>): string {
  const facts = [
    duration === undefined ? undefined : formatDuration(duration),
    calls === undefined ? undefined : calls === 1 ? t("1 tool call") : t("{0} tool calls", formatCount(calls)),
    files === undefined ? undefined : files === 1 ? t("1 file") : t("{0} files", formatCount(files)),
    tokens === undefined ? undefined : t("{0} tokens", formatCount(tokens)),
    cost && formatMoney(cost),
  ];
  return facts.filter(fact => fact !== undefined).join(" · ");
}

type LookUpRun = Extract<OutlineItem, { type: "run" }>;

function runLines(run: LookUpRun, outline: Outline): { readonly item: OutlineItem; readonly inRun: boolean }[] {
  const head = { item: run, inRun: false };
  // Unfolded runs look like ordinary entries, so that their cards stay where the reader sees them.
  if (outline.unfoldedRuns.has(run.id)) return run.entries.map(id => ({ item: { type: "entry", id }, inRun: false }));
  if (!isRunOpen(run)) return [head];
  return [head, ...run.entries.map(id => ({ item: { type: "entry" as const, id }, inRun: true }))];
}

/**
 * Whether a run is open, as the user left it. The state may be saved under any of its entries, because a run can start
 * at another entry later. An opened card keeps its run open.
 */
export function isRunOpen(run: LookUpRun): boolean {
  for (const id of run.entries) {
    const state = openState(runId(id));
    if (state !== undefined) return state;
  }
  return run.entries.some(id => openState(id) === true);
}

/** Opens or closes a run. */
export function setRunOpen(run: LookUpRun, open: boolean): void {
  const rest = Object.entries(savedState.open).filter(([id]) => !run.entries.some(entry => id === runId(entry)));
  updateSavedState({ open: { ...Object.fromEntries(rest), [run.id]: open } });
}

function runHead(run: LookUpRun, outline: Outline, repaint: () => void): TemplateResult {
  const open = isRunOpen(run);
  const toggle = (): void => {
    setRunOpen(run, !open);
    repaint();
  };
  const excluded = entriesOf(run).every(id => outline.entry(id)?.excluded);
  return html`<div class="entry look-ups" id=${elementId(run.id)} data-key=${run.id} ?data-excluded=${excluded}>
    <button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
      ${icon(open ? "chevron-down" : "chevron-right")} ${icon("search")} <span>${runText(run, outline)}</span>
    </button>
  </div>`;
}

/** "Read 14 files, searched 3 times" */
function runText(run: LookUpRun, outline: Outline): string {
  const tools = entriesOf(run).flatMap(id => outline.entry(id) ?? []);
  const { files, searches } = countLookUps(tools.filter(entry => entry.kind === "tool"));
  const read = files === 1 ? t("Read 1 file") : t("Read {0} files", formatCount(files));
  if (searches === 0) return read;
  if (files === 0) return searches === 1 ? t("Searched once") : t("Searched {0} times", formatCount(searches));
  return searches === 1 ? t("{0}, searched once", read) : t("{0}, searched {1} times", read, formatCount(searches));
}

function entryElement(id: string, outline: Outline, inRun: boolean): TemplateResult | typeof nothing {
  const entry = outline.entry(id);
  if (!entry) return nothing;
  const live = id === outline.live;
  const classes = inRun ? "entry in-run" : "entry";
  const domId = elementId(id);
  switch (entry.kind) {
    case "user":
    case "agent":
    case "thought":
      return html`<parley-message
        class=${classes}
        id=${domId}
        data-key=${id}
        .entry=${entry}
        .live=${live}
      ></parley-message>`;
    case "tool":
      return html`<parley-tool
        class=${classes}
        id=${domId}
        data-key=${id}
        .outline=${outline}
        .nested=${outline.nested(id)}
        .question=${outline.question(id)}
        .entry=${entry}
        .live=${live}
      ></parley-tool>`;
    default:
      return html`<parley-row
        class=${classes}
        id=${domId}
        data-key=${id}
        .entry=${entry}
        .live=${live}
        .current=${outline.isCurrent(id)}
      ></parley-row>`;
  }
}
