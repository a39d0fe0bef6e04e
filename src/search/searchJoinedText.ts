// Searches a joined text: the lines with hits, with the lines around them.
import type { SearchRow } from "../panel/searchPage.ts";
import type { EntryLines, JoinedParts } from "./joinedText.ts";

/** The lines before and after a hit. */
const linesAround = 2;
/** A longer line is cut around its first hit. UTF-16 units. */
const maxLine = 300;
/** What stays before the first hit of such a line. */
const maxLead = 60;
/** The marks of one line. */
export const maxMarks = 50;

/** The lines with hits in a joined text. */
export interface FoundRows {
  readonly rows: readonly SearchRow[];
  /** There are more lines with hits. */
  readonly isCut: boolean;
}

interface LineHits {
  readonly from: number;
  readonly end: number;
  readonly hits: [number, number][];
}

/**
 * At most `maxRows` lines with hits of the expression in a joined text. `byLine`: the expression is the user's, and finds
 * only within a line. Undefined if the lines of the entries do not fit to the text. Throws what the expression throws.
 */
export function searchJoinedText(
  { text, entries }: Pick<JoinedParts, "text" | "entries">,
  pattern: RegExp,
  byLine: boolean,
  maxRows: number,
): FoundRows | undefined {
  const places = new EntryPlaces(text, entries);
  const rows: SearchRow[] = [];
  for (const line of byLine ? hitsByLine(text, pattern) : hitsIn(text, pattern)) {
    if (rows.length >= maxRows) return { rows, isCut: true };
    const row = places.rowOf(line);
    if (!row) return undefined;
    rows.push(row);
  }
  return { rows, isCut: false };
}

/** The lines with hits of an expression that cannot match a line feed. */
function* hitsIn(text: string, pattern: RegExp): Generator<LineHits, void, void> {
  let line: LineHits | undefined;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0] === "") {
      pattern.lastIndex++;
      continue;
    }
    const at = match.index;
    if (!line || at > line.end) {
      if (line) yield line;
      const end = text.indexOf("\n", at);
      line = { from: text.lastIndexOf("\n", at) + 1, end: end < 0 ? text.length : end, hits: [] };
    }
    line.hits.push([at - line.from, at - line.from + match[0].length]);
  }
  if (line) yield line;
}

function* hitsByLine(text: string, pattern: RegExp): Generator<LineHits, void, void> {
  for (let from = 0, end = 0; from < text.length; from = end + 1) {
    end = text.indexOf("\n", from);
    if (end < 0) end = text.length;
    const hits: [number, number][] = [];
    const line = text.slice(from, end);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
      if (match[0] !== "") hits.push([match.index, match.index + match[0].length]);
      else if (match.index >= line.length) break;
      else pattern.lastIndex = match.index + ((line.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
    }
    if (hits.length > 0) yield { from, end, hits };
  }
}

/** Finds the entries of lines, which must come in order. */
class EntryPlaces {
  readonly #text: string;
  readonly #entries: readonly EntryLines[];
  /** The number of the line at `#at`, and the lines of the current entry. */
  #at = 0;
  #line = 0;
  #entry = 0;
  #firstLine = 0;
  /** The first line of all texts of the current entry. */
  #entryStart = 0;
  /** The hits in the entry before the line. */
  #nth = 0;

  constructor(text: string, entries: readonly EntryLines[]) {
    this.#text = text;
    this.#entries = entries;
  }

  /** Undefined if the lines of the entries do not fit to the text. */
  rowOf({ from, end, hits }: LineHits): SearchRow | undefined {
    for (let at = this.#text.indexOf("\n", this.#at); at >= 0 && at < from; at = this.#text.indexOf("\n", at + 1)) {
      this.#line++;
      this.#at = at + 1;
    }
    for (;;) {
      const current = this.#entries[this.#entry];
      if (!current) return undefined;
      if (this.#line < this.#firstLine + current[1]) break;
      this.#firstLine += current[1];
      this.#entry++;
      if (this.#entries[this.#entry]?.[0] === current[0]) continue;
      this.#nth = 0;
      this.#entryStart = this.#firstLine;
    }
    const [entry, lines] = this.#entries[this.#entry] ?? [0, 0];
    const nth = this.#nth;
    this.#nth += hits.length;
    const row = this.#cutLine(from, end, hits);
    const before = this.#before(from, Math.min(linesAround, this.#line - this.#firstLine));
    const after = this.#after(end, Math.min(linesAround, this.#firstLine + lines - this.#line - 1));
    const at = { entry, lineInEntry: this.#line - this.#entryStart, column: hits[0]?.[0] ?? 0 };
    return { ...at, nth, hits: hits.length, ...row, before, after };
  }

  #cutLine(from: number, end: number, hits: LineHits["hits"]): Pick<SearchRow, "line" | "marks"> {
    const first = hits[0]?.[0] ?? 0;
    const start = end - from <= maxLine ? 0 : Math.max(0, Math.min(first - maxLead, end - from - maxLine));
    const shown = this.#text.slice(from + start, Math.min(end, from + start + maxLine));
    const lead = start > 0 ? "…" : "";
    const tail = from + start + shown.length < end ? "…" : "";
    const marks = hits
      .slice(0, maxMarks)
      .filter(([at]) => at - start < shown.length)
      .map(([at, to]): [number, number] => [
        Math.max(0, at - start) + lead.length,
        Math.min(to - start, shown.length) + lead.length,
      ]);
    return { line: lead + shown + tail, marks };
  }

  #before(from: number, count: number): readonly string[] {
    const lines: string[] = [];
    for (let end = from - 1; lines.length < count && end >= 0;) {
      const start = end === 0 ? 0 : this.#text.lastIndexOf("\n", end - 1) + 1;
      lines.unshift(cut(this.#text, start, end));
      end = start - 1;
    }
    return lines;
  }

  #after(end: number, count: number): readonly string[] {
    const lines: string[] = [];
    for (let start = end + 1; lines.length < count && start < this.#text.length;) {
      const next = this.#text.indexOf("\n", start);
      const to = next < 0 ? this.#text.length : next;
      lines.push(cut(this.#text, start, to));
      start = to + 1;
    }
    return lines;
  }
}

const cut = (text: string, from: number, end: number): string =>
  end - from <= maxLine ? text.slice(from, end) : `${text.slice(from, from + maxLine)}…`;
