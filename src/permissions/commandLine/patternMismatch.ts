// Why an allow pattern for the same program does not match a command, for users who wrote the pattern.
import { t } from "../../base/l10n.ts";
import { shortQuote } from "../../base/text.ts";
import { allowedUntil, fitsWhole, hazardsFor, type Pattern } from "./pattern.ts";
import { baseName } from "./programs.ts";
import type { Word } from "./types.ts";
import { wordRoles } from "./wordRoles.ts";

export interface PatternMismatch {
  /** The number of words that the pattern matches, at least the program. */
  readonly matched: number;
  /** The reason. Continues "The rule …". */
  readonly why: string;
}

/** Compares a pattern with a command of the same program. Undefined: it is for another program, or it matches. */
export function patternMismatch(pattern: Pattern, words: readonly Word[]): PatternMismatch | undefined {
  const [program] = words;
  const [named] = pattern;
  if (!program || typeof named !== "object" || fitsWhole(pattern, words)) return undefined;
  if (named.literal !== program.text) {
    if (baseName(named.literal) !== baseName(program.text)) return undefined;
    const why = t("is for the program {0}, not for {1}", shortQuote(named.literal), shortQuote(program.text));
    return { matched: 1, why };
  }
  const { at, expected } = allowedUntil(pattern, words);
  const word = words[at];
  if (word) return { matched: at, why: whyNotWord(word, expected) };
  if (expected.length > 0) return { matched: at, why: t("needs one more word: {0}", expectedText(expected)) };
  return { matched: words.length, why: whyNotWildcard(pattern, words) };
}

/** The word itself does not fit. `expected`: the elements of the pattern that could come instead. */
function whyNotWord(word: Word, expected: readonly (string | undefined)[]): string {
  const text = shortQuote(word.text);
  if (!word.exact) return t("can't match {0}, because only the shell knows what it becomes", text);
  if (expected.length === 0) return t("doesn't match the additional word {0}", text);
  return t("has {0} in the place of {1}", expectedText(expected), text);
}

const expectedText = (expected: readonly (string | undefined)[]): string =>
  expected.map(literal => (literal === undefined ? "*" : shortQuote(literal))).join(t(" or "));

/** All words fit, but a wildcard does not stand for one of them. */
function whyNotWildcard(pattern: Pattern, words: readonly Word[]): string {
  const [hazard] = hazardsFor(pattern, words);
  if (hazard) return t("has a wildcard that doesn't stand for {0}, which {1}", shortWord(hazard.word), hazard.why);
  const roles = wordRoles(words);
  const option = words.find((_, index) => roles[index] === "unknown")?.text ?? words.at(-1)?.text ?? "";
  return t("has a “*” that doesn't stand for {0}, an option that Parley doesn't know", shortQuote(option));
}

/** The hazard has its quotes already. */
const shortWord = (word: string): string => (word.length > 100 ? `${word.slice(0, 100)}…` : word);
