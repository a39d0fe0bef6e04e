// Finds deletions that VS Code never reports. It collects events for a while and drops a creation that is followed by a
// deletion, although the file may have been deleted before, too: whoever has read the file in between keeps its text.
import { lstat } from "node:fs/promises";
import type { Disposable } from "../base/lifecycle.ts";

/** Longer than VS Code collects events (ms). */
const lookDelay = 1000;
/** How often a file is looked for that exists although its creation was not reported. */
const maxLooks = 10;

export interface DroppedDeletionsOptions {
  /** The file is gone, and its last reported event was a deletion. */
  readonly onGone: (path: string) => void;
  /** The time between two looks (ms). */
  readonly delay?: number;
  /** The number of looks at a file that is there. */
  readonly looks?: number;
}

export class DroppedDeletions implements Disposable {
  readonly #options: DroppedDeletionsOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: DroppedDeletionsOptions) {
    this.#options = options;
  }

  /** VS Code has reported that the file was deleted. It is looked for until it is gone, or something else is reported. */
  deleted(path: string): void {
    this.#look(path, this.#options.looks ?? maxLooks);
  }

  /** VS Code has reported that the file was created or changed, so it reports the next deletion. */
  exists(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.delete(path);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #look(path: string, looks: number): void {
    this.exists(path);
    const timer = setTimeout(() => {
      void isThere(path).then(there => {
        // Something was reported meanwhile.
        if (this.#timers.get(path) !== timer) return;
        this.#timers.delete(path);
        if (!there) this.#options.onGone(path);
        else if (looks > 1) this.#look(path, looks - 1);
      });
    }, this.#options.delay ?? lookDelay);
    this.#timers.set(path, timer);
  }
}

/** What cannot be examined counts as there: its deletion would be a guess. Never rejects. */
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
  );
