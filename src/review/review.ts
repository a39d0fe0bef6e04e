// Which changes of an agent wait for the user's review, in one session, and what the user decides about them.
import type { Event } from "../base/lifecycle.ts";
import type { FileChanges } from "./hunk.ts";

/** A file that an agent changed, as it waits for review. */
export interface ReviewedFile {
  /** Absolute, in the platform's syntax, links resolved: the path the editor opens. */
  readonly path: string;
  readonly changes: FileChanges;
  readonly added: number;
  readonly removed: number;
  /** Turns with a hunk in this file, the oldest first. */
  readonly turns: readonly string[];
  /** Why nothing is known of the text before, as a sentence: then there are no hunks, and the file can only be kept. */
  readonly unknown?: string;
}

/** What a decision is about. Hunk ids are those of the file. */
export type ReviewTarget =
  | { readonly kind: "all" }
  | { readonly kind: "turn"; readonly turn: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "hunks"; readonly path: string; readonly ids: readonly string[] };

/** The review of the session that a window shows. Decisions reject with a Refusal that says what stood in the way. */
export interface Review {
  /** Fires when a file, a hunk or a count has changed; at most once in a turn of the event loop. */
  readonly onDidChange: Event<void>;
  /** Files that wait for review, by path. The same objects as long as nothing has changed in them. */
  readonly files: readonly ReviewedFile[];
  file(path: string): ReviewedFile | undefined;
  /** Turns with changes that wait, the oldest first, with the first line of their prompt. */
  readonly turns: readonly { readonly id: string; readonly title: string }[];
  /** The agent's lines are kept: they move into the base. */
  keep(target: ReviewTarget): Promise<void>;
  /** The base's lines come back, in the editor, as one edit that the editor can undo; saved unless the user has unsaved text. */
  undo(target: ReviewTarget): Promise<void>;
  /** Takes the last decision back. False: there is none left. */
  undoLast(): Promise<boolean>;
}
