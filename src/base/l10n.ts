// Localization. The code contains the English texts for users; the program that runs it sets what translates them.

/** A text in the user's language. `{0}`, `{1}`… in it are replaced by the arguments. */
export type Translator = (text: string, ...args: readonly (string | number)[]) => string;

const english: Translator = (text, ...args) => fillPlaceholders(text, args);

let translator = english;

/**
 * The text in the user's language, with `{0}`, `{1}`… replaced by the arguments, or in English before
 * {@link setTranslator}. The text is a literal, so that `npm run l10n` finds it.
 */
export const t: Translator = (text, ...args) => translator(text, ...args);

/**
 * Sets what translates the texts of this bundle. Throws if it is set already, because texts in two languages would
 * mix. The result sets English again.
 */
export function setTranslator(next: Translator): () => void {
  if (translator !== english) throw new Error("The translator is already set.");
  translator = next;
  return () => {
    translator = english;
  };
}

/** What `read` returns while all texts are English: for an agent, which reads them without knowing the user's language. */
export function inEnglish<T>(read: () => T): T {
  const users = translator;
  translator = english;
  try {
    return read();
  } finally {
    translator = users;
  }
}

/** Replaces `{0}`, `{1}`… by the arguments, as `vscode.l10n.t` does. A placeholder without an argument stays. */
export function fillPlaceholders(text: string, args: readonly (string | number)[]): string {
  return text.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));
}
