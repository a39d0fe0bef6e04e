// Moves the lines of a comment when the text around them changes, and finds them again in a text that changed unseen. Pure.
import type { LineChange } from "../base/lineDiff.ts";
import { textLinesOf } from "../review/textLines.ts";
import type { LineRange } from "../review/hunk.ts";
import type { RangeEdit } from "../review/fileChanges.ts";

/** Replaces the lines `[from, to)` by `count` other lines. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The lines after an edit. Empty lines: none of them is left. */
export interface EditedLines {
  readonly lines: LineRange;
  /** The edit changed, removed or divided the lines. */
  readonly isTouched: boolean;
}

/** The lines after an edit. Lines that were empty stay so, and keep their place. */
export function moveLines(lines: LineRange, { from, to, count }: LineEdit): EditedLines {
  const delta = count - (to - from);
  if (to <= lines.from) return { lines: shifted(lines, delta), isTouched: false };
  if (from >= lines.to) return { lines, isTouched: false };
  // Of lines that are replaced together with others before them, those at the same place are the new ones.
  const start = from < lines.from ? from + Math.min(lines.from - from, count) : lines.from;
  const end = to > lines.to ? from + Math.min(lines.to - from, count) : lines.to + delta;
  if (end > start) return { lines: { from: start, to: end }, isTouched: true };
  // Fewer lines replace more, so the last of them stands for the lines.
  const last = from + count;
  if (count > 0 && lines.to > lines.from) return { lines: { from: last - 1, to: last }, isTouched: true };
  return { lines: { from: start, to: start }, isTouched: true };
}

/** The lines after several edits, whose numbers are all those of the text before. The edits do not overlap. */
export function moveLinesBy(lines: LineRange, edits: readonly LineEdit[]): EditedLines {
  let isTouched = false;
  let moved = lines;
  // From the last one, so that the numbers of the others stay true.
  for (const edit of edits.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    const next = moveLines(moved, edit);
    moved = next.lines;
    isTouched ||= next.isTouched;
  }
  return { lines: moved, isTouched };
}

const shifted = ({ from, to }: LineRange, by: number): LineRange => ({ from: from + by, to: to + by });

/** The changes between two texts as edits. */
export const editsOfChanges = (changes: readonly LineChange[]): readonly LineEdit[] =>
  changes.map(({ oldFrom, oldTo, newFrom, newTo }) => ({ from: oldFrom, to: oldTo, count: newTo - newFrom }));

/**
 * The edits of a document as edits of lines. Positions refer to `before`, the text before all of them. Whole lines that are
 * inserted or removed change no other line.
 */
export function editsOfLines(before: string, edits: readonly RangeEdit[]): readonly LineEdit[] {
  const lines = textLinesOf(before);
  const lengthOf = (line: number): number => lines.line(line).replace(/\n$/, "").length;
  const found = edits.map(({ start, end, text }): LineEdit => {
    const added = text.split("\n").length - 1;
    if (start.character === 0 && end.character === 0 && (text === "" || text.endsWith("\n")))
      return { from: start.line, to: end.line, count: added };
    const endsLines = start.character >= lengthOf(start.line) && end.character >= lengthOf(end.line);
    if (endsLines && (text === "" || text.startsWith("\n")))
      return { from: start.line + 1, to: end.line + 1, count: added };
    return { from: start.line, to: end.line + 1, count: added + 1 };
  });
  return joined(found);
}

/** Edits of the same line, for example by two cursors, are one. */
function joined(edits: readonly LineEdit[]): readonly LineEdit[] {
  const result: LineEdit[] = [];
  for (const edit of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (!last || edit.from >= last.to) {
      result.push(edit);
      continue;
    }
    const to = Math.max(last.to, edit.to);
    const delta = last.count - (last.to - last.from) + edit.count - (edit.to - edit.from);
    result[result.length - 1] = { from: last.from, to, count: to - last.from + delta };
  }
  return result;
}

/** The text of lines, without their last line feed. */
export function textOfLines(text: string, lines: LineRange): string {
  return textLinesOf(text).slice(lines).replace(/\n$/, "");
}

/** All whole lines with this text. None if it is blank. */
function* linesWithText(text: string, wanted: string): Generator<LineRange, void, void> {
  if (wanted.trim() === "") return;
  const lines = textLinesOf(text);
  const count = wanted.split("\n").length;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const from = lines.lineAt(at);
    const isWhole = lines.start(from) === at && ["\n", ""].includes(text.charAt(at + wanted.length));
    if (isWhole) yield { from, to: from + count };
  }
}

/** The lines with this text that are nearest to `near`. Undefined: there are none. Lines that are all blank are not found. */
export function findLines(
  text: string,
  wanted: string,
  near: number,
  isAllowed: (lines: LineRange) => boolean = () => true,
): LineRange | undefined {
  let best: LineRange | undefined;
  for (const lines of linesWithText(text, wanted)) {
    if (isAllowed(lines) && (!best || Math.abs(lines.from - near) < Math.abs(best.from - near))) best = lines;
  }
  return best;
}

/** The only lines with this text. Undefined: there are none, or several. */
export function findOnlyLines(text: string, wanted: string): LineRange | undefined {
  const [first, ...others] = linesWithText(text, wanted);
  return others.length === 0 ? first : undefined;
}

/** The lines that edits have inserted, in the text after them. */
export function insertedLines(edits: readonly LineEdit[]): readonly LineRange[] {
  let delta = 0;
  return edits
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map(({ from, to, count }) => {
      const start = from + delta;
      delta += count - (to - from);
      return { from: start, to: start + count };
    });
}
