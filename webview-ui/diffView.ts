// A unified diff as the panel paints it: line numbers, signs, theme colours, and the way to the real diff editor.
import { html, nothing, type TemplateResult } from "lit";
import type { DiffHunk, DiffLine, ToolPart } from "../src/chat/protocol.ts";
import { icon } from "./element.ts";
import { t } from "./l10n.ts";
import { fileLink } from "./links.ts";

type Diff = Extract<ToolPart, { type: "diff" }>;

/** More lines than this are left to the diff editor. */
const MAX_LINES = 400;

/** The diff of one file. `openDiff` is absent where no diff editor can show it. */
export function diffView(diff: Diff, openDiff?: () => void): TemplateResult {
  const total = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return html`<div class="diff" data-operation=${diff.operation}>
    <div class="part-head">
      ${fileLink(diff.path, diff.label)} ${operationWord(diff.operation)} ${changeCounts(diff.added, diff.removed)}
      ${
        openDiff
          ? html`<button
              class="icon-button"
              type="button"
              aria-label=${t("Open Diff")}
              title=${t("Open Diff")}
              @click=${openDiff}
            >
              ${icon("diff")}
            </button>`
          : nothing
      }
    </div>
    ${diff.note === undefined ? nothing : html`<p class="quiet">${diff.note}</p>`}
    ${
      total === 0
        ? nothing
        : html`<div class="diff-lines" tabindex="0" role="group" aria-label=${t("Changes in {0}", diff.label)}>
            <div class="diff-table">${hunkLines(diff.hunks)}</div>
          </div>`
    }
    ${total > MAX_LINES ? html`<p class="quiet">${t("{0} more lines: open the diff to see them.", total - MAX_LINES)}</p>` : nothing}
  </div>`;
}

/** "+3 −1", named for assistive technology. */
export function changeCounts(added: number, removed: number): TemplateResult {
  return html`<span class="counts" role="img" aria-label=${t("{0} lines added, {1} removed", added, removed)}
    ><span class="added">+${added}</span> <span class="removed">−${removed}</span></span
  >`;
}

function operationWord(operation: Diff["operation"]): TemplateResult | typeof nothing {
  switch (operation) {
    case "add":
      return html`<span class="tag">${t("New file")}</span>`;
    case "delete":
      return html`<span class="tag">${t("Deleted")}</span>`;
    case "move":
      return html`<span class="tag">${t("Moved")}</span>`;
    case "copy":
      return html`<span class="tag">${t("Copied")}</span>`;
    case "modify":
      return nothing;
    default:
      operation satisfies never;
      return nothing;
  }
}

function hunkLines(hunks: readonly DiffHunk[]): TemplateResult[] {
  const out: TemplateResult[] = [];
  for (const [i, hunk] of hunks.entries()) {
    if (i > 0) out.push(html`<div class="diff-gap" aria-hidden="true">⋯</div>`);
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      if (out.length >= MAX_LINES) return out;
      out.push(diffLine(line, line.op === "del" ? oldLine : newLine));
      if (line.op !== "add") oldLine++;
      if (line.op !== "del") newLine++;
    }
  }
  return out;
}

const SIGNS: Readonly<Record<DiffLine["op"], string>> = { same: " ", add: "+", del: "−" };

function diffLine(line: DiffLine, number: number): TemplateResult {
  return html`<div class="diff-line ${line.op}"><span class="diff-number">${number}</span><span class="diff-sign">${SIGNS[line.op]}</span><span class="diff-text">${line.text}</span></div>`; // prettier-ignore
}
