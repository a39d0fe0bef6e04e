// Finds files by a few letters of their names, best first, without holding up the extension host.
import * as fuzzysort from "fuzzysort";
import { foldText, maskOf, type FileIndex, type IndexEntry } from "./fileIndex.ts";

/** A file or folder that matches. */
export interface FileHit {
  readonly path: string;
  readonly name: string;
  readonly folder: boolean;
  /** Offsets in `name` that the query matches, in UTF-16 units. */
  readonly matches: readonly number[];
}

export interface FindOptions {
  /** Most hits wanted. */
  readonly limit: number;
  /** Paths used of late, newest first: they rank higher. */
  readonly recent?: readonly string[];
  /** Aborted when nobody waits for the hits any more. */
  readonly signal?: AbortSignal;
}

/** How well a path fits, before its letters are looked at closely. The smaller the better. */
type Fit = 0 | 1 | 2 | 3;
const fits = { nameHolds: 0, pathHolds: 1, nameScattered: 2, pathScattered: 3 } as const satisfies Record<string, Fit>;
/** What a fit is worth beside the score of the letters, which is from 0 to 1. */
const worth: Readonly<Record<Fit, number>> = { 0: 0.6, 1: 0.25, 2: 0.2, 3: 0 };
const recencyWorth = 0.3;
const mostRecent = 50;
/** Paths whose letters are scored for one query. The others fit worse, or are longer. */
const mostScored = 400;
/** How long the search holds the thread at a time. Milliseconds. */
const slice = 8;
/** Entries looked at between two looks at the clock. */
const stride = 512;

interface Candidates {
  readonly revision: number;
  readonly query: string;
  readonly entries: readonly IndexEntry[];
}

/** Searches one index. A query that goes on from the last one looks only at what that one found. */
export class FileSearch {
  readonly #index: FileIndex;
  readonly #prepared = new WeakMap<IndexEntry, { name?: fuzzysort.Prepared; path?: fuzzysort.Prepared }>();
  #last: Candidates | undefined;

  constructor(index: FileIndex) {
    this.#index = index;
  }

  /** The best hits, best first; none for an empty query, or when the signal aborts. */
  async find(query: string, { limit, recent = [], signal }: FindOptions): Promise<readonly FileHit[]> {
    const folded = foldText(query.trim().replaceAll("\\", "/"));
    if (folded === "") return [];
    const pace = new Pace(signal);
    const words = folded.split(/\s+/);
    const found = await this.#candidates(folded, words, pace);
    const chosen = found && (await shortestOf(found, pace));
    if (!chosen) return [];
    const ranks = new Map(recent.slice(0, mostRecent).map((path, rank) => [path, rank]));
    for (const path of ranks.keys()) {
      const entry = this.#index.get(path);
      const fit = entry && fitOf(entry, words);
      if (entry && fit !== undefined) chosen.set(entry, fit);
    }
    const scored: { readonly hit: FileHit; readonly score: number }[] = [];
    for (const [entry, fit] of chosen) {
      const rank = ranks.get(entry.path);
      const { score, matches } = this.#scored(folded, entry, fit);
      const boost = rank === undefined ? 0 : recencyWorth * (1 - rank / mostRecent);
      scored.push({ hit: hitOf(entry, matches), score: score + worth[fit] + boost });
      if (pace.isDue && !(await pace.pause())) return [];
    }
    scored.sort((a, b) => b.score - a.score || order(a.hit.path, b.hit.path));
    return scored.slice(0, limit).map(({ hit }) => hit);
  }

  async #candidates(query: string, words: readonly string[], pace: Pace): Promise<readonly Fitting[] | undefined> {
    const { revision } = this.#index;
    const last = this.#last;
    const narrows = last?.revision === revision && query.startsWith(last.query);
    const from = narrows ? last.entries : this.#index.entries();
    const mask = maskOf(words.join(""));
    const byFit = [0, 1, 2, 3].map((): Fitting => ({ entries: [], lengths: new Uint32Array(longest + 1) }));
    // In the order of the index, so that a narrowed search meets them in the same order as a full one.
    const entries: IndexEntry[] = [];
    for (let i = 0; i < from.length; i++) {
      const entry = from[i] as IndexEntry;
      const fit = (entry.mask & mask) === mask ? fitOf(entry, words) : undefined;
      if (fit !== undefined) {
        entries.push(entry);
        const fitting = byFit[fit] as Fitting;
        fitting.entries.push(entry);
        fitting.lengths[lengthOf(entry)] = (fitting.lengths[lengthOf(entry)] ?? 0) + 1;
      }
      if (i % stride === 0 && pace.isDue && !(await pace.pause())) return undefined;
    }
    // Files that came or went meanwhile are found by the next search.
    this.#last = { revision, query, entries };
    return byFit;
  }

  #scored(query: string, entry: IndexEntry, fit: Fit): { readonly score: number; readonly matches: readonly number[] } {
    const inName = fit === fits.nameHolds || fit === fits.nameScattered;
    const known = this.#prepared.get(entry) ?? {};
    this.#prepared.set(entry, known);
    const { path } = entry;
    const from = path.lastIndexOf("/") + 1;
    const target = inName
      ? (known.name ??= fuzzysort.prepare(path.slice(from)))
      : (known.path ??= fuzzysort.prepare(path));
    const result = fuzzysort.single(query, target);
    if (!result) return { score: 0, matches: [] };
    const offset = inName ? 0 : from;
    return { score: result.score, matches: result.indexes.map(at => at - offset).filter(at => at >= 0) };
  }
}

/** The time a search takes at a stretch. */
class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }
  get isDue(): boolean {
    return performance.now() - this.#since > slice;
  }
  /** Lets others run. False: nobody waits any more. */
  async pause(): Promise<boolean> {
    await new Promise(resolve => setImmediate(resolve));
    this.#since = performance.now();
    return this.#signal?.aborted !== true;
  }
}

/** The entries that fit alike, and how many there are of each length. */
interface Fitting {
  readonly entries: IndexEntry[];
  readonly lengths: Uint32Array;
}

/** Longer paths count as this long. */
const longest = 1024;
const lengthOf = (entry: IndexEntry): number => Math.min(entry.folded.length, longest);

/** What is scored: the best fitting, and of too many the shortest; sorting all would take longer than the search. */
async function shortestOf(found: readonly Fitting[], pace: Pace): Promise<Map<IndexEntry, Fit> | undefined> {
  const chosen = new Map<IndexEntry, Fit>();
  for (const [fit, { entries, lengths }] of found.entries()) {
    const left = mostScored - chosen.size;
    if (left <= 0) break;
    let limit = 0;
    let shorter = 0;
    for (; limit <= longest && shorter + (lengths[limit] ?? 0) <= left; limit++) shorter += lengths[limit] ?? 0;
    let asLong = left - shorter;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as IndexEntry;
      const length = lengthOf(entry);
      if (length < limit || (length === limit && asLong-- > 0)) chosen.set(entry, fit as Fit);
      if (i % stride === 0 && pace.isDue && !(await pace.pause())) return undefined;
    }
  }
  return chosen;
}

/** Whether every word is in the path, and how; undefined: not even with gaps. */
function fitOf({ folded, nameAt }: IndexEntry, words: readonly string[]): Fit | undefined {
  let worst: Fit = fits.nameHolds;
  for (const word of words) {
    const fit = wordFit(folded, nameAt, word);
    if (fit === undefined) return undefined;
    if (fit > worst) worst = fit;
  }
  return worst;
}

function wordFit(folded: string, nameAt: number, word: string): Fit | undefined {
  if (folded.includes(word, nameAt)) return fits.nameHolds;
  if (nameAt > 0 && folded.includes(word)) return fits.pathHolds;
  if (isScattered(folded, nameAt, word)) return fits.nameScattered;
  return nameAt > 0 && isScattered(folded, 0, word) ? fits.pathScattered : undefined;
}

function isScattered(folded: string, from: number, word: string): boolean {
  let at = from;
  for (let i = 0; i < word.length; i++) {
    at = folded.indexOf(word.charAt(i), at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function hitOf({ path, folder }: IndexEntry, matches: readonly number[]): FileHit {
  return { path, name: path.slice(path.lastIndexOf("/") + 1), folder, matches };
}

const order = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
