// What has become of one file since the agent's first unreviewed edit: the text before it (the base), the text now, and
// the hunks between the two. Pure and immutable. All texts have "\n" line endings and no byte-order mark.
import type { Edit } from "./edits.ts";

/** A run of whole lines, counted from 0: `[from, to)`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Lines of the base that the agent replaced by lines of the text. Either side may be empty, never both. */
export interface Hunk {
  /** Stays the same under edits elsewhere in the file; unique within it. */
  readonly id: string;
  readonly base: LineRange;
  readonly text: LineRange;
  /** The turns in which an agent changed these lines, the newest last. */
  readonly turns: readonly string[];
}

/** A file under review. `null` as a text: there is no such file. */
export interface FileChanges {
  readonly base: string | null;
  readonly text: string | null;
  /** In order and apart from each other. */
  readonly hunks: readonly Hunk[];
}

/** What undoing leads to. `edits` turn the old text into the new one, in order and apart from each other. */
export interface Undone {
  readonly changes: FileChanges;
  readonly edits: readonly Edit[];
}
