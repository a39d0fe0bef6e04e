// Some of the cases of a long table in `npm test`, and all of them in `npm run test:hostile`.
import { randomNumbers } from "./randomNumbers.ts";

/** The seed of this process. `SEED` repeats an earlier run. */
export const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Whether the tests visit every case of their tables. `ALL_CASES` is set by `npm run test:hostile`. */
export const visitsAllCases = Boolean(process.env["ALL_CASES"]);

/**
 * So many of the cases, in their order, which the seed chooses. Every case is chosen with the same probability, so that
 * repeated runs visit all of them. Prints the number and the seed.
 */
export function sample<T>(cases: readonly T[], count: number): readonly T[] {
  if (visitsAllCases || count >= cases.length) return cases;
  const chosen = chosenPlaces(cases.length, count, seed);
  console.log(`      ${count} of ${cases.length} cases, SEED=${seed}`);
  return cases.filter((_, at) => chosen.has(at));
}

/** So many different numbers below the limit, which the seed chooses. */
export function chosenPlaces(limit: number, count: number, fromSeed: number): ReadonlySet<number> {
  const random = randomNumbers(fromSeed);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(limit, count)) chosen.add(random.below(limit));
  return chosen;
}
