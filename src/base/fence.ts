// Markdown code fences around a whole text.

/** The text inside a fence that surrounds all of it, without its last line feed; any other text unchanged. */
export const withoutFence = (text: string): string => surroundingFence(text)?.text ?? text;

/** A fence around all of a text: the text inside, without its last line feed, and the language that the fence names. */
export interface Fence {
  readonly text: string;
  readonly language: string | undefined;
}

/**
 * The fence that surrounds all of the text. Undefined if there is none, for example in two fenced blocks with or without
 * words between them. `canBeOpen`: the closing fence may be missing, because the text is still growing.
 */
export function surroundingFence(text: string, canBeOpen = false): Fence | undefined {
  const [opening, fence = "", info = ""] = /^\s*(`{3,16}|~{3,16})([^\n`~]*)\n/.exec(text) ?? [];
  if (opening === undefined) return undefined;
  const closing = new RegExp(`(?:^|\\n)${fence}\\s*$`).exec(text.slice(opening.length));
  if (!closing && !canBeOpen) return undefined;
  const inside = text.slice(opening.length, closing ? opening.length + closing.index : undefined);
  // The first fence inside has a language if it opens a block, and none if it closes the outer one.
  const inner = new RegExp(`(?:^|\\n) {0,3}${fence}+([^\\n]*)`).exec(inside);
  if (inner && (!closing || inner[1]?.trim() === "")) return undefined;
  return { text: inside, language: /^\s*([\w+#.-]{1,40})/.exec(info)?.[1] };
}

/** The text as a code block, with a fence that no line of it can close. */
export function fenced(text: string, language = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
