// The writes of the agent through Parley that are in progress, and the changes of documents that belong to them. Pure.

interface PendingWrite {
  readonly expected: string;
  /** Whether the editor has had the expected text. */
  hasReachedEditor: boolean;
  readonly before: string | null;
}

/** A change of a document during a write. */
export interface ChangeDuringWrite {
  readonly text: string;
  readonly clean: boolean;
  readonly isAgents: boolean;
  readonly isTyped: boolean;
}

export class PendingWrites {
  readonly #writes = new Map<string, PendingWrite>();

  has(path: string): boolean {
    return this.#writes.has(path);
  }

  /** A write of a text begins. `before`: the text that the file has. */
  begin(path: string, expected: string, before: string | null): void {
    this.#writes.set(path, { expected, before, hasReachedEditor: false });
  }

  end(path: string): void {
    this.#writes.delete(path);
  }

  /**
   * Whose change of the document this is, if a write is in progress: the agent's, or nobody's because the editor loads
   * the text from before the write only now. Undefined: it does not belong to a write. `known`: the last text seen.
   */
  authorOf(
    path: string,
    { text, clean, isAgents, isTyped }: ChangeDuringWrite,
    known: string | null | undefined,
  ): "agent" | "nobody" | undefined {
    const write = this.#writes.get(path);
    if (!write) return undefined;
    // Changes by formatters on save are attributed to the agent.
    // The agent's text may be merged with what the user typed.
    const isOwn = isAgents || text === write.expected;
    write.hasReachedEditor ||= isOwn;
    if (!write.hasReachedEditor && text === known) return "nobody";
    const isLoaded = clean && text === write.before;
    return isOwn || (!isTyped && (write.hasReachedEditor || isLoaded)) ? "agent" : undefined;
  }
}
