// What the panel's pop-up lists share: keys, matching by letters, marked letters, and keeping within the window.
import { html, nothing, type TemplateResult } from "lit";

/** Rows that PageUp and PageDown walk. */
const pageSize = 8;

/** Where a key leads in a list of that length; undefined when it is no key of lists. Up and Down go round. */
export function listIndex(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return (at + 1) % length;
    case "ArrowUp":
      return (at - 1 + length) % length;
    case "PageDown":
      return Math.min(at + pageSize, length - 1);
    case "PageUp":
      return Math.max(at - pageSize, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return undefined;
  }
}

/** How well a text fits a query, smaller is better, and which of its letters do. Offsets in UTF-16 units. */
export interface LetterMatch {
  readonly rank: number;
  readonly matches: readonly number[];
}

/** Fits when all letters of the query come in the text, in their order. Whole runs and starts of words are better. */
export function matchLetters(query: string, text: string): LetterMatch | undefined {
  const wanted = query.toLowerCase();
  // Lower case of another length would shift the offsets.
  const lower = text.toLowerCase();
  const searched = lower.length === text.length ? lower : text;
  const run = searched.indexOf(wanted);
  if (run >= 0) {
    const isStart = run === 0 || !/[\p{L}\p{N}]/u.test(searched.charAt(run - 1));
    const rank = run === 0 ? 0 : isStart ? 1 : 2;
    return { rank: rank * 1000 + text.length, matches: [...wanted].length === 0 ? [] : range(run, wanted.length) };
  }
  const matches: number[] = [];
  let at = -1;
  for (const letter of wanted) {
    at = searched.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    matches.push(...range(at, letter.length));
    at += letter.length - 1;
  }
  const spread = (matches.at(-1) ?? 0) - (matches[0] ?? 0);
  return { rank: 3000 + spread, matches };
}

/** The items whose text fits, best first, those that fit alike in their own order. */
export function bestMatches<T>(
  query: string,
  items: readonly T[],
  text: (item: T) => string,
): readonly { readonly item: T; readonly matches: readonly number[] }[] {
  return items
    .flatMap(item => {
      const found = matchLetters(query, text(item));
      return found ? [{ item, ...found }] : [];
    })
    .sort((a, b) => a.rank - b.rank);
}

/** A label with the letters that matched standing out. A path that is too long loses letters in its folders first. */
export function matchedLabel(label: string, matches: readonly number[] = []): TemplateResult {
  const name = label.lastIndexOf("/", label.length - 2) + 1;
  return html`<span class="match-label"
    >${name > 0 ? html`<bdi class="match-folder">${markedPieces(label, matches, 0, name)}</bdi>` : nothing}<bdi
      class="match-name"
      >${markedPieces(label, matches, name, label.length)}</bdi
    ></span
  >`;
}

/** A command with its slash, marked alike. In one piece, so that it is spoken as one. */
export function commandLabel(name: string, matches: readonly number[]): TemplateResult {
  return html`<bdi class="match-name">/${markedPieces(name, matches, 0, name.length)}</bdi>`;
}

function markedPieces(label: string, matches: readonly number[], from: number, to: number): readonly unknown[] {
  const hits = new Set(matches);
  const out: unknown[] = [];
  for (let at = from; at < to;) {
    const isHit = hits.has(at);
    let end = at + 1;
    while (end < to && hits.has(end) === isHit) end++;
    const piece = label.slice(at, end);
    out.push(isHit ? html`<b>${piece}</b>` : piece);
    at = end;
  }
  return out;
}

/** Keeps a list that opens upward within the window, and its current row in sight. */
export function placeAbove(popup: HTMLElement, anchor: HTMLElement): void {
  popup.style.setProperty("--room", `${Math.max(48, Math.floor(anchor.getBoundingClientRect().top) - 8)}px`);
  popup.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
}

const range = (from: number, length: number): readonly number[] => Array.from({ length }, (_, i) => from + i);
