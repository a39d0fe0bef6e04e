// Finds files by a few letters of their names, best first, without blocking the extension host.
import * as fuzzysort from "fuzzysort";
import { foldText, maskOf, type FileIndex, type IndexEntry, type LengthBucket } from "./fileIndex.ts";

/** A file or folder that matches. */
export interface FileHit {
  readonly path: string;
  readonly name: string;
  readonly folder: boolean;
  /** The offsets in `name` that the query matches, in UTF-16 units. */
  readonly matches: readonly number[];
}

export interface FindOptions {
  /** The maximum number of hits. */
  readonly limit: number;
  /** Recently used paths, newest first. They rank higher. */
  readonly recent?: readonly string[];
  /** Aborted when the hits are no longer needed. */
  readonly signal?: AbortSignal;
}

/** How well a path fits, before its letters are scored. Smaller is better. */
type Fit = 0 | 1 | 2 | 3;
const fits = { nameHolds: 0, pathHolds: 1, nameScattered: 2, pathScattered: 3 } as const satisfies Record<string, Fit>;
/** The weight of a fit, in addition to the score of the letters, which is from 0 to 1. */
const fitWeights: Readonly<Record<Fit, number>> = { 0: 0.6, 1: 0.25, 2: 0.2, 3: 0 };
const recencyWeight = 0.3;
const maxRecent = 50;
/** The number of paths whose letters are scored for one query. The others fit worse, or are longer. */
const maxScored = 400;
/** The maximum time that the search blocks the thread, in milliseconds. */
const maxSliceTime = 8;
/** The number of entries to search between two checks of the time. */
const batchSize = 512;

interface Candidates {
  readonly revision: number;
  readonly query: string;
  readonly entries: readonly IndexEntry[];
}

/** Searches one index. A query that extends the previous one searches only the entries that the previous one found. */
export class FileSearch {
  readonly #index: FileIndex;
  readonly #now: () => number;
  readonly #prepared = new WeakMap<IndexEntry, { name?: fuzzysort.Prepared; path?: fuzzysort.Prepared }>();
  #last: Candidates | undefined;

  /** `now` measures how long a search has blocked the thread, in milliseconds. */
  constructor(index: FileIndex, now: () => number = () => performance.now()) {
    this.#index = index;
    this.#now = now;
  }

  /** The best hits, best first. None for an empty query, or if the signal aborts. */
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

  /**
   * The matching entries by how well they fit, short paths first. Ends when the number to score is reached by the best
   * fit.
   */
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
      // The remaining entries are longer and fit no better. They are unknown, so the next query cannot be narrowed.
      if (isEnough) return scan.byFit;
      if (pace.isDue && !(await pace.pause())) return undefined;
    }
    // Files added or removed meanwhile are found by the next search.
    this.#last = { revision, query, entries: scan.fitting };
    return scan.byFit;
  }

  /** Scores the letters of each entry: those of the name, or those of the path if the name alone does not match. */
  #scores(query: string, chosen: readonly (readonly [IndexEntry, Fit])[]): ReadonlyMap<IndexEntry, Scored> {
    const scores = new Map<IndexEntry, Scored>();
    for (const inName of [true, false]) {
      const entries = chosen
        .filter(([, fit]) => (fit === fits.nameHolds || fit === fits.nameScattered) === inName)
        .map(([entry]) => entry);
      const key = (entry: IndexEntry): fuzzysort.Prepared => this.#target(entry, inName);
      // One call for all entries, because each call parses the query.
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

/** The time that a search runs without a pause. */
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
  /** Lets other work run. Returns false if the search is no longer needed. */
  async pause(): Promise<boolean> {
    await new Promise(resolve => setImmediate(resolve));
    this.#since = this.#now();
    return this.#signal?.aborted !== true;
  }
}

/** Finds the entries that match a query, a few at a time. */
class Scan {
  readonly #words: readonly Word[];
  readonly #mask: number;
  /** The best possible fit. */
  readonly #best: Fit;
  readonly byFit: IndexEntry[][] = [[], [], [], []];
  /** In the order of the index, so that a narrowed search visits the entries in the same order as a full one. */
  readonly fitting: IndexEntry[] = [];

  constructor(words: readonly string[]) {
    this.#words = words.map(wordOf);
    this.#mask = maskOf(words.join(""));
    this.#best = this.#words.every(word => word.isName) ? fits.nameHolds : fits.pathHolds;
  }

  /** Searches all entries. Yields after each few whether the number to score is reached by the best fit. */
  *shelves(shelves: readonly LengthBucket[]): Iterable<boolean> {
    for (const shelf of shelves)
      for (let from = 0; from < shelf.entries.length; from += batchSize) yield this.#shelf(shelf, from);
  }

  /** The same for the entries that matched a shorter query. */
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

  /** Adds an entry that contains the characters of all words, in order. */
  #take(entry: IndexEntry): boolean {
    const fit = worstFit(entry, this.#words);
    this.fitting.push(entry);
    return (this.byFit[fit]?.push(entry) ?? 0) >= maxScored && fit === this.#best;
  }
}

/** The entries to score: the best fits, and among equal fits the shortest. */
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
  /** Names contain no slash, so this word can match a name. */
  readonly isName: boolean;
}

const wordOf = (text: string): Word => ({
  text,
  codes: Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)),
  isName: !text.includes("/"),
});

/** How the words match the path. Undefined if one of them does not match, not even with gaps. */
function fitOf(entry: IndexEntry, words: readonly Word[]): Fit | undefined {
  return words.every(word => isScattered(entry.folded, 0, word)) ? worstFit(entry, words) : undefined;
}

/** How the words match a path that contains all of them: the worst of their fits. */
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

/** Whether the characters of the word appear in the text in their order, with anything in between. */
function isScattered(folded: string, from: number, { codes }: Word): boolean {
  let found = 0;
  for (let at = from; at < folded.length && found < codes.length; at++)
    if (folded.charCodeAt(at) === codes[found]) found++;
  return found === codes.length;
}

/** {@link isScattered} for every word, in a text that is part of a larger array. */
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
