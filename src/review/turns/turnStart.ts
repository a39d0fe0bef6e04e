// The files of folders as they were when a turn began, and how they differ now. Implemented by git's trees, by the
// texts of folders without git, and by both together.

import type { FileState } from "../../files/fileState.ts";

/** A file that is not as it was when the turn began. */
export interface FileDifference {
  readonly path: string;
  /** The text when the turn began. Null: the file did not exist. Undefined: unknown, for example because it is binary. */
  readonly before: string | null | undefined;
  /**
   * What the file was when the turn began, and what it is now. Undefined: it did not exist, or no longer exists. A file
   * that `is` what another one `was` is that file, moved, or has its content.
   */
  readonly was: string | undefined;
  readonly is: string | undefined;
  /** The path is a folder that is gone. Its files are not known, or not all of them. */
  readonly isFolder?: true;
}

export interface TurnStart {
  /** The folders of which everything is known that is not ignored. */
  readonly folders: readonly string[];
  /**
   * What was there and is not read: what git ignores, files that are too large, and the folders of other repositories.
   * Folders end with a separator.
   */
  readonly omitted: readonly string[];
  /** The text of a file. Null: it did not exist. Undefined: unknown. */
  textAt(path: string): Promise<string | null | undefined>;
  /** The exact state of a path. Undefined: unknown. */
  stateAt(path: string): Promise<FileState | undefined>;
  /** The files that were at the path, or at any depth in a folder at the path. Undefined: unknown. */
  filesAt(path: string): Promise<readonly string[] | undefined>;
  /** The files that were created, changed or deleted since. Rejects if the signal aborts. */
  differences(signal: AbortSignal): Promise<readonly FileDifference[]>;
}

/** Several starts as one: the first one that knows something answers. */
export function joinedStart(starts: readonly TurnStart[]): TurnStart {
  const first = async <T>(ask: (start: TurnStart) => Promise<T | undefined>): Promise<T | undefined> => {
    for (const start of starts) {
      const found = await ask(start);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    folders: starts.flatMap(({ folders }) => folders),
    omitted: starts.flatMap(({ omitted }) => omitted),
    textAt: path => first(start => start.textAt(path)),
    stateAt: path => first(start => start.stateAt(path)),
    filesAt: path => first(start => start.filesAt(path)),
    async differences(signal) {
      const all = await Promise.all(starts.map(start => start.differences(signal)));
      const found = new Map<string, FileDifference>();
      // Two starts can have the same file, one of them without its text.
      for (const one of all.flat()) if (found.get(one.path)?.before === undefined) found.set(one.path, one);
      return [...found.values()];
    },
  };
}
