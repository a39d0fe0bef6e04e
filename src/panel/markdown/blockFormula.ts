// Formulas on lines of their own, for the lexer of Markdown.
import { formulaAt, isOpenFormula } from "../../base/formulas.ts";

/** A formula, or the beginning of one that is still arriving. */
export interface FormulaToken {
  readonly type: "formula";
  readonly raw: string;
  /** With its delimiters. */
  readonly text: string;
  /** Whether it stands on lines of its own. */
  readonly isBlock: boolean;
  readonly isOpen: boolean;
}

/** The formula on the lines from `start` on. In a live text, it can be without an end. */
export function blockFormulaAt(source: string, start: number, isLive: boolean): FormulaToken | undefined {
  const begin = / {0,3}(?=\\\[|\$\$)/y;
  begin.lastIndex = start;
  if (!begin.test(source)) return undefined;
  const formula = formulaAt(source, begin.lastIndex, "");
  if (formula) {
    const { raw: text } = formula;
    const rest = /[ \t]*(?:\n|$)/y;
    rest.lastIndex = begin.lastIndex + text.length;
    if (!rest.test(source)) return undefined;
    const raw = source.slice(start, rest.lastIndex);
    return { type: "formula", raw, text, isBlock: true, isOpen: false };
  }
  if (!isLive || !isOpenFormula(source, begin.lastIndex, "")) return undefined;
  const text = source.slice(begin.lastIndex).trimEnd();
  return { type: "formula", raw: source.slice(start), text, isBlock: true, isOpen: true };
}

const formulaLinePattern = /\n {0,3}(?=\\\[|\$\$)/g;

/** The lines of one source on which a formula begins. The lexer reads the source from its start to its end. */
export class FormulaLines {
  readonly #source: string;
  readonly #isLive: boolean;
  /** The first line after the position of the lexer. Infinity if there is none. */
  #next = 0;

  constructor(source: string, isLive: boolean) {
    this.#source = source;
    this.#isLive = isLive;
  }

  /**
   * Where the next line begins in the rest of the source, after its first line. Undefined if there is none. The line is
   * remembered, because to search each rest would take quadratic time.
   */
  next(rest: string): number | undefined {
    const position = this.#source.length - rest.length;
    if (this.#next <= position) this.#next = this.#lineAfter(position);
    return this.#next === Infinity ? undefined : this.#next - position;
  }

  #lineAfter(position: number): number {
    const pattern = new RegExp(formulaLinePattern);
    pattern.lastIndex = position;
    for (let found = pattern.exec(this.#source); found; found = pattern.exec(this.#source))
      if (blockFormulaAt(this.#source, found.index + 1, this.#isLive)) return found.index + 1;
    return Infinity;
  }
}
