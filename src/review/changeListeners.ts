// Who learns of the agent's changes of files as they are attributed.
import type { FileState } from "../files/fileState.ts";

/** A file that the agent changes in a turn. `before`: its text before this change. Undefined: not known. */
export interface FileTouch {
  readonly turn: string;
  readonly path: string;
  readonly before: string | null | undefined;
}

/** Notified of the turns' changes, before each, and of the agent's text. */
export interface TouchListener {
  /** The agent changes the file for the first time in the turn. */
  touched(file: FileTouch): void;
  /** The agent changes the file again in the turn: the user can have changed it in between. */
  touchedAgain?(file: FileTouch): void;
  written(path: string, after: string | null, turn: string): void;
  /** The exact state of a file at the start of the turn, soon after it was touched. */
  stateBefore?(turn: string, path: string, state: FileState): void;
  /** The agent left a file that is no text in this state. */
  stateWritten?(path: string, state: FileState, turn: string): void;
}

/** Notified of the agent's changes, to keep what no text contains: bytes, modes and links. */
export interface ChangedStates {
  /** The agent is about to write the file through Parley. Must not reject. */
  beforeWrite(path: string): Promise<void>;
  /** The agent changes the file for the first time in a turn. */
  touched(turn: string, path: string, before: string | null | undefined): void;
  /** The agent has changed the file. */
  written(turn: string, path: string): void;
  /** The user saved the file in the editor. */
  saved(path: string): void;
}
