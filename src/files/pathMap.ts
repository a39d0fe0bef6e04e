// Values by path, which can also be found by a folder above them. Pure.
import { dirname } from "node:path";

/** A map by absolute paths. Finding the paths in a folder takes no longer if there are more paths elsewhere. */
export class PathMap<T> extends Map<string, T> {
  /** The paths at or below a path, by that path. */
  readonly #below = new Map<string, Set<string>>();

  override set(path: string, value: T): this {
    if (!this.has(path)) for (const folder of withFoldersAbove(path)) this.#add(folder, path);
    return super.set(path, value);
  }

  override delete(path: string): boolean {
    if (!super.delete(path)) return false;
    for (const folder of withFoldersAbove(path)) this.#remove(folder, path);
    return true;
  }

  override clear(): void {
    super.clear();
    this.#below.clear();
  }

  /** The paths at the path or in the folder at the path, in the order in which they were added. */
  atOrBelow(path: string): readonly string[] {
    return [...(this.#below.get(path) ?? [])];
  }

  #add(folder: string, path: string): void {
    const below = this.#below.get(folder);
    if (below) below.add(path);
    else this.#below.set(folder, new Set([path]));
  }

  #remove(folder: string, path: string): void {
    const below = this.#below.get(folder);
    below?.delete(path);
    if (below?.size === 0) this.#below.delete(folder);
  }
}

/** The path and all folders above it. */
function withFoldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withFoldersAbove(parent)];
}
