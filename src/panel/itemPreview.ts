// Previews of what a mention or an attachment stands for. Shared with webview-ui.

/** What an item stands for, as far as a preview shows it. */
export interface ItemPreview {
  /** The full path. */
  readonly path?: string;
  /** The first lines, see {@link previewText}. */
  readonly text?: string;
  /** `data` is base64. */
  readonly image?: { readonly mimeType: string; readonly data: string };
  /** Why there is no content, as a sentence. */
  readonly note?: string;
}

/** The most lines of a preview, and the most characters of a line. */
export const maxPreviewLines = 12;
const maxPreviewColumns = 160;

/** The first lines of a text. An ellipsis shows that there is more. */
export function previewText(text: string): string {
  // So long a text is enough for all lines.
  const start = text.slice(0, 2 * maxPreviewLines * maxPreviewColumns);
  const lines = start.replace(/\r?\n$/, "").split(/\r?\n/);
  const shown = lines
    .slice(0, maxPreviewLines)
    .map(line => (line.length > maxPreviewColumns ? `${line.slice(0, maxPreviewColumns)}…` : line));
  const isCut = lines.length > maxPreviewLines || start.length < text.length;
  return isCut ? `${shown.join("\n")}\n…` : shown.join("\n");
}
