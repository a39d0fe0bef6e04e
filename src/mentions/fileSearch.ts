// Finds files by a few letters of their names, best first, without holding up the extension host.
import * as fuzzysort from "fuzzysort";
import { foldText, maskOf, type FileIndex, type IndexEntry, type LengthBucket } from "./fileIndex.ts";

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
const fitWeights: Readonly<Record<Fit, number>> = { 0: 0.6, 1: 0.25, 2: 0.2, 3: 0 };
const recencyWeight = 0.3;
const maxRecent = 50;
/** Paths whose letters are scored for one query. The others fit worse, or are longer. */
const maxScored = 400;
/** How long the search holds the thread at a time. Milliseconds. */
const maxSliceTime = 8;
/** Entries looked at between two looks at the clock. */
const batchSize = 512;

interface Candidates {
  readonly revision: number;
  readonly query: string;
  readonly entries: readonly IndexEntry[];
}

/** Searches one index. A query that goes on from the last one looks only at what that one found. */
export class FileSearch {
  readonly #index: FileIndex;
  readonly #now: () => number;
  readonly #prepared = new WeakMap<IndexEntry, { name?: fuzzysort.Prepared; path?: fuzzysort.Prepared }>();
  #last: Candidates | undefined;

  /** `now` measures how long a search has held the thread, in milliseconds. */
  constructor(index: FileIndex, now: () => number = () => performance.now()) {
    this.#index = index;
    this.#now = now;
  }

  /** The best hits, best first; none for an empty query, or when the signal aborts. */
  async find(query: string, { limit, recent = [], signal }: FindOptions): Promise<readonly FileHit[]> {
    const folded = foldText(query.trim().replaceAll("\\", "/"));
    if (folded === "") return [];
    const pace = new TimeSlice(this.#now, signal);
    const words = folded.split(/\s+/);
    const found = await this.#candidates(folded, words, pace);
    if (!found) return [];
    const chosen = bestFitting(found);
    const sought = words.map(wordOf);
    const ranks = new Map(recent.slice(0, maxRecent).map((path, rank) => [path, rank]));
    for (const path of ranks.keys()) {
      const entry = this.#index.get(path);
      const fit = entry && fitOf(entry, sought);
      if (entry && fit !== undefined) chosen.set(entry, fit);
    }
    if (pace.isDue && !(await pace.pause())) return [];
    const scores = this.#scores(folded, [...chosen]);
    const scored = [...chosen].map(([entry, fit]) => {
      const rank = ranks.get(entry.path);
      const { score, matches } = scores.get(entry) ?? { score: 0, matches: [] };
      const boost = rank === undefined ? 0 : recencyWeight * (1 - rank / maxRecent);
      return { hit: hitOf(entry, matches), score: score + fitWeights[fit] + boost };
    });
    scored.sort((a, b) => b.score - a.score || byLengthThenName(a.hit.path, b.hit.path));
    return scored.slice(0, limit).map(({ hit }) => hit);
  }

  /** What fits, by how it does, short paths first; no more than are scored, once so many fit best. */
  async #candidates(
    query: string,
    words: readonly string[],
    pace: TimeSlice,
  ): Promise<readonly IndexEntry[][] | undefined> {
    const { revision } = this.#index;
    const last = this.#last;
    const narrows = last?.revision === revision && query.startsWith(last.query);
    const scan = new Scan(words);
    const steps = narrows ? scan.list(last.entries) : scan.shelves(this.#index.buckets);
    for (const isEnough of steps) {
      // What comes later is longer and fits no better. It is not known then, so nothing is narrowed to what fits.
      if (isEnough) return scan.byFit;
      if (pace.isDue && !(await pace.pause())) return undefined;
    }
    // Files that came or went meanwhile are found by the next search.
    this.#last = { revision, query, entries: scan.fitting };
    return scan.byFit;
  }

  /** Each entry's letters looked at closely: those of the name, or of the path where the name alone does not fit. */
  #scores(query: string, chosen: readonly (readonly [IndexEntry, Fit])[]): ReadonlyMap<IndexEntry, Scored> {
    const scores = new Map<IndexEntry, Scored>();
    for (const inName of [true, false]) {
      const entries = chosen
        .filter(([, fit]) => (fit === fits.nameHolds || fit === fits.nameScattered) === inName)
        .map(([entry]) => entry);
      const key = (entry: IndexEntry): fuzzysort.Prepared => this.#target(entry, inName);
      // All at once: the query is taken apart for each call.
      for (const { obj, score, indexes } of fuzzysort.go(query, entries, { key, limit: 0, threshold: 0 })) {
        const offset = inName ? 0 : obj.path.lastIndexOf("/") + 1;
        scores.set(obj, { score, matches: indexes.map(at => at - offset).filter(at => at >= 0) });
      }
    }
    return scores;
  }

  #target(entry: IndexEntry, inName: boolean): fuzzysort.Prepared {
    const known = this.#prepared.get(entry) ?? {};
    this.#prepared.set(entry, known);
    const { path } = entry;
    if (!inName) return (known.path ??= fuzzysort.prepare(path));
    return (known.name ??= fuzzysort.prepare(path.slice(path.lastIndexOf("/") + 1)));
  }
}

interface Scored {
  readonly score: number;
  readonly matches: readonly number[];
}

/** The time a search takes at a stretch. */
class TimeSlice {
  readonly #now: () => number;
  readonly #signal: AbortSignal | undefined;
  #since: number;
  constructor(now: () => number, signal: AbortSignal | undefined) {
    this.#now = now;
    this.#signal = signal;
    this.#since = now();
  }
  get isDue(): boolean {
    return this.#now() - this.#since > maxSliceTime;
  }
  /** Lets others run. False: nobody waits any more. */
  async pause(): Promise<boolean> {
    await new Promise(resolve => setImmediate(resolve));
    this.#since = this.#now();
    return this.#signal?.aborted !== true;
  }
}

/** Looks for what fits a query, a few entries at a time. */
class Scan {
  readonly #words: readonly Word[];
  readonly #mask: number;
  /** As good as it gets. */
  readonly #best: Fit;
  readonly byFit: IndexEntry[][] = [[], [], [], []];
  /** In the order of the index, so that a narrowed search meets them in the same order as a full one. */
  readonly fitting: IndexEntry[] = [];

  constructor(words: readonly string[]) {
    this.#words = words.map(wordOf);
    this.#mask = maskOf(words.join(""));
    this.#best = this.#words.every(word => word.isName) ? fits.nameHolds : fits.pathHolds;
  }

  /** Looks at all entries. Gives, after each few, whether so many as are scored fit best. */
  *shelves(shelves: readonly LengthBucket[]): Iterable<boolean> {
    for (const shelf of shelves)
      for (let from = 0; from < shelf.entries.length; from += batchSize) yield this.#shelf(shelf, from);
  }

  /** The same of entries that fitted a query which has gone on. */
  *list(entries: readonly IndexEntry[]): Iterable<boolean> {
    for (let from = 0; from < entries.length; from += batchSize) yield this.#list(entries, from);
  }

  #shelf({ entries, masks, chars, length }: LengthBucket, from: number): boolean {
    const mask = this.#mask;
    const words = this.#words;
    const end = Math.min(from + batchSize, entries.length);
    for (let i = from; i < end; i++) {
      if (((masks[i] ?? 0) & mask) !== mask) continue;
      if (areScattered(chars, i * length, (i + 1) * length, words) && this.#take(entries[i] as IndexEntry)) return true;
    }
    return false;
  }

  #list(entries: readonly IndexEntry[], from: number): boolean {
    const end = Math.min(from + batchSize, entries.length);
    for (let i = from; i < end; i++) {
      const entry = entries[i] as IndexEntry;
      if ((entry.mask & this.#mask) !== this.#mask) continue;
      if (this.#words.every(word => isScattered(entry.folded, 0, word)) && this.#take(entry)) return true;
    }
    return false;
  }

  /** Takes an entry that holds all words, with gaps at least. */
  #take(entry: IndexEntry): boolean {
    const fit = worstFit(entry, this.#words);
    this.fitting.push(entry);
    return (this.byFit[fit]?.push(entry) ?? 0) >= maxScored && fit === this.#best;
  }
}

/** What is scored: the best fitting, and of those that fit alike the shortest. */
function bestFitting(found: readonly (readonly IndexEntry[])[]): Map<IndexEntry, Fit> {
  const best = new Map<IndexEntry, Fit>();
  for (const [fit, entries] of found.entries()) {
    for (const entry of entries.slice(0, maxScored - best.size)) best.set(entry, fit as Fit);
  }
  return best;
}

/** A word of a query. */
interface Word {
  readonly text: string;
  /** UTF-16 code units. */
  readonly codes: Uint16Array;
  /** No name holds a slash. */
  readonly isName: boolean;
}

const wordOf = (text: string): Word => ({
  text,
  codes: Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)),
  isName: !text.includes("/"),
});

/** How the words stand in the path; undefined: one does not, not even with gaps. */
function fitOf(entry: IndexEntry, words: readonly Word[]): Fit | undefined {
  return words.every(word => isScattered(entry.folded, 0, word)) ? worstFit(entry, words) : undefined;
}

/** How the words stand in the path, which holds them all: as the one that fits least. */
function worstFit(entry: IndexEntry, words: readonly Word[]): Fit {
  let worst: Fit = fits.nameHolds;
  for (const word of words) {
    const fit = wordFit(entry, word);
    if (fit > worst) worst = fit;
  }
  return worst;
}

function wordFit({ folded, nameAt }: IndexEntry, word: Word): Fit {
  const at = folded.lastIndexOf(word.text);
  if (at >= 0) return at >= nameAt ? fits.nameHolds : fits.pathHolds;
  return word.isName && isScattered(folded, nameAt, word) ? fits.nameScattered : fits.pathScattered;
}

/** Whether the word's characters stand in the text in their order, with anything in between. */
function isScattered(folded: string, from: number, { codes }: Word): boolean {
  let found = 0;
  for (let at = from; at < folded.length && found < codes.length; at++)
    if (folded.charCodeAt(at) === codes[found]) found++;
  return found === codes.length;
}

/** {@link isScattered} of every word, for a text that stands among others. */
function areScattered(chars: Uint16Array, start: number, end: number, words: readonly Word[]): boolean {
  for (const { codes } of words) {
    let at = start;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      while (at < end && chars[at] !== code) at++;
      if (at++ >= end) return false;
    }
  }
  return true;
}

function hitOf({ path, folder }: IndexEntry, matches: readonly number[]): FileHit {
  return { path, name: path.slice(path.lastIndexOf("/") + 1), folder, matches };
}

const byLengthThenName = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
