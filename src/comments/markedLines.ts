// Lines of a diff. Pure.
import type { LineRange } from "../review/hunk.ts";
import type { TextLines } from "../review/textLines.ts";

/** Follows the last line of a text that does not end with a line feed, as in the diffs of git. */
const noLineFeed = "\\ No newline at end of file";

/** The lines of a range, each after the mark. Empty: the range has none. */
export function markedLines(lines: TextLines, range: LineRange, mark: string): readonly string[] {
  const text = lines.slice(range);
  if (text === "") return [];
  const marked = text
    .replace(/\n$/, "")
    .split("\n")
    .map(line => `${mark}${line}`);
  return lines.isUnterminated && range.to >= lines.count ? [...marked, noLineFeed] : marked;
}
