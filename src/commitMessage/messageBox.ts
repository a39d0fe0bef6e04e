// Writes a growing text into the box of a commit message. What the user types meanwhile stays, and ends the writing.
import type { Disposable, Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";

/** A box as VS Code's git extension offers it. */
export interface MessageInput {
  value: string;
  /** Fires with each text of the box, also with those that were written here. Absent: not known. */
  readonly onDidChange?: Event<string>;
}

/** The box is written at most this often (ms). */
const writeInterval = 100;

/** One message in the making. */
export class MessageBox implements Disposable {
  readonly #input: MessageInput;
  readonly #clock: Clock;
  readonly #onTyped: () => void;
  readonly #listening: Disposable | undefined;
  /** What was in the box before. */
  readonly before: string;
  /** The texts that the box may have if the user has not typed. */
  readonly #written: Set<string>;
  #last: string;
  /** The last text that the box is known to show. */
  #shown: string;
  #next: string | undefined;
  #timer: Disposable | undefined;
  #isTyped = false;
  #isDone = false;

  /** `onTyped` is called once, when the user types. */
  constructor(input: MessageInput, clock: Clock, onTyped: () => void) {
    this.#input = input;
    this.#clock = clock;
    this.#onTyped = onTyped;
    this.before = input.value;
    this.#last = this.before;
    this.#shown = this.before;
    this.#written = new Set([this.before]);
    this.#listening = input.onDidChange?.(text => this.#changed(plain(text)));
  }

  /** The user has typed, so nothing is written any more. */
  get isTyped(): boolean {
    return this.#isTyped;
  }

  /** Shows the text soon. */
  write(text: string): void {
    if (this.#isTyped || this.#isDone) return;
    this.#next = text;
    this.#timer ??= this.#clock.after(writeInterval, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  /** Shows the text now, as the last one. False: the user has typed, so the box stays as it is. */
  finish(text: string): boolean {
    return this.#end(text);
  }

  /** Shows what was in the box before, unless the user has typed. */
  restore(): void {
    this.#end(this.before);
  }

  dispose(): void {
    this.#isDone = true;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#listening?.dispose();
  }

  #end(text: string): boolean {
    if (this.#isDone || this.#isTyped) return false;
    this.#next = text;
    this.#flush();
    this.dispose();
    return !this.#isTyped;
  }

  #flush(): void {
    const text = this.#next;
    if (text === undefined || this.#isTyped) return;
    this.#next = undefined;
    const now = plain(this.#input.value);
    if (!this.#written.has(now)) return this.#typed(now);
    if (text === this.#last) return;
    this.#written.add(text);
    this.#last = text;
    this.#input.value = text;
  }

  #changed(text: string): void {
    if (this.#isTyped || this.#isDone) return;
    if (!this.#written.has(text)) return this.#typed(text);
    this.#shown = text;
  }

  #typed(text: string): void {
    this.#isTyped = true;
    const isInFlight = this.#shown !== this.#last;
    this.dispose();
    // The last text was written before the typing was known, so it would replace what the user typed.
    if (isInFlight && this.#input.onDidChange) this.#input.value = text;
    this.#onTyped();
  }
}

/** The box has the line ends of its document. */
const plain = (text: string): string => text.replace(/\r\n?/g, "\n");
