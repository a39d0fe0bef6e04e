// The editor as an agent's requests need it. src/vscode/ implements these; tests have in-memory ones.

/** Open documents and files. Paths are absolute, in the platform's own syntax, already confined to the session's roots. */
export interface Documents {
  /** The whole text as the user sees it: the open buffer where there is one, else the decoded file. */
  read(path: string): Promise<string>;
  /**
   * Makes the file's text `content`, through the editor, with the smallest edit; creates file and parent folders.
   * Resolves once buffer or disk was read back and is equal.
   */
  write(path: string, content: string): Promise<WriteOutcome>;
  /** What is at that path: through symbolic links. */
  stat(path: string): Promise<"file" | "folder" | "missing">;
}

/** `saved` is false when the buffer holds unsaved changes of the user's own and was left dirty. */
export interface WriteOutcome {
  readonly saved: boolean;
}

/** The file system's own answers that confinement needs. */
export interface PathResolver {
  /** The real path of the deepest existing ancestor, with what does not exist yet appended. */
  real(path: string): Promise<string>;
  /** Whether two paths that differ only in case are the same here. */
  readonly ignoresCase: boolean;
}
