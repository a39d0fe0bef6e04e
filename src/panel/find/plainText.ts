// Texts as the user sees them: Markdown without markup, terminal output without escape codes.
import type { Token, Tokens } from "marked";
import { isFormulaToken, markdownTokens, newMarked } from "../markdown/markdownLexer.ts";

const marked = newMarked();

/**
 * Markdown as the panel paints it: one line for each line, list item, table cell and line of code, without markup and
 * link targets, and formulas as they are written. The panel uses the same lexer. A hostile text may take long.
 */
export function plainMarkdown(source: string): string {
  return blocksText(markdownTokens(marked, source.replaceAll("\0", "\uFFFD"), false));
}

/** The visible texts of the children, one per line. */
const joinLines = (texts: readonly string[]): string => texts.filter(text => text !== "").join("\n");

const blocksText = (tokens: readonly Token[]): string => joinLines(tokens.map(blockText));

function blockText(token: Token): string {
  switch (token.type) {
    case "code":
      return (token as Tokens.Code).text;
    case "html":
      return (token as Tokens.HTML).text.trimEnd();
    case "list":
      return joinLines((token as Tokens.List).items.map(item => blocksText(item.tokens)));
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return joinLines([header, ...rows].flat().map(cell => inlineText(cell.tokens)));
    }
    case "blockquote":
      return blocksText(token.tokens ?? []);
    case "space":
    case "hr":
    case "def":
    case "checkbox":
      return "";
    default:
      return inlineText([token]);
  }
}

function inlineText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join("");
}

function tokenText(token: Token): string {
  if (isFormulaToken(token)) return withoutLineBreaks(token.text);
  switch (token.type) {
    case "br":
      return "\n";
    case "checkbox":
      return "";
    case "codespan":
    case "filePath":
    case "html":
      return withoutLineBreaks((token as Tokens.Codespan).text);
    case "image": {
      const { text, href } = token as Tokens.Image;
      return withoutLineBreaks(text === "" ? href : text);
    }
    default: {
      const { tokens } = token as Tokens.Generic;
      if (tokens) return inlineText(tokens);
      return withoutLineBreaks(decodeEntities((token as Tokens.Text).text));
    }
  }
}

/** A line break in a paragraph is shown as a blank. */
const withoutLineBreaks = (text: string): string => text.replace(/\n/g, " ");

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes the character references that agents use in prose. Rare ones stay as written. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return (Object.hasOwn(entities, name) && entities[name]) || whole;
      const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

const escapeSequences =
  /(?:\u001b\[|\u009b)[0-9:;<=>?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** The final output of a terminal. Cursor movements are not emulated. */
export function plainTerminal(output: string): string {
  return output
    .replace(escapeSequences, "")
    .replace(/(?<!\r)\r+\n/g, "\n")
    .replace(/^.*\r(?!$)/gm, "");
}
