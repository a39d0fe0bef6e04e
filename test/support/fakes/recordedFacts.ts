// Records the facts of a test, with what the review then showed, as lines that a test without an editor can replay.
import { dirname } from "node:path";
import type { Fact, FactSink, FileFact, WindowFact } from "../../../src/history/facts.ts";
import type { WindowReview } from "../../../src/review/windowReview.ts";

/** The folder under test in recorded paths, and the one above it. */
const recordedFolder = "/folder";
const recordedParent = "/above";

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

/** Tests write this file to find out whether the editor watches the folder. */
const isProbe = ({ path }: { readonly path: string }): boolean => path.endsWith("/watched");

/** The fields that are times, in ms since the epoch. */
const times: ReadonlySet<string> = new Set(["changedAt", "began", "ended"]);

/**
 * Notes facts in the order in which they arrive. Times are in ms since the first fact: how long after a turn or a call a
 * file was changed is evidence of its author.
 */
export class RecordedFacts implements FactSink {
  readonly #folder: string;
  readonly #review: () => WindowReview;
  readonly #lines: RecordedLine[] = [];
  /** When the first fact was noted, in ms since the epoch. */
  #began: number | undefined;

  /** `folder`: the folder that recorded paths start with. */
  constructor(folder: string, review: () => WindowReview) {
    this.#folder = folder;
    this.#review = review;
  }

  note(fact: FileFact | WindowFact): void {
    if ("path" in fact && isProbe(fact)) return;
    // The settings of the editor are no files of the test.
    if ("path" in fact && !fact.path.startsWith(`${dirname(this.#folder)}/`)) return;
    if (fact.type === "turnBegan") this.showReview();
    const now = Date.now();
    this.#began ??= now;
    const from = this.#began;
    const timed = Object.fromEntries(
      Object.entries(fact).map(([key, value]: [string, unknown]) =>
        typeof value === "number" && times.has(key) ? [key, Math.round(value - from)] : [key, value],
      ),
    ) as unknown as FileFact | WindowFact;
    this.#lines.push({ at: now - from, ...timed });
  }

  /** Adds what the review shows now. */
  showReview(): void {
    this.#lines.push({ type: "review", files: shownFiles(this.#review()).filter(one => !isProbe(one)) });
  }

  /** The recording: one line of JSON for each fact, with paths below {@link recordedFolder}. */
  get text(): string {
    const lines = this.#lines.map(line => `${JSON.stringify(line)}\n`).join("");
    const inJson = (path: string): string => JSON.stringify(path).slice(1, -1);
    return lines
      .replaceAll(inJson(this.#folder), recordedFolder)
      .replaceAll(inJson(dirname(this.#folder)), recordedParent);
  }

  get isEmpty(): boolean {
    return this.#lines.every(({ type }) => type === "review" || type === "windowBegan");
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
