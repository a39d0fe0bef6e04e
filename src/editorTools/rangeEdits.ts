// Applies edits by line and column to a text. Pure.
import { Refusal } from "../base/errors.ts";
import { shortQuote } from "../base/text.ts";
import type { CodeRange } from "./editorView.ts";

/** Replaces the text of a range. Lines and columns are 1-based, columns in UTF-16 units. */
export interface CodeEdit extends CodeRange {
  readonly newText: string;
  /** What the range must have now, with "\n" line endings. Absent: anything. */
  readonly oldText?: string;
}

/**
 * The text after the edits, whose positions are all in the text before them. Throws a Refusal if a range is not in the text,
 * if it does not have its old text, or if two ranges overlap.
 */
export function withRangeEdits(text: string, edits: readonly CodeEdit[], shownPath: string): string {
  const starts = lineStarts(text);
  const offsetOf = (line: number, column: number): number => {
    const start = starts[line - 1];
    if (start === undefined)
      throw new Refusal("invalid", `${shownPath} has only ${starts.length} lines, not ${line}. Read it again.`);
    const end = (starts[line] ?? text.length + 1) - 1;
    const length = end - start - (text[end - 1] === "\r" ? 1 : 0);
    if (column - 1 > length)
      throw new Refusal("invalid", `Line ${line} of ${shownPath} has only ${length} characters. Read it again.`);
    return start + column - 1;
  };
  const placed = edits
    .map(edit => {
      const [from, to] = [offsetOf(edit.line, edit.column), offsetOf(edit.endLine, edit.endColumn)];
      if (to < from) throw new Refusal("invalid", `The range at line ${edit.line} ends before it begins.`);
      const found = text.slice(from, to).replaceAll("\r\n", "\n");
      if (edit.oldText !== undefined && found !== edit.oldText.replaceAll("\r\n", "\n"))
        throw new Refusal(
          "failed",
          `${shownPath}:${edit.line}:${edit.column} has ${shortQuote(found)}, not ${shortQuote(edit.oldText)}. Nothing was changed. Read the file again.`,
        );
      return { from, to, newText: edit.newText };
    })
    // Edits at the same position are inserted in their order.
    .sort((a, b) => a.from - b.from || a.to - b.to);
  let result = "";
  let at = 0;
  for (const { from, to, newText } of placed) {
    if (from < at) throw new Refusal("invalid", `Two edits of ${shownPath} overlap. Send them as one.`);
    result += text.slice(at, from) + newText;
    at = to;
  }
  return result + text.slice(at);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
