// Makes the Markdown of others safe to stand in a document: nothing in it reaches beyond it. Its code blocks are closed,
// raw HTML is text, and it defines no links for the rest of the document. Viewers disagree on many details of Markdown, so
// code is left as it is only where all of them read it as code.
import { formulaSpans } from "./formulas.ts";
import { linesOf, visibleLine } from "./lines.ts";

// List markers, then a fence. Viewers read at most 9 digits, and more than 4 spaces after a marker begin code.
const fenceLine = /^( *(?:(?:[-+*]|\d{1,9}[.)]) {1,4})*)(`{3,}|~{3,})(.*)$/;
const indentation = /^[ \t\-+*>\d.)]*/;
const tagStart = /<(?=[a-z/!?])/gi;
const webLink = /(<https?:\/\/[^\s<>`|$\\"']*>)/i;
const maxInfoLength = 100;

/**
 * The Markdown with its blocks closed, raw HTML escaped and definitions of links undone. Put it into a quote or a list
 * item, because its headings stay headings. Without `hasImages`, images are links, so that a viewer loads nothing.
 */
export function isolatedMarkdown(text: string, options: { readonly hasImages?: boolean } = {}): string {
  const { hasImages = true } = options;
  const given = linesOf(text);
  const lines = given.map(spacesForTabs);
  const written: string[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    // One by one, because a call has a limit of arguments.
    for (const line of isolatedProse(prose)) written.push(hasImages ? line : withoutImages(line));
    prose = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const fence = openingFence(line);
    if (fence) {
      endProse();
      // Only indented code is compared with the indentation of its fence.
      at = copyCodeBlock(fence.lead === "" ? given : lines, lines, at + 1, fence, written);
      continue;
    }
    if (isBlank(line)) {
      endProse();
      written.push("");
    } else prose.push(line);
    at++;
  }
  endProse();
  return written.join("\n");
}

/** A zero-width space ends what would be the begin of an image. It cannot be seen if it is code. */
const withoutImages = (line: string): string => line.replaceAll("![", "!\u200b[");

/** One line of Markdown, for a heading or a list item: it begins no block, and has no raw HTML and no definition. */
export function inlineMarkdown(text: string): string {
  const line = visibleLine(text);
  const beginsBlock = /^(?:[#>|]|[-+*_=](?:\s|$)|[-*_=][-*_=\s]*$|`{3}|~{3})/.test(line);
  const [escapedLine = ""] = isolatedProse([beginsBlock ? `\\${line}` : line.replace(/^\d{1,9}(?=[.)])/, "$&\\")]);
  return escapedLine;
}

const isBlank = (line: string): boolean => /^[ \t]*$/.test(line);
const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Tabs before the text count from the start of the line, which a quote moves. */
function spacesForTabs(line: string): string {
  const [lead] = indentation.exec(line) ?? [""];
  if (!lead.includes("\t")) return line;
  let spaces = "";
  for (const char of lead) spaces += char === "\t" ? " ".repeat(4 - (spaces.length % 4)) : char;
  return spaces + line.slice(lead.length);
}

/** The line that begins a code block. */
export interface OpeningFence {
  /** List markers or spaces. */
  readonly lead: string;
  readonly marks: string;
  readonly info: string;
}

/** The fence of the code block that this line begins, if it begins one. */
export function openingFence(line: string): OpeningFence | undefined {
  const [, lead = "", marks = "", info = ""] = fenceLine.exec(line) ?? [];
  return marks === "" || (marks.startsWith("`") && info.includes("`")) ? undefined : { lead, marks, info };
}

/** Whether this line ends a code block with such a fence. */
export const isClosingFence = (line: string, { lead, marks }: OpeningFence): boolean =>
  new RegExp(`^ *${marks[0]}{${marks.length},}[ \\t]*$`).test(line) && indentOf(line) <= lead.length + 3;

/**
 * Copies a code block with a fence that no line of it can close. It ends with the text, or with the list item that it
 * may be in: at a line that is indented less. Returns the index of the line after it.
 */
function copyCodeBlock(
  shown: readonly string[],
  lines: readonly string[],
  start: number,
  opening: OpeningFence,
  written: string[],
): number {
  const { lead, info } = opening;
  const indent = lead.length;
  const code: string[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (isBlank(line)) {
      code.push("");
      continue;
    }
    if (indentOf(line) < indent) break;
    if (isClosingFence(line, opening)) {
      at++;
      break;
    }
    code.push(shown[at] ?? "");
  }
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  // Without an empty line, the fence of a nested item could continue a paragraph.
  const continues = !isBlank(written.at(-1) ?? "");
  if (continues && (indent > 3 || lead.trim() !== "")) written.push("");
  written.push(
    `${lead}${fence}${info
      .replace(/[`<>&\\]/g, "")
      .trimEnd()
      .slice(0, maxInfoLength)}`,
  );
  for (const line of code) written.push(line);
  written.push(`${" ".repeat(indent)}${fence}`);
  return at;
}

function longestRun(code: readonly string[]): number {
  let longest = 0;
  for (const line of code) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Lines without an empty one between them. One backtick without its partner makes all code spans in them uncertain. */
function isolatedProse(lines: readonly string[]): readonly string[] {
  const written = escapedMath(spacedFormulas(lines));
  const spans = written.map(codeSpans);
  if (spans.includes(undefined)) return written.map(escaped);
  return spans.map(line => (line ?? []).map(({ text, isCode }) => (isCode ? text : escaped(text))).join(""));
}

/** Text outside of code. `&lt;` is the only escape that needs no look at the backslashes before it. */
const escaped = (text: string): string =>
  text
    .split(webLink)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(tagStart, "&lt;").replaceAll("]:", "]\\:")))
    .join("");

// Viewers make links of bare addresses, and a backtick can be a part of one.
const addressBefore = /\/\/|www\.|@|mailto:|xmpp:/i;

interface Span {
  readonly text: string;
  readonly isCode: boolean;
}

/**
 * The code spans of a line and the text between them. Undefined if viewers could read it in another way: with a backtick
 * that has no partner, an escape or an address before it, with a cell border or a definition in code, or with a formula.
 */
function codeSpans(line: string): readonly Span[] | undefined {
  if (line.includes("\\`")) return undefined;
  const runs = [...line.matchAll(/`+/g)];
  const spans: Span[] = [];
  let end = 0;
  for (let at = 0; at < runs.length; at++) {
    const { 0: open = "", index = 0 } = runs[at] ?? {};
    do at++;
    while (at < runs.length && runs[at]?.[0].length !== open.length);
    const closing = runs[at];
    if (!closing) return undefined;
    const code = line.slice(index, closing.index + open.length);
    if (code.includes("|") || code.includes("]:")) return undefined;
    const between = line.slice(end, index);
    if (addressBefore.test(between.split(/\s/).at(-1) ?? "")) return undefined;
    spans.push({ text: between, isCode: false }, { text: code, isCode: true });
    end = closing.index + open.length;
  }
  spans.push({ text: line.slice(end), isCode: false });
  return spans.some(({ text, isCode }) => !isCode && text.includes("$")) ? undefined : spans;
}

/** Formulas in which no `<` begins a tag. A blank changes nothing in TeX, where an escape would. */
function spacedFormulas(lines: readonly string[]): readonly string[] {
  const text = lines.join("\n");
  let written = "";
  let end = 0;
  for (const [start, next] of formulaSpans(text)) {
    written += text.slice(end, start) + text.slice(start, next).replace(tagStart, "< ");
    end = next;
  }
  return end === 0 ? lines : (written + text.slice(end)).split("\n");
}

const formulaLine = /^[ \-+*>\d.)]*\$\$/;

/** Some viewers read everything from `$$` to the next line with it as a formula, also code. Keeps only formulas that end. */
function escapedMath(lines: readonly string[]): readonly string[] {
  const written: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    let end = at;
    if (line.trim() === "$$")
      do end++;
      while (end < lines.length && !lines[end]?.includes("$$"));
    const isWhole = end === at ? /^\s*\$\$[^$]+\$\$\s*$/.test(line) : lines[end]?.trim() === "$$";
    if (formulaLine.test(line) && !isWhole) written.push(line.replace("$$", "\\$$$"));
    else if (formulaLine.test(line)) {
      for (; at < end; at++) written.push(lines[at] ?? "");
      written.push(lines[at] ?? "");
    } else written.push(line);
  }
  return written;
}
