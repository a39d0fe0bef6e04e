// Makes text harmless for the surfaces of VS Code that turn parts of a text into links and icons: messages, progress,
// input boxes, quick picks, trees, status bar, lenses.
import { visibleText } from "./visibleText.ts";

/** A zero-width space. It separates the two characters that VS Code reads together. */
const separator = "\u200b";

/** More characters of one text than this are never shown, so that a huge text cannot hold up the window. */
export const maxShownLength = 2_000;

/** Sign for a line feed in a text of one line. */
const lineFeedSign = "⏎";

/**
 * The text on one line in which VS Code finds no link and no icon, for any surface but Markdown (`appendText` is for
 * that). VS Code has no escape for `[text](command:id)` in messages and for `$(name)` in labels, so a zero-width space
 * stands between the first two characters. Invisible characters are shown by their codes, and a line feed as `⏎`. Text
 * above {@link maxShownLength} characters loses its middle.
 * @example inertText("[x](command:a)\n$(zap)") → "[x]\u200b(command:a)⏎$\u200b(zap)"
 */
export function inertText(text: string): string {
  return separated(visibleText(oneLine(joined(withoutMiddle(text, maxShownLength)))));
}

/** {@link inertText} of each line. For the details of a modal dialog, which have lines of their own. */
export function inertLines(lines: readonly string[]): string {
  return lines.map(inertText).join("\n");
}

/** The text with each line end as `⏎`, so that it cannot look like several lines of a list. */
export function oneLine(text: string): string {
  return text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, lineFeedSign).replaceAll("\t", " ");
}

/**
 * The text without its middle if it is longer than `maxLength`. The number of characters that were left out stands in
 * their place: a text that is cut at its end hides what follows.
 */
export function withoutMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  const start = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return `${start} … [${text.length - start.length - end.length}] … ${end}`;
}

/** Before the text is made visible, so that it can be passed twice. */
const joined = (text: string): string => text.replace(/(?<=[\]$])\u200b+(?=\()/g, "");
const separated = (text: string): string => text.replace(/(?<=[\]$])(?=\()/g, separator);

/** Longer runs of blanks, or of one character, would push text out of sight. */
const blanks = /\p{Zs}{4,}/gu;
const repeated = /(.)\1{19,}/gu;

/**
 * The text in one line: line feeds as `⏎`, long runs of blanks and of one character by their number, and invisible
 * characters by their code.
 * @example exactLine("a\nb     c") // "a⏎b[5 blanks]c"
 */
export function exactLine(text: string): string {
  return visibleText(oneLine(text))
    .replace(blanks, run => `[${run.length} blanks]`)
    .replace(repeated, (run, character: string) => `[${run.length / character.length} × ${character}]`);
}

/** A name from a foreign source: in one line, visible and of at most `max` characters. Empty if nothing is left. */
export function visibleName(name: string, max: number): string {
  // A longer name is cut before it is searched.
  const plain = name
    .slice(0, 20 * max)
    .replace(/\s+/gu, " ")
    .trim();
  const characters = Array.from(visibleText(plain));
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}
