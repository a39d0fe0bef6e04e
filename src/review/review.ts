// The agent's changes that need the user's review, and the user's decisions about them.
import type { Event } from "../base/lifecycle.ts";
import type { FileChanges } from "./hunk.ts";

/** A file that an agent changed and that needs a review. */
export interface ReviewedFile {
  /** The absolute path in the platform's syntax with links resolved, which is the path that the editor opens. */
  readonly path: string;
  readonly changes: FileChanges;
  readonly added: number;
  readonly removed: number;
  /** The turns with a hunk in this file, oldest first. */
  readonly turns: readonly string[];
  /** The reason, as a sentence, why the text before is unknown. Such a file has no hunks and can only be kept. */
  readonly unknown?: string;
}

/** The target of a decision. Hunk ids belong to the file. */
export type ReviewTarget =
  | { readonly kind: "all" }
  | { readonly kind: "turn"; readonly turn: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "hunks"; readonly path: string; readonly ids: readonly string[] };

/** The review of the session that a window shows. Decisions reject with a Refusal that states the reason. */
export interface Review {
  /** Fires when a file, a hunk or a count changes, at most once in a turn of the event loop. */
  readonly onDidChange: Event<void>;
  /** The files that need a review, by path. Unchanged files stay the same objects. */
  readonly files: readonly ReviewedFile[];
  file(path: string): ReviewedFile | undefined;
  /** The turns with changes to review, oldest first, with the first line of their prompt. */
  readonly turns: readonly { readonly id: string; readonly title: string }[];
  /** Keeps the agent's lines by adding them to the base. */
  keep(target: ReviewTarget): Promise<void>;
  /**
   * Restores the lines of the base in the editor, as one edit that can be undone there. Saves the file unless the user
   * has unsaved changes.
   */
  undo(target: ReviewTarget): Promise<void>;
  /** Undoes the last decision. False: there is none. */
  undoLast(): Promise<boolean>;
}
