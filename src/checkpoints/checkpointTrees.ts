// Trees of whole folders, as checkpoints use them.
import type { TreeRecord } from "./checkpointIndex.ts";

/** Trees of whole folders, for folders under git. */
export interface CheckpointTrees {
  /** Takes a tree of each folder. Omissions are logged. Rejects if the signal aborts. */
  take(signal: AbortSignal): Promise<readonly TreeRecord[]>;
  /** The text of a file in one of the trees. Null: the file does not exist. Undefined: unknown. */
  textAt(trees: readonly TreeRecord[], path: string): Promise<string | null | undefined>;
  /**
   * The files that differ between two sets of trees, as absolute paths, with their text in the first. At most `max` of
   * them.
   */
  changed(from: readonly TreeRecord[], to: readonly TreeRecord[], max: number): Promise<TreeChanges>;
  /** Frees the space of all other trees. */
  keepOnly(trees: readonly TreeRecord[]): Promise<void>;
}

export interface TreeChanges {
  readonly files: readonly { readonly path: string; readonly text: string | null | undefined }[];
  /** The number of further files. */
  readonly more: number;
}
