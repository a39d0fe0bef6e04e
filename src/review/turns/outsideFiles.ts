// The files outside the workspace folders that the user allowed an agent to write. They are reviewed like the files
// inside. No watcher of the workspace reports them, so each is watched by itself.
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";

export interface OutsideFilesOptions {
  /** Watches one file. The file does not need to exist. */
  readonly watchFile: (path: string, listener: () => void) => Disposable;
  readonly onChanged: (path: string) => void;
  /** Whether the file waits for review, so that it is not given up. */
  readonly isReviewed: (path: string) => boolean;
}

/** The most files that are followed. Beyond that, the oldest that do not wait for review are given up. */
const maxFiles = 200;

export class OutsideFiles implements Disposable {
  readonly #options: OutsideFilesOptions;
  /** The watchers of the files, the file that was allowed last at the end. */
  readonly #watchers = new Map<string, DisposableStore>();

  constructor(options: OutsideFilesOptions) {
    this.#options = options;
  }

  /** The resolved paths of the files, the file that was allowed last at the end. */
  get paths(): readonly string[] {
    return [...this.#watchers.keys()];
  }

  has(path: string): boolean {
    return this.#watchers.has(path);
  }

  /** The user allowed an agent to write the file. `path`: resolved. */
  allow(path: string): void {
    const watcher = this.#watchers.get(path) ?? this.#watch(path);
    this.#watchers.delete(path);
    this.#watchers.set(path, watcher);
    if (this.#watchers.size <= maxFiles) return;
    const oldest = this.paths.find(one => one !== path && !this.#options.isReviewed(one));
    if (oldest === undefined) return;
    this.#watchers.get(oldest)?.dispose();
    this.#watchers.delete(oldest);
  }

  dispose(): void {
    for (const watcher of this.#watchers.values()) watcher.dispose();
    this.#watchers.clear();
  }

  #watch(path: string): DisposableStore {
    const watcher = new DisposableStore();
    watcher.add(this.#options.watchFile(path, () => this.#options.onChanged(path)));
    return watcher;
  }
}
