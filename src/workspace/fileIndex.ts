// The files and folders of the workspace by name: what completion searches. Pure; somebody else feeds it.

/** A file or folder, by its path from the workspace's root, with slashes. */
export interface IndexEntry {
  readonly path: string;
  /** The path as it is compared: lower case, without accents. */
  readonly folded: string;
  /** Where the name begins in `folded`. */
  readonly nameAt: number;
  /** A bit for each kind of character in `folded`: what lacks one of a query's cannot match it. */
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

/** Entries, and their masks side by side, so that most need not be touched to be passed over. */
export interface IndexList {
  readonly entries: readonly IndexEntry[];
  readonly masks: Int32Array;
}

/** With more that came and went the list is made anew. */
const mostBrought = 200;

interface Known extends IndexEntry {
  /** The run that saw it last. */
  run: number;
}

/** Grows and shrinks file by file; folders come and go with the files in them. */
export class FileIndex {
  readonly #files = new Map<string, Known>();
  readonly #folders = new Map<string, { readonly entry: IndexEntry; files: number }>();
  #all: IndexList | undefined;
  /** What came and went since the list was made. */
  #came = new Set<IndexEntry>();
  #went = new Set<IndexEntry>();
  #revision = 0;
  #run = 0;

  /** Changes with every change. */
  get revision(): number {
    return this.#revision;
  }
  get size(): number {
    return this.#files.size;
  }

  /** Every file and folder, those with short paths first. The same list until something changes. */
  entries(): IndexList {
    if (this.#all && this.#came.size + this.#went.size > 0) this.#all = this.#brought(this.#all);
    this.#all ??= byLength([...this.#files.values(), ...[...this.#folders.values()].map(({ entry }) => entry)]);
    this.#came.clear();
    this.#went.clear();
    return this.#all;
  }

  /** The list with what came and went since; undefined where to make it anew takes no longer. */
  #brought(list: IndexList): IndexList | undefined {
    if (this.#came.size + this.#went.size > mostBrought) return undefined;
    const entries = [...list.entries];
    const masks = new Int32Array(entries.length + this.#came.size);
    masks.set(list.masks);
    for (const entry of this.#went) {
      const at = entries.indexOf(entry, firstAsLong(entries, entry));
      if (at < 0) return undefined;
      entries.splice(at, 1);
      masks.copyWithin(at, at + 1);
    }
    for (const entry of this.#came) {
      const at = firstAsLong(entries, entry);
      masks.copyWithin(at + 1, at, entries.length);
      masks[at] = entry.mask;
      entries.splice(at, 0, entry);
    }
    return { entries, masks: masks.subarray(0, entries.length) };
  }

  get(path: string): IndexEntry | undefined {
    return this.#files.get(path) ?? this.#folders.get(path)?.entry;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Begins to list everything anew: {@link endRun} drops what was not added since. */
  beginRun(): number {
    return ++this.#run;
  }

  /** Adds a file. `path` uses slashes and is relative. */
  add(path: string): void {
    const known = this.#files.get(path);
    if (known) {
      known.run = this.#run;
      return;
    }
    const entry = { ...entryOf(path, false), run: this.#run };
    this.#files.set(path, entry);
    this.#comes(entry);
    for (const folder of foldersOf(path)) {
      const count = this.#folders.get(folder);
      if (count) count.files++;
      else {
        const made = entryOf(folder, true);
        this.#folders.set(folder, { entry: made, files: 1 });
        this.#comes(made);
      }
    }
  }

  /** Removes files and folders, with all that lies in them. */
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

  /** Drops the files that begin with `prefix` and were not added since the run began. */
  endRun(run: number, prefix = ""): void {
    for (const { path, run: seen } of [...this.#files.values()]) {
      if (seen < run && path.startsWith(prefix)) this.#removeFile(path);
    }
  }

  #removeFile(path: string): void {
    const known = this.#files.get(path);
    if (!known) return;
    this.#files.delete(path);
    this.#goes(known);
    for (const folder of foldersOf(path)) {
      const count = this.#folders.get(folder);
      if (!count || --count.files > 0) continue;
      this.#folders.delete(folder);
      this.#goes(count.entry);
    }
  }

  #comes(entry: IndexEntry): void {
    this.#revision++;
    if (this.#all) this.#came.add(entry);
  }

  #goes(entry: IndexEntry): void {
    this.#revision++;
    // What came and went between two searches is in no list.
    if (this.#all && !this.#came.delete(entry)) this.#went.add(entry);
  }
}

function entryOf(path: string, folder: boolean): IndexEntry {
  const folded = foldText(path);
  return { path, folded, nameAt: folded.lastIndexOf("/") + 1, mask: maskOf(folded), folder };
}

function* foldersOf(path: string): Iterable<string> {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at);
}

/** Longer paths count as this long. */
const longest = 1024;

const lengthOf = (entry: IndexEntry): number => Math.min(entry.folded.length, longest);

/** Where the first entry stands that is no shorter; few of them are looked at. */
function firstAsLong(entries: readonly IndexEntry[], entry: IndexEntry): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lengthOf(entries[middle] as IndexEntry) < lengthOf(entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorted by length, in time that grows with the count alone; what is as long keeps its order. */
function byLength(entries: readonly IndexEntry[]): IndexList {
  const starts = new Uint32Array(longest + 2);
  for (const entry of entries) starts[lengthOf(entry) + 1] = (starts[lengthOf(entry) + 1] ?? 0) + 1;
  for (let length = 1; length < starts.length; length++) {
    starts[length] = (starts[length] ?? 0) + (starts[length - 1] ?? 0);
  }
  const sorted = [...entries];
  const masks = new Int32Array(entries.length);
  for (const entry of entries) {
    const at = starts[lengthOf(entry)] ?? 0;
    starts[lengthOf(entry)] = at + 1;
    sorted[at] = entry;
    masks[at] = entry.mask;
  }
  return { entries: sorted, masks };
}
