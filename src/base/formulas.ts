// Finds formulas in Markdown: `\(…\)`, `\[…\]` and `$$…$$`. A single `$` begins no formula, because it is mostly money or
// a variable. Backslashes also escape brackets, so what does not look like TeX stays text.

/** Longer formulas stay text. Characters, without the delimiters. */
export const maxFormulaLength = 2000;

/** A formula as it is written. */
export interface Formula {
  /** With its delimiters. */
  readonly raw: string;
  readonly tex: string;
}

const closings: Readonly<Record<string, string>> = { "\\(": "\\)", "\\[": "\\]", $$: "$$" };

/** Where a formula, code or an escape can begin or end. */
const markPattern = /\\[\s\S]|\$\$|`|\n[ \t]*(?=\n)/g;
const blankAtStart = /^\s/;
const blankAtEnd = /\s$/;

/**
 * The formula that begins at `start`. `before` is the character before it, if `text` does not contain it. The
 * formula contains no backtick, no other formula and no empty line.
 */
export function formulaAt(text: string, start: number, before = text.charAt(start - 1)): Formula | undefined {
  const open = text.slice(start, start + 2);
  const end = Object.hasOwn(closings, open) ? endOf(text, start, open) : undefined;
  if (typeof end !== "number") return undefined;
  const tex = text.slice(start + 2, end);
  const after = text.charAt(end + 2);
  return isFormula(open, tex, before, after) ? { raw: text.slice(start, end + 2), tex } : undefined;
}

/** Whether a formula begins at `start` whose end is missing, because more text is expected. */
export function isOpenFormula(text: string, start: number, before = text.charAt(start - 1)): boolean {
  const open = text.slice(start, start + 2);
  if (!Object.hasOwn(closings, open) || endOf(text, start, open) !== "open") return false;
  const rest = text.slice(start + 2);
  if (before === "\\" || /^[ \t]*\n[ \t]*\n/.test(rest)) return false;
  return open !== "$$" || (!/[\w$]/.test(before) && /^[^\s$]|^\s*\n/.test(rest));
}

/** The index of the closing delimiter; `"open"` if the text ends before it, `"none"` if something else stands before it. */
function endOf(text: string, start: number, open: string): number | "open" | "none" {
  const closing = closings[open];
  const limit = start + 2 + maxFormulaLength;
  const first = nextInk(text, start + 2);
  const pattern = new RegExp(markPattern);
  pattern.lastIndex = first ?? text.length;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [mark] = found;
    if (found.index > limit) return "none";
    if (mark.startsWith("\n")) {
      // An empty line is allowed directly before the end.
      const next = nextInk(text, found.index);
      if (next === undefined) break;
      return text.startsWith(closing ?? "", next) ? next : "none";
    }
    if (mark === closing) return found.index;
    if (mark === "`" || Object.hasOwn(closings, mark)) return "none";
  }
  return text.length > limit ? "none" : "open";
}

/** The index of the next character that is no white space. */
function nextInk(text: string, from: number): number | undefined {
  const ink = /\S/g;
  ink.lastIndex = from;
  return ink.exec(text)?.index;
}

function isFormula(open: string, tex: string, before: string, after: string): boolean {
  if (tex.trim() === "" || before === "\\") return false;
  const [isPaddedAtStart, isPaddedAtEnd] = [blankAtStart.test(tex), blankAtEnd.test(tex)];
  // `CO\(_2\)` is a formula, and `file\(s\)` is not.
  if (open === "\\(") return !/\w/.test(before) || /^[_^]|[\\^{}]/.test(tex);
  if (/^[ \t]*\n/.test(tex)) return true;
  // `\[optional\]` and `\[text\](address)` are brackets.
  if (open === "\\[")
    return !/[([]/.test(after) && (/[\\^{}]/.test(tex) || (isPaddedAtStart && isPaddedAtEnd && /[=<>+*/_-]/.test(tex)));
  if (/[\w$]/.test(before) || after === "$") return false;
  return isPaddedAtStart === isPaddedAtEnd && (!isPaddedAtStart || /[\\^_{}=<>+*/]/.test(tex));
}

/** A part of a text: from the first index to the one before the second. */
export type FormulaSpan = readonly [start: number, end: number];

const openingPattern = /`+|\\[\s\S]|\$\$/g;

/** Where the formulas of a text are. Code spans contain none. */
export function formulaSpans(text: string): readonly FormulaSpan[] {
  if (!/\\[([]|\$\$/.test(text)) return [];
  const spans: FormulaSpan[] = [];
  /** The lengths of backticks that have no partner in the rest of the text. */
  const single = new Set<number>();
  const pattern = new RegExp(openingPattern);
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [mark] = found;
    if (mark.startsWith("`")) {
      const end = single.has(mark.length) ? undefined : endOfCode(text, pattern.lastIndex, mark.length);
      if (end === undefined) single.add(mark.length);
      else pattern.lastIndex = end;
      continue;
    }
    const formula = formulaAt(text, found.index);
    if (!formula) continue;
    pattern.lastIndex = found.index + formula.raw.length;
    spans.push([found.index, pattern.lastIndex]);
  }
  return spans;
}

function endOfCode(text: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0].length === length) return runs.lastIndex;
  return undefined;
}
