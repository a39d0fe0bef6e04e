// The prompt with comments on lines, and the parts of the answer to it. Pure.
import { fenced } from "../base/fence.ts";
import { isClosingFence, openingFence, type OpeningFence } from "../base/isolatedMarkdown.ts";
import { linesOf } from "../base/lines.ts";
import { beginsAsCommand } from "../session/commandStart.ts";
import { linesNow, type LineComment } from "./lineComment.ts";

/** A comment to send, with what the prompt says about its place. */
export interface CommentToSend {
  readonly comment: LineComment;
  /** The path as the agent knows it, or the name of the document. */
  readonly path: string;
  /** The document is the text before changes. */
  readonly isBefore?: boolean;
  /** The change that the lines belong to: lines with `-` and `+`. */
  readonly change?: readonly string[];
}

/** The most lines of a quote, and of a change. The rest is left out, and counted. */
const maxQuotedLines = 200;

/**
 * The text of the prompt. With several comments, each has a number, with which the agent is asked to begin its answer, so
 * that every thread gets its own.
 */
export function commentPrompt(comments: readonly CommentToSend[]): string {
  const [only] = comments;
  if (only && comments.length === 1) {
    const text = textOf(only);
    return beginsAsCommand(text) ? `Comment: ${text}` : text;
  }
  const parts = comments.map((one, at) => `[${at + 1}] ${textOf(one)}`);
  const request =
    "Begin the answer to each comment with its number in brackets on a line of its own, such as [1], and say briefly what you did.";
  return `${comments.length} comments on lines:\n\n${parts.join("\n\n")}\n\n${request}`;
}

const textOf = (one: CommentToSend): string =>
  [remarkText(one.comment), ...othersTexts(one.comment), placeText(one)].join("\n\n");

/** What agents of other sessions have written about the lines since the session of the comment got a remark. */
function othersTexts({ remarks, session }: LineComment): readonly string[] {
  const known = remarks.findLastIndex(one => one.prompt !== undefined && one.session === session);
  return remarks
    .slice(known + 1)
    .filter(one => one.isAgents && one.session !== session)
    .map(({ text }) => `A reviewer wrote about these lines:\n${text.replaceAll(/^/gm, "> ")}`);
}

/** The text of the remarks that are not sent. */
const remarkText = ({ remarks }: LineComment): string =>
  remarks
    .filter(({ prompt }) => prompt === undefined)
    .map(({ text }) => text.trim())
    .join("\n\n");

function placeText({ comment, path, isBefore, change }: CommentToSend): string {
  const { lines, gone, quoted, now } = comment;
  const range = lines.to - lines.from > 1 ? `lines ${lines.from + 1}-${lines.to}` : `line ${lines.from + 1}`;
  const where = isBefore ? `${path}, ${range} of the text before your changes` : `${path}, ${range}`;
  if (gone !== undefined) {
    const why = gone === "undone" ? "the change was undone" : "they were removed";
    return `${path}: these lines are no longer in the file, because ${why}:\n${quote(linesNow(comment), path)}`;
  }
  const parts = [`${where}:\n${quote(linesNow(comment), path)}`];
  if (now !== undefined && now !== quoted)
    parts.push(`When the comment was written, the lines were:\n${quote(quoted, path)}`);
  if (change && change.length > 0) parts.push(`They belong to this change:\n${quote(change.join("\n"), ".diff")}`);
  return parts.join("\n\n");
}

/** Lines of the file as a code block. */
function quote(text: string, path: string): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, maxQuotedLines).join("\n");
  const left = lines.length - maxQuotedLines;
  const language = /\.(\w{1,12})$/.exec(path)?.[1] ?? "";
  return `${fenced(shown, language)}${left > 0 ? `\n(${left} more lines)` : ""}`;
}

const numberLine = /^\s*(?:[#*_>]+\s*)?\[(\d{1,3})\][*_:.]*\s*(.*)$/;

/**
 * The part of an answer that is about one of several comments: what follows its number. Undefined if the answer does not
 * number its parts, or not this one.
 */
export function answerPart(answer: string, number: number, of: number): string | undefined {
  let isOpen = false;
  let found: string[] | undefined;
  let code: OpeningFence | undefined;
  for (const line of linesOf(answer)) {
    const [, digits, rest = ""] = (code ? null : numberLine.exec(line)) ?? [];
    if (!code) code = openingFence(line);
    else if (isClosingFence(line, code)) code = undefined;
    const at = digits === undefined ? undefined : Number(digits);
    if (at !== undefined && at >= 1 && at <= of) {
      isOpen = at === number;
      if (isOpen) found = [...(found ?? []), ...(rest === "" ? [] : [rest])];
    } else if (isOpen) found?.push(line);
  }
  return found?.join("\n").trim();
}
