// Finds the echo of prompts among the messages of the user that an agent of version 1 reports. No I/O.
import { jsonEqual } from "../../base/jsonEqual.ts";
import type { ContentBlock } from "../../session/events.ts";
import { EchoProgress } from "../echoProgress.ts";

/**
 * The prompts of one turn, which an agent can repeat anywhere in the turn. `T`: a piece of a message, held back while it may
 * be the beginning of an echo.
 */
export class PromptEcho<T> {
  #expected: readonly EchoProgress[] = [];
  #held: T[] = [];

  /** The turn has another prompt. */
  expect(blocks: readonly ContentBlock[]): void {
    const prompt = new EchoProgress(blocks);
    if (this.#expected.some(({ texts }) => jsonEqual(texts, prompt.texts))) return;
    this.#expected = [...this.#expected, prompt];
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
    for (const each of this.#expected) each.restart();
    return held;
  }

  #hold(piece: T): readonly T[] {
    const isComplete = this.#expected.some(({ isComplete }) => isComplete);
    this.#held = isComplete ? [] : [...this.#held, piece];
    return [];
  }

  /** Whether the text continues the echo of a prompt. */
  #advance(text: string): boolean {
    for (const each of this.#expected) each.advance(text);
    return this.#expected.some(({ isBegun }) => isBegun);
  }
}
