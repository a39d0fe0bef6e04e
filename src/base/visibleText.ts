// Makes untrusted text safe to show: characters that reorder, hide or move other characters are shown by their code.

// Invisible characters: controls except tab and line feed, bidi marks, zero-width characters, tags, fillers. Those that
// are part of an emoji, or of a word in scripts that need them, are kept.
const invisibleCharacters =
  /(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029\u2800\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{e0001}-\u{e007f}]/gu;
const joiner = /\u200d|\u200c/;
const emojiBefore = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const joiningScriptBefore = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{M}]$/u;

/**
 * The text with invisible characters written as `[U+202E]`. For texts on which a user bases a decision or a click.
 * @example visibleText("a\u202eb") → "a[U+202E]b"
 */
export function visibleText(text: string): string {
  return text.replace(invisibleCharacters, (char, at: number) =>
    isPartOfSequence(text, char, at)
      ? char
      : `[U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

function isPartOfSequence(text: string, char: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (char === "\ufe0f") return /[\p{Emoji}]$/u.test(before);
  return joiner.test(char) && (emojiBefore.test(before) || joiningScriptBefore.test(before));
}
