// What the user has decided about paths: how often, and when a file was accepted whose changes are not known.

/** The times of accepted files beyond this number are forgotten. */
const maxKept = 5000;

export class DecidedPaths {
  readonly #counts = new Map<string, number>();
  /** In ms since the epoch. The oldest are first. */
  readonly #keptAt = new Map<string, number>();

  /** How many decisions have been applied to the path. What was read there before the last one can be outdated. */
  countOf(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  decided(paths: Iterable<string>): void {
    for (const path of paths) this.#counts.set(path, this.countOf(path) + 1);
  }

  /**
   * When the user accepted the file, whose changes are not known, in ms since the epoch. Older changes that are noticed
   * later are accepted, too. Undefined if the file waits for review, and if the user has not accepted it.
   */
  keptAt(path: string): number | undefined {
    return this.#keptAt.get(path);
  }

  /** The user accepts a file whose changes are not known. */
  kept(path: string, time: number): void {
    this.#keptAt.delete(path);
    this.#keptAt.set(path, time);
    const [oldest] = this.#keptAt.keys();
    if (this.#keptAt.size > maxKept && oldest !== undefined) this.#keptAt.delete(oldest);
  }

  /** The file waits for review again. */
  waits(path: string): void {
    this.#keptAt.delete(path);
  }
}
