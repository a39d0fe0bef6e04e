// Lines of untrusted text: everything that some reader takes for the end of a line ends one.
import { visibleText } from "./visibleText.ts";

// The line ends of Markdown, of Unicode (UAX #14), and of the line functions of common languages.
const lineEnd = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

/** The lines of the text. Only "\n" can follow each of them in what is made of them. */
export const linesOf = (text: string): readonly string[] => text.split(lineEnd);

/** The text on one line, with invisible characters written as `[U+202E]`. For names and titles in a text with a structure. */
export const visibleLine = (text: string): string =>
  visibleText(
    linesOf(text)
      .map(line => line.trim())
      .filter(line => line !== "")
      .join(" "),
  );

/** The text with `lead` before each line. A text of others that is indented cannot continue what stands around it. */
export const indentLines = (text: string, lead: string): string =>
  linesOf(text)
    .map(line => `${lead}${line}`.trimEnd())
    .join("\n");
