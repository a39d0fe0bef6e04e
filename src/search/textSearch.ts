// Runs searches in the worker, and ends a worker that an expression keeps busy.
import { Worker } from "node:worker_threads";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { FindProblem } from "../panel/find/searchPattern.ts";
import type { TextSearchTask, WorkerMessage } from "./workerMessages.ts";

/** A worker that says nothing for this long is stuck in an expression. Milliseconds. */
const maxSilence = 3000;
/** A worker that an earlier search may keep busy is replaced after this time. Milliseconds. */
const maxLateness = 500;
/** A worker that has nothing to do is ended after this time. Milliseconds. */
const idleTime = 60_000;

export type SearchProgress = Extract<WorkerMessage, { readonly type: "progress" }>;

/** The end of a search. */
export interface SearchEnd {
  /** There are enough hits. */
  readonly isCut: boolean;
  readonly problem?: FindProblem;
}

interface RunningSearch {
  readonly task: TextSearchTask;
  /** The worker may still be busy with an earlier search. */
  readonly isSecond: boolean;
  readonly onProgress: (progress: SearchProgress) => void;
  readonly end: (end: SearchEnd | undefined) => void;
  readonly fail: (error: Error) => void;
}

export class TextSearch implements Disposable {
  readonly #script: string;
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #running: RunningSearch | undefined;
  #timer: Disposable | undefined;
  #lastTask = 0;

  /** `script`: the path of the bundle of the worker. */
  constructor(script: string, clock: Clock) {
    this.#script = script;
    this.#clock = clock;
  }

  /**
   * Searches joined texts. Undefined if a newer search, or the end of the window, ended it. Rejects if the worker cannot
   * run.
   */
  search(
    task: Omit<TextSearchTask, "task">,
    onProgress: (progress: SearchProgress) => void,
  ): Promise<SearchEnd | undefined> {
    const isSecond = this.#running !== undefined;
    this.cancel();
    return new Promise((resolve, reject) => {
      this.#run({ task: { task: ++this.#lastTask, ...task }, isSecond, onProgress, end: resolve, fail: reject });
    });
  }

  #run(search: RunningSearch): void {
    this.#running = search;
    this.#worker ??= this.#start();
    this.#worker.postMessage(search.task);
    this.#wait(search.isSecond ? maxLateness : maxSilence, () => this.#stuck());
  }

  /** Ends the search that runs. */
  cancel(): void {
    this.#finish(undefined);
  }

  #finish(end: SearchEnd | undefined): void {
    const running = this.#running;
    this.#running = undefined;
    if (this.#worker) this.#wait(idleTime, () => this.#stop());
    running?.end(end);
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.on("message", (message: WorkerMessage) => this.#receive(message));
    worker.on("error", error => this.#failed(worker, asError(error)));
    worker.on("exit", () => this.#failed(worker, new Error(t("Its worker has ended. Search again."))));
    // A search alone is no reason for the process to stay.
    worker.unref();
    return worker;
  }

  #receive(message: WorkerMessage): void {
    const running = this.#running;
    if (message.task !== running?.task.task) return;
    if (message.type === "progress") {
      this.#wait(maxSilence, () => this.#stuck());
      return running.onProgress(message);
    }
    const { isCut, detail } = message;
    this.#finish({ isCut, ...(detail !== undefined && { problem: { kind: "pattern", detail } }) });
  }

  #stuck(): void {
    const running = this.#running;
    this.#stop();
    if (running?.isSecond) return this.#run({ ...running, isSecond: false });
    this.#finish({ isCut: false, problem: { kind: "slow" } });
  }

  #failed(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    const running = this.#running;
    this.#running = undefined;
    this.#stop();
    running?.fail(error);
  }

  #stop(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#timer?.dispose();
    this.#timer = undefined;
    // Ending a worker cannot fail.
    void worker?.terminate();
  }

  #wait(ms: number, run: () => void): void {
    this.#timer?.dispose();
    this.#timer = this.#clock.after(ms, run);
  }

  dispose(): void {
    this.cancel();
    this.#stop();
  }
}
