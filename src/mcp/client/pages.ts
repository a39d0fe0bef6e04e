// Reads a list that a server sends in pages. A hostile server can repeat a cursor, or send pages without end.

/** One page, and the cursor of the next one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface PageLimits {
  readonly maxPages: number;
  readonly maxItems: number;
}

/**
 * All items of all pages, up to the limits. `isCut` if there may be more: the limits were reached, or a cursor came
 * again.
 */
export async function readPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  { maxPages, maxItems }: PageLimits,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items: more, next } = await fetchPage(cursor);
    for (const item of more) {
      if (items.length === maxItems) return { items, isCut: true };
      items.push(item);
    }
    if (next === undefined) return { items, isCut: false };
    if (seen.has(next)) return { items, isCut: true };
    seen.add(next);
    cursor = next;
  }
  return { items, isCut: true };
}
