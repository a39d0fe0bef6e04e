// The editor and the file system as an agent's requests need them. src/vscode/ and the node* files here implement
// these; tests have in-memory ones that pass the same contract suite.
import type { WriteResult } from "../session/agent.ts";
import type { FileState } from "./fileState.ts";

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
   * Documents are matched by real path, also if opened through a symbolic link. Refuses binary files, and bytes that
   * the file's encoding lacks.
   */
  read(path: string): Promise<string>;
  /**
   * Like `read`, for lines of a large file, without loading the whole file from the disk. Refuses UTF-16, and lines of
   * more than `maxBytes`.
   */
  readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string>;
  /**
   * Changes the file's text to `content` through the editor, with the smallest edit. Creates the file and its parent
   * folders. Keeps line ending, byte-order mark and encoding. Resolves after the text in the editor or on disk is
   * verified. With `known`, from which the agent derived `content`, what the user has typed since stays: both changes are
   * merged, or the write is refused if they touch each other.
   */
  write(path: string, content: string, known?: KnownText): Promise<WriteResult>;
  /** How often the user has edited the file in the editor so far. Grows with every edit that is not the agent's. */
  userEdits(path: string): Promise<number>;
}

/** The text of a file that an agent last read or wrote. */
export interface KnownText {
  /** With "\n" line endings and without a byte-order mark. */
  readonly text: string;
  /** The number of the user's edits of the file until then, see {@link Documents.userEdits}. */
  readonly userEdits: number;
}

/** The file system's own answers that confinement needs. */
export interface PathResolver {
  /** The real path: the resolved deepest existing ancestor, followed by the segments that do not exist yet. */
  real(path: string): Promise<string>;
  /** Whether paths that differ only in case are the same. */
  readonly ignoresCase: boolean;
}

/** The change of one file. Texts have "\n" line endings. Null: there is no file. */
export interface FileTextStep {
  readonly path: string;
  /** Undefined: the file is not a text, or a symbolic link. It is then replaced whatever it contains. */
  readonly before: string | null | undefined;
  readonly after: string | null | undefined;
  /** The exact state after the step. Without it, the file keeps its encoding, its line endings and its mode. */
  readonly state?: FileState;
}

export interface ApplyOptions {
  /** Stops before the next file. The files that were not changed are then in `failed`. */
  readonly signal?: AbortSignal;
  /** Receives the number of files that are done. */
  readonly onProgress?: (done: number) => void;
}

/** What happened to the files of the steps. */
export interface AppliedSteps {
  /** The files that were not changed, with the reason as a sentence. */
  readonly failed: ReadonlyMap<string, Error>;
  /** The exact states of changed files before the change, if their texts do not determine them. */
  readonly replaced: ReadonlyMap<string, FileState>;
}

export interface ReviewPort {
  /**
   * Applies the changes. The text of a file that the user has open changes in the editor, all of them as one edit, and
   * is saved unless the document had unsaved text. Other files are written to disk as bytes. A file that no longer has
   * the text `before` stays as it is. Rejects only if nothing could be attempted.
   */
  apply(steps: readonly FileTextStep[], options?: ApplyOptions): Promise<AppliedSteps>;

  /**
   * Moves a file, whatever it contains, and creates the folders above its new path. Rejects with a Refusal if there is a
   * file at the new path. Resolves with the outermost folder that had to be created.
   */
  move(from: string, to: string): Promise<string | undefined>;
}
