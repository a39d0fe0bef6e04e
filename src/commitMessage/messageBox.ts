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
  #last: string;
  /** The last text that the box is known to show, and those that are on their way to it. */
  #expected: readonly string[];
  /** The text that the box has shown before. Its value may arrive later than its changes. */
  #gone: string | undefined;
  #hasEvents = false;
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
    this.#last = plain(this.before);
    this.#expected = [this.#last];
    this.#listening = input.onDidChange?.(text => this.#changed(plain(text)));
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
    const isOwn = this.#hasEvents ? now === this.#gone || this.#expected.includes(now) : now === this.#last;
    if (!isOwn) return this.#typed(now);
    if (text === this.#last) return;
    this.#expected = [...this.#expected, text];
    this.#last = text;
    this.#input.value = text;
  }

  #changed(text: string): void {
    if (this.#isTyped || this.#isDone) return;
    this.#hasEvents = true;
    const at = this.#expected.indexOf(text);
    if (at < 0) return this.#typed(text);
    // Only the user can bring back an earlier text.
    this.#gone = this.#expected[at - 1] ?? this.#gone;
    this.#expected = this.#expected.slice(at);
  }

  #typed(text: string): void {
    this.#isTyped = true;
    const isInFlight = this.#expected.length > 1;
    this.dispose();
    // The last text was written before the typing was known, so it would replace what the user typed.
    if (isInFlight && this.#input.onDidChange) this.#input.value = text;
    this.#onTyped();
  }
}

/** The box has the line ends of its document. */
const plain = (text: string): string => text.replace(/\r\n?/g, "\n");
