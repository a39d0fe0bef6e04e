// Takes the commit message out of what an agent wrote: without an introduction, a fence or quotes around it.
import { surroundingFence } from "../base/fence.ts";

/** The rest of a longer text is not a commit message (characters). */
const maxLength = 20_000;

/** Control characters but tab and line feed, and characters that reorder text. */
const forbidden = /(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029\p{Bidi_Control}]/gu;
/** The colors and the cursor movements of terminals. */
// eslint-disable-next-line no-control-regex
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

/** The end of a growing text that may become one of them. */
// eslint-disable-next-line no-control-regex
const escapeStart = /\u001b(?:\[[0-?]*[ -/]*)?$/;

/** How agents begin a sentence before the message. */
const introduction =
  /^(?:sure|okay|ok|certainly|of course|here(?:'s|’s| is| are)|this is|the following|below is|based on|i(?:'ve|’ve| have| will|'ll|’ll)|let me|looking at|(?:the |suggested |proposed )?commit message)\b/i;
/** A sentence that is no part of the message ends with one of these. */
const introductionEnd = /[:.!]$/;
const label = /^(?:\*\*|__)?commit message:?(?:\*\*|__)?:?[ \t]+(?=\S)/i;

/**
 * The commit message in the text of an agent: plain lines without trailing blanks. `isGrowing`: the text is not complete, so
 * what may still turn out to be an introduction is left out.
 */
export function commitText(text: string, isGrowing = false): string {
  const plain = (isGrowing ? text.replace(escapeStart, "") : text)
    .slice(0, maxLength)
    .replace(escapes, "")
    .replace(/\r\n?/g, "\n")
    .replace(forbidden, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/^\n+/, "")
    .replace(label, "");
  return trimmed(unquoted(inFence(withoutIntroduction(plain, isGrowing), isGrowing)));
}

const trimmed = (text: string): string => text.replace(/^\n+|\s+$/g, "");

/** Removes the first paragraph if it introduces the message. A subject is no introduction, because text follows one. */
function withoutIntroduction(text: string, isGrowing: boolean): string {
  const [first = "", rest] = splitAt(text, text.search(/\n/));
  if (!introduction.test(first)) {
    // "Her" may become "Here is the message:".
    return isGrowing && rest === undefined && isStartOfIntroduction(first) ? "" : text;
  }
  if (rest === undefined) return isGrowing ? "" : text;
  if (rest.trim() === "") return isGrowing && introductionEnd.test(first) ? "" : text;
  return introductionEnd.test(first) || /^\s*(?:```|~~~)/.test(rest) ? rest.replace(/^\n+/, "") : text;
}

const starts = [
  ...[
    "sure",
    "okay",
    "certainly",
    "of course",
    "here is ",
    "here's ",
    "here’s ",
    "here are ",
    "this is",
    "the following",
    "below is",
    "based on",
    "looking at",
  ],
  ...["i've", "i’ve", "i have", "let me", "commit message: ", "**commit message:** ", "the commit message"],
];
const isStartOfIntroduction = (text: string): boolean => starts.some(start => start.startsWith(text.toLowerCase()));

const splitAt = (text: string, at: number): readonly [string, string | undefined] =>
  at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];

/** The text in a fence that begins with the text. What follows the fence is a remark. */
function inFence(text: string, isGrowing: boolean): string {
  if (!/^(?:`{3,}|~{3,})/.test(text)) return isGrowing && /^(?:`{1,2}|~{1,2})$/.test(text) ? "" : text;
  const whole = surroundingFence(text, isGrowing);
  // The fence at the end may not be complete.
  if (whole) return isGrowing ? whole.text.replace(/(?:^|\n)(?:`+|~+)$/, "") : whole.text;
  const [, fence = "", rest = ""] = /^(`{3,}|~{3,})[^\n]*\n([^]*)$/.exec(text) ?? [];
  if (fence === "") return isGrowing ? "" : text;
  const end = new RegExp(`(?:^|\\n)${fence}[ \\t]*(?:\\n|$)`).exec(rest);
  return end ? rest.slice(0, end.index) : rest;
}

/** A single line without the quotes or the backquotes around it. */
function unquoted(text: string): string {
  const line = text.trim();
  const [, quote = "", inside = ""] = /^(["'`]|\*\*)([^\n]+)\1$/.exec(line) ?? [];
  return quote === "" || inside.includes(quote) ? text : inside;
}
