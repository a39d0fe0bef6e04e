// The prompt with which an agent reviews changes of another one, and the remarks in its answer. Pure.
import { fenced } from "../base/fence.ts";
import { isClosingFence, openingFence, type OpeningFence } from "../base/isolatedMarkdown.ts";
import type { FileChanges, Hunk, LineRange } from "../review/hunk.ts";
import { textLinesOf } from "../review/textLines.ts";

/** A changed file, with the name that the agent gets. */
export interface FileToReview {
  readonly name: string;
  /** The name before an agent moved the file. */
  readonly movedFrom?: string;
  readonly changes: FileChanges;
  /** What changed, if the file has no texts to compare. */
  readonly unknown?: string;
}

/** A remark of a reviewer about lines of a file, 0-based. */
export interface ReviewRemark {
  readonly name: string;
  readonly lines: LineRange;
  /** Markdown. */
  readonly text: string;
}

/** Unchanged lines around changed ones. */
const contextLines = 3;
/** The most characters of a diff that an agent gets. */
const maxDiffLength = 400_000;
/** The most remarks that become comments. The chat has all of them. */
export const maxRemarks = 100;

/** The text of the prompt. */
export function reviewRequest(files: readonly FileToReview[]): string {
  const diffs: string[] = [];
  const omitted: string[] = [];
  let length = 0;
  for (const file of files) {
    const diff = diffOf(file);
    if (length + diff.length > maxDiffLength) omitted.push(file.name);
    else diffs.push(diff);
    length += diff.length > maxDiffLength ? 0 : diff.length;
  }
  const parts = [
    "Review these changes, which are in the files already. Do not change any file.",
    [
      "Write each remark as a paragraph of its own that begins with the file and the line, such as",
      "`src/example.ts:12:` or `src/example.ts:12-15:`. Use the line numbers of the files as they are now.",
      "Write remarks only about what should change, and say why. If nothing should change, say so in a sentence.",
    ].join(" "),
    fenced(diffs.join("\n"), "diff"),
  ];
  if (omitted.length > 0) parts.push(`The diffs of these files are too large. Read the files: ${omitted.join(", ")}`);
  return parts.join("\n\n");
}

function diffOf({ name, movedFrom = name, changes, unknown }: FileToReview): string {
  const { base, text, hunks } = changes;
  const sides = `--- ${base === null ? "/dev/null" : `a/${movedFrom}`}\n+++ ${text === null ? "/dev/null" : `b/${name}`}`;
  if (unknown !== undefined) return `${sides}\n${unknown.replaceAll("\n", " ")}`;
  return [sides, ...groupsOf(hunks).map(group => groupText(changes, group))].join("\n");
}

/** Hunks whose lines of context touch. */
function groupsOf(hunks: readonly Hunk[]): readonly (readonly [Hunk, ...Hunk[]])[] {
  const groups: [Hunk, ...Hunk[]][] = [];
  for (const hunk of hunks) {
    const group = groups.at(-1);
    if (group && hunk.base.from - (group.at(-1)?.base.to ?? 0) <= 2 * contextLines) group.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function groupText({ base, text }: FileChanges, group: readonly [Hunk, ...Hunk[]]): string {
  const before = textLinesOf(base ?? "");
  const after = textLinesOf(text ?? "");
  const [first] = group;
  const last = group.at(-1) ?? first;
  const lead = Math.min(contextLines, first.base.from);
  const trail = Math.min(contextLines, before.count - last.base.to);
  const lines: string[] = [];
  let at = first.base.from - lead;
  for (const hunk of group) {
    lines.push(...marked(" ", before.slice({ from: at, to: hunk.base.from })));
    lines.push(...marked("-", before.slice(hunk.base)), ...marked("+", after.slice(hunk.text)));
    at = hunk.base.to;
  }
  lines.push(...marked(" ", before.slice({ from: at, to: at + trail })));
  const range = (from: number, to: number): string => `${to > from ? from + 1 : from},${to - from}`;
  const old = range(first.base.from - lead, last.base.to + trail);
  return [`@@ -${old} +${range(first.text.from - lead, last.text.to + trail)} @@`, ...lines].join("\n");
}

const marked = (mark: string, text: string): readonly string[] =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map(line => `${mark}${line}`);

/** The file and the lines are within so many characters of a line. */
const maxStartLength = 2000;

/** The start of a remark: marks of a list, a heading or emphasis, then a file and lines. */
const remarkStart =
  /^\s{0,8}(?:[-*+]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*){0,6}(?:\[[ x]\]\s+)?[*_`[(]*([^\s`*[\]()][^`*[\]()]*?):L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?[*_`\])]*(?:\([^()\s]*\))?[*_]*\s*(?:[:.,—–-]+[*_]*\s*)?(.*)$/;

/**
 * The remarks of an answer about files with these names: paragraphs that begin with a file and a line. Other paragraphs are not
 * about a line. At most {@link maxRemarks}.
 */
export function reviewRemarks(answer: string, names: readonly string[]): readonly ReviewRemark[] {
  const remarks: { readonly name: string; readonly lines: LineRange; readonly texts: string[] }[] = [];
  let current: (typeof remarks)[number] | undefined;
  let code: OpeningFence | undefined;
  let isAfterBlank = false;
  for (const line of answer.split("\n")) {
    if (code) {
      current?.texts.push(line);
      if (isClosingFence(line, code)) code = undefined;
      continue;
    }
    const found = startOf(line, names);
    code = found ? undefined : openingFence(line);
    const isBlank = line.trim() === "";
    if (found) {
      if (remarks.length === maxRemarks) break;
      current = { name: found.name, lines: found.lines, texts: found.text === "" ? [] : [found.text] };
      remarks.push(current);
    } else if (current) {
      // The paragraph ends with an empty line, unless code, a list or indented lines follow.
      const goesOn = isBlank || !isAfterBlank || code !== undefined || /^(?:\s+\S|[-*+]\s|>)/.test(line);
      if (goesOn && !/^#{1,6}\s|^(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) current.texts.push(line);
      else if (current.texts.some(one => one.trim() !== "")) current = undefined;
      else current.texts.push(line);
    }
    isAfterBlank = isBlank;
  }
  return remarks.flatMap(({ name, lines, texts }) => {
    const text = texts.join("\n").trim();
    return text === "" ? [] : [{ name, lines, text }];
  });
}

function startOf(
  line: string,
  names: readonly string[],
): { readonly name: string; readonly lines: LineRange; readonly text: string } | undefined {
  const [, path = "", first = "", last = first, text = ""] = remarkStart.exec(line.slice(0, maxStartLength)) ?? [];
  const name = nameOf(path, names);
  if (name === undefined) return undefined;
  const from = Math.max(0, Number(first) - 1);
  return {
    name,
    lines: { from, to: Math.max(from + 1, Number(last)) },
    text: (text + line.slice(maxStartLength)).trim(),
  };
}

/** The file that is meant: by its name, by its name in the diff, or by an absolute path that ends with it. */
function nameOf(path: string, names: readonly string[]): string | undefined {
  const wanted = path.replaceAll("\\", "/").replace(/^(?:\.\/|[ab]\/(?=.))/, "");
  const exact = names.find(name => name === path || name.replaceAll("\\", "/") === wanted);
  if (exact !== undefined) return exact;
  const ending = names.filter(name => wanted.endsWith(`/${name.replaceAll("\\", "/")}`));
  const [only] = ending;
  return ending.length === 1 ? only : undefined;
}
