// Computes the smallest edits between two texts, so that cursors, folds, breakpoints and undo survive a write.
import { diffArrays } from "diff";

/** Replaces `[start, end)` of the old text. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A zero-based position in a text. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** With more changed lines, one edit replaces everything between the first and the last change. */
const maxChangedLines = 2000;

/** The time limit for comparing lines (ms). */
const maxDiffTime = 100;

/**
 * Edits that turn `before` into `after`, in order and without overlap. Both texts have "\n" line endings.
 * @example smallestEdits("one two\n", "one too\n") // [{ start: 6, end: 7, text: "o" }]
 */
export function smallestEdits(before: string, after: string): readonly OffsetEdit[] {
  if (before === after) return [];
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  // Extend the change to whole lines for the line diff.
  const from = start === 0 ? 0 : before.lastIndexOf("\n", start - 1) + 1;
  const tail = lineEndAfter(before, before.length - end);
  const keptTail = before.length - tail;
  const oldLines = splitIntoLines(before.slice(from, tail));
  const newLines = splitIntoLines(after.slice(from, after.length - keptTail));
  const changes = diffArrays(oldLines, newLines, { maxEditLength: maxChangedLines, timeout: maxDiffTime });
  if (changes === undefined)
    return [trimEdit(before, start, before.length - end, after.slice(start, after.length - end))];
  return editsFromChanges(changes, before, from);
}

function editsFromChanges(
  changes: readonly { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }[],
  before: string,
  from: number,
): readonly OffsetEdit[] {
  const edits: OffsetEdit[] = [];
  let at = from;
  let open: { start: number; text: string } | undefined;
  const close = (): void => {
    if (open) edits.push(trimEdit(before, open.start, at, open.text));
    open = undefined;
  };
  for (const { value, added, removed } of changes) {
    const text = value.join("");
    if (!added && !removed) close();
    else open ??= { start: at, text: "" };
    if (added && open) open.text += text;
    if (!added) at += text.length;
  }
  close();
  return edits.filter(edit => edit.end > edit.start || edit.text !== "");
}

/** The text after the edits. */
export function applyEdits(text: string, edits: readonly OffsetEdit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Converts offsets to positions. The offsets must be in ascending order. */
export function positionFinder(text: string): (offset: number) => TextPosition {
  let line = 0;
  let lineStart = 0;
  return offset => {
    for (let end = text.indexOf("\n", lineStart); end >= 0 && end < offset; end = text.indexOf("\n", lineStart)) {
      line++;
      lineStart = end + 1;
    }
    return { line, character: offset - lineStart };
  };
}

/** The edit of `[start, end)` without the parts that stay the same. */
export function trimEdit(before: string, start: number, end: number, text: string): OffsetEdit {
  const old = before.slice(start, end);
  const head = commonStart(old, text);
  const tail = commonEnd(old, text, head);
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}

function commonStart(a: string, b: string): number {
  const maxLength = Math.min(a.length, b.length);
  let length = 0;
  while (length < maxLength && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  // Never split a surrogate pair.
  return length > 0 && isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length;
}

function commonEnd(a: string, b: string, start: number): number {
  const maxLength = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < maxLength && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length > 0 && isLowSurrogate(a.charCodeAt(a.length - length)) ? length - 1 : length;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

function lineEndAfter(text: string, offset: number): number {
  if (offset > 0 && text.charCodeAt(offset - 1) === 10) return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

function splitIntoLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
