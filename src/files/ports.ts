// The editor and the file system as an agent's requests need them. src/vscode/ and the node* files here implement
// these; tests have in-memory ones that pass the same contract suite.
import type { WriteResult } from "../session/agent.ts";

/** The state of a path, with symbolic links followed. `size` is in bytes. A document with unsaved text is a file. */
export interface FileStat {
  readonly kind: "file" | "folder" | "other" | "missing";
  readonly size: number;
  /** Whether an open document has unsaved text. */
  readonly unsaved: boolean;
}

/** A run of lines. `line` is 1-based. */
export interface LineWindow {
  readonly line: number;
  readonly limit: number;
}

/**
 * Open documents and files. Paths are absolute, in the platform's syntax, and already checked against the session's
 * roots. A Refusal reports a mistake of the agent. Any other error means that the request failed.
 */
export interface Documents {
  stat(path: string): Promise<FileStat>;
  /**
   * The whole text as the user sees it: the unsaved text of an open document if there is one, else the decoded file.
   * Documents are matched by real path, also if opened through a symbolic link. Refuses binary files.
   */
  read(path: string): Promise<string>;
  /** Reads lines of a large UTF-8 file on disk without loading the whole file. Refuses above `maxBytes`. */
  readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string>;
  /**
   * Changes the file's text to `content` through the editor, with the smallest edit. Creates the file and its parent
   * folders. Keeps line ending, byte-order mark and encoding. Resolves after the text in the editor or on disk is
   * verified.
   */
  write(path: string, content: string): Promise<WriteResult>;
}

/** The file system's own answers that confinement needs. */
export interface PathResolver {
  /** The real path: the resolved deepest existing ancestor, followed by the segments that do not exist yet. */
  real(path: string): Promise<string>;
  /** Whether paths that differ only in case are the same. */
  readonly ignoresCase: boolean;
}

/** The change of one file's text. Null if there is no file. */
export interface FileTextStep {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The bytes of a file to create, if they differ from the text as UTF-8. */
  readonly raw?: Uint8Array;
}

export interface ReviewPort {
  /**
   * Applies all changes as one edit in the editor, and saves the documents that had no unsaved text. If a file no
   * longer has the text `before`, changes nothing and rejects with a Refusal.
   */
  apply(steps: readonly FileTextStep[]): Promise<void>;
}
