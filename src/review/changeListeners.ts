// Who learns of the agent's changes of files as they are attributed.
import type { FileState } from "../files/fileState.ts";

/** Notified of the turns' changes: of a turn's first change of a file, with the text before (undefined: not known), and of the agent's text. */
export interface TouchListener {
  touched(file: { readonly turn: string; readonly path: string; readonly before: string | null | undefined }): void;
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
