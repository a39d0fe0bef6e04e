// The data of a file under review: line ranges, hunks and the changes of one file. Persisted in review.json.

/** A range of whole lines, 0-based: `[from, to)`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** A line that the agent wrote and the user changed. */
export interface SharedLine {
  /** The number of the line in its hunk, 0-based. */
  readonly at: number;
  /** The agent's text of the line, before the user changed it. */
  readonly agents: string;
}

/**
 * Lines of the base that were replaced by lines of the text. Either side may be empty, but both only if an empty file
 * was created or deleted. Between two hunks there is at least one line that is the same on both sides.
 */
export interface Hunk {
  /** Stays the same under edits elsewhere in the file. Unique within the file, and never reused. */
  readonly id: string;
  readonly base: LineRange;
  readonly text: LineRange;
  /** The turns in which an agent changed these lines, newest last. */
  readonly turns: readonly string[];
  /** The lines that the agent and the user wrote, in order. All other lines are the agent's. */
  readonly shared?: readonly SharedLine[];
}

/** A file under review, as plain JSON. `null` as a text: the file does not exist. */
export interface FileChanges {
  readonly base: string | null;
  readonly text: string | null;
  /** In order and not adjacent. All other lines are the same on both sides. */
  readonly hunks: readonly Hunk[];
  readonly nextId: number;
  /** The ids of kept hunks. Undo and redo in the editor do not offer them for review again. */
  readonly kept: readonly string[];
}
