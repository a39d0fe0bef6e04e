// How Parley reads Markdown. The panel and the search use this lexer, so that they see the same text. It is GitHub's
// dialect with three differences: only `~~` strikes text, because `3~5` is a range; emphasis beside Chinese, Japanese and
// Korean punctuation works as their writers expect; and formulas and file paths are tokens of their own.
import {
  Marked,
  Tokenizer,
  type Token,
  type TokenizerAndRendererExtension,
  type Tokens,
  type TokensList,
} from "marked";
import markedCjkFriendly from "marked-cjk-friendly";
import type { WrittenPath } from "../../base/filePaths.ts";
import { formulaAt, isOpenFormula } from "../../base/formulas.ts";
import { withoutEscapes } from "../../base/pathsInRun.ts";
import { blockFormulaAt, type FormulaToken } from "./blockFormula.ts";
import { BoundedLexer, type InlinePaths } from "./boundedLexer.ts";

/** A path to a file. */
export interface FilePathToken extends Tokens.Generic {
  /** Without the backslashes of escapes. */
  readonly text: string;
  readonly path: WrittenPath;
}

const filePathExtension: TokenizerAndRendererExtension = {
  name: "filePath",
  level: "inline",
  start(source) {
    return pathsOf(this.lexer)?.next(source);
  },
  tokenizer(source) {
    if (this.lexer.state.inLink) return undefined;
    const path = pathsOf(this.lexer)?.at(source);
    if (path) {
      const raw = source.slice(0, path.end - path.start);
      return { type: "filePath", raw, text: withoutEscapes(raw), path };
    }
    // The backslashes of a Windows share are not escapes.
    const share = /^\\\\[^\s<>"'`]*/.exec(source)?.[0];
    return share === undefined ? undefined : { type: "text", raw: share, text: share };
  },
};

const pathsOf = (lexer: unknown): InlinePaths | undefined =>
  lexer instanceof BoundedLexer ? lexer.inlinePaths : undefined;

const inlineFormula = (text: string, isOpen: boolean): FormulaToken => ({
  type: "formula",
  raw: text,
  text,
  isBlock: false,
  isOpen,
});

const inlineFormulaExtension: TokenizerAndRendererExtension = {
  name: "inlineFormula",
  level: "inline",
  start: source => source.indexOf("$$"),
  tokenizer(source, tokens) {
    if (!/^(?:\\[([]|\$\$)/.test(source)) return undefined;
    const before = tokens.at(-1)?.raw.at(-1) ?? "";
    const formula = formulaAt(source, 0, before);
    if (formula) return inlineFormula(formula.raw, false);
    const isOpen = (this.lexer as BoundedLexer).isOpenEnd(source) && isOpenFormula(source, 0, before);
    return isOpen ? inlineFormula(source, true) : undefined;
  },
};

const blockFormulaExtension: TokenizerAndRendererExtension = {
  name: "blockFormula",
  level: "block",
  // Only a line that begins a formula ends a paragraph. To join its parts again would take quadratic time.
  start(source) {
    return (this.lexer as BoundedLexer).formulaLines?.next(source);
  },
  tokenizer(source) {
    return blockFormulaAt(source, 0, (this.lexer as BoundedLexer).isLive);
  },
};

/** The longest heading with an underline, in characters. To search farther for the underline could take quadratic time. */
const maxHeadingLength = 4000;

/** The beginning of a source that can be a heading with an underline. A formula below a text is no part of it. */
function headingPart(source: string, formulaLine = source.length): string {
  const end = Math.min(source.length, formulaLine);
  return source.slice(0, end <= maxHeadingLength ? end : source.lastIndexOf("\n", maxHeadingLength) + 1);
}

/** A configured Marked. The panel adds its renderers. */
export function newMarked(): Marked {
  const marked = new Marked(markedCjkFriendly(), {
    gfm: true,
    extensions: [inlineFormulaExtension, blockFormulaExtension, filePathExtension],
    tokenizer: {
      // `false` continues with the tokenizer above.
      del: source => (source.startsWith("~~") ? false : undefined),
      lheading(source) {
        const { formulaLines } = this.lexer as BoundedLexer;
        return Tokenizer.prototype.lheading.call(this, headingPart(source, formulaLines?.next(source)));
      },
      // GitHub's rule knows only the punctuation of Latin scripts at the end of a URL.
      url(source) {
        const url =
          /^(?:https?:\/\/|ftp:\/\/|www\.)[^\s<。，、；：！？“”「」『』（）《》【】]*/i.exec(source)?.[0] ?? "";
        if (url === "" || !/^[。，、；：！？“”「」『』（）《》【】]/.test(source.slice(url.length))) return false;
        return Tokenizer.prototype.url.call(this, url);
      },
    },
  });
  return marked;
}

/**
 * The top-level tokens of Markdown, with its link definitions in `links`. In a live text, a formula without an end is one
 * that is still arriving.
 */
export function markdownTokens(marked: Marked, source: string, isLive: boolean): TokensList {
  return new BoundedLexer(marked.defaults, isLive).lex(source);
}

/** Whether the token is a formula. */
export const isFormulaToken = (token: Token | FormulaToken): token is FormulaToken => token.type === "formula";
