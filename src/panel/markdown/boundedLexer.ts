// A Markdown lexer whose time is proportional to the length of the text. Text that is nested too deeply, or that has so
// many markers that matching them would take seconds, stays plain text.
import { Hooks, Lexer, type MarkedOptions, type Token, type TokensList } from "marked";
import { findPaths } from "../../base/filePaths.ts";
import { formulaSpans } from "../../base/formulas.ts";
import type { FoundPath } from "../../base/pathsInRun.ts";
import { isNameStart } from "../../base/spacelessScripts.ts";
import { FormulaLines } from "./blockFormula.ts";

/** The deepest nesting of quotes and lists. */
const maxDepth = 10;
/** The deepest nesting of emphasis, links and other inline elements. */
const maxInlineDepth = 24;
/** The cost of matching a paragraph: its characters times its markers. A long prose paragraph has a tenth of this. */
const maxEffort = 4_000_000;
const markPattern = /[[\]*_~`<!&@:]|\\\(|\$\$/g;
/** In such a word, each letter would be tried as the start of a URL. */
const longWordPattern = /\S{4000}/;

/** The paths in one inline text. The lexer reads the text from its start to its end. */
export class InlinePaths {
  readonly #text: string;
  readonly #paths: readonly FoundPath[];
  #next = 0;
  #position = 0;

  /** `before`: the text that ends where this one begins. A path that begins in it is not found. */
  constructor(text: string, before: string) {
    this.#text = text;
    const paths = findPaths(text, "markdown");
    const [first] = paths;
    this.#paths = first?.start === 0 && !isNameStart(before, first.path) ? paths.slice(1) : paths;
  }

  /** Where the next path begins in the rest of the text. */
  next(rest: string): number | undefined {
    this.#position = this.#text.length - rest.length;
    while ((this.#paths[this.#next]?.start ?? Infinity) < this.#position) this.#next++;
    const start = this.#paths[this.#next]?.start;
    return start === undefined ? undefined : start - this.#position;
  }

  /** The path at the beginning of the rest. */
  at(rest: string): FoundPath | undefined {
    return this.next(rest) === 0 ? this.#paths[this.#next] : undefined;
  }

  /** The text before an emphasized text that follows the position of the lexer, without its marks. */
  before(emphasized: string): string {
    const marks = /^[*_~]*/.exec(this.#text.slice(this.#position, this.#position + maxMarks))?.[0].length ?? 0;
    const isNext = this.#text.startsWith(emphasized, this.#position + marks);
    return isNext ? this.#text.slice(Math.max(0, this.#position - 2), this.#position) : "";
  }
}

/** Emphasis has at most three marks, and those of nested emphasis are read one after the other. */
const maxMarks = 8;

/** Produces the same tokens as marked's own lexer, but no emphasis begins or ends in a formula. */
export class BoundedLexer extends Lexer {
  /** Whether more text is expected. */
  readonly isLive: boolean;
  #depth = 0;
  #inlineDepth = 0;
  /** The lines with formulas of the blocks that are read. */
  formulaLines: FormulaLines | undefined;
  /** The paths of the inline text that is read. */
  inlinePaths: InlinePaths | undefined;
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
    const outer = this.formulaLines;
    this.formulaLines = new FormulaLines(source, this.isLive);
    this.#depth++;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#depth--;
      this.formulaLines = outer;
      if (this.isLive && this.#depth === 0) this.#openSource = this.inlineQueue.at(-1)?.src;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= maxInlineDepth || isExpensive(source)) {
      tokens.push(textToken(source));
      return tokens;
    }
    const outer = this.inlinePaths;
    this.inlinePaths = new InlinePaths(source, outer?.before(source) ?? "");
    this.#inlineDepth++;
    this.#inlineSource = source;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth--;
      this.inlinePaths = outer;
    }
  }
}

const textToken = (text: string): Token => ({ type: "text", raw: text, text, escaped: false });

/** Most texts are short, so their markers need not be counted. */
function isExpensive(source: string): boolean {
  if (source.length ** 2 <= maxEffort) return false;
  return source.length * (source.match(markPattern)?.length ?? 0) > maxEffort || longWordPattern.test(source);
}
