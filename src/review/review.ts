// The agent's changes that need the user's review, and the user's decisions about them.
import type { Event } from "../base/lifecycle.ts";
import type { ApplyOptions } from "../files/ports.ts";
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
  /** The absolute path that the file had before an agent moved it. Undo moves it back. */
  readonly movedFrom?: string;
  /** What changed, or why the text before is unknown, as a sentence. Such a file has no hunks, only a decision. */
  readonly unknown?: string;
  /** Whether the file can be undone although it has no hunks: its earlier bytes are known. */
  readonly canUndo?: boolean;
  /** The file is outside the workspace folders. The user allowed the agent to write it. */
  readonly isOutside?: true;
  /** An agent created the file, so an undo of all of its changes deletes it. */
  readonly isCreated?: true;
  /** All of its changes were made while no tool call ran, perhaps by the user. An undo of all or of a turn leaves it. */
  readonly isMeanwhile?: true;
  /** The user has marked it as reviewed, and its text has not changed since. */
  readonly isReviewed?: true;
}

/** The target of a decision. Hunk ids belong to the file. */
export type ReviewTarget =
  | { readonly kind: "all" }
  /** `keepsEarlier`: an undo leaves the text of earlier turns in the hunks that they changed too, see {@link SharedTurn}. */
  | { readonly kind: "turn"; readonly turn: string; readonly keepsEarlier?: boolean }
  /** The turns of a session. */
  | { readonly kind: "turns"; readonly turns: readonly string[] }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "hunks"; readonly path: string; readonly ids: readonly string[] };

/** A file that cannot be undone, and why. */
export interface UndoLoss {
  readonly path: string;
  readonly why: string;
}

/** A turn with changes to review. */
export interface ReviewedTurn {
  readonly id: string;
  /** The first line of its prompt. */
  readonly title: string;
  /** Undefined: the turn is of a window that did not store it, or no agent reported its changes. */
  readonly session?: TurnSession;
}

/** The session of a turn, with its title when the turn began. */
export interface TurnSession {
  readonly id: string;
  readonly title: string;
  /** The folder in which the session works alone, such as a worktree. Absent: it works in the folders of the workspace. */
  readonly ownFolder?: string;
}

/** The hunks of turns that other turns changed too. */
export interface SharedTurn {
  readonly hunks: number;
  /** Whether the text from before is known for all of them. Only of a single turn. */
  readonly isEarlierKnown: boolean;
}

/** The review of the session that a window shows. Decisions reject with a Refusal that states the reason. */
export interface Review {
  /** Fires when a file, a hunk or a count changes, at most once in a turn of the event loop. */
  readonly onDidChange: Event<void>;
  /** The files that need a review, by path. Unchanged files stay the same objects. */
  readonly files: readonly ReviewedFile[];
  file(path: string): ReviewedFile | undefined;
  /** The turns with changes to review, oldest first. */
  readonly turns: readonly ReviewedTurn[];
  /**
   * Marks the file as reviewed, or takes the mark away. It is no decision, and goes when the text of the file changes. A file
   * whose text is not known gets no mark, because nothing would take it away.
   */
  markReviewed(path: string, isReviewed: boolean): void;
  /** The number of files of the last decision. 0: there is none. */
  readonly lastDecisionSize: number;
  /** The files that {@link undo} would leave as they are, with the reason as a sentence. */
  undoLosses(target: ReviewTarget): Promise<readonly UndoLoss[]>;
  /** What an undo of the turns would undo of other turns. Undefined: nothing. */
  sharedTurn(...turns: readonly string[]): SharedTurn | undefined;
  /** Keeps the agent's lines by adding them to the base. */
  keep(target: ReviewTarget): Promise<void>;
  /**
   * Restores the lines of the base in the editor, as one edit that can be undone there. Saves the file unless the user
   * has unsaved changes. Undoes what it can, and rejects with the names of the rest.
   */
  undo(target: ReviewTarget, options?: ApplyOptions): Promise<void>;
  /** Undoes the last decision. False: there is none. */
  undoLast(options?: ApplyOptions): Promise<boolean>;
}
