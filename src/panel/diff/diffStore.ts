// The diffs that cards show: each is computed once, in pieces between which everything else goes on.
import type { Disposable } from "../../base/lifecycle.ts";
import { runToEnd, type Work } from "../../base/lineDiff.ts";
import type { ToolContent } from "../../session/events.ts";
import { computingDiff, diffWork, tooLargeDiff } from "./diffHunks.ts";
import { parsePatchWork, type PatchedFile } from "./patchText.ts";
import type { DiffBody } from "../protocol.ts";

/** Steps of work in one turn of the event loop; see lineDiff.ts. A few milliseconds. */
const stepsPerSlice = 10_000;
/** Texts whose result is kept although the content that held them was replaced: agents repeat themselves. */
const maxRecentJobs = 20;

export interface DiffStoreOptions {
  /** Calls back in a later turn of the event loop. */
  readonly defer: (run: () => void) => void;
  /** A result that was missing is there. */
  readonly onDidCompute: () => void;
  /** Computing failed, which is our fault. The card says that the diff cannot be shown. */
  readonly onError: (error: unknown) => void;
}

type DiffItem = Extract<ToolContent, { type: "diff" }>;
type ChangesItem = Extract<ToolContent, { type: "changes" }>;

/** One thing to compute: `texts` tell whether it is the same as another. */
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
 * Looks diffs up by the content they stand in. What is small is there at once, as long as the turn has time for it; the rest
 * is computed turn by turn, and told when it is there. Without options everything is computed at once.
 */
export class DiffStore implements Disposable {
  readonly #options: DiffStoreOptions | undefined;
  readonly #jobs = new WeakMap<DiffItem | ChangesItem, DiffJob>();
  readonly #recent: DiffJob[] = [];
  readonly #waiting = new Set<DiffJob>();
  #stepsLeft = stepsPerSlice;
  #scheduled = false;
  #version = 0;
  #disposed = false;

  constructor(options?: DiffStoreOptions) {
    this.#options = options;
  }

  /** Grows whenever a result that was missing is there. */
  get version(): number {
    return this.#version;
  }

  /** What changes from the old text to the new. */
  diff(item: DiffItem): DiffBody {
    const texts = [item.oldText ?? "", item.deleted ? "" : item.newText];
    return this.#result(item, texts, () => bodyWork(...(texts as [string, string])))?.body ?? computingDiff;
  }

  /** The files of a patch; `computing` until they are known, undefined when it cannot be read. */
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
      job = this.#findRecent(texts) ?? this.#start(texts, work());
      this.#jobs.set(item, job);
    }
    return job.result;
  }

  #findRecent(texts: readonly string[]): DiffJob | undefined {
    return this.#recent.find(
      job => job.texts.length === texts.length && job.texts.every((text, i) => text === texts[i]),
    );
  }

  #start(texts: readonly string[], work: Work<DiffResult>): DiffJob {
    const job: DiffJob = { texts, work };
    this.#recent.push(job);
    if (this.#recent.length > maxRecentJobs) this.#recent.shift();
    if (!this.#options) job.result = runToEnd(work);
    else if (!this.#advance(job)) this.#waiting.add(job);
    return job;
  }

  /** Works on it as long as this turn has steps left. True when it is done. */
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

function* bodyWork(oldText: string, newText: string): Work<DiffResult> {
  return { body: yield* diffWork(oldText, newText) };
}

function* filesWork(patch: string): Work<DiffResult> {
  const files = yield* parsePatchWork(patch);
  return files ? { files } : {};
}
