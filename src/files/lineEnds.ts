// Line endings that a text with "\n" has lost: puts those of an earlier text back, line by line.
import { diffArrays } from "diff";

/** With more changed lines, every line gets the most frequent line ending. */
const maxChangedLines = 2000;

/** The time limit for comparing lines (ms). */
const maxDiffTime = 100;

/**
 * The text, which has "\n" line endings, with the line endings of `like`: a line that both have keeps its own, and any
 * other line gets the ending of the line before it.
 * @example withLineEndsOf("a\nnew\nb\n", "a\r\nb\n") // "a\r\nnew\r\nb\n"
 */
export function withLineEndsOf(text: string, like: string): string {
  const ends = like.match(lineEnd) ?? [];
  const [first] = ends;
  if (first === undefined || !text.includes("\n")) return text;
  if (ends.every(end => end === first)) return first === "\n" ? text : text.replaceAll("\n", first);
  return joined(text, ends, like.replace(lineEnd, "\n"));
}

const lineEnd = /\r\n|\r|\n/g;

function joined(text: string, ends: readonly string[], like: string): string {
  const lines = text.split("\n");
  const options = { maxEditLength: maxChangedLines, timeout: maxDiffTime };
  const changes = diffArrays(like.split("\n"), lines, options);
  const usual = mostFrequent(ends);
  if (changes === undefined) return lines.join(usual);
  let result = "";
  let [at, line] = [0, 0];
  let last = ends[0] ?? usual;
  for (const { value, added, removed } of changes) {
    if (removed) at += value.length;
    else
      for (const one of value) {
        if (!added) last = ends[at++] ?? last;
        result += one + (++line < lines.length ? last : "");
      }
  }
  return result;
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "\n";
}
