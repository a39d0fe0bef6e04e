// The prompt with which an agent reviews changes of another one, and the remarks in its answer. Pure.
import { fenced } from "../base/fence.ts";
import { isClosingFence, openingFence, type OpeningFence } from "../base/isolatedMarkdown.ts";
import { linesOf, visibleLine } from "../base/lines.ts";
import type { FileChanges, Hunk, LineRange } from "../review/hunk.ts";
import { textLinesOf } from "../review/textLines.ts";
import { markedLines } from "./markedLines.ts";

/** A changed file, with the name that the agent gets. */
export interface FileToReview {
  readonly name: string;
  /** Its absolute path, which agents use, too. */
  readonly path: string;
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

/** The text of the prompt. */
export function reviewRequest(files: readonly FileToReview[]): string {
  const diffs: string[] = [];
  const omitted: string[] = [];
  let length = 0;
  for (const file of files) {
    const diff = diffOf(file);
    if (length + diff.length > maxDiffLength) omitted.push(file.name);
    else {
      diffs.push(diff);
      length += diff.length;
    }
  }
  const parts = [
    "Review these changes, which are in the files already. Do not change any file.",
    [
      "Write each remark as a paragraph of its own that begins with the file and the line, such as",
      "`src/example.ts:12:` or `src/example.ts:12-15:`. Use the line numbers of the files as they are now.",
      "Write remarks only about what should change, and say why. If nothing should change, say so in a sentence.",
    ].join(" "),
    ...(diffs.length > 0 ? [fenced(diffs.join("\n"), "diff")] : []),
  ];
  if (omitted.length > 0) parts.push(`The diffs of these files are too large. Read the files: ${omitted.join(", ")}`);
  return parts.join("\n\n");
}

function diffOf({ name, movedFrom = name, changes, unknown }: FileToReview): string {
  const { base, text, hunks } = changes;
  const [before, after] = [`a/${movedFrom}`, `b/${name}`];
  if (unknown !== undefined) return `--- ${before}\n+++ ${after}\n${visibleLine(unknown)}`;
  const sides = `--- ${base === null ? "/dev/null" : before}\n+++ ${text === null ? "/dev/null" : after}`;
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
    lines.push(...markedLines(before, { from: at, to: hunk.base.from }, " "));
    lines.push(...markedLines(before, hunk.base, "-"), ...markedLines(after, hunk.text, "+"));
    at = hunk.base.to;
  }
  lines.push(...markedLines(before, { from: at, to: at + trail }, " "));
  const range = (from: number, to: number): string => `${to > from ? from + 1 : from},${to - from}`;
  const old = range(first.base.from - lead, last.base.to + trail);
  return [`@@ -${old} +${range(first.text.from - lead, last.text.to + trail)} @@`, ...lines].join("\n");
}

/** Only so many characters at the start of a line are searched for a file and line numbers. */
const maxStartLength = 2000;

/** The marks of lists, headings and quotes before a remark. */
const listMarks = /^[ \t]{0,8}(?:(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)[ \t]+){0,6}(?:\[[ x]\][ \t]+)?/;
/** The marks of emphasis, code and links before a file, and what closes each. */
const closers: Readonly<Record<string, string>> = { "*": "*", "`": "`", "[": "]", "(": ")" };
/** The lines after a file, and the column, which is not used. */
const linesAfter = /^:L?(\d{1,7})(?:[ \t]?[-–][ \t]?L?(\d{1,7}))?(?::\d{1,7})?/;

type NamedFile = Pick<FileToReview, "name" | "path">;

/** The remarks of an answer: paragraphs that begin with one of the files and a line. Other paragraphs are not about a line. */
export function reviewRemarks(answer: string, files: readonly NamedFile[]): readonly ReviewRemark[] {
  const names = namesOf(files);
  const remarks: { readonly name: string; readonly lines: LineRange; readonly texts: string[] }[] = [];
  let current: (typeof remarks)[number] | undefined;
  let code: OpeningFence | undefined;
  let isAfterBlank = false;
  for (const line of linesOf(answer)) {
    if (code) {
      current?.texts.push(line);
      if (isClosingFence(line, code)) code = undefined;
      continue;
    }
    const found = startOf(line, names);
    code = found ? undefined : openingFence(line);
    const isBlank = line.trim() === "";
    if (found) {
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

/** How agents may write the files, with what they mean: the surest ways first, and of these the longest. */
function namesOf(files: readonly NamedFile[]): readonly (readonly [written: string, name: string])[] {
  const ways: readonly ((file: NamedFile) => string)[] = [
    ({ name }) => name,
    ({ path }) => path,
    ...["./", "a/", "b/"].map(
      lead =>
        ({ name }: NamedFile) =>
          `${lead}${name}`,
    ),
  ];
  return ways.flatMap(way =>
    files
      .map(file => [way(file).replaceAll("\\", "/"), file.name] as const)
      .toSorted(([one], [other]) => other.length - one.length),
  );
}

function startOf(
  line: string,
  names: ReturnType<typeof namesOf>,
): { readonly name: string; readonly lines: LineRange; readonly text: string } | undefined {
  const start = line.slice(0, maxStartLength);
  if (!/:L?\d/.test(start)) return undefined;
  const path = start.replaceAll("\\", "/");
  let at = listMarks.exec(start)?.[0].length ?? 0;
  const open: string[] = [];
  for (;;) {
    const found = names.find(
      ([written]) => path.startsWith(written, at) && linesAfter.test(path.slice(at + written.length)),
    );
    if (found) {
      const [written, name] = found;
      at += written.length;
      const [place = "", first = "", last = first] = linesAfter.exec(start.slice(at)) ?? [];
      at = textStart(start, at + place.length, open);
      const from = Math.max(0, Number(first) - 1);
      return { name, lines: { from, to: Math.max(from + 1, Number(last)) }, text: line.slice(at).trim() };
    }
    const closer = closers[start[at] ?? ""];
    if (closer === undefined || open.length === 6) return undefined;
    open.push(closer);
    at++;
  }
}

/** Where the text of a remark begins: after what closes the marks before it, the target of a link, and a colon or a dash. */
function textStart(line: string, from: number, open: readonly string[]): number {
  const left = [...open];
  let at = from;
  let hasColon = false;
  for (;;) {
    const mark = line[at] ?? "";
    const closes = left.lastIndexOf(mark);
    if (closes >= 0) {
      left.splice(closes, 1);
      at++;
      const [target] = mark === "]" ? (/^\([^()\s]*\)/.exec(line.slice(at)) ?? []) : [];
      at += target?.length ?? 0;
    } else if (!hasColon && /^[:.,]$/.test(mark)) {
      hasColon = true;
      at++;
    } else break;
  }
  return at + (/^[ \t]*[-–—:](?=[ \t])/.exec(line.slice(at))?.[0].length ?? 0);
}
