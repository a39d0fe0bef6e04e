// What the user has decided about paths: how often, and when about a file whose changes are not known.

/** The times of decisions beyond this number are forgotten. */
const maxTimes = 5000;

export class DecidedPaths {
  readonly #counts = new Map<string, number>();
  /** In ms since the epoch. The oldest are first. */
  readonly #decidedAt = new Map<string, number>();

  /** How many decisions have been applied to the path. What was read there before the last one can be outdated. */
  countOf(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  decided(paths: Iterable<string>): void {
    for (const path of paths) this.#counts.set(path, this.countOf(path) + 1);
  }

  /**
   * When the user accepted the file, whose changes are not known, or undid them and nothing was left of the file, in ms
   * since the epoch. Older changes that are noticed later are decided on, too. Undefined if the file waits for review, and
   * if there was no such decision.
   */
  decidedAt(path: string): number | undefined {
    return this.#decidedAt.get(path);
  }

  /** The user decided on a file whose changes are not known. See {@link decidedAt}. */
  decidedWhole(path: string, time: number): void {
    this.#decidedAt.delete(path);
    this.#decidedAt.set(path, time);
    const [oldest] = this.#decidedAt.keys();
    if (this.#decidedAt.size > maxTimes && oldest !== undefined) this.#decidedAt.delete(oldest);
  }

  /** The file waits for review again. */
  waits(path: string): void {
    this.#decidedAt.delete(path);
  }
}
