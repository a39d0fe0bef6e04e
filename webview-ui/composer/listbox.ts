// Shared by the panel's pop-up lists: keys, fuzzy matching, highlighted letters, and placement within the window.
import { html, nothing, type TemplateResult } from "lit";

/** How many rows PageUp and PageDown move. */
const pageSize = 8;

/** The new index after a key in a list of this length; undefined for other keys. Up and Down wrap around. */
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

/**
 * How well a text matches a query (a smaller rank is better), and the offsets of its matching letters in UTF-16 units.
 */
export interface LetterMatch {
  readonly rank: number;
  readonly matches: readonly number[];
}

/** Matches if the text contains all letters of the query in order. Contiguous runs and word starts rank better. */
function matchLetters(query: string, text: string): LetterMatch | undefined {
  const wanted = query.toLowerCase();
  // A lower-case text of another length would shift the offsets.
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

/** The items whose text matches, best first. Items of equal rank keep their order. */
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

/** A label with the matching letters highlighted. In a path that is too long, the folders are shortened first. */
export function matchedLabel(label: string, matches: readonly number[] = []): TemplateResult {
  const name = label.lastIndexOf("/", label.length - 2) + 1;
  return html`<span class="match-label"
    >${name > 0 ? html`<bdi class="match-folder">${markedPieces(label, matches, 0, name)}</bdi>` : nothing}<bdi
      class="match-name"
      >${markedPieces(label, matches, name, label.length)}</bdi
    ></span
  >`;
}

/** A command with its slash and the matching letters highlighted. One element, so that it is read as one word. */
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

/** Limits a list that opens upwards to the window, and scrolls its current row into view. */
export function placeAbove(popup: HTMLElement, anchor: HTMLElement): void {
  popup.style.setProperty("--room", `${Math.max(48, Math.floor(anchor.getBoundingClientRect().top) - 8)}px`);
  popup.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
}

const range = (from: number, length: number): readonly number[] => Array.from({ length }, (_, i) => from + i);
