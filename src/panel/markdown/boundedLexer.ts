// A Markdown lexer whose time is proportional to the length of the text. Text that is nested too deeply, or that has so
// many markers that matching them would take seconds, stays plain text.
import { Hooks, Lexer, type MarkedOptions, type Token, type TokensList } from "marked";
import { formulaSpans } from "../../base/formulas.ts";

/** The deepest nesting of quotes and lists. */
const maxDepth = 10;
/** The deepest nesting of emphasis, links and other inline elements. */
const maxInlineDepth = 24;
/** The cost of matching a paragraph: its characters times its markers. A long prose paragraph has a tenth of this. */
const maxEffort = 4_000_000;
const markPattern = /[[\]*_~`<!&@:]|\\\(|\$\$/g;
/** In such a word, each letter would be tried as the start of a URL. */
const longWordPattern = /\S{4000}/;

/** Produces the same tokens as marked's own lexer, but no emphasis begins or ends in a formula. */
export class BoundedLexer extends Lexer {
  /** Whether more text is expected. */
  readonly isLive: boolean;
  #depth = 0;
  #inlineDepth = 0;
  /** The source of the inline tokens that are being lexed. */
  #inlineSource = "";
  /** The inline source at the end of a live text. */
  #openSource: string | undefined;

  constructor(options: MarkedOptions, isLive: boolean) {
    super(options);
    this.isLive = isLive;
    this.options = {
      ...this.options,
      hooks: Object.assign(new Hooks(), { emStrongMask: (masked: string) => this.#withoutFormulas(masked) }),
    };
  }

  /** Whether the rest of an inline source ends where more text is expected. */
  isOpenEnd(rest: string): boolean {
    return this.#openSource?.endsWith(rest) === true;
  }

  /** The mask with letters in place of formulas. Both have the length of the source. */
  #withoutFormulas(masked: string): string {
    let visible = "";
    for (const [start, end] of formulaSpans(this.#inlineSource))
      visible += masked.slice(visible.length, start) + "a".repeat(end - start);
    return visible + masked.slice(visible.length);
  }

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
      if (this.isLive && this.#depth === 0) this.#openSource = this.inlineQueue.at(-1)?.src;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= maxInlineDepth || isExpensive(source)) {
      tokens.push(textToken(source));
      return tokens;
    }
    this.#inlineDepth++;
    this.#inlineSource = source;
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
