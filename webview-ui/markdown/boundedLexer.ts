// A Markdown lexer that takes time in proportion to its text: what nests too deep, or is so full of marks that matching
// them would take seconds, stays the text it is.
import { Lexer, type Token, type TokensList } from "marked";

/** Quotes and lists within each other. */
const maxDepth = 10;
/** Emphasis, links and the like within each other. */
const maxInlineDepth = 24;
/** Characters times marks of one paragraph: what matching them costs. A long paragraph in prose has a tenth of it. */
const maxEffort = 4_000_000;
const markPattern = /[[\]*_~`<!&@:]/g;
/** Each of its letters would be tried as the beginning of an address. */
const longWordPattern = /\S{4000}/;

/** Of the same tokens as marked's own. */
export class BoundedLexer extends Lexer {
  #depth = 0;
  #inlineDepth = 0;

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth >= maxDepth) {
      tokens.push({ type: "paragraph", raw: source, text: source, tokens: [textToken(source)] });
      return tokens;
    }
    this.#depth++;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#depth--;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= maxInlineDepth || isExpensive(source)) {
      tokens.push(textToken(source));
      return tokens;
    }
    this.#inlineDepth++;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth--;
    }
  }
}

const textToken = (text: string): Token => ({ type: "text", raw: text, text, escaped: false });

/** Most are short: then there is nothing to count. */
function isExpensive(source: string): boolean {
  if (source.length ** 2 <= maxEffort) return false;
  return source.length * (source.match(markPattern)?.length ?? 0) > maxEffort || longWordPattern.test(source);
}
