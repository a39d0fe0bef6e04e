// Small text helpers that every room needs: line feeds and quoting.

/** The path for a sentence: in quotation marks and not endless. */
export function quotePath(path: string): string {
  return path.length > 300 ? `“${path.slice(0, 300)}…”` : `“${path}”`;
}

/** All line endings as "\n". */
export function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
