// Compares what an agent repeats of a prompt with the prompt. Agents repeat it in pieces, with other line ends, and with
// other white space at the ends of its texts. No I/O.
import type { ContentBlock } from "../session/events.ts";

/** How much of a prompt an agent has repeated. The repetition has to begin with {@link restart}. */
export class EchoProgress {
  /** The texts of its blocks, with line feeds as line ends and without white space at their ends. */
  readonly texts: readonly string[];
  /** The prompt has a link, a file, a picture or a sound. */
  readonly hasOther: boolean;
  /** Undefined if what the agent sent is no repetition. */
  #at: { text: number; offset: number; isReturn: boolean; lines: number } | undefined;
  #isPast = false;

  constructor(blocks: readonly ContentBlock[]) {
    this.texts = blocks
      .flatMap(block => (block.type === "text" ? [block.text.replace(/\r\n?/g, "\n").trim()] : []))
      .filter(text => text !== "");
    this.hasOther = blocks.some(({ type }) => type !== "text");
  }

  /** The next text begins a message. */
  restart(): void {
    this.#at = { text: 0, offset: 0, isReturn: false, lines: 0 };
    this.#isPast = false;
  }

  /** What the agent sent is no repetition. */
  stop(): void {
    this.#at = undefined;
  }

  /** Whether the agent has repeated the beginning of the prompt, and nothing else. */
  get isBegun(): boolean {
    return this.#at !== undefined;
  }

  /** Whether the agent has repeated all texts of the prompt, and nothing else. */
  get isComplete(): boolean {
    return this.#at?.text === this.texts.length;
  }

  /** Whether the agent has repeated all texts of the prompt, and then more lines. */
  get isPast(): boolean {
    return this.#isPast;
  }

  /** Adds a piece of the text. Returns whether it continues the repetition. */
  advance(text: string): boolean {
    const at = this.#at;
    if (!at) return false;
    for (const character of text) {
      const isSecondOfTwo = character === "\n" && at.isReturn;
      at.isReturn = character === "\r";
      if (at.offset === 0 && /[\r\n]/.test(character)) at.lines++;
      if (isSecondOfTwo || (at.offset === 0 && character.trim() === "")) continue;
      const expected = this.texts[at.text];
      if (!expected?.startsWith(at.isReturn ? "\n" : character, at.offset)) {
        this.#isPast = expected === undefined && at.lines > 0;
        this.#at = undefined;
        return false;
      }
      at.offset += character.length;
      if (at.offset < expected.length) continue;
      at.text++;
      at.offset = 0;
      at.lines = 0;
    }
    return true;
  }
}
