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
    return new RegExp(wholeWord ? wordBounded(source, wordEdge) : source, `${flags}u`);
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
const wordBounded = (source: string, edge: string): string => `(?:${edge})(?:${source})(?:${edge})`;

/** The problem for an error of {@link searchPattern}, or of the engine when it runs the expression. */
export function patternProblem(error: unknown): FindProblem {
  // Example: "Invalid regular expression: /(/gu: Unterminated group"
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "pattern", detail: /^.*\/\w*: (.*)$/s.exec(message)?.[1] ?? message };
}
