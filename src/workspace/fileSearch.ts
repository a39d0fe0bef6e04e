// Finds files by a few letters of their names, best first, without holding up the extension host.
import * as fuzzysort from "fuzzysort";
import { foldText, maskOf, type FileIndex, type IndexEntry, type IndexList } from "./fileIndex.ts";

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
  readonly list: IndexList;
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
    if (!found) return [];
    const chosen = bestOf(found);
    const sought = words.map(wordOf);
    const ranks = new Map(recent.slice(0, mostRecent).map((path, rank) => [path, rank]));
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
      const boost = rank === undefined ? 0 : recencyWorth * (1 - rank / mostRecent);
      return { hit: hitOf(entry, matches), score: score + worth[fit] + boost };
    });
    scored.sort((a, b) => b.score - a.score || order(a.hit.path, b.hit.path));
    return scored.slice(0, limit).map(({ hit }) => hit);
  }

  /** What fits, by how it does, short paths first; no more than are scored, once so many fit best. */
  async #candidates(query: string, words: readonly string[], pace: Pace): Promise<readonly IndexEntry[][] | undefined> {
    const { revision } = this.#index;
    const last = this.#last;
    const narrows = last?.revision === revision && query.startsWith(last.query);
    const { entries, masks } = narrows ? last.list : this.#index.entries();
    const mask = maskOf(words.join(""));
    const sought = words.map(wordOf);
    // No name holds a slash, so that the path holds it is as good as it gets.
    const best = words.some(word => word.includes("/")) ? fits.pathHolds : fits.nameHolds;
    const byFit: IndexEntry[][] = [[], [], [], []];
    // In the order of the index, so that a narrowed search meets them in the same order as a full one.
    const fitting: IndexEntry[] = [];
    for (let i = 0; i < entries.length; i++) {
      if (i % stride === 0 && pace.isDue && !(await pace.pause())) return undefined;
      if (((masks[i] ?? 0) & mask) !== mask) continue;
      const entry = entries[i] as IndexEntry;
      const fit = fitOf(entry, sought);
      if (fit === undefined) continue;
      fitting.push(entry);
      // Those that come later are longer and fit no better. They are not known then, so nothing is narrowed to these.
      if ((byFit[fit]?.push(entry) ?? 0) >= mostScored && fit === best) return byFit;
    }
    // Files that came or went meanwhile are found by the next search.
    const list = { entries: fitting, masks: Int32Array.from(fitting, entry => entry.mask) };
    this.#last = { revision, query, list };
    return byFit;
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

/** What is scored: the best fitting, and of those that fit alike the shortest. */
function bestOf(found: readonly (readonly IndexEntry[])[]): Map<IndexEntry, Fit> {
  const best = new Map<IndexEntry, Fit>();
  for (const [fit, entries] of found.entries()) {
    for (const entry of entries.slice(0, mostScored - best.size)) best.set(entry, fit as Fit);
  }
  return best;
}

/** A word of a query, and how it stands with gaps. */
interface Word {
  readonly text: string;
  readonly scattered: RegExp;
}

/** The expression never goes back: each character is the first one that fits. */
function wordOf(text: string): Word {
  const steps = Array.from({ length: text.length }, (_, i) => {
    const code = `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
    return `[^${code}]*${code}`;
  });
  return { text, scattered: new RegExp(steps.join(""), "y") };
}

/** Whether every word is in the path, and how; undefined: not even with gaps. */
function fitOf({ folded, nameAt }: IndexEntry, words: readonly Word[]): Fit | undefined {
  let worst: Fit = fits.nameHolds;
  for (const word of words) {
    const fit = wordFit(folded, nameAt, word);
    if (fit === undefined) return undefined;
    if (fit > worst) worst = fit;
  }
  return worst;
}

function wordFit(folded: string, nameAt: number, word: Word): Fit | undefined {
  // First what rules most out.
  if (!isScattered(folded, 0, word)) return undefined;
  const at = folded.lastIndexOf(word.text);
  if (at >= 0) return at >= nameAt ? fits.nameHolds : fits.pathHolds;
  return isScattered(folded, nameAt, word) ? fits.nameScattered : fits.pathScattered;
}

/** Whether the word's characters stand in the text in their order, with anything in between. */
function isScattered(folded: string, from: number, { scattered }: Word): boolean {
  scattered.lastIndex = from;
  return scattered.test(folded);
}

function hitOf({ path, folder }: IndexEntry, matches: readonly number[]): FileHit {
  return { path, name: path.slice(path.lastIndexOf("/") + 1), folder, matches };
}

const order = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
