// Find in conversation: searches everything a view contains, in slices, so that the extension host is never blocked.
import { runWithTimeLimit, type TimedRun } from "./findTimeLimit.ts";
import type { ViewEntry } from "../protocol.ts";
import type { FindHit, FindQuery } from "./findProtocol.ts";
import { searchable, type Searchable } from "./searchable.ts";
import { patternProblem, searchPattern, type FindProblem } from "./searchPattern.ts";

/** The search ends after this many hits. */
export const maxHits = 2000;
/** The characters of a hit that are sent to the panel. */
const maxHitText = 500;
/** The time of searching between two pauses, in milliseconds. */
const sliceTime = 10;
/** A slice that does not finish is stopped after this many milliseconds. */
const sliceTimeout = 35;
/** A place in the text is skipped after this much CPU time, in milliseconds… */
const maxCpuTime = 150;
/** …and if a slice got little CPU time on a busy machine, the next slice is longer, up to this limit. */
const maxSliceTimeout = 2000;

export interface FindResult {
  /** In the order of the transcript. */
  readonly hits: readonly FindHit[];
  /** There may be more hits. */
  readonly truncated: boolean;
  readonly problem?: FindProblem;
}

interface SearchPosition {
  readonly entry: number;
  readonly text: number;
  /** The start of the line that is being searched, and the offset up to which it has been searched. */
  readonly line: number;
  readonly index: number;
  /** The number of hits up to here, and before this entry. */
  readonly kept: number;
  readonly before: number;
}

/**
 * The searches of one panel. A newer search ends the older one, and entries that did not change are not searched again.
 */
export class Finder {
  readonly #pause: () => Promise<void>;
  #latestRun = 0;
  #key = "";
  #cache = new SearchCache();

  /** `pause` runs between two slices so that other work can proceed. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Undefined if a newer search has started. Never rejects. */
  async find(query: FindQuery, entries: readonly ViewEntry[]): Promise<FindResult | undefined> {
    const run = ++this.#latestRun;
    const key = JSON.stringify([query.query, query.matchCase, query.wholeWord, query.regex]);
    if (key !== this.#key) this.#cache.hits = new WeakMap();
    this.#key = key;
    if (query.query === "") {
      this.#cache = new SearchCache();
      return noResult;
    }
    let pattern: RegExp;
    try {
      pattern = searchPattern(query);
    } catch (error) {
      return { ...noResult, problem: patternProblem(error) };
    }
    const search = new Search(pattern, query.regex, entries, this.#cache);
    while (!search.advance()) {
      await this.#pause();
      if (run !== this.#latestRun) return undefined;
    }
    return search.result;
  }
}

/** The results that one search leaves to the next. */
class SearchCache {
  /** The hits of the same query. */
  hits = new WeakMap<ViewEntry, readonly FindHit[]>();
  readonly texts = new WeakMap<ViewEntry, readonly Searchable[]>();
  readonly plain = new WeakMap<Searchable, string>();
}

const noResult: FindResult = { hits: [], truncated: false };

/**
 * One search. Invariant: its state is consistent at any moment, because a slice may be stopped between any two
 * instructions.
 */
class Search {
  readonly #pattern: RegExp;
  readonly #byLine: boolean;
  readonly #entries: readonly ViewEntry[];
  readonly #cache: SearchCache;
  readonly #hits: FindHit[] = [];
  #at: SearchPosition = { entry: 0, text: 0, line: 0, index: 0, kept: 0, before: 0 };
  #plain: PlainText | undefined;
  /** The position at which the last slice was stopped. */
  #stopped: SearchPosition | undefined;
  /** The CPU time that was spent there without progress. */
  #cpuTimeSpent = 0;
  #limit = sliceTimeout;
  #problem: FindProblem | undefined;

  constructor(pattern: RegExp, byLine: boolean, entries: readonly ViewEntry[], memory: SearchCache) {
    this.#pattern = pattern;
    this.#byLine = byLine;
    this.#entries = entries;
    this.#cache = memory;
  }

  get result(): FindResult {
    if (this.#problem) return { ...noResult, problem: this.#problem };
    return { hits: this.#hits.slice(0, maxHits), truncated: this.#hits.length >= maxHits };
  }

  /** Searches for one slice. Returns whether the search is complete. */
  advance(): boolean {
    try {
      const attempt = runWithTimeLimit(this.#limit, () => this.#work());
      if (attempt.isDone) this.#limit = sliceTimeout;
      else this.#wasStopped(attempt);
    } catch (error) {
      // The engine may reject an expression as too large only when it runs.
      this.#problem = patternProblem(error);
    }
    return this.#problem !== undefined || this.#isDone;
  }

  get #isDone(): boolean {
    return this.#at.entry >= this.#entries.length || this.#hits.length >= maxHits;
  }

  #work(): void {
    const end = performance.now() + sliceTime;
    while (!this.#isDone && performance.now() < end) this.#step();
  }

  #wasStopped({ cpuTime: cpuTime }: TimedRun): void {
    const at = this.#at;
    this.#hits.length = at.kept;
    this.#cpuTimeSpent = cpuTime + (this.#stopped === at ? this.#cpuTimeSpent : 0);
    this.#stopped = at;
    const wasStarved = cpuTime < this.#limit / 2;
    if (wasStarved) this.#limit = Math.min(maxSliceTimeout, this.#limit * 2);
    if (this.#cpuTimeSpent < maxCpuTime && !(wasStarved && this.#limit === maxSliceTimeout)) return;
    this.#limit = sliceTimeout;
    if (this.#plain?.of === this.#text) this.#problem = { kind: "slow" };
    else if (this.#text) this.#cache.plain.set(this.#text, this.#text.source);
    // The time for reading the text does not count as search time.
    this.#stopped = undefined;
  }

  get #text(): Searchable | undefined {
    const entry = this.#entries[this.#at.entry];
    return entry && this.#cache.texts.get(entry)?.[this.#at.text];
  }

  #step(): void {
    const entry = this.#entries[this.#at.entry] as ViewEntry;
    const { hits, texts, plain } = this.#cache;
    const known = hits.get(entry);
    if (known) {
      this.#hits.length = this.#at.before;
      for (const hit of known) this.#hits.push(hit);
      return this.#nextEntry();
    }
    if (!texts.has(entry)) texts.set(entry, searchable(entry));
    const text = this.#text;
    if (!text) {
      hits.set(entry, this.#hits.slice(this.#at.before));
      return this.#nextEntry();
    }
    if (this.#plain?.of !== text) {
      if (!plain.has(text)) plain.set(text, text.plain());
      this.#plain = new PlainText(text, plain.get(text) ?? "");
    }
    this.#search(this.#plain, entry.id, text.part);
  }

  #nextEntry(): void {
    const kept = this.#hits.length;
    this.#at = { entry: this.#at.entry + 1, text: 0, line: 0, index: 0, kept, before: kept };
  }

  /** Finds the next hit in one line. A search for plain words treats the whole text as one line. */
  #search(plain: PlainText, entry: string, part: number | undefined): void {
    const at = this.#at;
    const { text } = plain;
    const newline = this.#byLine ? text.indexOf("\n", at.line) : -1;
    const line = text.slice(at.line, newline < 0 ? text.length : newline);
    this.#pattern.lastIndex = at.index;
    const match = this.#pattern.exec(line);
    if (match && match[0] !== "") {
      const found = match[0].slice(0, maxHitText);
      const nth = plain.nth(found, at.line + match.index);
      this.#hits.push({ entry, ...(part !== undefined && { part }), nth, text: found });
      this.#at = { ...at, index: match.index + match[0].length, kept: this.#hits.length };
    } else if (match && match.index < line.length) {
      const isPair = (line.codePointAt(match.index) ?? 0) > 0xffff;
      this.#at = { ...at, index: match.index + (isPair ? 2 : 1) };
    } else if (newline >= 0) this.#at = { ...at, line: newline + 1, index: 0 };
    else this.#at = { ...at, text: at.text + 1, line: 0, index: 0 };
  }
}

/** A text, which counts equal passages in it. */
class PlainText {
  readonly of: Searchable;
  readonly text: string;
  readonly #counted = new Map<string, { readonly at: number; readonly nth: number }>();
  #flat: string | undefined;

  constructor(of: Searchable, text: string) {
    this.of = of;
    this.text = text;
  }

  /** The number of equal passages before `offset`. Blanks and line breaks count as equal. */
  nth(passage: string, offset: number): number {
    const flat = (this.#flat ??= this.text.replace(/\s/g, " "));
    const wanted = passage.replace(/\s/g, " ");
    let { at, nth } = this.#counted.get(wanted) ?? { at: -1, nth: -1 };
    while (at < offset) {
      at = flat.indexOf(wanted, at + 1);
      nth++;
      if (at < 0) break;
    }
    this.#counted.set(wanted, { at, nth });
    return nth;
  }
}
