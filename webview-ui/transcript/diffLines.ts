// The lines of a diff with line numbers for both sides, and the changed words highlighted. Painted in steps, because
// thousands of lines would block the panel.
import { html, nothing, type TemplateResult } from "lit";
import type { DiffBody, DiffHunk, DiffLine, ColumnRanges } from "../../src/panel/protocol.ts";
import { LightElement, roveTabStop } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";

/** How many lines are painted first, and how many more per step. */
const linesPerStep = 400;

/** `<parley-diff-lines>`: the hunks of one file. */
export class DiffLinesElement extends LightElement {
  static override properties = { body: { attribute: false }, label: { attribute: false }, shown: { state: true } };
  declare body: DiffBody;
  /** The displayed name of the file. */
  declare label: string;
  declare shown: number;

  constructor() {
    super();
    this.shown = linesPerStep;
  }

  protected override updated(): void {
    const card = this.closest<HTMLElement>("parley-tool, .question");
    if (card) roveTabStop(card);
  }

  protected override render(): TemplateResult {
    const { hunks, unplaced } = this.body;
    const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    const left = total - this.shown;
    return html`<div class="diff-lines" tabindex="0" role="group" aria-label=${t("Changes in {0}", this.label)}>
        <div class="diff-table" data-digits=${unplaced ? nothing : numberWidth(hunks)}>
          ${hunkLines(this.body, this.shown)}
        </div>
      </div>
      ${left > 0 ? html`<button class="secondary" type="button" @click=${() => this.#more()}>${moreText(left)}</button>` : nothing}`;
  }

  #more(): void {
    this.shown += linesPerStep;
  }
}

const moreText = (left: number): string =>
  left > linesPerStep
    ? t("Show {0} More Lines ({1} remaining)", linesPerStep, formatCount(left))
    : t("Show {0} More Lines", left);

/** How many digits the line numbers have. */
function numberWidth(hunks: readonly DiffHunk[]): number {
  const last = hunks.at(-1);
  return last ? String(Math.max(last.oldStart, last.newStart) + last.lines.length).length : 1;
}

function hunkLines({ hunks, unplaced }: DiffBody, limit: number): TemplateResult[] {
  const out: TemplateResult[] = [];
  let end: number | undefined;
  let left = limit;
  for (const hunk of hunks) {
    if (left <= 0) break;
    if (end !== undefined) out.push(gapRow(hunk.oldStart - end));
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines.slice(0, left)) {
      out.push(diffLine(line, unplaced ? nothing : lineNumbers(line.op, oldLine, newLine)));
      if (line.op !== "add") oldLine++;
      if (line.op !== "del") newLine++;
    }
    left -= hunk.lines.length;
    end = oldLine;
  }
  return out;
}

function gapRow(lines: number): TemplateResult {
  const words = lines === 1 ? t("1 unchanged line") : t("{0} unchanged lines", formatCount(lines));
  return html`<div class="diff-gap"><span aria-hidden="true">⋯</span> ${lines > 0 ? words : nothing}</div>`;
}

const signs: Readonly<Record<DiffLine["op"], string>> = { same: " ", add: "+", del: "−" };

const lineNumbers = (op: DiffLine["op"], oldLine: number, newLine: number): TemplateResult =>
  html`<span class="diff-number old">${op === "add" ? nothing : oldLine}</span><span class="diff-number new">${op === "del" ? nothing : newLine}</span>`; // prettier-ignore

function diffLine(line: DiffLine, numbers: TemplateResult | typeof nothing): TemplateResult {
  const { op } = line;
  return html`<div class="diff-line ${op}">${numbers}<span class="diff-sign" aria-hidden="true">${signs[op]}</span>${screenReaderLabel(op)}<span class="diff-text">${textOf(line)}</span>${asides(line)}</div>`; // prettier-ignore
}

function screenReaderLabel(op: DiffLine["op"]): TemplateResult | typeof nothing {
  if (op === "same") return nothing;
  return html`<span class="sr-only">${op === "add" ? t("added:") : t("removed:")}</span>`;
}

function textOf({ op, text, marks = [] }: DiffLine): string | (string | TemplateResult)[] {
  if (marks.length === 0) return text;
  const out: (string | TemplateResult)[] = [];
  let at = 0;
  for (const [from, to] of marks satisfies ColumnRanges) {
    out.push(text.slice(at, from));
    const word = text.slice(from, to);
    out.push(op === "add" ? html`<ins>${word}</ins>` : html`<del>${word}</del>`);
    at = to;
  }
  out.push(text.slice(at));
  return out;
}

/** Notes after a line: how much of it is not shown, and a missing newline at the end of the file. */
function asides({ cut, noEnd }: DiffLine): TemplateResult | typeof nothing {
  if (cut === undefined && !noEnd) return nothing;
  return html`${cut === undefined ? nothing : html`<span class="diff-aside">${t("… {0} more characters", formatCount(cut))}</span>`}${noEnd ? html`<span class="diff-aside">${t("No newline at end of file")}</span>` : nothing}`; // prettier-ignore
}
