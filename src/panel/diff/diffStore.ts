// The diffs that cards show. Each is computed once, in slices, so that the event loop stays free in between.
import type { Disposable } from "../../base/lifecycle.ts";
import { runToEnd, type Work } from "../../base/lineDiff.ts";
import type { ToolContent } from "../../session/events.ts";
import { computingDiff, diffWork, tooLargeDiff } from "./diffHunks.ts";
import { parsePatchWork, type PatchedFile } from "./patchText.ts";
import type { DiffBody } from "../protocol.ts";

/** The steps of work in one turn of the event loop, a few milliseconds. See lineDiff.ts. */
const stepsPerSlice = 10_000;
/**
 * The number of results to keep after the content that held their texts was replaced. Agents repeat content, and content
 * is also replaced when the lines of its diffs are found, which can be thousands of calls later.
 */
const maxRecentJobs = 5000;
/** Beyond this size of their texts, only {@link minRecentJobs} are kept. UTF-16 units. */
const maxRecentLength = 4_000_000;
const minRecentJobs = 20;
/** The part of a text that identifies it among others of its length. UTF-16 units. */
const maxKeyLength = 300;

export interface DiffStoreOptions {
  /** Calls back in a later turn of the event loop. */
  readonly defer: (run: () => void) => void;
  /** A missing result is available now. */
  readonly onDidCompute: () => void;
  /** Computing a diff failed because of a bug. The card states that the diff cannot be shown. */
  readonly onError: (error: unknown) => void;
}

type DiffItem = Extract<ToolContent, { type: "diff" }>;
type ChangesItem = Extract<ToolContent, { type: "changes" }>;

/** One computation. Two jobs with the same `texts` are the same job. */
interface DiffJob {
  readonly texts: readonly string[];
  readonly work: Work<DiffResult>;
  result?: DiffResult;
}
interface DiffResult {
  readonly body?: DiffBody;
  readonly files?: readonly PatchedFile[];
}

/**
 * Looks up diffs by the content they belong to. A small diff is available at once, as long as this turn of the event
 * loop has steps left. The others are computed turn by turn, and `onDidCompute` announces each. Without options,
 * everything is computed at once.
 */
export class DiffStore implements Disposable {
  readonly #options: DiffStoreOptions | undefined;
  readonly #jobs = new WeakMap<DiffItem | ChangesItem, DiffJob>();
  readonly #recent = new RecentJobs();
  readonly #waiting = new Set<DiffJob>();
  #stepsLeft = stepsPerSlice;
  #scheduled = false;
  #version = 0;
  #disposed = false;

  constructor(options?: DiffStoreOptions) {
    this.#options = options;
  }

  /** Increases whenever a missing result becomes available. */
  get version(): number {
    return this.#version;
  }

  /** The change from the old text to the new text. */
  diff(item: DiffItem): DiffBody {
    const texts = [item.oldText ?? "", item.deleted ? "" : item.newText];
    return this.#result(item, texts, () => bodyWork(...(texts as [string, string])))?.body ?? computingDiff;
  }

  /** The files of a patch. `computing` until they are known, undefined if the patch cannot be read. */
  files(item: ChangesItem): readonly PatchedFile[] | "computing" | undefined {
    if (item.patch === undefined) return undefined;
    const { patch } = item;
    const result = this.#result(item, [patch], () => filesWork(patch));
    return result ? result.files : "computing";
  }

  #result(
    item: DiffItem | ChangesItem,
    texts: readonly string[],
    work: () => Work<DiffResult>,
  ): DiffResult | undefined {
    let job = this.#jobs.get(item);
    if (!job) {
      job = this.#recent.find(texts) ?? this.#start(texts, work());
      this.#jobs.set(item, job);
    }
    return job.result;
  }

  #start(texts: readonly string[], work: Work<DiffResult>): DiffJob {
    const job: DiffJob = { texts, work };
    this.#recent.add(job);
    if (!this.#options) job.result = runToEnd(work);
    else if (!this.#advance(job)) this.#waiting.add(job);
    return job;
  }

  /** Works on a job while this turn has steps left. Returns whether the job is done. */
  #advance(job: DiffJob): boolean {
    this.#schedule();
    try {
      while (this.#stepsLeft > 0) {
        const next = job.work.next();
        if (next.done) {
          job.result = next.value;
          return true;
        }
        this.#stepsLeft -= next.value;
      }
      return false;
    } catch (error) {
      this.#options?.onError(error);
      job.result = { body: tooLargeDiff };
      return true;
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#disposed) return;
    this.#scheduled = true;
    this.#options?.defer(() => {
      this.#scheduled = false;
      this.#stepsLeft = stepsPerSlice;
      if (!this.#disposed) this.#advanceWaiting();
    });
  }

  #advanceWaiting(): void {
    let news = false;
    for (const job of this.#waiting) {
      if (!this.#advance(job)) break;
      this.#waiting.delete(job);
      news = true;
    }
    if (!news) return;
    this.#version++;
    this.#options?.onDidCompute();
  }

  dispose(): void {
    this.#disposed = true;
    this.#waiting.clear();
  }
}

/** The latest jobs, found by their texts. */
class RecentJobs {
  readonly #jobs: DiffJob[] = [];
  readonly #byKey = new Map<string, DiffJob[]>();
  #length = 0;

  find(texts: readonly string[]): DiffJob | undefined {
    return this.#byKey
      .get(keyOf(texts))
      ?.find(job => job.texts.length === texts.length && job.texts.every((text, i) => text === texts[i]));
  }

  add(job: DiffJob): void {
    const key = keyOf(job.texts);
    this.#jobs.push(job);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), job]);
    this.#length += lengthOf(job);
    while (this.#isFull()) this.#removeOldest();
  }

  #isFull(): boolean {
    const { length } = this.#jobs;
    return length > maxRecentJobs || (length > minRecentJobs && this.#length > maxRecentLength);
  }

  #removeOldest(): void {
    const oldest = this.#jobs.shift();
    if (!oldest) return;
    const key = keyOf(oldest.texts);
    const others = this.#byKey.get(key)?.filter(job => job !== oldest) ?? [];
    if (others.length > 0) this.#byKey.set(key, others);
    else this.#byKey.delete(key);
    this.#length -= lengthOf(oldest);
  }
}

/** A short text that few other texts share. */
const keyOf = (texts: readonly string[]): string =>
  texts.map(text => (text.length <= maxKeyLength ? text : `${text.length} ${text.slice(-maxKeyLength)}`)).join("\0");

const lengthOf = ({ texts }: DiffJob): number => texts.reduce((sum, text) => sum + text.length, 0);

function* bodyWork(oldText: string, newText: string): Work<DiffResult> {
  return { body: yield* diffWork(oldText, newText) };
}

function* filesWork(patch: string): Work<DiffResult> {
  const files = yield* parsePatchWork(patch);
  return files ? { files } : {};
}
