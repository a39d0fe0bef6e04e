// How the panel shows the text of a tool call. The output of a tool is not prose: Markdown would join its lines and drop
// characters, so it is preformatted unless the text was written as Markdown.
import { surroundingFence } from "../../base/fence.ts";
import { isDelimiter, isMostlyMarkdown } from "./markdownLines.ts";

/** A text of a tool call. With `pre` it is preformatted, without it is Markdown. */
export interface ToolText {
  readonly text: string;
  readonly pre?: { readonly language?: string };
}

/** Characters. Only the beginning of a longer text is searched for the header of a hunk. */
const maxSearched = 100_000;
/** Characters. The beginning of a text shows whether it is Markdown, and a growing text is judged again and again. */
const maxJudged = 20_000;
/** Colors and cursor movements, which only terminals show. */
const controlSequences = /\u001b\[[0-9:;<=>?]*[ -/]*[@-~]/g;

/** The text of a call of this kind. A fence around all of it is removed, and its language kept. */
export function toolText(text: string, kind: string | undefined): ToolText {
  if (kind === "think") return { text };
  const isOutput = kind === "read" || kind === "search" || kind === "execute";
  if (!isOutput && hasMarkdown(text)) return { text };
  const fence = isOutput ? surroundingFence(text, true) : undefined;
  const language = fence ? fence.language : isPatch(text) ? "diff" : undefined;
  return {
    text: (fence?.text ?? text).replace(controlSequences, ""),
    pre: { ...(language !== undefined && { language }) },
  };
}

/** Whether a text has the header of a hunk. */
export const isPatch = (text: string): boolean => /^@@ -\d+(?:,\d+)? \+\d+/m.test(text.slice(0, maxSearched));

/**
 * Whether a text was written as Markdown: it has a heading, a fence, a list of two, a table or a link, most of its lines
 * are Markdown or sentences, and no line contradicts that.
 */
export function hasMarkdown(text: string): boolean {
  const start = text.slice(0, maxJudged).replaceAll("\r\n", "\n");
  const lines = start.split("\n");
  return hasStructure(start, lines) && isMostlyMarkdown(lines);
}

function hasStructure(text: string, lines: readonly string[]): boolean {
  return (
    /^ {0,3}(?:`{3}|~{3})/m.test(text) ||
    /^ {0,3}#{1,6}[ \t]+\S/m.test(text) ||
    /\[[^\]\n]{1,500}\]\((?:https?:|mailto:|file:|#|\.{0,2}\/|[\w-]+[./])[^)\s]{0,2000}\)|<https?:\/\/[^<>\s]{1,2000}>/.test(
      text,
    ) ||
    hasTable(lines) ||
    hasList(lines)
  );
}

const hasTable = (lines: readonly string[]): boolean =>
  lines.some((line, at) => isDelimiter(line) && (lines[at - 1] ?? "").includes("|"));

/** Whether two items with the same kind of marker follow each other, with nothing but their own lines between them. */
function hasList(lines: readonly string[]): boolean {
  let last: string | undefined;
  for (const line of lines) {
    const [, indent = "", marker] = /^(\s{0,8})([-*+]|\d{1,9}[.)])[ \t]+\S/.exec(line) ?? [];
    if (marker !== undefined) {
      const kind = indent + marker.replace(/\d+/, "1");
      if (kind === last) return true;
      last = kind;
    } else if (line.trim() !== "" && !/^\s{2}/.test(line)) last = undefined;
  }
  return false;
}
