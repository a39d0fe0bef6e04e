// Lists in which equal items are counted. Pure.

/** The items of the list, in their order, without as many of each key as were there before. */
export function addedItems<T>(before: Iterable<string>, now: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const left = new Map<string, number>();
  for (const key of before) left.set(key, (left.get(key) ?? 0) + 1);
  return now.filter(item => {
    const key = keyOf(item);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}
