// Scripts that put no blanks between words, where a sentence can run into a name: `请看src/a.ts文件`. Shared with
// webview-ui.

/** Their letters, for a character class of a pattern with the flag `u`. */
export const spacelessLetters = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\u3005\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const spacelessStart = new RegExp(`^[${spacelessLetters}]`, "u");
/** Korean has blanks, but its particles follow a word of another script directly. For a class of a pattern with `u`. */
export const adjoiningLetters = String.raw`${spacelessLetters}\p{Script=Hangul}`;
const afterNamePattern = new RegExp(`^[${adjoiningLetters}]`, "u");
/** A sentence before a path that begins with a Latin letter, a dot or a drive. The path has no other letters in its first part. */
const sentencePattern = new RegExp(
  String.raw`^[^\\/]*[${spacelessLetters}）](?=[A-Za-z]:[\\/]|[A-Za-z@][^${spacelessLetters}\\/]*(?:[\\/]|$)|(?:\.{1,2}|~)[\\/])`,
  "u",
);

/** Whether the text begins with a letter of a script without blanks. */
export const startsSpaceless = (text: string): boolean => spacelessStart.test(text);

/** Whether the text begins with a letter that can follow a name of another script without a blank. */
export const followsName = (text: string): boolean => afterNamePattern.test(text);

/** The length of the sentence that precedes a path without a blank. */
export const sentenceLength = (text: string): number => sentencePattern.exec(text)?.[0].length ?? 0;

/** Whether a name can begin after this text: the text does not end in the middle of a word or path. */
export function isNameStart(before: string, name: string): boolean {
  const last = /.$/su.exec(before.slice(-2))?.[0] ?? "";
  if (startsSpaceless(last)) return !startsSpaceless(name);
  return !/[\p{L}\p{M}\p{N}_\\/.~-]/u.test(last);
}

/** Whether a name can end before this text: the text does not continue a word or path. */
export function isNameEnd(after: string): boolean {
  return followsName(after) || !/^(?:[\p{L}\p{M}\p{N}_\\/-]|\.[\p{L}\p{N}_])/u.test(after);
}
