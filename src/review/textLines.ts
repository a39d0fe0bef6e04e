// A text as lines, each with the "\n" that ends it.
import type { LineRange } from "./hunk.ts";
import type { TextPosition } from "../files/textEdits.ts";

/** The latest texts. The hunks of a file are requested one by one, and each keystroke needs the previous text. */
const recentTexts: TextLines[] = [];
const maxRecent = 4;

/** The lines of a text. The same object if the text was requested recently. */
export function textLinesOf(text: string): TextLines {
  const at = recentTexts.findIndex(lines => lines.text === text);
  const [found] = at < 0 ? [] : recentTexts.splice(at, 1);
  const lines = found ?? new TextLines(text);
  recentTexts.unshift(lines);
  recentTexts.length = Math.min(recentTexts.length, maxRecent);
  return lines;
}

/** Finds lines by number. A last line without "\n" counts. After a final "\n" there is no further line. */
export class TextLines {
  readonly text: string;
  /** The start of each line, and the end of the last one. */
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

  /** The start of a line. Beyond the last line, the end of the text. */
  start(line: number): number {
    return line > this.count ? this.text.length : (this.#starts[Math.max(0, line)] ?? 0);
  }

  slice({ from, to }: LineRange): string {
    return this.text.slice(this.start(from), this.start(to));
  }

  /** A line with its line ending. */
  line(number: number): string {
    return this.text.slice(this.start(number), this.start(number + 1));
  }

  /** The offset of a position. A position outside its line or the text is moved inside. */
  offset({ line, character }: TextPosition): number {
    const start = this.start(line);
    const next = this.start(line + 1);
    const end = next > start && this.text.charCodeAt(next - 1) === 10 ? next - 1 : next;
    return Math.min(start + Math.max(0, character), end);
  }

  /**
   * The number of the line that contains an offset. After a final "\n", the number of the line that would start there.
   */
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
