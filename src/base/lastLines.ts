// The end of the output of a command, as a text that can be shown and stored.
import { maskText } from "./mask.ts";

/** Earlier output is neither masked nor searched for lines. Characters. */
const maxRead = 64 * 1024;
const maxLines = 20;
const maxLineLength = 500;

/** Sequences that set colors, move the cursor or set titles. */
// eslint-disable-next-line no-control-regex
const escapes = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]/g;

/**
 * The text without sequences for terminals. Remove them before secrets are masked: the end of a sequence can look like the
 * beginning of a word.
 */
export const withoutEscapeSequences = (text: string): string => text.replaceAll(escapes, "");

/** The last lines of the output, without colors and likely secrets. A line that was written over shows what stands there last. */
export function lastLines(output: string): string {
  const end = output.slice(-maxRead);
  // A cut line could show a part of a secret.
  const whole = end.length < output.length ? end.replace(/^[^\n]*\n?/, "") : end;
  const lines = maskText(withoutEscapeSequences(whole).replaceAll("\r\n", "\n"))
    .trimEnd()
    .split("\n")
    .map(line => line.slice(line.lastIndexOf("\r") + 1));
  return lines
    .slice(-maxLines)
    .map(line => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
    .join("\n");
}
