// Texts for users that are put together from others. Languages end sentences and separate words differently.
import { t } from "./l10n.ts";

/** The text with a full stop at its end, unless it ends with a punctuation mark already. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…。！？]$/.test(trimmed) ? trimmed : t("{0}.", trimmed);
}

/** Two sentences in one text. The first one has no full stop. */
export const twoSentences = (first: string, second: string): string => t("{0}. {1}", first, second);

/** The texts one after another, separated by commas. */
export const commaSeparated = (texts: readonly string[]): string =>
  texts.length === 0 ? "" : texts.reduce((all, text) => t("{0}, {1}", all, text));
