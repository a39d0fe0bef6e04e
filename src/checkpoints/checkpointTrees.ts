// Trees of everything in folders, as checkpoints ask for them.
import type { TreeRecord } from "./checkpointIndex.ts";

/** Trees of everything, where folders are under git. */
export interface CheckpointTrees {
  /** Takes one of each folder. What is left out is said in the log. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<readonly TreeRecord[]>;
  /** The text of a file in one of the trees; null: no such file; undefined: not known. */
  textAt(trees: readonly TreeRecord[], path: string): Promise<string | null | undefined>;
  /** Files that differ between two takes, as absolute paths, with their text in the first. At most `most` of them. */
  changed(from: readonly TreeRecord[], to: readonly TreeRecord[], max: number): Promise<TreeChanges>;
  /** Gives back the space of all trees but these. */
  keepOnly(trees: readonly TreeRecord[]): Promise<void>;
}

export interface TreeChanges {
  readonly files: readonly { readonly path: string; readonly text: string | null | undefined }[];
  /** How many more there were. */
  readonly more: number;
}
