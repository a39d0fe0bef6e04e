// The expression of a search, for Find in Conversation and for the search of all conversations.
import { spacelessLetters } from "../../base/spacelessScripts.ts";
import type { FindQuery } from "./findProtocol.ts";

/**
 * The reason for a search without a result: the pattern is invalid (`detail` is the engine's message) or takes too
 * long.
 */
export type FindProblem = { readonly kind: "pattern"; readonly detail: string } | { readonly kind: "slow" };

/**
 * The query as a global expression. Letters are compared by Unicode's simple case folding. Throws a `SyntaxError` for
 * an invalid pattern.
 */
export function searchPattern({ query, matchCase, wholeWord, regex }: FindQuery): RegExp {
  const source = regex ? query : query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const flags = matchCase ? "gm" : "gim";
  try {
    if (!wholeWord) return new RegExp(source, `${flags}u`);
    return new RegExp(regex ? wordBounded(source, wordEdge) : boundedLiteral(source), `${flags}u`);
  } catch (error) {
    // Unknown escapes are errors only with the `u` flag.
    if (!regex) throw error;
    void new RegExp(query);
    return new RegExp(wholeWord ? wordBounded(source, String.raw`(?:(?<!\w)|(?!\w))`) : source, flags);
  }
}

const wordLetter = String.raw`[\p{L}\p{M}\p{N}_]`;
/**
 * A position that is not within a word. Between letters of scripts without blanks, nothing shows where a word ends, so
 * each of them can end one, with its marks. A Korean particle follows a word of another script without a blank.
 */
const wordEdge = [
  `(?<!${wordLetter})`,
  `(?!${wordLetter})`,
  String.raw`(?!\p{M})(?:(?=[${spacelessLetters}])|(?<=[${spacelessLetters}]\p{M}*))`,
  String.raw`(?=\p{Script=Hangul})(?<=(?!\p{Script=Hangul})${wordLetter})`,
].join("|");

/** Requires both ends to be at an edge of a word, not within one. */
function wordBounded(source: string, edge: string): string {
  // The engine would look for an edge at each letter, which takes about ten times as long. Groups cannot be repeated.
  const first = /\(|\\[1-9k]/.test(source) ? "" : `(?=${source})`;
  return `${first}(?:${edge})(?:${source})(?:${edge})`;
}

/** {@link wordBounded} for a text, which the engine finds before it looks for edges. */
const boundedLiteral = (text: string): string => `${text}(?:${wordEdge})(?<=(?:${wordEdge})${text})`;

/** The problem for an error of {@link searchPattern}, or of the engine when it runs the expression. */
export function patternProblem(error: unknown): FindProblem {
  // Example: "Invalid regular expression: /(/gu: Unterminated group"
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "pattern", detail: /^.*\/\w*: (.*)$/s.exec(message)?.[1] ?? message };
}
