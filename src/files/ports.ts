// The editor and the file system as an agent's requests need them. src/vscode/ and the node* files here implement
// these; tests have in-memory ones that pass the same contract suite.
import type { WriteResult } from "../session/agent.ts";

/** What is at a path, through symbolic links. `size` is in bytes; an open document with unsaved text is a file. */
export interface FileStat {
  readonly kind: "file" | "folder" | "other" | "missing";
  readonly size: number;
  /** An open document holds text that the disk does not have. */
  readonly unsaved: boolean;
}

/** A run of lines. `line` is 1-based. */
export interface LineWindow {
  readonly line: number;
  readonly limit: number;
}

/**
 * Open documents and files. Paths are absolute, in the platform's own syntax, already confined to the session's roots.
 * What the agent did wrong is a Refusal; any other error means that the request failed.
 */
export interface Documents {
  stat(path: string): Promise<FileStat>;
  /**
   * The whole text as the user sees it: the unsaved text of an open document where there is one, else the decoded
   * file. Documents are matched by real path, so one opened through a symbolic link counts. Binary files are refused.
   */
  read(path: string): Promise<string>;
  /** Lines of a large UTF-8 file on disk, without loading the whole. Refuses above `maxBytes`. */
  readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string>;
  /**
   * Makes the file's text `content`, through the editor, with the smallest edit; creates file and parent folders.
   * Keeps line ending, byte-order mark and encoding. Resolves once buffer or disk was read back and is equal.
   */
  write(path: string, content: string): Promise<WriteResult>;
}

/** The file system's own answers that confinement needs. */
export interface PathResolver {
  /** The real path: links of the deepest existing ancestor resolved, what does not exist yet appended. */
  real(path: string): Promise<string>;
  /** Whether two paths that differ only in case are the same here. */
  readonly ignoresCase: boolean;
}

/** One file's text as it is to be. `null`: no such file. */
export interface FileTextStep {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The bytes of a file that is made anew, where the text does not tell them. */
  readonly raw?: Uint8Array;
}

export interface ReviewPort {
  /**
   * Makes the texts so, as one edit in the editor, and saves what held no unsaved text. Rejects with a Refusal, having
   * changed nothing, where a file is not `before` any more.
   */
  apply(steps: readonly FileTextStep[]): Promise<void>;
}
