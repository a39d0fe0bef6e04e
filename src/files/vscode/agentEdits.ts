// Which text an agent's write is putting into a document, so that the event of this edit is not taken for the user's.

/** The texts that writes are putting into documents, by path. */
const written = new Map<string, string>();

/** The text that a write of an agent is putting into the document at the path, if one is in progress. */
export function agentTextOf(path: string): string | undefined {
  return written.get(path);
}

/** A write is about to change the document's text to this one. */
export function announceAgentText(path: string, text: string): void {
  written.set(path, text);
}

/** The write has ended. */
export function endAgentText(path: string): void {
  written.delete(path);
}
