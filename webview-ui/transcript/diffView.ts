// A unified diff in the panel: the operation, the counts, the lines, and a button that opens the diff editor.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ChangedFile, DiffBody, ToolPart } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatCount, t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";
import { unnamedFileLink } from "./unnamedFileLink.ts";

type Diff = Extract<ToolPart, { type: "diff" }>;

/** The diff of one file. `openDiff` is undefined if the diff editor cannot show it. `named`: its header names the file. */
export function diffView(diff: Diff, openDiff: (() => void) | undefined, named: boolean): TemplateResult {
  return html`<div class="diff" data-operation=${diff.operation}>
    <div class="part-head">
      ${headerLink(diff, named)} ${operationTag(diff.operation)} ${bodyCounts(diff)}
      ${openDiff ? iconButton("diff", { label: t("Open Diff"), onClick: openDiff }) : nothing}
    </div>
    ${diffBody(diff, diff.label, diff.operation === "add" || diff.operation === "delete" ? t("Empty file") : t("No changes"), openDiff)}
  </div>`;
}

/** A file of a patch, which the diff editor cannot show. */
export function changedFile(file: ChangedFile, named: boolean): TemplateResult {
  const { mode, diff } = file;
  return html`<li class="diff" data-operation=${file.operation}>
    <div class="part-head">
      ${file.from === undefined ? nothing : html`<span class="quiet">${visibleText(file.from)} →</span>`}
      ${headerLink(file, named)} ${operationTag(file.operation)}
      ${file.binary ? html`<span class="tag">${t("Binary")}</span>` : nothing}
      ${mode ? html`<span class="tag">${t("Mode {0} → {1}", ...mode)}</span>` : nothing}
      ${diff ? bodyCounts(diff) : nothing}
    </div>
    ${diff ? diffBody(diff, file.label, t("No changes")) : nothing}
  </li>`;
}

const headerLink = (
  { path, label }: { readonly path: string; readonly label: string },
  named: boolean,
): TemplateResult => (named ? fileLink(path, label) : unnamedFileLink(path, label));

/** "+3 −1", with a name for assistive technology. */
export function changeCounts(added: number, removed: number): TemplateResult {
  return html`<span class="counts" role="img" aria-label=${t("{0} lines added, {1} removed", added, removed)}
    ><span class="added">+${added}</span> <span class="removed">−${removed}</span></span
  >`;
}

/** The added and removed lines of all parts of a card; undefined if there are no diffs, or not all counts are known. */
export function partCounts(parts: readonly ToolPart[]): TemplateResult | undefined {
  const bodies = parts
    .flatMap(part => (part.type === "diff" ? [part] : part.type === "files" ? part.files.map(file => file.diff) : []))
    .filter(body => body !== undefined);
  const known = bodies.filter(body => body.state === undefined);
  if (known.length === 0 || known.length < bodies.length) return undefined;
  const sum = (of: (body: DiffBody) => number): number => known.reduce((total, body) => total + of(body), 0);
  return changeCounts(
    sum(body => body.added),
    sum(body => body.removed),
  );
}

const bodyCounts = (body: DiffBody): TemplateResult | typeof nothing =>
  body.state === undefined && body.added + body.removed > 0 ? changeCounts(body.added, body.removed) : nothing;

function diffBody(body: DiffBody, label: string, empty: string, openDiff?: () => void): TemplateResult {
  const { hunks, state, more, lineEnds } = body;
  if (state === "computing") {
    return html`<p class="quiet comparing">${icon("loading codicon-modifier-spin")} ${t("Comparing…")}</p>`;
  }
  if (state === "tooLarge") {
    return html`<p class="quiet">${t("This change is too large to compare here.")}</p>
      ${openDiff ? openDiffButton(openDiff) : nothing}`;
  }
  return html`${lineEnds === undefined ? nothing : html`<p class="quiet">${lineEndText(lineEnds)}</p>`}
  ${hunks.length === 0 && lineEnds === undefined ? html`<p class="quiet">${empty}</p>` : nothing}
  ${hunks.length === 0 ? nothing : html`<parley-diff-lines .body=${body} .label=${label}></parley-diff-lines>`}
  ${
    more === undefined
      ? nothing
      : html`<p class="quiet">${t("{0} more lines are not shown.", formatCount(more))}</p>
          ${openDiff ? openDiffButton(openDiff) : nothing}`
  }`;
}

const openDiffButton = (openDiff: () => void): TemplateResult =>
  html`<button class="secondary" type="button" @click=${openDiff}>${t("Open in Diff Editor")}</button>`;

function lineEndText(ends: NonNullable<DiffBody["lineEnds"]>): string {
  switch (ends) {
    case "lf":
      return t("Line endings change to LF.");
    case "crlf":
      return t("Line endings change to CRLF.");
    case "mixed":
      return t("Some line endings change.");
    default:
      ends satisfies never;
      return "";
  }
}

/** Operations that this version does not know are shown as the agent named them. */
function operationTag(operation: string): TemplateResult | typeof nothing {
  if (operation === "modify") return nothing;
  return html`<span class="tag">${operationText(operation)}</span>`;
}

function operationText(operation: string): string {
  switch (operation) {
    case "add":
      return t("New file");
    case "delete":
      return t("Deleted");
    case "move":
      return t("Moved");
    case "copy":
      return t("Copied");
    default:
      return visibleText(operation);
  }
}
