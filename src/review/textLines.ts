// A text by its lines, each with the "\n" that ends it.
import type { LineRange } from "./hunk.ts";
import type { TextPosition } from "../files/textEdits.ts";

/** Texts that were looked at last. A file's hunks are asked for one by one, and each key needs the text of the one before. */
const recentTexts: TextLines[] = [];
const maxRecent = 4;

/** The lines of a text; of a text that was looked at just before, the same object. */
export function textLinesOf(text: string): TextLines {
  const at = recentTexts.findIndex(lines => lines.text === text);
  const [found] = at < 0 ? [] : recentTexts.splice(at, 1);
  const lines = found ?? new TextLines(text);
  recentTexts.unshift(lines);
  recentTexts.length = Math.min(recentTexts.length, maxRecent);
  return lines;
}

/** Finds lines by number. A last line without "\n" counts; after a last "\n" there is no further line. */
export class TextLines {
  readonly text: string;
  /** Where each line begins, and where the last one ends. */
  readonly #starts: Int32Array;
  readonly count: number;

  constructor(text: string) {
    this.text = text;
    let starts = new Int32Array(16 + (text.length >> 5));
    let count = 0;
    for (let end = 0; end < text.length;) {
      const found = text.indexOf("\n", end);
      end = found < 0 ? text.length : found + 1;
      if (++count === starts.length) {
        const more = new Int32Array(2 * count);
        more.set(starts);
        starts = more;
      }
      starts[count] = end;
    }
    this.#starts = starts;
    this.count = count;
  }

  /** Whether the last line has no "\n". */
  get isUnterminated(): boolean {
    return this.text !== "" && !this.text.endsWith("\n");
  }

  /** Where a line begins; beyond the last line, where the text ends. */
  start(line: number): number {
    return line > this.count ? this.text.length : (this.#starts[Math.max(0, line)] ?? 0);
  }

  slice({ from, to }: LineRange): string {
    return this.text.slice(this.start(from), this.start(to));
  }

  /** The offset of a place, which is moved into its line, and into the text, where it is outside. */
  offset({ line, character }: TextPosition): number {
    const start = this.start(line);
    const next = this.start(line + 1);
    const end = next > start && this.text.charCodeAt(next - 1) === 10 ? next - 1 : next;
    return Math.min(start + Math.max(0, character), end);
  }

  /** The number of the line that holds an offset; behind a last "\n", that of the line that would begin there. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low === this.count && this.isUnterminated ? low - 1 : low;
  }
}
