// The index of the names of files and folders in the workspace, for completion. Pure. The caller fills it.

/** A file or folder, by its path relative to the workspace folder, with slashes. */
export interface IndexEntry {
  readonly path: string;
  /** The path as it is compared: lower case, without accents. */
  readonly folded: string;
  /** The start of the name in `folded`. */
  readonly nameAt: number;
  /** One bit for each kind of character in `folded`. An entry that lacks a bit of a query cannot match it. */
  readonly mask: number;
  readonly folder: boolean;
}

/** Text as it is compared: lower case, without accents. */
export function foldText(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The kinds of characters in a folded text, as bits. */
export function maskOf(folded: string): number {
  let mask = 0;
  for (let i = 0; i < folded.length; i++) {
    const code = folded.charCodeAt(i);
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) mask |= 1 << 26;
    else if (code > 127) mask |= 1 << 27;
    else mask |= 1 << (28 + (code & 3));
  }
  return mask;
}

/**
 * All entries whose folded path has the same length. The compared data, including the characters, is stored
 * contiguously. Reading it from each entry's own place in memory takes several times as long.
 */
export class LengthBucket {
  /** The length of each folded path, in UTF-16 code units. */
  readonly length: number;
  readonly entries: IndexEntry[] = [];
  #masks = new Int32Array(4);
  #chars: Uint16Array;

  constructor(length: number) {
    this.length = length;
    this.#chars = new Uint16Array(4 * length);
  }

  /** The masks of the entries, possibly followed by unused capacity. The array is replaced when it has to grow. */
  get masks(): Int32Array {
    return this.#masks;
  }
  /** The folded paths of the entries, one after the other. */
  get chars(): Uint16Array {
    return this.#chars;
  }

  /** Returns the position of the entry. */
  add(entry: IndexEntry): number {
    const at = this.entries.length;
    if (at === this.#masks.length) {
      const [masks, chars] = [this.#masks, this.#chars];
      this.#masks = new Int32Array(2 * at);
      this.#masks.set(masks);
      this.#chars = new Uint16Array(2 * at * this.length);
      this.#chars.set(chars);
    }
    this.entries.push(entry);
    this.#masks[at] = entry.mask;
    for (let i = 0; i < this.length; i++) this.#chars[at * this.length + i] = entry.folded.charCodeAt(i);
    return at;
  }

  /** Moves the last entry into the gap. Returns the entry that moved, if any. */
  removeAt(at: number): IndexEntry | undefined {
    const last = this.entries.pop();
    const from = this.entries.length;
    if (last === undefined || at === from) return undefined;
    this.entries[at] = last;
    this.#masks[at] = last.mask;
    this.#chars.copyWithin(at * this.length, from * this.length, (from + 1) * this.length);
    return last;
  }
}

interface StoredEntry extends IndexEntry {
  /** The listing that last saw the entry. */
  run: number;
  /** The number of files in a folder. */
  files: number;
  shelf: LengthBucket;
  place: number;
}

/** Grows and shrinks file by file. Folders exist as long as they contain files. */
export class FileIndex {
  readonly #files = new Map<string, StoredEntry>();
  readonly #folders = new Map<string, StoredEntry>();
  readonly #byLength = new Map<number, LengthBucket>();
  #buckets: readonly LengthBucket[] = [];
  #revision = 0;
  #run = 0;

  /** Differs after every change. */
  get revision(): number {
    return this.#revision;
  }
  get size(): number {
    return this.#files.size;
  }

  /** Every file and folder, the shortest paths first. Later changes appear in the same buckets. */
  get buckets(): readonly LengthBucket[] {
    return this.#buckets;
  }

  get(path: string): IndexEntry | undefined {
    return this.#files.get(path) ?? this.#folders.get(path);
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Starts a new listing of everything. {@link endListing} removes files that were not added since. */
  beginListing(): number {
    return ++this.#run;
  }

  /** Adds a file. `path` is relative and uses slashes. */
  add(path: string): void {
    const known = this.#files.get(path);
    if (known) {
      known.run = this.#run;
      return;
    }
    this.#files.set(path, this.#addEntry(path, false));
    for (const folder of foldersOf(path)) {
      const count = this.#folders.get(folder);
      if (count) count.files++;
      else this.#folders.set(folder, this.#addEntry(folder, true));
    }
  }

  /** Removes files and folders, including the contents of the folders. */
  remove(paths: readonly string[]): void {
    const beneath: string[] = [];
    for (const path of paths) {
      if (this.#files.has(path)) this.#removeFile(path);
      else if (this.#folders.has(path)) beneath.push(`${path}/`);
    }
    if (beneath.length === 0) return;
    for (const path of [...this.#files.keys()])
      if (beneath.some(start => path.startsWith(start))) this.#removeFile(path);
  }

  /** Removes the files with `prefix` that were not added since the listing started. */
  endListing(run: number, prefix = ""): void {
    for (const { path, run: seen } of [...this.#files.values()]) {
      if (seen < run && path.startsWith(prefix)) this.#removeFile(path);
    }
  }

  #removeFile(path: string): void {
    const known = this.#files.get(path);
    if (!known) return;
    this.#files.delete(path);
    this.#removeEntry(known);
    for (const folder of foldersOf(path)) {
      const count = this.#folders.get(folder);
      if (!count || --count.files > 0) continue;
      this.#folders.delete(folder);
      this.#removeEntry(count);
    }
  }

  #addEntry(path: string, folder: boolean): StoredEntry {
    this.#revision++;
    const folded = foldText(path);
    const shelf = this.#bucketFor(folded.length);
    const nameAt = folded.lastIndexOf("/") + 1;
    const entry = { path, folded, nameAt, mask: maskOf(folded), folder, run: this.#run, files: 1, shelf, place: 0 };
    entry.place = shelf.add(entry);
    return entry;
  }

  #removeEntry({ shelf, place }: StoredEntry): void {
    this.#revision++;
    const moved = shelf.removeAt(place) as StoredEntry | undefined;
    if (moved) moved.place = place;
  }

  #bucketFor(length: number): LengthBucket {
    const known = this.#byLength.get(length);
    if (known) return known;
    const shelf = new LengthBucket(length);
    this.#byLength.set(length, shelf);
    this.#buckets = [...this.#buckets, shelf].sort((a, b) => a.length - b.length);
    return shelf;
  }
}

function* foldersOf(path: string): Iterable<string> {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
}
