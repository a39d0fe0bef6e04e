// Cuts large results of tools, with a way to get the rest: lists by `offset`, texts by line. Pure.

/** What one result has at most, in characters of JSON or text: about 10,000 tokens. */
export const maxResultLength = 40_000;
/** The items of one page of a list. */
export const maxPageItems = 200;

/** A part of a list. */
export interface ResultPage<T> {
  readonly items: readonly T[];
  /** The number of items of the whole list. */
  readonly total: number;
  /** The offset of the next page. Absent on the last one. */
  readonly nextOffset?: number;
}

interface PagePlace {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** The page of a list that begins at `offset`. It has at least one item, so that a caller always gets on. */
export const resultPage = <T>(all: readonly T[], place: PagePlace, maxLength = maxResultLength): ResultPage<T> =>
  madePage(all, place, item => item, maxLength);

/** The same of a list whose items are made only for the page, because each takes work. */
export function madePage<S, T>(
  all: readonly S[],
  { offset = 0, limit = maxPageItems }: PagePlace,
  make: (source: S) => T,
  maxLength = maxResultLength,
): ResultPage<T> {
  const items: T[] = [];
  let length = 0;
  for (const source of all.slice(offset, offset + Math.min(limit, maxPageItems))) {
    const item = make(source);
    length += (JSON.stringify(item) ?? "").length + 1;
    if (items.length > 0 && length > maxLength) break;
    items.push(item);
  }
  const next = offset + items.length;
  return { items, total: all.length, ...(next < all.length && items.length > 0 && { nextOffset: next }) };
}

/** Whole lines of a text. */
export interface LinesPage {
  readonly text: string;
  /** The number of lines. */
  readonly count: number;
  /** The last line is longer than a result can be, so its end is missing. */
  readonly isLineCut: boolean;
  /** There are lines after these. */
  readonly hasMore: boolean;
}

/** The first `limit` lines of a text that fit into a result. */
export function linesPage(text: string, limit: number, maxLength = maxResultLength): LinesPage {
  let end = 0;
  let count = 0;
  while (end < text.length && count < limit) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    if (next > maxLength) {
      if (count > 0) break;
      return { text: wholeCharacters(text, maxLength), count: 1, isLineCut: true, hasMore: next < text.length };
    }
    end = next;
    count++;
  }
  return { text: text.slice(0, end), count, isLineCut: false, hasMore: end < text.length };
}

/** How many lines of the text the page shows whole. Unlimited at the end of the text, where removed lines show too. */
export const shownLines = ({ count, isLineCut, hasMore }: LinesPage): number =>
  isLineCut ? 0 : hasMore ? count : Number.POSITIVE_INFINITY;

/** The beginning of a text, without half of a character at its end. */
export function wholeCharacters(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}
