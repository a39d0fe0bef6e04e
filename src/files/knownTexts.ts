// Remembers what an agent knows of each file: the text that it last read or wrote through Parley.
import { learnLines } from "./mergeTexts.ts";
import type { KnownText, LineWindow } from "./ports.ts";

/** The texts of all files together may have this many characters. The oldest ones are forgotten first. */
const maxCharacters = 32 * 1024 * 1024;

/** Texts by file. A file that is not known here is written as the agent sends it. */
export class KnownTexts {
  readonly #texts = new Map<string, KnownText>();
  #characters = 0;

  get(key: string): KnownText | undefined {
    return this.#texts.get(key);
  }

  /** The agent knows this text of the whole file. */
  set(key: string, known: KnownText): void {
    this.forget(key);
    this.#texts.set(key, known);
    this.#characters += known.text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= maxCharacters) break;
      this.forget(oldest);
    }
  }

  /** The agent has read lines of a text. What it knew of other lines may be older. */
  learn(key: string, current: KnownText, window: LineWindow | undefined): void {
    const before = window && this.#texts.get(key);
    if (!before) return this.set(key, current);
    if (window.limit <= 0) return;
    const text = learnLines(before.text, current.text, window);
    // Until the agent knows the whole current text, the user's edits since then count as unknown to it.
    this.set(key, text === current.text ? current : { text, userEdits: before.userEdits });
  }

  forget(key: string): void {
    const known = this.#texts.get(key);
    if (!known) return;
    this.#texts.delete(key);
    this.#characters -= known.text.length;
  }
}
