// A Markdown lexer whose time is proportional to the length of the text. Text that is nested too deeply, or that has so
// many markers that matching them would take seconds, stays plain text.
import { Lexer, type Token, type TokensList } from "marked";

/** The deepest nesting of quotes and lists. */
const maxDepth = 10;
/** The deepest nesting of emphasis, links and other inline elements. */
const maxInlineDepth = 24;
/** The cost of matching a paragraph: its characters times its markers. A long prose paragraph has a tenth of this. */
const maxEffort = 4_000_000;
const markPattern = /[[\]*_~`<!&@:]/g;
/** In such a word, each letter would be tried as the start of a URL. */
const longWordPattern = /\S{4000}/;

/** Produces the same tokens as marked's own lexer. */
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

/** Most texts are short, so their markers need not be counted. */
function isExpensive(source: string): boolean {
  if (source.length ** 2 <= maxEffort) return false;
  return source.length * (source.match(markPattern)?.length ?? 0) > maxEffort || longWordPattern.test(source);
}
