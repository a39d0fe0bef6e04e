// Makes untrusted text safe to show in one line on which the user decides, and names from foreign sources safe to keep.
import { oneLine } from "./inertText.ts";
import { visibleText } from "./visibleText.ts";

/** Longer runs of blanks would push text out of sight. */
const blanks = /\p{Zs}{4,}/gu;

/**
 * The text in one line: line feeds as `⏎`, long runs of blanks by their number, and invisible characters by their code.
 * @example visibleLine("a\nb     c") // "a⏎b[5 blanks]c"
 */
export function visibleLine(text: string): string {
  return visibleText(oneLine(text)).replace(blanks, run => `[${run.length} blanks]`);
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
