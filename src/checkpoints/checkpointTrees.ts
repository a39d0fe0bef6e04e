// Trees of whole folders, as checkpoints use them.
import type { FileState } from "../files/fileState.ts";
import type { TreeRecord } from "./checkpointIndex.ts";

/** Trees of whole folders, for folders under git. */
export interface CheckpointTrees {
  /** Takes a tree of each folder. Omissions are logged. Rejects if the signal aborts. */
  take(signal: AbortSignal): Promise<readonly TreeRecord[]>;
  /** The text of a file in one of the trees. Null: the file does not exist. Undefined: unknown. */
  textAt(trees: readonly TreeRecord[], path: string): Promise<string | null | undefined>;
  /** The files that were at the path, or at any depth in a folder at the path. Undefined: unknown. */
  filesAt(trees: readonly TreeRecord[], path: string): Promise<readonly string[] | undefined>;
  /** The exact state of a file in one of the trees. Undefined: unknown. */
  stateAt(trees: readonly TreeRecord[], path: string): Promise<FileState | undefined>;
  /**
   * The files that differ between two sets of trees, as absolute paths, with their text in the first. At most `max` of
   * them.
   */
  changed(from: readonly TreeRecord[], to: readonly TreeRecord[], max: number): Promise<TreeChanges>;
  /** Frees the space of all other trees. */
  keepOnly(trees: readonly TreeRecord[]): Promise<void>;
}

export interface TreeChanges {
  readonly files: readonly TreeChange[];
  /** The number of further files. */
  readonly more: number;
}

/** A file that differs between two sets of trees. */
export interface TreeChange {
  readonly path: string;
  /** The text in the first trees. Null: the file did not exist. Undefined: unknown. */
  readonly text: string | null | undefined;
  /** The objects of git with the content in the first and in the second trees. Undefined: the file does not exist. */
  readonly was: string | undefined;
  readonly is: string | undefined;
}
