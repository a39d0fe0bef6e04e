// Limits what is kept in the state of the editor: the number of entries, and their size in bytes.

/** The limits of a list of entries. Sizes are in bytes of JSON. */
export interface EntryLimits {
  readonly count: number;
  readonly entryBytes: number;
  readonly totalBytes: number;
}

const encoder = new TextEncoder();

/** The size of a value as JSON in UTF-8 (bytes). */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length;

/** The newest entries within the limits, in their order. The oldest are first. An entry that is too large is left out. */
export function newestEntries<T>(entries: readonly T[], { count, entryBytes, totalBytes }: EntryLimits): readonly T[] {
  const kept: T[] = [];
  let total = 0;
  for (const entry of [...entries].reverse()) {
    const bytes = jsonBytes(entry);
    if (bytes > entryBytes) continue;
    if (kept.length >= count || total + bytes > totalBytes) break;
    total += bytes;
    kept.push(entry);
  }
  return kept.reverse();
}

/** The first items of a list whose JSON has at most `maxBytes`. */
export function itemsWithin<T>(items: readonly T[], maxBytes: number): readonly T[] {
  let total = "[]".length;
  const end = items.findIndex(item => (total += jsonBytes(item) + 1) > maxBytes);
  return end < 0 ? items : items.slice(0, end);
}
