// Text of others as it can be trusted to look: what reorders, hides or moves other characters is named instead.

// Characters without a look of their own: controls but tab and line feed, bidi marks, zero widths, tags, fillers. Not those that
// make up an emoji or are part of a word in scripts that need them.
const invisibleCharacters =
  /(?![\t\n])[\p{Cc}\p{Cs}\u2028\u2029\u2800\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{e0001}-\u{e007f}]/gu;
const joiner = /\u200d|\u200c/;
const emojiBefore = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const joiningScriptBefore = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{M}]$/u;

/**
 * The text with characters that cannot be seen written as `[U+202E]`. For what a user decides upon or clicks.
 * @example visible("a\u202eb") → "a[U+202E]b"
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
