// Finds the echo of prompts among the messages of the user that an agent of version 1 reports. No I/O.
import { jsonEqual } from "../../base/jsonEqual.ts";
import type { ContentBlock } from "../../session/events.ts";

/** A prompt that the agent may repeat. */
interface Expected {
  /** The texts of its blocks, with line feeds as line ends and without white space at their ends. */
  readonly texts: readonly string[];
  /** It has a link, a file, a picture or a sound. */
  readonly hasOther: boolean;
  /** How much of it the latest messages have repeated. Undefined if they are no repetition. */
  at: Position | undefined;
}

interface Position {
  text: number;
  offset: number;
  /** The last character was a carriage return. */
  isReturn: boolean;
}

/**
 * The prompts of one turn. An agent repeats them anywhere in the turn, in pieces, with other line ends, and with other white
 * space at the ends of their texts. `T`: a piece of a message, held back while it may be the beginning of an echo.
 */
export class PromptEcho<T> {
  #expected: readonly Expected[] = [];
  #held: T[] = [];

  /** The turn has another prompt. */
  expect(blocks: readonly ContentBlock[]): void {
    const texts = blocks
      .flatMap(block => (block.type === "text" ? [block.text.replace(/\r\n?/g, "\n").trim()] : []))
      .filter(text => text !== "");
    if (this.#expected.some(each => jsonEqual(each.texts, texts))) return;
    this.#expected = [
      ...this.#expected,
      { texts, hasOther: blocks.some(({ type }) => type !== "text"), at: undefined },
    ];
  }

  /** The turn is over. What is held back then is the beginning of a prompt, which the conversation shows. */
  clear(): void {
    this.#expected = [];
    this.#held = [];
  }

  /** Takes a piece of a message. Returns the pieces to show: none, or this one after those that were held back. */
  add(content: ContentBlock, piece: T): readonly T[] {
    if (content.type !== "text") {
      if (this.#expected.some(({ hasOther }) => hasOther)) return [];
      return [...this.#release(), piece];
    }
    if (this.#advance(content.text)) return this.#hold(piece);
    const others = this.#release();
    return this.#advance(content.text) ? [...others, ...this.#hold(piece)] : [...others, piece];
  }

  /** The next message can begin an echo. */
  #release(): readonly T[] {
    const held = this.#held;
    this.#held = [];
    for (const each of this.#expected) each.at = { text: 0, offset: 0, isReturn: false };
    return held;
  }

  #hold(piece: T): readonly T[] {
    const isComplete = this.#expected.some(({ texts, at }) => at?.text === texts.length);
    this.#held = isComplete ? [] : [...this.#held, piece];
    return [];
  }

  /** Whether the text continues the echo of a prompt. */
  #advance(text: string): boolean {
    for (const each of this.#expected) if (each.at && !advance(each.texts, each.at, text)) each.at = undefined;
    return this.#expected.some(({ at }) => at !== undefined);
  }
}

/** Moves on by the characters of a text. False at a character that the texts do not have there. */
function advance(texts: readonly string[], at: Position, text: string): boolean {
  for (const character of text) {
    const isSecondOfTwo = character === "\n" && at.isReturn;
    at.isReturn = character === "\r";
    if (isSecondOfTwo || (at.offset === 0 && character.trim() === "")) continue;
    const expected = texts[at.text];
    if (!expected?.startsWith(at.isReturn ? "\n" : character, at.offset)) return false;
    at.offset += character.length;
    if (at.offset < expected.length) continue;
    at.text++;
    at.offset = 0;
  }
  return true;
}
