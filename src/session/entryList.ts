// The transcript's entries: an immutable list with an index by key, optimised for appending and for changes near the end.
// A plain array would be copied for every streamed chunk, and searched for every new entry.

const blockSize = 64;

/**
 * Immutable for its readers. A list and the lists appended from it share an index, which the newest list extends. A list
 * that is extended a second time makes its own index.
 */
export class EntryList<T extends { readonly id: string }> implements Iterable<T> {
  readonly length: number;
  readonly #blocks: readonly (readonly T[])[];
  readonly #index: Map<string, number>;

  private constructor(blocks: readonly (readonly T[])[], length: number, index: Map<string, number>) {
    this.#blocks = blocks;
    this.length = length;
    this.#index = index;
  }

  static of<T extends { readonly id: string }>(entries: Iterable<T> = []): EntryList<T> {
    let list = new EntryList<T>([], 0, new Map());
    for (const entry of entries) list = list.put(entry);
    return list;
  }

  /** The entries in order, in blocks. A block without a change since an earlier list is the same array as in that list. */
  get blocks(): readonly (readonly T[])[] {
    return this.#blocks;
  }

  at(position: number): T | undefined {
    const from = position < 0 ? this.length + position : position;
    return this.#blocks[Math.floor(from / blockSize)]?.[from % blockSize];
  }

  get(id: string): T | undefined {
    return this.at(this.position(id));
  }

  /** The entry's position, which never changes; NaN if there is no such entry. */
  position(id: string): number {
    const position = this.#index.get(id);
    // The index may contain entries of a newer list that was appended from this one. They are not in this list.
    if (position === undefined || position >= this.length || this.at(position)?.id !== id) return NaN;
    return position;
  }

  /** The list with the entry in place of the one with its id, or at the end if there is none. */
  put(entry: T): EntryList<T> {
    const position = this.position(entry.id);
    if (Number.isNaN(position)) return this.#append(entry);
    if (this.at(position) === entry) return this;
    const b = Math.floor(position / blockSize);
    const block = this.#blocks[b] as readonly T[];
    return new EntryList(this.#blocks.with(b, block.with(position % blockSize, entry)), this.length, this.#index);
  }

  #append(entry: T): EntryList<T> {
    const owns = this.#index.size === this.length;
    const index = owns ? this.#index : new Map([...this].map((e, i) => [e.id, i]));
    index.set(entry.id, this.length);
    const last = this.#blocks.at(-1);
    const blocks =
      last !== undefined && last.length < blockSize
        ? this.#blocks.with(-1, [...last, entry])
        : [...this.#blocks, [entry]];
    return new EntryList(blocks, this.length + 1, index);
  }

  /** The newest entry that satisfies `test`. */
  findLast(test: (entry: T) => boolean): T | undefined {
    for (let i = this.length - 1; i >= 0; i--) {
      const entry = this.at(i) as T;
      if (test(entry)) return entry;
    }
    return undefined;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const block of this.#blocks) yield* block;
  }

  toJSON(): readonly T[] {
    return [...this];
  }
}
