// All that is known of one file, as one value in plain JSON. reduceFile.ts changes it. Texts are normalized: null if
// there is no file, undefined if the text is not known.
import type { FactAuthor, FactEdit } from "./facts.ts";

export interface FileRecord {
  readonly path: string;
  /**
   * Grows when what was read before is out of date: a turn, a write or a decision has begun or ended, or the user has
   * changed or saved the document.
   */
  readonly revision: number;
  /** The last text that is known. */
  readonly text: string | null | undefined;
  /** The last text on disk of which the author is known. */
  readonly disk: string | null | undefined;
  /** An agent changed the file, so that its text stays known until the next turn begins and later. */
  readonly isFollowed: boolean;
  /** The open document has changes that are not saved. */
  readonly isUnsaved: boolean;
  /** Changes of the document whose author is not known yet, the first one first. */
  readonly documents: readonly DocumentChangeSeen[];
  /** The agent writes the file through Parley. */
  readonly write?: WriteInProgress;
  /** The last write through Parley has ended, and the disk has not been read since. */
  readonly written?: WrittenText;
  /** The text that a decision of the user gives the file. `moved`: the text with which it moves the file here first. */
  readonly decided?: { readonly text: string | null; readonly moved?: string | null };
  /** An agent's change whose text before must be read first. */
  readonly pending?: PendingChange;
  /** The texts at the starts of turns, by turn. Null in `text`: there was no file. */
  readonly starts: Readonly<Record<string, { readonly text: string | null | undefined }>>;
  /** The comparison of a turn with its start shows that the file is different. */
  readonly difference?: { readonly text: string | null | undefined; readonly isGone: boolean };
  /** The text before a change by others, in whose call an agent may still report it. */
  readonly unsure?: { readonly text: string | null };
  /** The text that an agent wrote to disk below unsaved changes. */
  readonly notLoaded?: { readonly text: string | null };
  /** When the user accepted the file (ms since the epoch). */
  readonly keptAt?: number;
  /** The user moves, deletes or creates the file in the editor, since this time, or did so in this turn. */
  readonly users?: { readonly since: number; readonly isDone: boolean };
  /** A folder was last seen at the path. */
  readonly isFolder?: true;
  /** A decision or an agent moved the file away in this turn. */
  readonly isMovedAway: boolean;
  /** Changes that are no known agent's: of one of several, or made while no call ran. */
  readonly open?: OpenChanges;
  /** The turn of the last agent's change, and whether the text before it is known. */
  readonly last?: { readonly turn: string; readonly isBaseKnown: boolean };
}

/** A change of a document as VS Code reported it. `isReload`: undefined while it is not known. */
export interface DocumentChangeSeen {
  readonly text: string;
  readonly edits: readonly FactEdit[];
  readonly reason?: "undo" | "redo";
  readonly isReload?: false;
}

/** `before`: the text that the file had. */
export interface WriteInProgress {
  readonly turn: string;
  readonly text: string;
  readonly before: string | null | undefined;
  /** The editor has had the text. */
  readonly hasReachedEditor: boolean;
}

/** `revision`: at which the disk is read after the write. */
export interface WrittenText {
  readonly turn: string;
  readonly text: string;
  readonly revision: number;
}

/** `isSeen`: the text was read for another reason, so it need not be a change. */
export interface PendingChange {
  readonly isSeen?: true;
  readonly text: string | null | undefined;
  readonly turn: string;
  readonly why?: string;
}

/** `times`: when the changes were made (ms since the epoch), null if that is not known. */
export interface OpenChanges {
  readonly turn: string;
  readonly times: readonly (number | null)[];
}

/** A change of the file with its author. The review takes it in. */
export interface AttributedChange {
  readonly author: FactAuthor;
  /** The text after it. Undefined: the file is no text. */
  readonly text: string | null | undefined;
  /** The text before it. Undefined: not known. */
  readonly before: string | null | undefined;
  readonly edits?: readonly FactEdit[];
  readonly why?: string;
  /** A report came later and corrects the turn, or the text before, of the changes of this turn. */
  readonly corrects?: string;
}

/** What must be read before more is known. `revision`: of the record that asks, which the answer has to name. */
export type Want =
  | { readonly type: "readDisk"; readonly revision: number }
  | { readonly type: "readStart"; readonly turn: string };

/** A file of which nothing is known. */
export const newRecord = (path: string): FileRecord => ({
  path,
  revision: 0,
  text: undefined,
  disk: undefined,
  isFollowed: false,
  isUnsaved: false,
  documents: [],
  starts: {},
  isMovedAway: false,
});

/** The record without these fields. */
export function without<Key extends keyof FileRecord>(record: FileRecord, ...keys: readonly Key[]): FileRecord {
  const hidden: ReadonlySet<string> = new Set(keys);
  return Object.fromEntries(Object.entries(record).filter(([key]) => !hidden.has(key))) as unknown as FileRecord;
}
