// Records the facts of a test, with what the review then showed, as lines that a test without an editor can replay.
import type { Fact, FactSink, FileFact, WindowFact } from "../../../src/history/facts.ts";
import type { WindowReview } from "../../../src/review/windowReview.ts";

/** The folder under test in recorded paths. */
const recordedFolder = "/folder";

/** What the review showed of a file. Hunks are written as `turn: old → new`. */
export interface RecordedFile {
  readonly path: string;
  readonly movedFrom?: string;
  readonly hunks: readonly string[];
  /** The changes of the file are not known. */
  readonly isUnknown?: true;
}

/** One line of a recording: a fact, or what the review showed after the facts before. */
export type RecordedLine = Fact | { readonly type: "review"; readonly files: readonly RecordedFile[] };

/** Notes facts in the order in which they arrive. Times are steps: each different time of the clock is one more. */
export class RecordedFacts implements FactSink {
  readonly #folder: string;
  readonly #review: () => WindowReview;
  readonly #lines: RecordedLine[] = [];
  /** The times of the steps, in ms since the epoch. */
  readonly #times: number[] = [];

  /** `folder`: the folder that recorded paths start with. */
  constructor(folder: string, review: () => WindowReview) {
    this.#folder = folder;
    this.#review = review;
  }

  note(fact: FileFact | WindowFact): void {
    // Tests write this file to find out whether the editor watches the folder.
    if ("path" in fact && fact.path.endsWith("/watched")) return;
    if (fact.type === "turnBegan") this.showReview();
    const now = Date.now();
    if (now !== this.#times.at(-1)) this.#times.push(now);
    const changed = "changedAt" in fact && { changedAt: this.#stepAt(fact.changedAt) };
    this.#lines.push({ at: this.#times.length - 1, ...fact, ...changed });
  }

  /** The step at a time in ms, or half a step before the next one. */
  #stepAt(time: number): number {
    const next = this.#times.findIndex(one => one >= time);
    if (next < 0) return this.#times.length - 0.5;
    return this.#times[next] === time ? next : next - 0.5;
  }

  /** Adds what the review shows now. */
  showReview(): void {
    this.#lines.push({ type: "review", files: shownFiles(this.#review()) });
  }

  /** The recording: one line of JSON for each fact, with paths below {@link recordedFolder}. */
  get text(): string {
    const lines = this.#lines.map(line => `${JSON.stringify(line)}\n`).join("");
    return lines.replaceAll(JSON.stringify(this.#folder).slice(1, -1), recordedFolder);
  }

  get isEmpty(): boolean {
    return this.#lines.every(({ type }) => type === "review");
  }
}

/** What the review shows. */
export function shownFiles(review: WindowReview): readonly RecordedFile[] {
  return review.files.map((file): RecordedFile => {
    const { base, text, hunks } = file.changes;
    const linesOf = (whole: string | null, { from, to }: { readonly from: number; readonly to: number }): string =>
      (whole ?? "").split("\n").slice(from, to).join("|");
    return {
      path: file.path,
      ...(file.movedFrom !== undefined && { movedFrom: file.movedFrom }),
      hunks: hunks.map(one => `${one.turns.join("+")}: ${linesOf(base, one.base)} → ${linesOf(text, one.text)}`),
      ...(file.unknown !== undefined && { isUnknown: true as const }),
    };
  });
}

/** The lines of a recording. */
export const readRecording = (text: string): readonly RecordedLine[] =>
  text
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line) as RecordedLine);
