// The data of a file under review: line ranges, hunks and the changes of one file. Persisted in review.json.

/** A run of whole lines, counted from 0: `[from, to)`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Lines of the base that were replaced by lines of the text. Either side may be empty; both only where an empty file was
 * created or deleted. Between two hunks stands at least one line that is the same on both sides.
 */
export interface Hunk {
  /** Stays the same under edits elsewhere in the file; unique within it, and never used again. */
  readonly id: string;
  readonly base: LineRange;
  readonly text: LineRange;
  /** The turns in which an agent changed these lines, the newest last. */
  readonly turns: readonly string[];
}

/** A file under review, as plain JSON. `null` as a text: there is no such file. */
export interface FileChanges {
  readonly base: string | null;
  readonly text: string | null;
  /** In order and apart from each other. Every other line is the same on both sides. */
  readonly hunks: readonly Hunk[];
  readonly nextId: number;
  /** Ids of hunks that were kept: going back in the editor's history does not ask for them again. */
  readonly kept: readonly string[];
}
