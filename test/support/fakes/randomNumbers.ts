// Random numbers that a seed determines, for tests that choose their steps while they run.

/** A source of random numbers. */
export interface RandomNumbers {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number;
  /** One of the items, of which there is at least one. */
  of<T>(items: readonly T[]): T;
}

/** The same seed gives the same numbers (the generator “mulberry32”). */
export function randomNumbers(seed: number): RandomNumbers {
  let state = seed | 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    of: items => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("There is nothing to choose from.");
      return item;
    },
  };
}
